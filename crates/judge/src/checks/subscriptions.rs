//! Changes that clients listen for with `subscriptions/listen`.

use serde_json::{Value, json};

use super::{Check, shape::show};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    event::What,
    evidence::{Asked, Evidence, Heard},
    meta::SUBSCRIPTION,
    topic::Topic,
};

pub(crate) const M130: Check = Check {
    how: "looks at every notification of a change",
    fix: "name the subscription in _meta of each of its notifications",
    judge: |evidence| {
        let changes = evidence.heard_methods().filter(|(_, method)| is_change(method));
        each(changes, NOTHING, |(heard, _)| {
            let named = tag(heard.message).is_some();
            (!named).then(|| Finding::new(SUBSCRIPTION, show(heard.message), heard.place))
        })
    },
    mutants: &[of_change("does not say whom a change is for", |message| {
        message["params"].as_object_mut().map(|params| params.remove("_meta"));
    })],
};

pub(crate) const M287: Check = Check {
    how: "compares the subscription of every change with the requests to listen",
    fix: "repeat the id of the request, with its type",
    judge: |evidence| {
        let tagged = evidence.heard().filter_map(|heard| Some((heard, tag(heard.message)?)));
        each(tagged, NOTHING, |(heard, id)| {
            let known = listens(evidence, heard).any(|asked| asked.id == id);
            (!known).then(|| {
                let expected = "the id of a request to listen";
                Finding::new(expected, show(heard.message), heard.place)
            })
        })
    },
    mutants: &[of_change("has a name of its own for a subscription", |message| {
        message["params"]["_meta"][SUBSCRIPTION] = json!("mine");
    })
    .also(&["M284"])],
};

