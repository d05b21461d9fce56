//! Writes down what is said on one connection: to a file, to the timeline, and for the judges. Secrets are left out of all three.

mod http;
mod pipe;

use std::{
    fs, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

pub(crate) use http::HttpRecorder;
pub(crate) use pipe::PipeRecorder;
use proofmark_check::record::{
    event::{Conversation, Event, EventKind},
    scenario::ScenarioName,
    transcript::{Header, Recording, TranscriptKind, Writer, redact::redact},
    transport::Transport,
};

use crate::{
    server::{Over, Reach, ServerEntry},
    timeline::Timeline,
};

/// Of one connection. Clones share it.
#[derive(Clone)]
pub(crate) struct Recorder(Arc<Inner>);

struct Inner {
    server: u32,
    began: Instant,
    timeline: Timeline,
    header: Header,
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    /// `None` once the disk has refused it.
    writer: Option<Writer>,
    /// Microseconds, so that no two events have the same.
    last: u64,
    events: Vec<Event>,
    weight: usize,
    /// More was said than is judged while it runs.
    overflowed: bool,
    /// What is new since the judges looked.
    news: bool,
}

impl Recorder {
    /// Begins a file of its own in the folder.
    pub(crate) fn new(
        server: u32,
        entry: &ServerEntry,
        timeline: Timeline,
        began: Instant,
    ) -> io::Result<Self> {
        let transport = match &entry.reach {
            Reach::Command { .. } => Transport::Stdio,
            Reach::Url { over: Over::Sse, .. } => Transport::Sse,
            Reach::Url { over: Over::StreamableHttp, .. } => Transport::Http,
        };
        let header = Header::new(TranscriptKind::Tap, entry.target(), transport);
        let name = format!("proofmark-inspect-{}-{}.jsonl", std::process::id(), number());
        let path = std::env::temp_dir().join(name);
        let mut writer = Writer::create_new(&path, &header)?;
        writer.conversation(0, &ScenarioName::OVERHEARD)?;
        let state = State {
            writer: Some(writer),
            last: 0,
            events: Vec::new(),
            weight: 0,
            overflowed: false,
            news: false,
        };
        Ok(Self(Arc::new(Inner {
            server,
            began,
            timeline,
            header,
            path,
            state: Mutex::new(state),
        })))
    }

    pub(crate) fn note(&self, mut what: EventKind) -> u64 {
        redact(&mut what);
        let inner = &*self.0;
        let mut state = inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = u64::try_from(inner.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let at = now.max(state.last + 1);
        state.last = at;
        let time = Duration::from_micros(at);
        let written = state.writer.as_mut().map(|writer| {
            writer.event(0, time, what.clone())?;
            writer.flush()
        });
        if let Some(Err(_)) = written {
            state.writer = None;
        }
        let seq = inner.timeline.push(inner.server, at, &what);
        state.keep(Event { at: time, kind: what });
        seq
    }

    /// What was said, if there is news and not too much of it.
    pub(crate) fn news(&self) -> Option<Recording> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::take(&mut state.news) || state.overflowed {
            return None;
        }
        let conversation =
            Conversation { scenario: ScenarioName::OVERHEARD, events: state.events.clone() };
        Some(Recording { header: self.0.header.clone(), conversations: vec![conversation] })
    }

    pub(crate) fn is_overflowed(&self) -> bool {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).overflowed
    }

    /// The whole transcript, as `proofmark replay` reads it.
    pub(crate) fn transcript(&self) -> io::Result<Vec<u8>> {
        fs::read(&self.0.path)
    }
}

impl State {
    fn keep(&mut self, event: Event) {
        let weight = match &event.kind {
            EventKind::Sent { frame, .. } | EventKind::Received { frame, .. } => frame.weight(),
            _ => size_of::<Event>(),
        };
        self.weight += weight;
        self.news = true;
        if self.overflowed || self.weight > MOST_JUDGED {
            self.overflowed = true;
            self.events = Vec::new();
            return;
        }
        self.events.push(event);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.path);
    }
}

fn number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// About how many bytes of memory are kept for the judges of one connection.
const MOST_JUDGED: usize = 32 * 1024 * 1024;
