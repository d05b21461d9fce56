//! Requests that a client gives up, progress, and requests that it is told to forget.

use serde_json::{Value, json};

use super::{also_says, beside, hosted_at, legacy, notification};
use crate::{
    checks::{Check, shape::show, utilities},
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::{
    event::What,
    evidence::{Evidence, PeerRequest},
    topic::Topic,
    transport::Transport,
};

pub(crate) const M081: Check = Check {
    how: "compares every cancellation with the requests that the client has sent and that are not answered",
    fix: "cancel only requests that you sent and that still run",
    judge: |evidence| {
        let outcome = each(evidence.told("notifications/cancelled"), "", |heard| {
            let id = heard.message.pointer("/params/requestId")?;
            let running = evidence.requests().any(|request| {
                // Over HTTP each message goes its own way, and one may overtake another.
                let before = evidence.transport != Transport::Stdio
                    || request.place.event < heard.place.event;
                request.id == id && request.place.conversation == heard.place.conversation && before
            });
            let expected = "the id of a request of the client";
            (!running).then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        unless_cancelled(outcome)
    },
    mutants: &[Mutant::new(
        "cancels what it never asked for",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/cancelled" {
                message["params"]["requestId"] = json!("never-asked");
            }
        }),
    )
    .also(&["S020", "S078"])],
};

pub(crate) const M082: Check = Check {
    how: "looks for a cancellation of initialize",
    fix: "never cancel initialize",
    judge: |evidence| {
        let outcome = each(evidence.told("notifications/cancelled"), "", |heard| {
            let id = heard.message.pointer("/params/requestId")?;
            let handshake = evidence.requests_for("initialize").any(|request| {
                request.id == id && request.place.conversation == heard.place.conversation
            });
            let expected = "a request other than initialize";
            handshake.then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        unless_cancelled(outcome)
    },
    mutants: &[Mutant::new(
        "cancels the handshake",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["method"] == "initialize" {
                let params = json!({ "requestId": message["id"] });
                texts.push(notification("notifications/cancelled", &params).to_string());
            }
            texts
        }),
    )],
};

pub(crate) const A023: Check = Check {
    how: "looks at every cancellation of the client",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.told("notifications/cancelled"), "reasons of cancellations", |heard| {
            heard.message.pointer("/params/reason").is_some()
        })
    },
    mutants: &[Mutant::new(
        "changes its mind about reasons",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/cancelled" {
                let known = message["params"].get("reason").is_some();
                if known {
                    super::remove(&mut message["params"], "reason");
                } else {
                    message["params"]["reason"] = json!("because");
                }
            }
        }),
    )],
};

pub(crate) const S020: Check = Check {
    how: "takes long over a call that the client is told to give up",
    fix: "send notifications/cancelled when you stop waiting; without a handshake and over HTTP, close the response",
    judge: gives_up,
    mutants: &[NEVER_CANCELS.also(&["S078"]), NEVER_CANCELS.modern().also(&["M161", "S096"])],
};

pub(crate) const M161: Check = Check {
    how: S020.how,
    fix: "send notifications/cancelled with the id of the request",
    judge: gives_up,
    mutants: &[NEVER_CANCELS.also(&["S020", "S096"])],
};

pub(crate) const S096: Check = Check {
    how: S020.how,
    fix: S020.fix,
    judge: gives_up,
    mutants: &[NEVER_CANCELS.also(&["M161", "S020"])],
};

pub(crate) const S078: Check = Check {
    how: S020.how,
    fix: S020.fix,
    judge: gives_up,
    mutants: &[NEVER_CANCELS.also(&["S020"])],
};

