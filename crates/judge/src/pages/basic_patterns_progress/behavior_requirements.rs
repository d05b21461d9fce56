//! `basic/patterns/progress`: `#behavior-requirements`, `#implementation-notes`.

use super::shared::{of_progress, progress, progress_cancelling, tracked};
use crate::requirement::seen_everywhere;
use crate::{
    common::{
        client::{also_says, beside, notification},
        optional_features::{ALLOWED, PROGRESS},
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2024_11_05;
use serde_json::json;

pub(super) const M086: Requirement = Requirement {
    id: "M086",
    name: "progress-only-uses-token-request-still",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Progress only uses a token of a request that is still active.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/progress.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&M086_SERVER),
        client: &Observed::By(&M086_CLIENT),
    },
};

const M086_SERVER: Check = Check {
    how: "compares the token of every progress notification with those of the requests that run",
    seen: seen_everywhere(),
    fix: "report progress only under the token of a request that is not answered yet",
    judge: |evidence| {
        progress(evidence, |heard| {
            let token = heard.message.pointer("/params/progressToken")?;
            let known = evidence.asked_all().any(|asked| {
                asked.place.conversation == heard.place.conversation
                    && asked.place.event < heard.place.event
                    && asked.params.and_then(|params| params.pointer("/_meta/progressToken"))
                        == Some(token)
            });
            (!known).then(|| Finding::new("the token of a request", show(token), heard.place))
        })
    },
    mutants: &[
        of_progress("takes tokens of digits for numbers", |params| {
            if let Some(number) =
                params["progressToken"].as_str().and_then(|it| it.parse::<i64>().ok())
            {
                params["progressToken"] = json!(number);
            }
        }),
        of_progress("writes all tokens as strings", |params| {
            if params["progressToken"].is_number() {
                params["progressToken"] = json!(params["progressToken"].to_string());
            }
        }),
        Mutant::new(
            "reports progress that was not asked for",
            Mutation::Writes(|context, message| {
                let tool = context.params["name"] == "test_tool_with_progress";
                let asked = context.params.pointer("/_meta/progressToken").is_some();
                let progress = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                    "params": { "progressToken": "unasked", "progress": 1 } });
                let mut texts = vec![message.to_string()];
                if tool && !asked {
                    texts.insert(0, progress.to_string());
                }
                texts
            }),
        ),
        Mutant::new(
            "reports progress under a token of its own",
            Mutation::Says(|_, message| {
                if message["method"] == "notifications/progress" {
                    message["params"]["progressToken"] = json!("own");
                }
            }),
        )
        .also(&["M085", "M228"]),
    ],
};

const M086_CLIENT: Check = progress_cancelling(
    "compares the token of every progress notification of the client with those of the server's requests",
    M086_SERVER.fix,
    M086_SERVER.judge,
    &[also_says("reports progress under a token of its own", |_, message| {
        let params = json!({ "progressToken": "own", "progress": 1 });
        beside(message, &notification("notifications/progress", &params))
    })],
);

pub(super) const A071: Requirement = Requirement {
    id: "A071",
    name: "progress-token-may-ignored-altogether",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A progress token may be ignored altogether.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/progress.mdx#behavior-requirements",
    observed: Observed::Unobservable(
        "a permission: a peer that never reports progress breaks nothing",
    ),
};

pub(super) const A072: Requirement = Requirement {
    id: "A072",
    name: "frequency-progress-sender-choice",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The frequency of progress is the sender's choice.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/progress.mdx#behavior-requirements",
    observed: Observed::Unobservable(
        "a permission: how often progress is reported is the sender's choice",
    ),
};

pub(super) const A073: Requirement = Requirement {
    id: "A073",
    name: "progress-may-leave-out-total",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Progress may leave out total.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/progress.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&A073_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A073_CHECK: Check = Check {
    how: "looks at every report of progress",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.told(PROGRESS), "progress without a total", |heard| {
            heard.message.pointer("/params/total").is_none()
        })
    },
    mutants: &[of_progress("does not say how much there is to do", |params| {
        params.as_object_mut().map(|params| params.remove("total"));
    })],
};

pub(super) const M227: Requirement = Requirement {
    id: "M227",
    name: "no-progress-follows-completion",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "No progress follows completion.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#implementation-notes ; docs/specification/2026-07-28/basic/patterns/progress.mdx#implementation-notes",
    observed: Observed::Each {
        server: &Observed::By(&M227_SERVER),
        client: &Observed::By(&M227_CLIENT),
    },
};

const M227_SERVER: Check = Check {
    how: "looks for progress after the answer",
    seen: seen_everywhere(),
    fix: "stop reporting when the request is answered",
    judge: |evidence| {
        progress(evidence, |heard| {
            let token = heard.message.pointer("/params/progressToken")?;
            let answer = tracked(evidence, heard.place, token)?.answer?;
            // What became a task goes on.
            if answer.result().is_some_and(|result| result.get("task").is_some()) {
                return None;
            }
            (answer.place.event < heard.place.event).then(|| {
                Finding::new("no progress after the answer", show(heard.message), heard.place)
            })
        })
    },
    mutants: &[Mutant::new(
        "reports progress when all is over",
        Mutation::Writes(|context, message| {
            let mut texts = vec![message.to_string()];
            let token = context.params.pointer("/_meta/progressToken");
            if let Some(token) = token.filter(|_| context.params["name"] == "test_simple_text") {
                let late = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": token, "progress": 1 } });
                texts.push(late.to_string());
            }
            texts
        }),
    )],
};

const M227_CLIENT: Check = progress_cancelling(
    "asks for sampling and for news of it, and looks for progress after the answer",
    M227_SERVER.fix,
    M227_SERVER.judge,
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

pub(super) const S108: Requirement = Requirement {
    id: "S108",
    name: "active-progress-tokens-tracked",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Active progress tokens are tracked.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#implementation-notes ; docs/specification/2026-07-28/basic/patterns/progress.mdx#implementation-notes",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S109: Requirement = Requirement {
    id: "S109",
    name: "progress-rate-limited",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Progress is rate limited.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#implementation-notes ; docs/specification/2026-07-28/basic/patterns/progress.mdx#implementation-notes",
    observed: Observed::Each {
        server: &Observed::Unobservable(
            "a limit shows only under a load that a check must not put on its peer",
        ),
        client: &Observed::Unobservable(
            "a limit shows only under a load that a check must not put on its peer",
        ),
    },
};
