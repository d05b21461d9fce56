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

fn exchange(queue_messages: usize, queue_bytes: usize) -> Exchange {
    let offer = Offer::new(Implementation::new("a", "1"), ServerCapabilities::default());
    let settings = HttpSettings { queue_messages, queue_bytes, ..HttpSettings::default() };
    Exchange::new(Arc::new(offer), &settings)
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
    let all = exchange(10, usize::MAX);
    all.put(transmit);
    all.take().expect("it was put there").json.len()
}

impl Exchange {
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
        let exchange = exchange(10, bytes);
        exchange.put(changed());
        exchange.put(changed());
        assert_eq!(exchange.count(), kept, "{bytes} bytes");
    }
}

#[test]
fn as_many_messages_wait_as_the_limit_says_and_not_one_more() {
    let exchange = exchange(3, usize::MAX);
    for _ in 0..4 {
        exchange.put(changed());
    }
    assert_eq!(exchange.count(), 3);
}

#[test]
fn one_message_fits_however_large_it_is() {
    let exchange = exchange(10, 1);
    exchange.put(changed());
    assert_eq!(exchange.count(), 1);
}

#[test]
fn what_was_read_makes_room() {
    let exchange = exchange(10, size(changed()));
    for _ in 0..5 {
        assert!(exchange.has_room());
        exchange.put(changed());
        assert!(!exchange.has_room());
        assert!(exchange.take().is_some());
    }
    assert!(matches!(exchange.next(), Next::Empty));
}

#[test]
fn too_much_ends_this_stream_and_not_the_next() {
    let exchange = exchange(1, usize::MAX);
    exchange.put(changed());
    exchange.put(changed());
    assert!(exchange.take().is_some());
    assert!(matches!(exchange.next(), Next::Closed));
    assert!(matches!(exchange.next(), Next::Empty));
    exchange.put(changed());
    assert!(exchange.take().is_some());
}

#[test]
fn too_many_log_messages_are_dropped_and_end_nothing() {
    let by_count = exchange(1, usize::MAX);
    let by_bytes = exchange(10, size(log()));
    for exchange in [by_count, by_bytes] {
        for _ in 0..5 {
            exchange.put(log());
        }
        assert_eq!(exchange.count(), 1);
        assert!(matches!(exchange.next(), Next::Empty));
    }
}

#[test]
fn an_answer_is_never_dropped() {
    let exchange = exchange(1, 1);
    exchange.put(log());
    exchange.put(response());
    assert!(!exchange.take().unwrap().is_final);
    assert!(exchange.take().unwrap().is_final);
}

#[test]
fn a_message_that_was_only_looked_at_is_still_there() {
    let exchange = exchange(10, usize::MAX);
    exchange.put(response());
    assert!(matches!(exchange.next(), Next::Message(_)));
    assert!(matches!(exchange.next(), Next::Message(_)));
    exchange.advance();
    assert!(matches!(exchange.next(), Next::Empty));
}
