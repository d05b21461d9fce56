//! Which response answers which request, also where it does not repeat its id.

use serde_json::Value;

use crate::event::{Event, EventKind};

/// What makes a response the answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdMatch {
    /// It has the same id.
    Exact,
    /// It has an id that reads the same: `"1"` or `1.0` for `1`.
    Alike,
    /// It has another id or none, but there was nothing else that it could answer.
    Other,
}

/// The first response to the request at this place that has its id. A peer that gets ids wrong is understood all the same: then it is
/// the one whose id reads the same, or, if it never gets one right, the one that came next.
pub fn find_answer<'e>(
    events: &'e [Event],
    sent: usize,
    id: &Value,
) -> Option<(usize, &'e Value, IdMatch)> {
    let first = |fits: &dyn Fn(&Value) -> bool| responses(events, sent).find(|(_, it)| fits(it));
    if let Some((event, message)) = first(&|it| it.get("id") == Some(id)) {
        return Some((event, message, IdMatch::Exact));
    }
    if let Some((event, message)) = first(&|it| is_alike(it.get("id"), id)) {
        return Some((event, message, IdMatch::Alike));
    }
    let handshake = requests(events).next().filter(|(at, _)| *at <= sent)?;
    if handshake.0 != sent {
        let (_, _, matched) = find_answer(events, handshake.0, handshake.1)?;
        (matched == IdMatch::Other).then_some(())?;
    }
    let next = requests(events).find(|(at, _)| *at > sent).map_or(events.len(), |(at, _)| at);
    let is_sent = |it: &Value| requests(events).any(|(_, id)| it.get("id") == Some(id));
    let (event, message) = responses(&events[..next], sent)
        .find(|(_, it)| is_whole(it) && !is_sent(it) && !is_about_text(it))?;
    Some((event, message, IdMatch::Other))
}

/// Whether it is about something that could not be read at all.
fn is_about_text(message: &Value) -> bool {
    message.get("id").is_none_or(Value::is_null)
        && message.pointer("/error/code").is_some_and(|code| *code == -32700)
}

/// Whether it is a response in all but its id. Other documents have errors too, but not as objects with a code.
pub fn is_whole(message: &Value) -> bool {
    message.get("result").is_some()
        || message.get("error").is_some_and(|error| error.get("code").is_some())
}

/// Whether an id reads the same as another, though it may be of another type.
pub fn is_alike(id: Option<&Value>, other: &Value) -> bool {
    let text = |id: &Value| match id {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => {
            let text = number.to_string();
            Some(text.strip_suffix(".0").map(str::to_owned).unwrap_or(text))
        }
        _ => None,
    };
    id.and_then(text).is_some_and(|id| text(other) == Some(id))
}

/// What came after a place and has no method.
fn responses(events: &[Event], sent: usize) -> impl Iterator<Item = (usize, &Value)> {
    events.iter().enumerate().skip(sent + 1).flat_map(|(event, it)| {
        let messages = match &it.kind {
            EventKind::Received { frame, .. } => frame.messages(),
            _ => &[],
        };
        let responses = messages.iter().filter(|it| it.is_object() && it.get("method").is_none());
        responses.map(move |message| (event, message))
    })
}

/// The ids of the requests that the checker sent, and where.
fn requests(events: &[Event]) -> impl Iterator<Item = (usize, &Value)> {
    events.iter().enumerate().flat_map(|(event, it)| {
        let messages = match &it.kind {
            EventKind::Sent { frame, .. } => frame.messages(),
            _ => &[],
        };
        let requests = messages.iter().filter(|it| it.get("method").is_some());
        requests.filter_map(move |it| Some((event, it.get("id")?)))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::{
        event::{Border, Frame},
        topic::Topic,
    };

    #[test]
    fn an_exact_id_wins_over_one_that_reads_the_same() {
        let events = [sent(&json!(1)), received(&json!("1")), received(&json!(1))];
        assert_eq!(found(&events, 0, &json!(1)), Some((2, IdMatch::Exact)));
    }

    #[test]
    fn an_id_of_another_type_is_understood() {
        for (id, answered) in
            [(json!(1), json!("1")), (json!(1), json!(1.0)), (json!("7"), json!(7))]
        {
            let events = [sent(&id), received(&answered)];
            assert_eq!(found(&events, 0, &id), Some((1, IdMatch::Alike)));
        }
        assert!(!is_alike(Some(&json!("a")), &json!("b")));
        assert!(!is_alike(Some(&Value::Null), &Value::Null));
    }

    #[test]
    fn a_peer_that_never_repeats_ids_is_understood_by_the_order_of_its_answers() {
        let events = [
            sent(&json!(1)),
            received(&Value::Null),
            sent(&json!(2)),
            received(&json!(99)),
            sent(&json!(3)),
        ];
        assert_eq!(found(&events, 0, &json!(1)), Some((1, IdMatch::Other)));
        assert_eq!(found(&events, 2, &json!(2)), Some((3, IdMatch::Other)));
        assert_eq!(found(&events, 4, &json!(3)), None);
    }

    #[test]
    fn a_stray_response_of_a_peer_that_repeats_ids_answers_nothing() {
        let events =
            [sent(&json!(1)), received(&json!(1)), sent(&json!(2)), received(&json!("stray"))];
        assert_eq!(found(&events, 2, &json!(2)), None);
    }

    fn found(events: &[Event], sent: usize, id: &Value) -> Option<(usize, IdMatch)> {
        find_answer(events, sent, id).map(|(event, _, matched)| (event, matched))
    }

    fn sent(id: &Value) -> Event {
        let frame = frame(&json!({ "id": id, "method": "ping" }));
        event(EventKind::Sent { topic: Topic::Ping, exchange: 0, frame })
    }

    fn received(id: &Value) -> Event {
        event(EventKind::Received { exchange: 0, frame: frame(&json!({ "id": id, "result": {} })) })
    }

    fn frame(message: &Value) -> Frame {
        Frame::new(message.to_string(), Border::Line)
    }

    fn event(kind: EventKind) -> Event {
        Event { at: Duration::ZERO, kind }
    }
}
