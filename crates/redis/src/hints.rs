//! News that something may have changed in the store. Missing one does no harm: readers look again by themselves now and then.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redis::{PushInfo, PushKind, Value};
use tokio::sync::Notify;

/// Who waits for news on which channel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints(Arc<Mutex<Channels>>);

#[derive(Debug, Default)]
struct Channels {
    watched: HashMap<String, Watched>,
    /// Channels without a reader, to be unsubscribed from at the next opportunity.
    left: Vec<String>,
}

#[derive(Debug, Default)]
struct Watched {
    readers: usize,
    news: Arc<Notify>,
}

/// One reader of a channel.
#[derive(Debug)]
pub(crate) struct Reader {
    hints: Hints,
    channel: String,
    pub(crate) news: Arc<Notify>,
    /// Whether it is the first, which has to subscribe.
    pub(crate) is_first: bool,
}

impl Hints {
    pub(crate) fn read(&self, channel: String) -> Reader {
        let mut channels = self.lock();
        let watched = channels.watched.entry(channel.clone()).or_default();
        watched.readers += 1;
        let (news, is_first) = (Arc::clone(&watched.news), watched.readers == 1);
        channels.left.retain(|left| *left != channel);
        drop(channels);
        Reader { hints: self.clone(), channel, news, is_first }
    }

    /// The channels that have lost their readers since the last time.
    pub(crate) fn take_left(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().left)
    }

    /// The channels that have readers.
    pub(crate) fn channels(&self) -> Vec<String> {
        self.lock().watched.keys().cloned().collect()
    }

    /// Has all readers look by themselves.
    pub(crate) fn wake_all(&self) {
        self.lock().watched.values().for_each(|watched| watched.news.notify_waiters());
    }

    /// Takes in what the store says of its own accord.
    pub(crate) fn push(&self, push: &PushInfo) {
        let channels = self.lock();
        match (&push.kind, push.data.first()) {
            // Whatever happened meanwhile was not told.
            (PushKind::Disconnection, _) => {
                channels.watched.values().for_each(|watched| watched.news.notify_waiters());
            }
            (PushKind::Message, Some(Value::BulkString(channel))) => {
                let channel = std::str::from_utf8(channel).unwrap_or_default();
                if let Some(watched) = channels.watched.get(channel) {
                    watched.news.notify_waiters();
                }
            }
            _ => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Channels> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut channels = self.hints.lock();
        let Some(watched) = channels.watched.get_mut(&self.channel) else { return };
        watched.readers -= 1;
        if watched.readers == 0 {
            channels.watched.remove(&self.channel);
            channels.left.push(std::mem::take(&mut self.channel));
        }
    }
}
