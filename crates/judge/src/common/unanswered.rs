//! What came instead of an answer, so that a finding does not speak of silence where there was none.

use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, Place},
    text::excerpt,
};

/// "no answer", with the beginning of what came in its place: over HTTP in the same exchange, otherwise before anything else was sent.
pub(crate) fn no_answer(evidence: &Evidence, sent: Place) -> String {
    match instead(evidence, sent) {
        Some(Instead::Said(said)) => format!("no answer to it, but {said}"),
        Some(Instead::Ended) => "no answer: its output ended".to_owned(),
        None => "no answer".to_owned(),
    }
}

enum Instead {
    Said(String),
    Ended,
}

fn instead(evidence: &Evidence, sent: Place) -> Option<Instead> {
    let EventKind::Sent { exchange: asked, .. } =
        &evidence.conversations[sent.conversation].events[sent.event].kind
    else {
        return None;
    };
    let over_http = *asked != 0;
    for (_, what) in evidence.after(sent) {
        match what {
            EventKind::Received { exchange, frame } if exchange == asked => {
                return Some(Instead::Said(excerpt(&frame.bytes)));
            }
            // Over HTTP every response ends.
            EventKind::Ended { .. } if !over_http => return Some(Instead::Ended),
            EventKind::Sent { .. } if !over_http => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use proofmark_converse::scenario::Scenario;
    use proofmark_core::revision::{Era, Revision};
    use proofmark_record::{
        event::{Border, Conversation, Event, Frame},
        side::Side,
        topic::Topic,
        transport::Transport,
    };

    #[test]
    fn bytes_that_are_no_answer_are_not_called_silence() {
        let frame = |text: &str| Frame::new(text, Border::Body);
        let sent =
            |exchange| EventKind::Sent { topic: Topic::NotJson, exchange, frame: frame("{") };
        let received = |exchange, text| EventKind::Received { exchange, frame: frame(text) };
        for (events, expected) in [
            (vec![sent(0)], "no answer"),
            (vec![sent(0), received(0, "what?")], "no answer to it, but what?"),
            (vec![sent(0), sent(0), received(0, "what?")], "no answer"),
            (vec![sent(0), EventKind::Ended { exchange: 0 }], "no answer: its output ended"),
            (vec![sent(1), EventKind::Ended { exchange: 1 }], "no answer"),
            (vec![sent(1), sent(2), received(1, "what?")], "no answer to it, but what?"),
            (vec![sent(1), received(2, "what?")], "no answer"),
        ] {
            let events =
                events.into_iter().map(|what| Event { at: Duration::ZERO, kind: what }).collect();
            let evidence = Evidence {
                side: Side::Server,
                revision: Revision::newest(Era::Modern),
                transport: Transport::Http,
                conversations: vec![Conversation { scenario: Scenario::GARBAGE.label(), events }],
            };
            let sent = Place { conversation: 0, event: 0 };
            assert_eq!(no_answer(&evidence, sent), expected);
        }
    }
}
