//! The requirements of `server/utilities/completion`, how each is judged, and the mutants that prove it.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        capabilities::{answers_only_if_declared, hides, remove},
        request_metadata::error,
        shape::{refused, show, undeclared},
        utilities::{completed, completions},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26};
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::json;

pub(super) const PAGE: Page = Page {
    name: "server/utilities/completion",
    why: "Completions are shown while a person types: they have to come in the form that the client can show.",
    requirements: &[
        &M088, &M483, &M485, &M486, &S029, &S262, &S263, &S264, &S265, &S266, &S267, &S268, &S269,
        &S270,
    ],
};

const M088: Requirement = Requirement {
    id: "M088",
    name: "server-completion-declares-completions",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "A server with completion declares the completions capability (the capability did not exist in 2024-11-05).",
    section: "docs/specification/{2025-03-26..2026-07-28}/server/utilities/completion.mdx#capabilities",
    observed: Observed::By(&M088_CHECK),
};

const M088_CHECK: Check = Check {
    how: "asks for a completion although none are declared",
    seen: seen_in(&["tour"]),
    fix: "declare the completions capability",
    judge: |evidence| answers_only_if_declared(evidence, "/completions", "completion/complete"),
    mutants: &[hides("completes without declaring it", |context, message| {
        remove(context, message, "/completions", None);
    })
    .also(&["S262"])],
};

const M483: Requirement = Requirement {
    id: "M483",
    name: "at-most-100-completion-values-returned",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "At most 100 completion values are returned.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/completion.mdx#completion-results ; schema/{2024-11-05..2026-07-28}/schema.ts#CompleteResult",
    observed: Observed::By(&M483_CHECK),
};

const M483_CHECK: Check = Check {
    how: "counts the values of every completion",
    seen: seen_everywhere(),
    fix: "give at most 100 values and set hasMore",
    judge: |evidence| {
        completions(evidence, |place, result| {
            let count = result.pointer("/completion/values")?.as_array()?.len();
            (count > 100).then(|| Finding::new("at most 100 values", count.to_string(), place))
        })
    },
    mutants: &[completed("has more suggestions than anybody wants", |result| {
        result["completion"]["values"] = json!(vec!["again"; 101]);
    })],
};

const M485: Requirement = Requirement {
    id: "M485",
    name: "completion-input-validated-rate-limited",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Completion input is validated and rate limited.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/completion.mdx#security",
    observed: Observed::Each {
        server: &Observed::By(&M485_CHECK),
        client: &Observed::Unobservable(
            "clients complete nothing, so that they have no such input",
        ),
    },
};

const M485_CHECK: Check = Check {
    how: "asks for completions of nothing and of a value that is no string",
    seen: seen_in(&["tour"]),
    fix: "check what is to be completed before you complete it",
    judge: S268_CHECK.judge,
    mutants: S268_CHECK.mutants,
};

const M486: Requirement = Requirement {
    id: "M486",
    name: "completion-does-not-leak-sensitive",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Completion does not leak sensitive information.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/completion.mdx#security",
    observed: Observed::Each {
        server: &Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
        client: &Observed::Unobservable(
            "clients complete nothing, so that they give nothing away by it",
        ),
    },
};

const S029: Requirement = Requirement {
    id: "S029",
    name: "completion-suggestions-sorted-by-relevance",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Completion suggestions are sorted by relevance.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/completion.mdx#implementation-considerations",
    observed: Observed::Unobservable(
        "relevance is the server's own judgement, and no order contradicts it",
    ),
};

const S262: Requirement = Requirement {
    id: "S262",
    name: "completion-without-capability-32601",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Completion without the capability is -32601.",
    section: "docs/specification/{2025-03-26..2026-07-28}/server/utilities/completion.mdx#error-handling",
    observed: Observed::By(&S262_CHECK),
};

const S262_CHECK: Check = Check {
    how: "asks for a completion although none are declared",
    seen: seen_in(&["tour"]),
    fix: "answer completion/complete with -32601 where completions are not declared",
    judge: |evidence| {
        if evidence.capability("/completions") {
            return Outcome::NotApplicable("the server declares completions".to_owned());
        }
        let asked =
            evidence.asked(Topic::Undeclared).filter(|asked| asked.method == "completion/complete");
        each(asked, "there was no prompt or template to complete", |asked| {
            let answer = asked.answer?;
            (answer.code() != Some(-32601))
                .then(|| Finding::new("the error -32601", show(answer.message), answer.place))
        })
    },
    mutants: &[hides("completes without the capability", |context, message| {
        remove(context, message, "/completions", None);
    })
    .also(&["M088"])],
};

const S263: Requirement = Requirement {
    id: "S263",
    name: "completion-unknown-prompt-32602",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Completion for an unknown prompt is -32602.",
    section: "docs/specification/{2025-03-26..2026-07-28}/server/utilities/completion.mdx#error-handling",
    observed: Observed::By(&S263_CHECK),
};

