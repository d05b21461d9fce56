//! What a server tells on its own account.

use futures_util::{Stream, stream};
use proofmark_core::{
    json::Raw,
    revision::RequestMethod,
    session::client::{Call, CallId, Completion},
    types::{ServerNotification, SubscriptionFilter, SubscriptionsListenParams},
};
use tokio::sync::{broadcast::error::RecvError, mpsc};

use super::{
    Client, Error,
    engine::{CallExtras, PendingCall},
};

/// An open subscription of the modern era. Dropping it ends it.
pub struct Subscription {
    heard: mpsc::Receiver<ServerNotification>,
    call: Option<PendingCall>,
    granted: SubscriptionFilter,
}

impl Subscription {
    /// What the server agreed to tell, which may be less than was asked for.
    pub fn granted(&self) -> &SubscriptionFilter {
        &self.granted
    }

    /// The next notification; `None` when the server has ended the subscription.
    pub async fn next(&mut self) -> Result<Option<ServerNotification>, Error> {
        // The channel closes when the call is over.
        match self.heard.recv().await {
            Some(notification) => Ok(Some(notification)),
            None => match self.call.take() {
                Some(call) => call.await.result.map(|_| None),
                None => Ok(None),
            },
        }
    }
}

impl Client {
    /// All that the server tells from now on, whatever it belongs to. A reader that is too slow misses the oldest.
    pub fn notifications(&self) -> impl Stream<Item = ServerNotification> + Send + Unpin + use<> {
        let heard = self.engine().notices();
        Box::pin(stream::unfold(heard, |mut heard| async move {
            loop {
                match heard.recv().await {
                    Ok(notification) => return Some((notification, heard)),
                    Err(RecvError::Lagged(missed)) => {
                        tracing::debug!(missed, "notifications were not read in time");
                    }
                    Err(RecvError::Closed) => return None,
                }
            }
        }))
    }

    /// Asks a modern server to tell what the filter says. Legacy servers tell without being asked, or after
    /// [`subscribe`](Self::subscribe); read [`notifications`](Self::notifications) for that.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription, Error> {
        let method = RequestMethod::SubscriptionsListen;
        let params = SubscriptionsListenParams { notifications: filter, meta: None };
        let params =
            Raw::new(&params).map_err(|error| Error::Params { method, why: error.to_string() })?;
        let engine = self.engine();
        engine.ready().await?;
        let (sender, mut heard) = mpsc::channel(engine.settings.notifications.max(1));
        let extras = CallExtras { notifications: Some(sender), ..CallExtras::default() };
        let call = engine.call(Call::new(CallId(0), method, Some(params)), Some(Box::new(extras)));
        match heard.recv().await {
            Some(ServerNotification::Acknowledged(params)) => {
                Ok(Subscription { heard, call: Some(call), granted: params.notifications })
            }
            // A session lets nothing through before the acknowledgement.
            Some(_) => {
                Ok(Subscription { heard, call: Some(call), granted: SubscriptionFilter::default() })
            }
            None => match call.await.result {
                Ok(Completion::Ended) => {
                    Ok(Subscription { heard, call: None, granted: SubscriptionFilter::default() })
                }
                Ok(_) => Err(Error::Unreadable { method, why: "not the end of it".into() }),
                Err(error) => Err(error),
            },
        }
    }
}
