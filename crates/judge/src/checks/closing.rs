//! Subscriptions that end: by the server, and by the client.

use serde_json::{Value, json};

use super::{
    Check,
    shape::show,
    subscriptions::{ACKNOWLEDGED, tag},
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::What,
    evidence::{Asked, Evidence, Place},
    meta::{SERVER_INFO, SUBSCRIPTION},
    topic::Topic,
    transport::Transport,
};

pub(crate) const M222: Check = Check {
    how: "looks for notifications/cancelled where the server ended a subscription",
    fix: "send notifications/cancelled for a subscription that you end on a pipe",
    judge: |evidence| {
        if evidence.transport != Transport::Stdio {
            return Outcome::NotApplicable("streams end by themselves".to_owned());
        }
        let ended = listens(evidence).filter(|asked| asked.answer.is_some());
        let outcome = each(ended, "", |asked| {
            let told = cancelled(evidence, &asked).is_some();
            let expected = "notifications/cancelled for the request to listen";
            (!told).then(|| Finding::new(expected, "none", asked.answer.map(|it| it.place)))
        });
        // The page about subscriptions asks for a result only.
        super::shape::doubtful(not_ended(outcome))
    },
    mutants: &[Mutant::new(
        "ends a subscription without a cancellation",
        Mutation::Writes(|_, message| {
            let end = json!({ "jsonrpc": "2.0", "id": "listen-all", "result": {
                "resultType": "complete",
                "_meta": { SERVER_INFO: {}, SUBSCRIPTION: "listen-all" } } });
            at_last(message, &end)
        }),
    )],
};

pub(crate) const S144: Check = Check {
    how: "looks for the result of a request to listen where the server ended the subscription",
    fix: "answer the request to listen with a complete result when you end the subscription",
    judge: |evidence| {
        let ended = listens(evidence).filter_map(|asked| {
            let end = cancelled(evidence, &asked).or_else(|| stream_end(evidence, &asked));
            Some((asked, asked.answer.map(|answer| answer.place).or(end)?))
        });
        let outcome = each(ended, "", |(asked, end)| {
            let expected = "a result for the request to listen";
            let said = asked.answer.map_or_else(|| "none".to_owned(), |it| show(it.message));
            let right = asked.answer.is_some_and(|answer| answer.result().is_some());
            (!right).then(|| Finding::new(expected, said, end))
        });
        not_ended(outcome)
    },
    mutants: &[Mutant::new(
        "ends a subscription without a result",
        Mutation::Writes(|_, message| {
            let end = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": "listen-all", "_meta": { SUBSCRIPTION: "listen-all" } } });
            at_last(message, &end)
        }),
    )
    .also(&["M081"])],
};

pub(crate) const M465: Check = Check {
    how: "unsubscribes, and calls once more what announced the change of a resource",
    fix: "send no updates of a resource that nobody is subscribed to",
    judge: |evidence| {
        let called = evidence.asked(Topic::AfterUnsubscribe);
        let outcome = each(called, "", |asked| {
            let unsubscribed: Vec<&Value> = evidence
                .asked(Topic::Unsubscribe)
                .filter(|it| it.place.conversation == asked.place.conversation)
                .filter_map(|it| it.params?.get("uri"))
                .collect();
            let late = evidence.told("notifications/resources/updated").find(|heard| {
                let here = heard.place.conversation == asked.place.conversation;
                let uri = heard.message.pointer("/params/uri");
                here && heard.place.event > asked.place.event
                    && uri.is_some_and(|uri| unsubscribed.contains(&uri))
            })?;
            Some(Finding::new("no update", show(late.message), late.place))
        });
        none_applies(outcome, "nothing that was called changes a resource")
    },
    mutants: &[Mutant::new(
        "goes on telling of changes",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "after-unsubscribe" {
                let update = json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated",
                    "params": { "uri": "test://watched-resource" } });
                texts.insert(0, update.to_string());
            }
            texts
        }),
    )],
};

/// Requests to listen that were not refused, nor given up when the checker closed the pipe.
fn listens(evidence: &Evidence) -> impl Iterator<Item = Asked<'_>> {
    let began = |asked: &Asked<'_>| {
        evidence.told(ACKNOWLEDGED).any(|heard| {
            heard.place.conversation == asked.place.conversation
                && tag(heard.message) == Some(asked.id)
        })
    };
    evidence.asked_by_method("subscriptions/listen").filter(move |asked| {
        let refusal = asked.answer.filter(|answer| answer.error().is_some());
        refusal.is_none_or(|refusal| began(asked) && !is_parting(evidence, refusal.place))
    })
}

/// Whether something is said on a pipe after all that the checker had to say.
fn is_parting(evidence: &Evidence, said: Place) -> bool {
    let more = |(_, what): (Place, &What)| matches!(what, What::Sent { .. });
    evidence.transport == Transport::Stdio && !evidence.after(said).any(more)
}

/// Where the server said that it has given up on this request.
fn cancelled(evidence: &Evidence, asked: &Asked<'_>) -> Option<Place> {
    let told = evidence.told("notifications/cancelled").find(|heard| {
        heard.place.conversation == asked.place.conversation
            && heard.message.pointer("/params/requestId") == Some(asked.id)
    });
    told.map(|heard| heard.place)
}

/// Where the server closed the stream of this request, which stays until somebody closes it.
fn stream_end(evidence: &Evidence, asked: &Asked<'_>) -> Option<Place> {
    if evidence.transport != Transport::Http {
        return None;
    }
    let streams =
        evidence.exchange_of(asked)?.content_type().as_deref() == Some("text/event-stream");
    let end = evidence.after(asked.place).find_map(|(place, what)| match what {
        What::Ended { exchange } if *exchange == asked.exchange => Some(place),
        _ => None,
    });
    end.filter(|_| streams)
}

fn not_ended(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::Unobserved(
            "the server ended no subscription by itself; it would if it were shut down meanwhile"
                .to_owned(),
        ),
        other => other,
    }
}

fn at_last(message: &Value, more: &Value) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "last-ping" {
        texts.push(more.to_string());
    }
    texts
}
