//! The older transport: a stream to listen on and a place to post to.

use super::{Check, http::origin_is_validated};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{HttpContext, Mutation, Reply};
use proofmark_record::{
    event::{Border, What},
    text::excerpt,
    topic::Topic,
};

pub(crate) const M166: Check = Check {
    how: "opens a stream with the Origin of a page from elsewhere",
    fix: "compare Origin, where it is given, with the origins that you trust",
    judge: origin_is_validated,
    mutants: &[mutated("lets every page listen", |context, reply| {
        if context.header("origin").is_some() {
            reply.replace(200, "text/event-stream", "event: endpoint\ndata: /message\n\n");
        }
    })],
};

pub(crate) const M169: Check = Check {
    how: "posts every message to the endpoint that the server named",
    fix: "accept messages with POST where the endpoint event says",
    judge: |evidence| {
        let posted = evidence.exchanges().filter(|exchange| {
            !matches!(exchange.topic, Topic::OpenStream | Topic::ForeignOrigin | Topic::NotJson)
        });
        each(posted, "nothing was posted", |exchange| {
            let status = exchange.status?;
            matches!(status, 404 | 405).then(|| {
                Finding::new(
                    "a status that accepts the message",
                    format!("{status}"),
                    exchange.answered,
                )
            })
        })
    },
    mutants: &[mutated("does not know its own endpoint", |context, reply| {
        if context.says("notifications/proofmark/unknown") {
            reply.replace(404, "text/plain", "not found");
        }
    })],
};

pub(crate) const M170: Check = Check {
    how: "looks at the first event of the stream",
    fix: "begin each stream with an event named endpoint whose data is the URI to post to",
    judge: |evidence| {
        let first = evidence.conversations.iter().enumerate().filter_map(|(conversation, it)| {
            it.events.iter().enumerate().find_map(|(event, it)| match &it.what {
                What::Received { exchange: 0, frame } => {
                    Some((proofmark_record::evidence::Place { conversation, event }, frame))
                }
                _ => None,
            })
        });
        each(first, "no stream was opened", |(place, frame)| {
            let right = matches!(&frame.border, Border::Event { name, .. } if name == "endpoint");
            (!right).then(|| Finding::new("an event named endpoint", excerpt(&frame.bytes), place))
        })
    },
    mutants: &[Mutant::new(
        "names the endpoint in a message",
        Mutation::Event(|_, text| text.replacen("event: endpoint", "event: message", 1)),
    )
    .also(&["M001", "M172"])],
};

pub(crate) const M172: Check = Check {
    how: "looks at the name of every event after the first",
    fix: "send messages as events named message whose data is JSON",
    judge: |evidence| {
        let events = evidence.events().filter_map(|(place, event)| match &event.what {
            What::Received { exchange: 0, frame } => match &frame.border {
                Border::Event { name, .. } if name != "endpoint" => Some((place, frame, name)),
                _ => None,
            },
            _ => None,
        });
        let outcome = each(events, "no message was received", |(place, frame, name)| {
            let right = name == "message" && frame.json.is_ok();
            (!right).then(|| {
                Finding::new(
                    "an event named message",
                    format!("{name}: {}", excerpt(&frame.bytes)),
                    place,
                )
            })
        });
        match outcome {
            // The word is descriptive in the text.
            Outcome::Broken(finding) => Outcome::Doubtful(finding),
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "calls its messages responses",
        Mutation::Event(|_, text| {
            if text.contains("last-ping") {
                text.replacen("event: message", "event: response", 1)
            } else {
                text.to_owned()
            }
        }),
    )],
};

const fn mutated(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http))
}
