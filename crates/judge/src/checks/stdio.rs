//! Lines on a pipe.

use serde_json::Value;

use super::{Check, shape::doubtful};
use crate::{
    mutant::Mutant,
    outcome::{Finding, each, offered},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::{Border, Event, Frame, What},
    evidence::{Evidence, Place},
    text::excerpt,
};

pub(crate) const M013: Check = Check {
    how: "writes initialize to the server's input and waits at its output, in every conversation",
    fix: "read messages from standard input and write messages to standard output",
    judge: |evidence| {
        let conversations = evidence.conversations.iter().enumerate();
        let addressed = conversations.filter_map(|(conversation, it)| {
            let sent = |event: &Event| matches!(event.what, What::Sent { .. });
            let event = it.events.iter().position(sent)?;
            Some((Place { conversation, event }, it))
        });
        // It has answered before; whether it is slow or deaf now nobody knows.
        doubtful(each(addressed, "no server was started", |(place, conversation)| {
            let speaks = |event: &Event| matches!(event.what, What::Received { .. });
            (!conversation.events.iter().any(speaks)).then(|| {
                let expected = "an answer on standard output";
                Finding::new(expected, "nothing at all", place)
            })
        }))
    },
    mutants: &[Mutant::new(
        "does not read its input",
        Mutation::Hears(|message| {
            (message["params"]["protocolVersion"] == "2024-11-05").then(Vec::new)
        }),
    )],
};

pub(crate) const A004: Check = Check {
    how: "listens to standard error, too",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.events(), "logs on standard error", |(_, event)| {
            matches!(event.what, What::Stderr(_))
        })
    },
    mutants: &[Mutant::new("mutters on standard error", Mutation::Mutters("ready"))],
};

pub(crate) const M014: Check = Check {
    how: "closes the server's input and looks at how its output ends",
    fix: "end each message with a newline, the last one too",
    judge: |evidence| {
        each(lines(evidence), NOTHING, |(place, frame)| {
            (frame.border == Border::Cut)
                .then(|| Finding::new("a newline at the end", excerpt(&frame.bytes), place))
        })
    },
    mutants: &[Mutant::new(
        "does not end its last line",
        Mutation::Line(|text| {
            let ending = if is_last(text) { "" } else { "\n" };
            format!("{text}{ending}").into_bytes()
        }),
    )
    .also(&["M221", "S101"])],
};

pub(crate) const M015: Check = Check {
    how: "puts lines that are no JSON together to see whether they are a message",
    fix: "write each message on one line",
    judge: |evidence| {
        let lines: Vec<_> = lines(evidence).collect();
        each(lines.iter().enumerate(), NOTHING, |(index, (place, frame))| {
            let spread = frame.json.is_err() && begins_a_message(&lines[index..], *place);
            spread.then(|| Finding::new("a message on one line", excerpt(&frame.bytes), *place))
        })
    },
    mutants: &[Mutant::new(
        "spreads a message over several lines",
        Mutation::Line(|text| {
            let spread = if is_last(text) { text.replacen(',', ",\n", 1) } else { text.to_owned() };
            format!("{spread}\n").into_bytes()
        }),
    )
    .also(&["M016", "M221", "S101"])],
};

pub(crate) const M016: Check = Check {
    how: "looks at every line of the server's output",
    fix: "write logs to standard error and nothing but messages to standard output",
    judge: |evidence| {
        each(lines(evidence), NOTHING, |(place, frame)| {
            let message = frame.json.as_ref().is_ok_and(|json| json.is_object() || json.is_array());
            (!message).then(|| Finding::new("nothing but messages", excerpt(&frame.bytes), place))
        })
    },
    mutants: &[Mutant::new(
        "logs to standard output",
        Mutation::Line(|text| {
            let junk = if is_last(text) { "DEBUG answering a ping\n" } else { "" };
            format!("{junk}{text}\n").into_bytes()
        }),
    )],
};

pub(crate) const M164: Check = Check {
    how: "looks at every line of the server's output",
    fix: "write each message on a line of its own; batches are gone",
    judge: |evidence| {
        each(lines(evidence), NOTHING, |(place, frame)| {
            frame
                .json
                .as_ref()
                .is_ok_and(Value::is_array)
                .then(|| Finding::new("one message", excerpt(&frame.bytes), place))
        })
    },
    mutants: &[Mutant::new(
        "answers in batches",
        Mutation::Line(|text| {
            let line = if is_last(text) { format!("[{text}]") } else { text.to_owned() };
            format!("{line}\n").into_bytes()
        }),
    )],
};

fn lines(evidence: &Evidence) -> impl Iterator<Item = (Place, &Frame)> {
    evidence.frames().filter(|(_, frame)| matches!(frame.border, Border::Line | Border::Cut))
}

/// Whether this line and some of those after it are one JSON object.
fn begins_a_message(lines: &[(Place, &Frame)], first: Place) -> bool {
    let mut text = Vec::new();
    let following = lines.iter().take_while(|(place, _)| place.conversation == first.conversation);
    following.take(MOST_LINES).any(|(_, frame)| {
        text.extend_from_slice(&frame.bytes);
        text.push(b'\n');
        serde_json::from_slice::<Value>(&text).is_ok_and(|value| value.is_object())
    })
}

/// The answer to the last ping of the tour.
fn is_last(text: &str) -> bool {
    text.contains("\"last-ping\"")
}

const NOTHING: &str = "the server wrote nothing";
/// Of one message that was spread.
const MOST_LINES: usize = 200;