const S263_CHECK: Check = Check {
    how: "completes an argument of a prompt that does not exist",
    seen: seen_in(&["tour"]),
    fix: "answer an unknown prompt with the error -32602",
    judge: |evidence| {
        undeclared(evidence, "completions").unwrap_or_else(|| {
            let nothing = "the server has no prompts";
            refused(evidence, Topic::CompleteUnknown, &[-32602], nothing)
        })
    },
    mutants: &[Mutant::new(
        "completes unknown prompts",
        Mutation::Says(|context, message| {
            if context.params["ref"]["name"] == "proofmark-no-such-prompt" {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                "result": { "completion": { "values": [] } } });
            }
        }),
    )],
};

const S264: Requirement = Requirement {
    id: "S264",
    name: "completion-missing-arguments-32602",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Completion with missing arguments is -32602.",
    section: "docs/specification/{2025-03-26..2026-07-28}/server/utilities/completion.mdx#error-handling",
    observed: Observed::By(&S264_CHECK),
};

const S264_CHECK: Check = Check {
    how: "asks for a completion without saying of which argument",
    seen: seen_in(&["tour"]),
    fix: "answer a completion without an argument with -32602",
    judge: |evidence| {
        completing(evidence)
            .unwrap_or_else(|| refused(evidence, Topic::CompleteNothing, &[-32602], UNTRIED))
    },
    mutants: &[Mutant::new(
        "takes a completion of nothing for its own mistake",
        Mutation::Says(|context, message| {
            if context.method == Some("completion/complete")
                && context.params.get("argument").is_none()
            {
                *message = error(&message["id"], -32603);
            }
        }),
    )],
};

const S265: Requirement = Requirement {
    id: "S265",
    name: "internal-completion-errors-32603",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Internal completion errors are -32603.",
    section: "docs/specification/{2025-03-26..2026-07-28}/server/utilities/completion.mdx#error-handling",
    observed: Observed::Unobservable(
        "a sound server does not fail inside, whatever a client sends",
    ),
};

const S266: Requirement = Requirement {
    id: "S266",
    name: "fuzzy-matching-used-where-fits",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Fuzzy matching is used where it fits.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/completion.mdx#implementation-considerations",
    observed: Observed::Unobservable("what a message means can only be judged by people"),
};

const S267: Requirement = Requirement {
    id: "S267",
    name: "completion-rate-limited",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Completion is rate limited.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/completion.mdx#implementation-considerations",
    observed: Observed::Unobservable(
        "a limit shows only under a load that a check must not put on its peer",
    ),
};

const S268: Requirement = Requirement {
    id: "S268",
    name: "completion-input-validated",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Completion input is validated.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/completion.mdx#implementation-considerations",
    observed: Observed::By(&S268_CHECK),
};

const S268_CHECK: Check = Check {
    how: "asks for completions of nothing, of what does not exist, and of a value that is no string",
    seen: seen_in(&["tour"]),
    fix: "check what is to be completed before you complete it",
    judge: |evidence| {
        if let Some(outcome) = completing(evidence) {
            return outcome;
        }
        let odd = evidence
            .asked_by_method("completion/complete")
            .filter(|asked| matches!(asked.topic, Topic::CompleteNothing | Topic::CompleteNumber));
        each(odd, UNTRIED, |asked| {
            let answer = asked.answer?;
            let expected = "an error";
            answer.result().map(|_| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "completes numbers",
        Mutation::Says(|context, message| {
            if context.method == Some("completion/complete")
                && context.params["argument"]["value"].is_number()
            {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "complete", "completion": { "values": [] },
                    "_meta": { proofmark_record::meta::SERVER_INFO: { "name": "a", "version": "1" } } } });
            }
        }),
    )
    .also(&["M485", "S268"])],
};

const S269: Requirement = Requirement {
    id: "S269",
    name: "clients-debounce-cache-completion",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Clients debounce and cache completion.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/completion.mdx#implementation-considerations",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const S270: Requirement = Requirement {
    id: "S270",
    name: "missing-or-partial-completion-handled",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Missing or partial completion is handled.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/completion.mdx#implementation-considerations",
    observed: Observed::Unobservable(
        "what a client shows while a completion is missing is for its user to see",
    ),
};

fn completing(evidence: &Evidence) -> Option<Outcome> {
    let tried = evidence.asked_by_method("completion/complete").any(|asked| {
        asked.topic == Topic::Complete || asked.answer.is_some_and(|it| it.result().is_some())
    });
    (!tried).then(|| Outcome::NotApplicable("the server completes nothing".to_owned()))
}

const UNTRIED: &str = "there was nothing to complete";