pub(crate) const M285: Check = Check {
    how: "listens, and looks at what comes first",
    fix: "begin every subscription with notifications/subscriptions/acknowledged",
    judge: |evidence| {
        each(answered_listens(evidence), NOTHING, |asked| {
            let expected = "an acknowledgement first";
            let Some(first) = told(evidence, &asked).into_iter().next() else {
                return Some(Finding::new(expected, "nothing", asked.place));
            };
            (first.message["method"] != ACKNOWLEDGED)
                .then(|| Finding::new(expected, show(first.message), first.place))
        })
    },
    mutants: &[Mutant::new(
        "does not acknowledge subscriptions",
        Mutation::Writes(|_, message| {
            if message["method"] == ACKNOWLEDGED { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

pub(crate) const M286: Check = Check {
    how: "compares what is acknowledged with what was asked for",
    fix: "acknowledge what you honour of the filter, and nothing else",
    judge: |evidence| {
        let acknowledged = answered_listens(evidence).flat_map(|asked| {
            let told = told(evidence, &asked).into_iter();
            told.filter(|it| it.message["method"] == ACKNOWLEDGED).map(move |it| (asked, it))
        });
        each(acknowledged, NOTHING, |(asked, heard)| {
            let expected = "the filter or a part of it in notifications";
            let Some(honoured) = heard.message["params"]["notifications"].as_object() else {
                return Some(Finding::new(expected, show(heard.message), heard.place));
            };
            let filter = asked.params?.get("notifications")?;
            let more = honoured.iter().any(|(key, value)| {
                *value != json!(false) && filter.get(key).is_none_or(|asked| *asked == json!(false))
            });
            more.then(|| Finding::new(expected, show(heard.message), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "promises more than was asked for",
        Mutation::Says(|_, message| {
            if message["method"] == ACKNOWLEDGED && tag(message) == Some(&json!("listen-some")) {
                message["params"]["notifications"]["toolsListChanged"] = json!(true);
            }
        }),
    )],
};

pub(crate) const M284: Check = Check {
    how: "listens for changes of prompts while everything changes",
    fix: "send only what the filter asks for",
    judge: |evidence| {
        let told = answered_listens(evidence)
            .flat_map(|asked| told(evidence, &asked).into_iter().map(move |heard| (asked, heard)));
        each(told, NOTHING, |(asked, heard)| {
            let method = heard.message.get("method")?.as_str()?;
            let wanted = wanted_by(method)?;
            let filter = asked.params?.get("notifications")?;
            let right =
                filter.get(wanted).is_some_and(|it| *it != json!(false) && *it != json!([]));
            (!right).then(|| {
                let expected = format!("nothing that {} does not ask for", show(filter));
                Finding::new(expected, show(heard.message), heard.place)
            })
        })
    },
    mutants: &[Mutant::new(
        "tells everything to everybody",
        Mutation::Says(|_, message| {
            let prompts = message["method"] == "notifications/prompts/list_changed";
            if prompts && tag(message) == Some(&json!("listen-some")) {
                message["method"] = json!("notifications/tools/list_changed");
            }
        }),
    )],
};

pub(crate) const M289: Check = Check {
    how: "looks for progress and logs on the streams of subscriptions",
    fix: "send progress and logs on the stream of their request",
    judge: |evidence| {
        let told = answered_listens(evidence).flat_map(|asked| told(evidence, &asked));
        each(told, NOTHING, |heard| {
            let method = heard.message.get("method")?.as_str()?;
            let stray = ["notifications/message", "notifications/progress"].contains(&method);
            stray.then(|| Finding::new("changes only", show(heard.message), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "reports progress to subscribers",
        Mutation::Says(|_, message| {
            let in_tour = message["params"]["progressToken"] != "measured"
                && message["params"]["progressToken"] != "cancelled";
            if message["method"] == "notifications/progress" && in_tour {
                message["params"]["_meta"] = json!({ SUBSCRIPTION: "listen-all" });
            }
        }),
    )],
};

pub(crate) const M162: Check = Check {
    how: "cancels a call and a subscription, and listens",
    fix: "say nothing more about what was cancelled",
    judge: |evidence| {
        let unsubscribed = evidence.asked(Topic::AfterUnsubscribe).map(|call| call.place);
        let mut observed = false;
        for place in unsubscribed {
            observed = true;
            let late = evidence.after(place).find_map(|(at, what)| {
                let What::Received { frame, .. } = what else { return None };
                let tagged = frame.messages().iter().find(|message| tag(message).is_some())?;
                Some(Finding::new("nothing after the cancellation", show(tagged), at))
            });
            if let Some(late) = late {
                return Outcome::Broken(late);
            }
        }
        let slow = evidence
            .asked(Topic::Slow)
            .filter(|asked| super::utilities::was_in_time(evidence, asked.place));
        let nothing = "nothing could be cancelled while it ran";
        match each(slow, nothing, |asked| {
            let answer = asked.answer?;
            let expected = "nothing after the cancellation";
            Some(Finding::new(expected, show(answer.message), answer.place))
        }) {
            Outcome::Unobserved(_) if observed => Outcome::Kept,
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "goes on about what was cancelled",
        Mutation::Hears(|message| (message["method"] == "notifications/cancelled").then(Vec::new)),
    )
    .also(&["S027", "S098"])],
};

/// The subscription that a message names.
pub(super) fn tag(message: &Value) -> Option<&Value> {
    message.get("params")?.get("_meta")?.get(SUBSCRIPTION)
}

fn is_change(method: &str) -> bool {
    method == ACKNOWLEDGED || wanted_by(method).is_some()
}

/// The member of a filter that asks for a notification.
fn wanted_by(method: &str) -> Option<&'static str> {
    Some(match method {
        "notifications/prompts/list_changed" => "promptsListChanged",
        "notifications/resources/list_changed" => "resourcesListChanged",
        "notifications/resources/updated" => "resourceSubscriptions",
        "notifications/tools/list_changed" => "toolsListChanged",
        _ => return None,
    })
}

/// Requests to listen that came before a message in its conversation.
fn listens<'e>(evidence: &'e Evidence, heard: Heard<'_>) -> impl Iterator<Item = Asked<'e>> {
    let place = heard.place;
    evidence.asked(Topic::Listen).filter(move |asked| {
        asked.place.conversation == place.conversation && asked.place.event < place.event
    })
}

/// Requests to listen that were not refused.
fn answered_listens(evidence: &Evidence) -> impl Iterator<Item = Asked<'_>> {
    evidence
        .asked(Topic::Listen)
        .filter(|asked| asked.answer.is_none_or(|answer| answer.error().is_none()))
}

/// Everything that came for a subscription: what names it, and over HTTP what came on its stream.
fn told<'e>(evidence: &'e Evidence, asked: &Asked<'e>) -> Vec<Heard<'e>> {
    let mut told = Vec::new();
    for (place, what) in evidence.after(asked.place) {
        let What::Received { exchange, frame } = what else { continue };
        let own = *exchange != 0 && *exchange == asked.exchange;
        let notifications = frame.messages().iter().filter(|it| it.get("method").is_some());
        let its = notifications.filter(|message| own || tag(message) == Some(asked.id));
        told.extend(its.map(|message| Heard { place, message }));
    }
    told
}

/// Changes announcements of changed tools.
const fn of_change(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (message["method"] == "notifications/tools/list_changed").then_some(message)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(super) const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const NOTHING: &str = "nothing came for a subscription";
