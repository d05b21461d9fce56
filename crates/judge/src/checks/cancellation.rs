//! Cancellations and timeouts, of the checker's requests and of the server's own.

use serde_json::{Value, json};

use super::{
    Check,
    envelope::server_requests,
    shape::show,
    tools::none_applies,
    utilities::{NOTHING_SLOW, beside, extra, notifications, was_in_time},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::{mutation::Mutation, scenario::Scenario};
use proofmark_record::{
    event::What,
    evidence::{Evidence, Heard, Place},
    topic::Topic,
};

pub(crate) const M081: Check = Check {
    how: "compares what the server cancels with what it asked before",
    fix: "cancel only your own requests, and only while they are not answered",
    judge: |evidence| {
        let outcome = each(cancellations(evidence), "", |(heard, id)| {
            let asked = server_requests(evidence).find(|request| {
                precedes(request.place, heard.place) && request.message.get("id") == Some(id)
            });
            let expected = "a request that the server sent and that is not answered";
            let Some(asked) = asked else {
                return Some(Finding::new(expected, show(heard.message), heard.place));
            };
            let answered = answered_at(evidence, asked);
            answered.is_some_and(|at| precedes(at, heard.place)).then(|| {
                let actual = format!("{}, after its answer", show(heard.message));
                Finding::new(expected, actual, heard.place)
            })
        });
        // An answer may cross a cancellation on the way; what was never asked cannot.
        none_applies(outcome, "the server cancelled nothing")
    },
    mutants: &[extra("cancels what it never asked", |_, message| {
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": "never-asked" } });
        beside(message, &cancel.to_string())
    })],
};

pub(crate) const A023: Check = Check {
    how: "looks at every cancellation by the server",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(cancellations(evidence), "reasons of cancellations", |(heard, _)| {
            heard.message.pointer("/params/reason").is_some()
        })
    },
    mutants: &[Mutant::new(
        "thinks otherwise about giving reasons",
        Mutation::Writes(|_, message| {
            let mut message = message.clone();
            if message["method"] == "notifications/cancelled" {
                if message["params"].get("reason").is_some() {
                    message["params"].as_object_mut().map(|params| params.remove("reason"));
                } else {
                    message["params"]["reason"] = json!("nobody waits for it");
                }
            }
            vec![message.to_string()]
        }),
    )],
};

pub(crate) const A024: Check = Check {
    how: "cancels a request that was never sent, and listens",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let cancelled = evidence.events().filter_map(|(place, event)| match &event.what {
            What::Sent { topic: Topic::CancelUnknown, exchange, .. } => Some((place, *exchange)),
            _ => None,
        });
        offered(cancelled, "silence about cancellations of the unknown", |(place, exchange)| {
            let mut until_next =
                evidence.after(place).take_while(|(_, what)| !matches!(what, What::Sent { .. }));
            !until_next.any(
                |(_, what)| matches!(what, What::Received { exchange: it, .. } if *it == exchange),
            )
        })
    },
    mutants: &[Mutant::new(
        "complains about cancellations of the unknown",
        Mutation::Hears(|message| {
            let error = json!({ "jsonrpc": "2.0", "id": null,
                "error": { "code": -32602, "message": "no such request" } });
            (message["params"]["requestId"] == "never-sent").then(|| vec![error.to_string()])
        }),
    )
    .also(&["M006", "M093"])],
};

pub(crate) const S027: Check = Check {
    how: "cancels a call that reports progress, and looks whether the reports go on",
    fix: "stop working on a request when it is cancelled",
    judge: |evidence| {
        let slow = evidence.asked(Topic::Slow).filter(|asked| was_in_time(evidence, asked.place));
        let reporting = slow.filter_map(|asked| {
            let cancelled = cancelled_at(evidence, asked.place)?;
            let settled =
                evidence.asked(Topic::AfterCancel).find(|it| precedes(cancelled, it.place));
            let settled = settled?.answer?.place;
            let reports: Vec<_> = notifications(evidence, "notifications/progress")
                .filter(|heard| {
                    heard.place.conversation == asked.place.conversation
                        && heard.message.pointer("/params/progressToken")
                            == asked.params.and_then(|it| it.pointer("/_meta/progressToken"))
                })
                .map(|heard| heard.place)
                .collect();
            let reported = reports.iter().any(|place| precedes(*place, cancelled));
            let late = reports.into_iter().filter(|place| precedes(settled, *place)).collect();
            reported.then_some(late)
        });
        each(reporting, NOTHING_SLOW, |late: Vec<Place>| {
            // One may have been on its way.
            let actual = format!("{} reports of progress after the cancellation", late.len());
            let expected = "no work on a cancelled request";
            late.get(1).map(|place| Finding::new(expected, actual, *place))
        })
    },
    mutants: &[Mutant::new(
        "works on in spite of a cancellation",
        Mutation::Hears(|message| (message["method"] == "notifications/cancelled").then(Vec::new)),
    )
    .also(&["S098"])],
};

pub(crate) const S028: Check = Check {
    how: "answers a question of the server when its call is long cancelled, and pings",
    fix: "ignore answers to what you no longer wait for",
    judge: |evidence| {
        let late = evidence.events().filter_map(|(place, event)| {
            matches!(event.what, What::Sent { topic: Topic::LateAnswer, .. }).then_some(place)
        });
        let outcome = each(late, "", |place| {
            let ping =
                evidence.asked(Topic::StillThere).find(|ping| precedes(place, ping.place))?;
            let answered = ping.answer.is_some();
            (!answered).then(|| Finding::new("an answer to the next ping", "none", ping.place))
        });
        none_applies(outcome, ASKS_NOTHING)
    },
    mutants: &[Mutant::new(
        "breaks down over a late answer",
        Mutation::Hears(|message| (message["id"] == "after-late-answer").then(Vec::new)),
    )
    .also(&["M221"])],
};

