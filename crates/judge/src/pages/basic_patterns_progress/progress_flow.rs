//! `basic/patterns/progress`: `#progress-flow`.

use super::shared::{of_progress, progress, progress_cancelling, tracked};
use crate::requirement::seen_everywhere;
use crate::{
    common::{
        cancellation::{answered_at, is_unanswered, precedes},
        client::{also_says, beside, legacy, notification},
        envelope::server_requests,
        optional_features::{ALLOWED, PROGRESS},
        shape::{lacks, show},
        tools::none_applies,
        utilities::notifications,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26};
use serde_json::{Value, json};

pub(super) const M083: Requirement = Requirement {
    id: "M083",
    name: "progress-token-unique-among-active-requests",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A progress token is unique among active requests.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#progress-flow ; docs/specification/2026-07-28/basic/patterns/progress.mdx#progress-flow",
    observed: Observed::Each {
        server: &Observed::By(&M083_SERVER),
        client: &Observed::By(&M083_CLIENT),
    },
};

const M083_SERVER: Check = Check {
    how: "compares the progress tokens of the server's requests that are not answered yet",
    seen: seen_everywhere(),
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

const M083_CLIENT: Check = Check {
    how: "compares the progress tokens of all requests that run at the same time",
    seen: seen_everywhere(),
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

pub(super) const M084: Requirement = Requirement {
    id: "M084",
    name: "progress-notification-progresstoken-progress",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A progress notification has progressToken and progress.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#progress-flow ; schema/{2024-11-05..2026-07-28}/schema.ts#ProgressNotification ; docs/specification/2026-07-28/basic/patterns/progress.mdx#progress-flow",
    observed: Observed::Each {
        server: &Observed::By(&M084_SERVER),
        client: &Observed::By(&M084_CLIENT),
    },
};

const M084_SERVER: Check = Check {
    how: "gives each call a progress token and looks at every progress notification",
    seen: seen_everywhere(),
    fix: "give progressToken and progress, which is a number",
    judge: |evidence| {
        progress(evidence, |heard| {
            let params = &heard.message["params"];
            lacks(heard.place, params, "progressToken", "a string or a number", |token| {
                token.is_string() || token.is_number()
            })
            .or_else(|| lacks(heard.place, params, "progress", "a number", Value::is_number))
        })
    },
    mutants: &[Mutant::new(
        "reports progress without a number",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/progress"
                && let Some(params) = message["params"].as_object_mut()
            {
                params.remove("progress");
            }
        }),
    )],
};

const M084_CLIENT: Check = progress_cancelling(
    "looks at every progress notification of the client",
    M084_SERVER.fix,
    M084_SERVER.judge,
    &[also_says("reports progress without a number", |_, message| {
        beside(
            message,
            &notification("notifications/progress", &json!({ "progressToken": "hosted" })),
        )
    })
    .also(&["M086"])],
);

pub(super) const M085: Requirement = Requirement {
    id: "M085",
    name: "progress-grows-each-notification-total-known",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "progress grows with each notification, total known or not.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#progress-flow ; docs/specification/2026-07-28/basic/patterns/progress.mdx#progress-flow",
    observed: Observed::Each {
        server: &Observed::By(&M085_SERVER),
        client: &Observed::By(&M085_CLIENT),
    },
};

const M085_SERVER: Check = Check {
    how: "compares the progress notifications of each token",
    seen: seen_everywhere(),
    fix: "let progress grow with each notification",
    judge: |evidence| {
        progress(evidence, |heard| {
            let value = heard.message.pointer("/params/progress")?.as_f64()?;
            let token = heard.message.pointer("/params/progressToken")?;
            // Each request counts for itself, also if it has the token of one that is over.
            let begun = tracked(evidence, heard.place, token).map_or(0, |it| it.place.event);
            let earlier = notifications(evidence, "notifications/progress")
                .filter(|it| {
                    it.place.conversation == heard.place.conversation
                        && (begun..heard.place.event).contains(&it.place.event)
                        && it.message.pointer("/params/progressToken") == Some(token)
                })
                .filter_map(|it| it.message.pointer("/params/progress")?.as_f64())
                .last()?;
            (value <= earlier).then(|| {
                Finding::new(format!("more than {earlier}"), value.to_string(), heard.place)
            })
        })
    },
    mutants: &[Mutant::new(
        "makes no progress",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/progress" {
                message["params"]["progress"] = json!(1);
            }
        }),
    )],
};

