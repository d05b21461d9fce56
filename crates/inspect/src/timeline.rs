//! Everything that was said, oldest first, within bounds: what is too old is let go, and counted.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use proofmark_check::record::event::{EventKind, Frame};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

/// Clones share it.
#[derive(Clone)]
pub(crate) struct Timeline(Arc<Inner>);

struct Inner {
    entries: Mutex<Entries>,
    /// The number of the newest entry.
    newest: watch::Sender<u64>,
}

#[derive(Default)]
struct Entries {
    kept: VecDeque<Arc<Entry>>,
    bytes: usize,
    next: u64,
    /// Requests that have no answer yet, by server, side and id.
    open: HashMap<(u32, Direction, String), (u64, u64)>,
}

/// One line of the timeline.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    pub seq: u64,
    pub server: u32,
    /// Microseconds since the inspector began.
    pub at: u64,
    pub kind: Kind,
    pub direction: Direction,
    /// The method, the status line, or what happened.
    pub label: String,
    /// As it stands in the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Of the HTTP exchange; 0 over pipes.
    pub exchange: u32,
    /// Of the whole message, of which the text may be a part.
    pub size: usize,
    /// Microseconds from the request to this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took: Option<u64>,
    /// The number of the request that this answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    #[serde(skip)]
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    /// From the server.
    In,
    /// To the server.
    Out,
    /// Neither: a process began or ended.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Error,
    Http,
    Log,
    Notification,
    Odd,
    Request,
    Response,
    State,
    Stderr,
}

impl Default for Timeline {
    fn default() -> Self {
        let newest = watch::Sender::new(0);
        Self(Arc::new(Inner { entries: Mutex::default(), newest }))
    }
}

impl Timeline {
    /// Adds an event, which has no secrets any more.
    pub(crate) fn push(&self, server: u32, at: u64, event: &EventKind) -> u64 {
        let mut entries = self.lock();
        let seq = entries.push(server, at, event);
        drop(entries);
        self.0.newest.send_replace(seq);
        seq
    }