pub(crate) const S028: Check = Check {
    how: "answers a call after it was cancelled, and looks at whether the client goes on",
    fix: "ignore the answer to a request that you cancelled",
    judge: |evidence| {
        let late = cancelled(evidence).filter_map(|(request, at)| {
            request.answer.map(|answer| answer.place).filter(|answered| answered.event > at)
        });
        each(late, NOT_CANCELLED, |answered| {
            let on = evidence.heard().any(|heard| {
                heard.place.conversation == answered.conversation
                    && heard.place.event > answered.event
            });
            let expected = "further messages after an answer that came too late";
            (!on).then(|| Finding::new(expected, "silence", answered))
        })
    },
    mutants: &[Mutant::new(
        "falls silent when an answer comes too late",
        Mutation::Writes(|_, message| {
            if message["method"] == "ping" { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

pub(crate) const S027: Check = Check {
    how: "asks for sampling and cancels it while it runs",
    fix: "stop working on what was cancelled",
    judge: unanswered,
    mutants: &[DEAF.also(&["S098"])],
};

pub(crate) const S098: Check = Check {
    how: "asks for sampling and cancels it while it runs",
    fix: "do not answer a request that was cancelled",
    judge: unanswered,
    mutants: &[DEAF.also(&["S027"])],
};

pub(crate) const A024: Check = Check {
    how: "cancels a request that was never sent, and pings",
    fix: "nothing: this is allowed",
    judge: |evidence| match (utilities::S101.judge)(evidence) {
        Outcome::Kept => {
            Outcome::Offered("ignores cancellations of what it does not know".to_owned())
        }
        _ => Outcome::NotOffered("was not seen to ignore a cancellation".to_owned()),
    },
    mutants: &[utilities::S101.mutants[0].also(&["M221", "S101"])],
};

pub(crate) const M083: Check = Check {
    how: "compares the progress tokens of all requests that run at the same time",
    fix: "give each request a progress token of its own",
    judge: |evidence| {
        let tokens: Vec<_> = legacy(evidence)
            .filter_map(|it| Some((it, it.params?.pointer("/_meta/progressToken")?)))
            .collect();
        let outcome = each(tokens.iter().enumerate(), "", |(index, (request, token))| {
            let taken = tokens[..index].iter().any(|(earlier, it)| {
                it == token
                    && earlier.place.conversation == request.place.conversation
                    && earlier.answer.is_none_or(|it| it.place.event > request.place.event)
                    // What was sent away never ran, and may come again as it is.
                    && !evidence.is_refused(earlier.place, earlier.exchange)
            });
            let expected = "a progress token of its own";
            taken.then(|| Finding::new(expected, format!("{token} again"), request.place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("the client does not ask for progress".to_owned())
            }
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "uses one progress token for all",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["params"]["name"] == "add_numbers" {
                let twin = json!({ "jsonrpc": "2.0", "id": "twin", "method": "tools/call",
                    "params": message["params"] });
                texts.push(twin.to_string());
            }
            texts
        }),
    )],
};

pub(crate) const M084: Check = progress(
    "looks at every progress notification of the client",
    utilities::M084.fix,
    utilities::M084.judge,
    &[also_says("reports progress without a number", |_, message| {
        beside(
            message,
            &notification("notifications/progress", &json!({ "progressToken": "hosted" })),
        )
    })
    .also(&["M086"])],
);

pub(crate) const M085: Check = progress(
    "compares the progress notifications of the client under each token",
    utilities::M085.fix,
    utilities::M085.judge,
    &[also_says("makes no progress", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["id"] == "ping-by-string" {
            let params = json!({ "progressToken": "hosted", "progress": 1 });
            let same = notification("notifications/progress", &params).to_string();
            texts.extend([same.clone(), same]);
        }
        texts
    })
    .also(&["M086"])],
);

pub(crate) const M086: Check = progress(
    "compares the token of every progress notification of the client with those of the server's requests",
    utilities::M086.fix,
    utilities::M086.judge,
    &[also_says("reports progress under a token of its own", |_, message| {
        let params = json!({ "progressToken": "own", "progress": 1 });
        beside(message, &notification("notifications/progress", &params))
    })],
);

pub(crate) const M227: Check = progress(
    "asks for sampling and for news of it, and looks for progress after the answer",
    utilities::M227.fix,
    utilities::M227.judge,
    &[also_says("reports progress when all is over", |context, message| {
        let mut texts = vec![message.to_string()];
        if let Some(token) = context.params.pointer("/_meta/progressToken") {
            let params = json!({ "progressToken": token, "progress": 1 });
            texts.push(notification("notifications/progress", &params).to_string());
        }
        texts
    })
    .also(&["M086"])],
);

pub(crate) const A025: Check = progress(
    "looks at every progress notification of the client",
    "nothing: this is allowed",
    utilities::A025.judge,
    &[also_says("says how much there is", |_, message| {
        let params = json!({ "progressToken": "hosted", "progress": 1, "total": 2 });
        beside(message, &notification("notifications/progress", &params))
    })
    .also(&["M086"])],
);

const fn progress(
    how: &'static str,
    fix: &'static str,
    judge: fn(&Evidence) -> Outcome,
    mutants: &'static [Mutant],
) -> Check {
    Check { how, fix, judge, mutants }
}

/// Calls of the tool that a client is told to give up on, each with the event that cancelled it.
fn cancelled(evidence: &Evidence) -> impl Iterator<Item = (PeerRequest<'_>, usize)> {
    slow(evidence).filter_map(|request| {
        let told = evidence.told("notifications/cancelled").find(|heard| {
            heard.place.conversation == request.place.conversation
                && heard.message.pointer("/params/requestId") == Some(request.id)
        })?;
        Some((request, told.place.event))
    })
}

fn slow(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests_for("tools/call").filter(|request| {
        hosted_at(evidence, request.place) == Some(HostedScenario::SLOW)
            && request.text("/name") == Some("slow")
    })
}

fn gives_up(evidence: &Evidence) -> Outcome {
    // What was refused need not be given up.
    let served = slow(evidence).filter(|it| it.answer.is_none_or(|it| it.error().is_none()));
    each(served, NOT_CANCELLED, |request| {
        let told = cancelled(evidence).any(|(it, _)| it.place == request.place);
        // Without sessions the end of the connection says it.
        let closes = request.is_modern() && evidence.transport != Transport::Stdio;
        let expected = if closes { "the response is closed" } else { "notifications/cancelled" };
        let given_up = if closes { left(evidence, &request) } else { told };
        (!given_up).then(|| Finding::new(expected, "the call was never cancelled", request.place))
    })
}

/// Whether the client closed the connection before it had its answer.
fn left(evidence: &Evidence, request: &PeerRequest<'_>) -> bool {
    evidence
        .after(request.place)
        .any(|(_, what)| matches!(what, What::Left { exchange } if *exchange == request.exchange))
}

fn unanswered(evidence: &Evidence) -> Outcome {
    // What was answered before it was cancelled shows nothing.
    let in_time = evidence.asked(Topic::Slow).filter(|asked| {
        let cancelled = evidence
            .after(asked.place)
            .find(|(_, what)| matches!(what, What::Sent { topic: Topic::Cancel, .. }));
        let answered = asked.answer.map_or(usize::MAX, |answer| answer.place.event);
        cancelled.is_some_and(|(at, _)| at.event < answered)
    });
    each(in_time, TOO_FAST, |asked| {
        let answer = asked.answer?;
        Some(Finding::new("no answer", show(answer.message), answer.place))
    })
}

fn unless_cancelled(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::NotApplicable("the client cancelled nothing".to_owned()),
        other => other,
    }
}

const NEVER_CANCELS: Mutant = Mutant::new(
    "gives up without a word",
    Mutation::Writes(|_, message: &Value| {
        let told = message["method"] == "notifications/cancelled";
        if told { Vec::new() } else { vec![message.to_string()] }
    }),
);

const DEAF: Mutant = Mutant::new(
    "does not hear cancellations",
    Mutation::Hears(|message| (message["method"] == "notifications/cancelled").then(Vec::new)),
);

const NOT_CANCELLED: &str = "the client did not call the tool slow and give up; one that can be told what to do finds slow in PROOFMARK_SCENARIO";
const TOO_FAST: &str =
    "the client answered before the request could be cancelled, or could not be asked";