pub(crate) const S020: Check = Check {
    how: "leaves a question of the server open, and looks whether it is cancelled when the server gives up",
    fix: "cancel a request that you no longer wait for",
    judge: |evidence| {
        let questions = server_requests(evidence).filter(|heard| {
            let scenario = Scenario::at(evidence, heard.place);
            let method = heard.message["method"].as_str().unwrap_or_default();
            scenario == Some(Scenario::UNANSWERED)
                && !method.starts_with("notifications/")
                && method != "ping"
        });
        let mut given_up = Vec::new();
        let mut asked = false;
        for question in questions {
            asked = true;
            let call =
                evidence.asked(Topic::Unanswered).find(|call| precedes(call.place, question.place));
            let Some(call) = call else { continue };
            let cancelled = cancelled_at(evidence, call.place);
            let answered = call.answer.map(|answer| answer.place);
            if let Some(answered) = answered
                && cancelled.is_none_or(|cancelled| precedes(answered, cancelled))
            {
                given_up.push((question, answered));
            }
        }
        if !asked {
            return Outcome::NotApplicable(ASKS_NOTHING.to_owned());
        }
        let patient = "the server waited for an answer for longer than the checker did";
        each(given_up, patient, |(question, answered)| {
            let id = question.message.get("id");
            let cancelled = cancellations(evidence).any(|(heard, it)| {
                heard.place.conversation == question.place.conversation && Some(it) == id
            });
            (!cancelled).then(|| {
                let expected = "a cancellation of the question that was given up";
                Finding::new(expected, "none", answered)
            })
        })
    },
    mutants: &[Mutant::new("gives up without a word", Mutation::Hears(gives_up))],
};

pub(crate) const M083: Check = Check {
    how: "compares the progress tokens of the server's requests that are not answered yet",
    fix: "use a progress token for one request at a time",
    judge: |evidence| {
        let tracked: Vec<_> = server_requests(evidence)
            .filter_map(|heard| {
                Some((heard, heard.message.pointer("/params/_meta/progressToken")?))
            })
            .collect();
        let outcome = each(tracked.iter().enumerate(), "", |(index, (heard, token))| {
            let twin = tracked[..index].iter().find(|(earlier, it)| {
                let open =
                    answered_at(evidence, *earlier).is_none_or(|at| precedes(heard.place, at));
                it == token && earlier.place.conversation == heard.place.conversation && open
            });
            twin.map(|_| {
                let actual = format!("{} again", show(token));
                Finding::new("a token of its own for each open request", actual, heard.place)
            })
        });
        none_applies(outcome, "the server asks for progress of nothing")
    },
    mutants: &[Mutant::new("uses a progress token twice", Mutation::Hears(tracks_twice))],
};

pub(crate) const A001: Check = Check {
    how: "looks at the requests of the server",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(server_requests(evidence), "requests with params", |heard| {
            heard.message.get("params").is_some()
        })
    },
    mutants: &[Mutant::new(
        "never gives params in requests",
        Mutation::Says(|_, message| {
            if message.get("id").is_some() && message.get("method").is_some() {
                message.as_object_mut().map(|message| message.remove("params"));
            }
        }),
    )
    .also(&[
        "M244", "M380", "M381", "M384", "M397", "M398", "M400", "M411", "M412", "M414", "S208",
    ])],
};

/// Answers the call that asks, and asks, but never mind the answer.
fn gives_up(message: &Value) -> Option<Vec<String>> {
    is_unanswered(message).then_some(())?;
    let question = json!({ "jsonrpc": "2.0", "id": "given-up", "method": "roots/list" });
    let answer = json!({ "jsonrpc": "2.0", "id": message["id"],
        "result": { "content": [], "isError": true } });
    Some(vec![question.to_string(), answer.to_string()])
}

fn tracks_twice(message: &Value) -> Option<Vec<String>> {
    is_unanswered(message).then_some(())?;
    let question = |id: &str| {
        let params = json!({ "_meta": { "progressToken": "twice" } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "roots/list", "params": params }).to_string()
    };
    Some(vec![question("first"), question("second")])
}

/// The call whose question is left open.
fn is_unanswered(message: &Value) -> bool {
    message["params"]["_meta"]["progressToken"] == "unanswered"
}

fn cancellations(evidence: &Evidence) -> impl Iterator<Item = (Heard<'_>, &Value)> {
    notifications(evidence, "notifications/cancelled")
        .filter_map(|heard| Some((heard, heard.message.pointer("/params/requestId")?)))
}

/// Where the checker cancelled what it sent here.
fn cancelled_at(evidence: &Evidence, sent: Place) -> Option<Place> {
    evidence.after(sent).find_map(|(place, what)| match what {
        What::Sent { topic: Topic::Cancel, .. } => Some(place),
        _ => None,
    })
}

/// Where the checker answered a request of the server.
fn answered_at(evidence: &Evidence, request: Heard<'_>) -> Option<Place> {
    let id = request.message.get("id");
    evidence.after(request.place).find_map(|(place, what)| match what {
        What::Sent { frame, .. } => {
            let answers =
                |message: &Value| message.get("method").is_none() && message.get("id") == id;
            frame.messages().iter().any(answers).then_some(place)
        }
        _ => None,
    })
}

fn precedes(earlier: Place, later: Place) -> bool {
    earlier.conversation == later.conversation && earlier.event < later.event
}

const ASKS_NOTHING: &str = "no tool that was called asks its client anything";
