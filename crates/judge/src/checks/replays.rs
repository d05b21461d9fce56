//! How streams and processes begin and end, and what is told again to those who come back.

use serde_json::Value;

use super::{Check, shape::show, tools::none_applies};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{mutation::Mutation, scenario::Scenario};
use proofmark_record::{
    event::{Border, Frame, What},
    evidence::{Evidence, HttpExchange, Place},
    text::excerpt,
    topic::Topic,
};

pub(crate) const S076: Check = ENDING;
pub(crate) const S086: Check = ENDING;

const ENDING: Check = Check {
    how: "waits for a moment after the answer on every event stream of a posted request",
    fix: "end the stream once the response is out",
    judge: |evidence| {
        let answered: Vec<Stream<'_>> = posted_streams(evidence)
            .filter(|stream| stream.answered(evidence).is_some() && !stream.was_left(evidence))
            .collect();
        // One that ends a little later than it is waited for is no reason to blame anybody.
        let all_stay = !answered.iter().any(|stream| stream.ended(evidence));
        let outcome = each(answered, "", |stream| {
            let expected = "the end of the stream after its response";
            let place = stream.answered(evidence)?;
            all_stay.then(|| Finding::new(expected, "a stream that stays", place))
        });
        none_applies(outcome, NO_STREAM)
    },
    mutants: &[Mutant::new("never ends a stream", Mutation::Lingers)],
};

pub(crate) const S082: Check = Check {
    how: "looks at the first event of every event stream of a posted request",
    fix: "begin each stream with an event that has an id and no data, so that clients can come back",
    judge: |evidence| {
        // Where another revision is agreed upon, it is not asked for.
        let here = |stream: &Stream<'_>| {
            let offered = Scenario::version_offered_at(evidence, stream.0.place);
            offered.is_none_or(|version| version == evidence.revision.as_str())
        };
        let outcome = each(posted_streams(evidence).filter(here), "", |stream| {
            let (place, first) = stream.frames(evidence).next()?;
            let has_id = matches!(&first.border, Border::Event { id: Some(_), .. });
            let expected = "an event with an id and without data";
            let right = has_id && first.bytes.is_empty();
            (!right).then(|| Finding::new(expected, told(first), place))
        });
        none_applies(outcome, NO_STREAM)
    },
    mutants: &[Mutant::new(
        "begins its streams with a message",
        Mutation::Event(|context, text| {
            if context.method == "POST" && !text.contains("data: {") {
                String::new()
            } else {
                text.to_owned()
            }
        }),
    )
    .also(&["S002", "S084"])],
};

pub(crate) const S084: Check = Check {
    how: "looks for a retry in every stream that ended before its response",
    fix: "send an SSE retry before you close a connection whose stream goes on",
    judge: |evidence| {
        let cut = posted_streams(evidence)
            .filter(|stream| stream.ended(evidence) && stream.answered(evidence).is_none());
        let outcome = each(cut, "", |stream| {
            let retries = stream
                .frames(evidence)
                .any(|(_, frame)| matches!(&frame.border, Border::Event { retry: Some(_), .. }));
            (!retries).then(|| Finding::new("an event with retry", "none", stream.0.answered))
        });
        none_applies(outcome, "no connection was closed before its response")
    },
    mutants: &[Mutant::new(
        "does not say when to come back",
        Mutation::Event(|_, text| {
            let kept = text.split('\n').filter(|line| !line.starts_with("retry:"));
            kept.collect::<Vec<_>>().join("\n")
        }),
    )],
};