    /// Tells when there is more.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.0.newest.subscribe()
    }

    /// Entries after a number, the oldest first, and how many were let go between.
    pub(crate) fn after(&self, seq: u64, most: usize) -> (Vec<Arc<Entry>>, u64) {
        let entries = self.lock();
        let first = entries.kept.front().map_or(entries.next + 1, |entry| entry.seq);
        let lost = first.saturating_sub(seq + 1);
        let at = entries.kept.partition_point(|entry| entry.seq <= seq);
        (entries.kept.iter().skip(at).take(most).cloned().collect(), lost)
    }

    /// The newest, oldest first.
    pub(crate) fn last(&self, most: usize) -> Vec<Arc<Entry>> {
        let entries = self.lock();
        entries.kept.iter().skip(entries.kept.len().saturating_sub(most)).cloned().collect()
    }

    /// All that is kept of one server.
    pub(crate) fn of_server(&self, server: u32) -> Vec<Arc<Entry>> {
        self.lock().kept.iter().filter(|entry| entry.server == server).cloned().collect()
    }

    pub(crate) fn get(&self, seq: u64) -> Option<Arc<Entry>> {
        let entries = self.lock();
        let at = entries.kept.binary_search_by_key(&seq, |entry| entry.seq).ok()?;
        entries.kept.get(at).cloned()
    }

    /// The entry of a server that was noted at this moment, which no other of it shares.
    pub(crate) fn at(&self, server: u32, at: u64) -> Option<u64> {
        let entries = self.lock();
        entries
            .kept
            .iter()
            .rev()
            .find(|entry| entry.server == server && entry.at == at)
            .map(|entry| entry.seq)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Entries> {
        self.0.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn push(&mut self, server: u32, at: u64, event: &EventKind) -> u64 {
        self.next += 1;
        let mut entry = entry(event);
        (entry.seq, entry.server, entry.at) = (self.next, server, at);
        if let Some(id) = entry.id.clone() {
            self.pair(&mut entry, id);
        }
        self.bytes += entry.text.len() + OVERHEAD;
        self.kept.push_back(Arc::new(entry));
        while self.kept.len() > MOST_ENTRIES || self.bytes > MOST_BYTES {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.text.len() + OVERHEAD;
        }
        self.next
    }

    /// Finds the request of an answer, and remembers requests.
    fn pair(&mut self, entry: &mut Entry, id: String) {
        let other = match entry.direction {
            Direction::In => Direction::Out,
            _ => Direction::In,
        };
        match entry.kind {
            Kind::Request => {
                if self.open.len() >= MOST_OPEN {
                    self.open.clear();
                }
                self.open.insert((entry.server, entry.direction, id), (entry.seq, entry.at));
            }
            Kind::Response | Kind::Error => {
                let asked = self.open.remove(&(entry.server, other, id));
                entry.answers = asked.map(|(seq, _)| seq);
                entry.took = asked.map(|(_, at)| entry.at.saturating_sub(at));
            }
            _ => {}
        }
    }
}

fn entry(event: &EventKind) -> Entry {
    match event {
        EventKind::Sent { exchange, frame, .. } => message(Direction::Out, *exchange, frame),
        EventKind::Received { exchange, frame } => message(Direction::In, *exchange, frame),
        EventKind::Requested { exchange, line, headers, .. } => {
            let line = line.trim_end_matches(" HTTP/1.1");
            Entry { exchange: *exchange, ..plain(Kind::Http, Direction::Out, line, head(headers)) }
        }
        EventKind::Responded { exchange, status, headers } => {
            let label = format!("status {status}");
            let failed = *status >= 400;
            Entry {
                exchange: *exchange,
                failed,
                ..plain(Kind::Http, Direction::In, &label, head(headers))
            }
        }
        EventKind::Ended { exchange } => Entry {
            exchange: *exchange,
            ..plain(Kind::State, Direction::In, "the stream is over", String::new())
        },
        EventKind::Left { exchange } => Entry {
            exchange: *exchange,
            ..plain(Kind::State, Direction::Out, "the client closed the stream", String::new())
        },
        EventKind::Broken { exchange, why } => Entry {
            exchange: *exchange,
            failed: true,
            ..plain(Kind::State, Direction::In, "broken", why.clone())
        },
        EventKind::Silence(time) => {
            plain(Kind::State, Direction::None, &format!("silence for {time:?}"), String::new())
        }
        EventKind::Flooded { limit } => {
            let why = format!("more than {limit} bytes came at once and were not kept");
            Entry { failed: true, ..plain(Kind::State, Direction::In, "flooded", why) }
        }
        EventKind::Stderr(text) => plain(Kind::Stderr, Direction::In, &short(text), text.clone()),
        EventKind::Connected(text) => plain(Kind::State, Direction::None, text, String::new()),
        EventKind::Exited(text) => plain(Kind::State, Direction::In, text, String::new()),
    }
}

fn message(direction: Direction, exchange: u32, frame: &Frame) -> Entry {
    let size = frame.bytes.len();
    let kept = &frame.bytes[..size.min(LONGEST_TEXT)];
    let text = String::from_utf8_lossy(kept).into_owned();
    let messages = frame.messages();
    let first = messages.first().filter(|it| it.is_object());
    let member = |name: &str| first.and_then(|it| it.get(name));
    let id = member("id").map(Value::to_string);
    let method = member("method").and_then(Value::as_str);
    let is_tool_error =
        member("result").and_then(|it| it.get("isError")) == Some(&Value::Bool(true));
    let (kind, label) = match (first, method, &id) {
        (None, _, _) => {
            (Kind::Odd, if text.is_empty() { "empty".to_owned() } else { "no message".to_owned() })
        }
        (_, Some(method), None) if method == "notifications/message" => {
            (Kind::Log, method.to_owned())
        }
        (_, Some(method), None) => (Kind::Notification, method.to_owned()),
        (_, Some(method), Some(_)) => (Kind::Request, asked(method, member("params"))),
        (_, None, _) if member("error").is_some() => {
            let why = first.and_then(|it| it.pointer("/error/message")).and_then(Value::as_str);
            (Kind::Error, format!("error: {}", short(why.unwrap_or("without a message"))))
        }
        (_, None, _) if member("result").is_some() => (Kind::Response, "result".to_owned()),
        _ => (Kind::Odd, "no request, answer or notification".to_owned()),
    };
    let label =
        if messages.len() > 1 { format!("{label} and {} more", messages.len() - 1) } else { label };
    let failed = is_tool_error || matches!(kind, Kind::Error);
    Entry { id, exchange, size, failed, ..plain(kind, direction, &short(&label), text) }
}

/// The method, and what it is about.
fn asked(method: &str, params: Option<&Value>) -> String {
    let about =
        params.and_then(|it| it.get("name").or_else(|| it.get("uri"))).and_then(Value::as_str);
    about.map_or_else(|| method.to_owned(), |about| format!("{method} {about}"))
}

fn plain(kind: Kind, direction: Direction, label: &str, text: String) -> Entry {
    Entry {
        seq: 0,
        server: 0,
        at: 0,
        kind,
        direction,
        label: short(label),
        id: None,
        exchange: 0,
        size: text.len(),
        took: None,
        answers: None,
        failed: false,
        text,
    }
}

fn head(headers: &[(String, String)]) -> String {
    headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect::<Vec<_>>().concat()
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST_LABEL) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Of one message.
const LONGEST_TEXT: usize = 1024 * 1024;
const LONGEST_LABEL: usize = 160;
const MOST_ENTRIES: usize = 120_000;
const MOST_BYTES: usize = 64 * 1024 * 1024;
const MOST_OPEN: usize = 16 * 1024;
/// Bytes of an entry besides its text, about.
const OVERHEAD: usize = 256;

#[cfg(test)]
mod tests {
    use proofmark_check::record::{event::Border, topic::Topic};

    use super::*;

    #[test]
    fn an_answer_finds_its_request_of_the_same_server_and_the_other_side() {
        let timeline = Timeline::default();
        timeline.push(1, 10, &sent(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#));
        timeline.push(2, 15, &sent(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#));
        timeline.push(1, 20, &received(r#"{"jsonrpc":"2.0","id":"1","result":{}}"#));
        timeline.push(1, 30, &received(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        let entries = timeline.last(10);
        assert_eq!((entries[2].answers, entries[2].took), (None, None), "another id");
        assert_eq!((entries[3].answers, entries[3].took), (Some(1), Some(20)));
    }

    #[test]
    fn what_is_too_old_is_let_go_and_counted() {
        let timeline = Timeline::default();
        for number in 0..(MOST_ENTRIES as u64 + 5) {
            timeline.push(1, number, &EventKind::Stderr("x".to_owned()));
        }
        let (entries, lost) = timeline.after(2, 3);
        assert_eq!(lost, 3);
        assert_eq!(entries[0].seq, 6);
        assert_eq!(timeline.get(5).map(|it| it.seq), None);
        assert_eq!(timeline.get(6).map(|it| it.seq), Some(6));
    }

    #[test]
    fn bytes_are_bounded_too() {
        let timeline = Timeline::default();
        let long = "x".repeat(LONGEST_TEXT * 2);
        for number in 0..100 {
            timeline.push(1, number, &received(&long));
        }
        let entries = timeline.last(200);
        assert!(entries.len() < MOST_BYTES / LONGEST_TEXT + 1, "{}", entries.len());
        assert_eq!((entries[0].size, entries[0].text.len()), (LONGEST_TEXT * 2, LONGEST_TEXT));
        assert_eq!(entries[0].kind, Kind::Odd);
    }

    fn sent(text: &str) -> EventKind {
        EventKind::Sent {
            topic: Topic::Overheard,
            exchange: 0,
            frame: Frame::new(text, Border::Line),
        }
    }

    fn received(text: &str) -> EventKind {
        EventKind::Received { exchange: 0, frame: Frame::new(text, Border::Line) }
    }
}
