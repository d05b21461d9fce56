use proofmark_core::{
    json::Raw,
    jsonrpc::Id,
    revision::{Era, Revision},
    types::{
        Implementation, LoggingLevel, LoggingMessageParams, NotificationParams, ServerCapabilities,
        ServerNotification, ServerResult,
    },
};

use super::*;

fn queue(queue_messages: usize, queue_bytes: usize) -> MessageQueue {
    let offer = Offer::new(Implementation::new("a", "1"), ServerCapabilities::default());
    MessageQueue::new(Arc::new(offer), queue_messages, queue_bytes, Overflow::EndsStream)
}

fn transmit(message: Outgoing) -> Transmit {
    Transmit { revision: Revision::newest(Era::Legacy), about: None, status: 200, message }
}

fn changed() -> Transmit {
    let notification = ServerNotification::ToolsListChanged(NotificationParams::default());
    transmit(Outgoing::Notification(notification))
}

fn log() -> Transmit {
    let (level, data) = (LoggingLevel::Info, Raw::new("text").unwrap());
    let params = LoggingMessageParams { level, logger: None, data, meta: None };
    transmit(Outgoing::Notification(ServerNotification::Message(params)))
}

fn response() -> Transmit {
    transmit(Outgoing::Response { id: Id::Integer(1), result: ServerResult::empty() })
}

fn size(transmit: Transmit) -> usize {
    let all = queue(10, usize::MAX);
    all.put(transmit);
    all.take().expect("it was put there").json.len()
}

impl MessageQueue {
    fn take(&self) -> Option<Message> {
        match self.next() {
            Next::Message(message) => {
                self.advance();
                Some(message)
            }
            _ => None,
        }
    }

    fn count(&self) -> usize {
        std::iter::from_fn(|| self.take()).count()
    }
}

#[test]
fn as_many_bytes_wait_as_the_limit_says_and_not_one_more() {
    let two = 2 * size(changed());
    for (bytes, kept) in [(two, 2), (two - 1, 1)] {
        let queue = queue(10, bytes);
        queue.put(changed());
        queue.put(changed());
        assert_eq!(queue.count(), kept, "{bytes} bytes");
    }
}

#[test]
fn as_many_messages_wait_as_the_limit_says_and_not_one_more() {
    let queue = queue(3, usize::MAX);
    for _ in 0..4 {
        queue.put(changed());
    }
    assert_eq!(queue.count(), 3);
}

#[test]
fn one_message_fits_however_large_it_is() {
    let queue = queue(10, 1);
    queue.put(changed());
    assert_eq!(queue.count(), 1);
}

#[test]
fn what_was_read_makes_room() {
    let queue = queue(10, size(changed()));
    for _ in 0..5 {
        assert!(queue.has_room());
        queue.put(changed());
        assert!(!queue.has_room());
        assert!(queue.take().is_some());
    }
    assert!(matches!(queue.next(), Next::Empty));
}

#[test]
fn too_much_ends_this_stream_and_not_the_next() {
    let queue = queue(1, usize::MAX);
    queue.put(changed());
    queue.put(changed());
    assert!(queue.take().is_some());
    assert!(matches!(queue.next(), Next::Closed));
    assert!(matches!(queue.next(), Next::Empty));
    queue.put(changed());
    assert!(queue.take().is_some());
}

#[test]
fn too_many_log_messages_are_dropped_and_end_nothing() {
    let by_count = queue(1, usize::MAX);
    let by_bytes = queue(10, size(log()));
    for queue in [by_count, by_bytes] {
        for _ in 0..5 {
            queue.put(log());
        }
        assert_eq!(queue.count(), 1);
        assert!(matches!(queue.next(), Next::Empty));
    }
}

#[test]
fn an_answer_is_never_dropped() {
    let queue = queue(1, 1);
    queue.put(log());
    queue.put(response());
    assert!(!queue.take().unwrap().is_final);
    assert!(queue.take().unwrap().is_final);
}

#[test]
fn a_message_that_was_only_looked_at_is_still_there() {
    let queue = queue(10, usize::MAX);
    queue.put(response());
    assert!(matches!(queue.next(), Next::Message(_)));
    assert!(matches!(queue.next(), Next::Message(_)));
    queue.advance();
    assert!(matches!(queue.next(), Next::Empty));
}