pub(crate) const M177: Check = Check {
    how: "comes back for the rest of a stream, and looks whose messages it gets",
    fix: "replay only messages of the stream that the Last-Event-ID belongs to",
    judge: |evidence| {
        let resumed = evidence.exchanges_about(Topic::Resume);
        let replayed = resumed.flat_map(|exchange| {
            let owner = owner(evidence, exchange);
            let frames = evidence.frames_of(exchange.place, exchange.exchange);
            frames.map(move |(place, frame)| (owner, place, frame))
        });
        let outcome = each(replayed, "", |(owner, place, frame)| {
            let owner = owner?;
            let foreign = frame.messages().iter().find(|message| {
                let is_response = message.get("method").is_none() && message.get("id").is_some();
                is_response && message.get("id") != Some(owner)
            })?;
            let expected = format!("nothing but the stream of the request {}", show(owner));
            Some(Finding::new(expected, show(foreign), place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::Unobserved("no stream broke off that could be resumed".to_owned())
            }
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "tells those who come back what others were told",
        Mutation::Event(|context, text| {
            if context.header("last-event-id").is_some() && text.contains("\"result\"") {
                format!("{FOREIGN}{text}")
            } else {
                text.to_owned()
            }
        }),
    )
    .also(&["M026"])],
};

pub(crate) const S066: Check = Check {
    how: "closes the server's input, and waits for it to end",
    fix: "exit when standard input ends",
    judge: |evidence| {
        let farewells = || {
            let conversations = evidence.conversations.iter().enumerate();
            conversations.filter_map(|(conversation, it)| {
                let (event, last) = it.events.iter().enumerate().rev().find(|(_, event)| {
                    matches!(event.what, What::Exited(_) | What::Ended { .. } | What::Silence(_))
                })?;
                let stayed = match &last.what {
                    What::Exited(how) => how == "ended by the checker",
                    What::Ended { .. } => false,
                    _ => true,
                };
                Some((Place { conversation, event }, stayed))
            })
        };
        // A machine that is busy once is no reason to blame anybody.
        let all_stay = farewells().all(|(_, stayed)| stayed);
        each(farewells(), "nothing was seen of its end", |(place, _)| {
            let expected = "its end, soon after its input ended";
            all_stay.then(|| Finding::new(expected, "a server that stays", place))
        })
    },
    mutants: &[Mutant::new("stays when its input ends", Mutation::Lingers)],
};

/// The event stream that answers a posted request.
#[derive(Clone, Copy)]
struct Stream<'e>(HttpExchange<'e>);

impl<'e> Stream<'e> {
    fn frames(self, evidence: &'e Evidence) -> impl Iterator<Item = (Place, &'e Frame)> {
        evidence.frames_of(self.0.place, self.0.exchange)
    }

    /// Where the response was, if it came on this stream.
    fn answered(self, evidence: &'e Evidence) -> Option<Place> {
        let id = request_id(evidence, self.0)?;
        let mut frames = self.frames(evidence);
        let is_it =
            |message: &Value| message.get("method").is_none() && message.get("id") == Some(id);
        frames.find(|(_, frame)| frame.messages().iter().any(is_it)).map(|(place, _)| place)
    }

    /// Whether the server closed it, or it broke.
    fn ended(self, evidence: &Evidence) -> bool {
        let is_it = |what: &What| match what {
            What::Ended { exchange } | What::Broken { exchange, .. } => {
                *exchange == self.0.exchange
            }
            _ => false,
        };
        evidence.after(self.0.place).any(|(_, what)| is_it(what))
    }

    /// Whether the client did not wait for its end.
    fn was_left(self, evidence: &Evidence) -> bool {
        let left =
            |what: &What| matches!(what, What::Left { exchange } if *exchange == self.0.exchange);
        evidence.after(self.0.place).any(|(_, what)| left(what))
    }
}

/// Streams of requests, but not those that are meant to stay.
fn posted_streams(evidence: &Evidence) -> impl Iterator<Item = Stream<'_>> {
    let posts = evidence.exchanges().filter(|exchange| {
        let stays = matches!(
            exchange.topic,
            Topic::Listen | Topic::Slow | Topic::Unanswered | Topic::Leave
        );
        exchange.line.starts_with("POST") && !stays
    });
    posts.filter(|it| it.content_type().as_deref() == Some("text/event-stream")).map(Stream)
}

/// The id of the request that an exchange carried.
fn request_id<'e>(evidence: &'e Evidence, exchange: HttpExchange<'_>) -> Option<&'e Value> {
    evidence.after(exchange.place).find_map(|(_, what)| match what {
        What::Sent { exchange: it, frame, .. } if *it == exchange.exchange => {
            frame.json.as_ref().ok()?.get("id")
        }
        _ => None,
    })
}

/// The id of the request whose stream an exchange resumes.
fn owner<'e>(evidence: &'e Evidence, resumed: HttpExchange<'e>) -> Option<&'e Value> {
    let last = proofmark_record::event::header(resumed.asked, "last-event-id")?;
    let events = &evidence.conversations[resumed.place.conversation].events;
    let exchange =
        events[..resumed.place.event].iter().rev().find_map(|event| match &event.what {
            What::Received { exchange, frame } => match &frame.border {
                Border::Event { id: Some(id), .. } if id == last => Some(*exchange),
                _ => None,
            },
            _ => None,
        })?;
    let of = evidence.exchanges().find(|it| {
        it.exchange == exchange && it.place.conversation == resumed.place.conversation
    })?;
    // What was resumed before belongs to the same request.
    if of.topic == Topic::Resume { owner(evidence, of) } else { request_id(evidence, of) }
}

fn told(frame: &Frame) -> String {
    if frame.bytes.is_empty() { "an event without an id".to_owned() } else { excerpt(&frame.bytes) }
}

const NO_STREAM: &str = "no posted request was answered with an event stream";
const FOREIGN: &str =
    "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"ping-by-string\",\"result\":{}}\n\n";