const M085_CLIENT: Check = progress_cancelling(
    "compares the progress notifications of the client under each token",
    M085_SERVER.fix,
    M085_SERVER.judge,
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

pub(super) const M226: Requirement = Requirement {
    id: "M226",
    name: "progress-token-string-or-integer",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A progress token is a string or an integer.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#progress-flow ; docs/specification/2026-07-28/basic/patterns/progress.mdx#progress-flow",
    observed: Observed::Each {
        server: &Observed::By(&M226_SERVER),
        client: &Observed::By(&M226_CLIENT),
    },
};

const M226_SERVER: Check = Check {
    how: "looks at the token of every progress notification",
    seen: seen_everywhere(),
    fix: "repeat the token as it came",
    judge: |evidence| {
        progress(evidence, |heard| {
            let token = heard.message.pointer("/params/progressToken")?;
            let right = token.is_string() || token.is_i64() || token.is_u64();
            (!right).then(|| Finding::new("a string or an integer", show(token), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "reports progress under a list",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/progress" {
                message["params"]["progressToken"] = json!([]);
            }
        }),
    )
    .also(&["M084", "M085", "M086", "M227", "M228"])],
};

const M226_CLIENT: Check = Check {
    how: "looks at the progress token of every request",
    seen: seen_everywhere(),
    fix: "use a string or an integer for a progress token",
    judge: |evidence| {
        let tokens = evidence
            .requests()
            .filter_map(|it| Some((it.place, it.params?.pointer("/_meta/progressToken")?)));
        let outcome = each(tokens, "", |(place, token)| {
            let right = token.is_string() || token.is_i64() || token.is_u64();
            (!right).then(|| Finding::new("a string or an integer", show(token), place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("the client does not ask for progress".to_owned())
            }
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "has a token that is no whole number",
        Mutation::Says(|_, message| {
            if let Some(token) = message.pointer_mut("/params/_meta/progressToken") {
                *token = json!(1.5);
            }
        }),
    )
    .also(&["M083", "S020", "S078"])],
};

pub(super) const S107: Requirement = Requirement {
    id: "S107",
    name: "progress-message-readable-relevant",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "A progress message is readable and relevant.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/utilities/progress.mdx#progress-flow ; docs/specification/2026-07-28/basic/patterns/progress.mdx#progress-flow",
    observed: Observed::Each {
        server: &Observed::Unobservable("what a message means can only be judged by people"),
        client: &Observed::Unobservable("what a message means can only be judged by people"),
    },
};

pub(super) const A025: Requirement = Requirement {
    id: "A025",
    name: "progress-may-include-total-message",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Progress may include total and message (2024-11-05 has total only).",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/utilities/progress.mdx#progress-flow ; docs/specification/2026-07-28/basic/patterns/progress.mdx#progress-flow",
    observed: Observed::Each {
        server: &Observed::By(&A025_SERVER),
        client: &Observed::By(&A025_CLIENT),
    },
};

const A025_SERVER: Check = Check {
    how: "looks at every progress notification",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(
            notifications(evidence, "notifications/progress"),
            "total or message of progress",
            |heard| {
                ["total", "message"]
                    .iter()
                    .any(|member| heard.message["params"].get(member).is_some())
            },
        )
    },
    mutants: &[Mutant::new(
        "never says how much there is",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/progress"
                && let Some(params) = message["params"].as_object_mut()
            {
                params.remove("total");
                params.remove("message");
            }
        }),
    )],
};

const A025_CLIENT: Check = progress_cancelling(
    "looks at every progress notification of the client",
    "nothing: this is allowed",
    A025_SERVER.judge,
    &[also_says("says how much there is", |_, message| {
        let params = json!({ "progressToken": "hosted", "progress": 1, "total": 2 });
        beside(message, &notification("notifications/progress", &params))
    })
    .also(&["M086"])],
);

pub(super) const A070: Requirement = Requirement {
    id: "A070",
    name: "progress-total-may-fractional",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "progress and total may be fractional.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#progress-flow ; docs/specification/2026-07-28/basic/patterns/progress.mdx#progress-flow",
    observed: Observed::Each {
        server: &Observed::By(&A070_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A070_CHECK: Check = Check {
    how: "looks at every report of progress",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.told(PROGRESS), "fractions of progress", |heard| {
            let params = &heard.message["params"];
            ["progress", "total"].iter().any(|it| params[*it].is_f64())
        })
    },
    mutants: &[of_progress("reports half a step", |params| {
        let progress = params["progress"].as_f64().unwrap_or_default();
        params["progress"] = json!(progress + 0.25);
    })],
};

fn tracks_twice(message: &Value) -> Option<Vec<String>> {
    is_unanswered(message).then_some(())?;
    let question = |id: &str| {
        let params = json!({ "_meta": { "progressToken": "twice" } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "roots/list", "params": params }).to_string()
    };
    Some(vec![question("first"), question("second")])
}
