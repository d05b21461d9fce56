//! `client/sampling`: `#sampling-parameters`, `#user-interaction-model`, `#error-handling`, `#model-hints`, `#context-inclusion`,
//! `#parallel-tool-use`, `#result-fields`.

use super::shared::{NOT_ASKED, S200_CHECK, blocks, sampled};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client_inputs::NOT_ASKED as NOT_ASKED_INPUTS,
        shape::{doubtful, refused},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, only, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25, V2026_07_28};
use proofmark_record::{
    evidence::{Answer, Evidence},
    topic::Topic,
};
use serde_json::json;

pub(super) const M394: Requirement = Requirement {
    id: "M394",
    name: "client-respects-maxtokens",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client respects maxTokens.",
    section: "docs/specification/2026-07-28/client/sampling.mdx#sampling-parameters",
    observed: Observed::By(&M394_CHECK),
};

const M394_CHECK: Check = Check {
    how: "asks for few tokens, and looks at how much comes",
    seen: seen_everywhere(),
    fix: "give maxTokens to the model, and no more than that to the server",
    judge: |evidence| {
        if !evidence.capability("/sampling") {
            return Outcome::NotApplicable("the client does not declare sampling".to_owned());
        }
        // What a token is, the model knows; so long is none.
        doubtful(each(limited(evidence), NOT_ASKED, |(answer, most)| {
            let text = blocks(answer.result()?).filter_map(|block| block["text"].as_str());
            let length: usize = text.map(|text| text.chars().count()).sum();
            let expected = format!("{most} tokens at most");
            let actual = || format!("{length} characters");
            (length > most * LONGEST_TOKEN)
                .then(|| Finding::new(expected.clone(), actual(), answer.place))
        }))
    },
    mutants: &[Mutant::new(
        "does not know when to stop",
        Mutation::Says(|_, message| {
            let text = message.pointer_mut("/params/inputResponses/what/content/text");
            if let Some(text) = text {
                *text = json!("and so on ".repeat(1000));
            }
        }),
    )],
};

pub(super) const A110: Requirement = Requirement {
    id: "A110",
    name: "temperature-stopsequences-metadata-may",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "temperature, stopSequences and metadata may be changed or ignored.",
    section: "docs/specification/2026-07-28/client/sampling.mdx#sampling-parameters",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S197: Requirement = Requirement {
    id: "S197",
    name: "human-can-deny-sampling",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A human can deny sampling.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/sampling.mdx#user-interaction-model",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S198: Requirement = Requirement {
    id: "S198",
    name: "user-can-review-sampling-request-edit-prompt",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The user can review a sampling request, edit its prompt and see the result first.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/sampling.mdx#user-interaction-model",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S200: Requirement = Requirement {
    id: "S200",
    name: "sampling-failures-returned-errors",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Sampling failures are returned as errors.",
    section: "docs/specification/{2024-11-05..2025-11-25}/client/sampling.mdx#error-handling",
    observed: Observed::By(&S200_CHECK),
};

pub(super) const S201: Requirement = Requirement {
    id: "S201",
    name: "user-rejection-sampling-error-1",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A user's rejection of sampling is error -1 (an example up to 2025-06-18, listed in 2025-11-25).",
    section: "docs/specification/{2024-11-05..2025-11-25}/client/sampling.mdx#error-handling",
    observed: Observed::Unobservable("only the client knows that its user said no"),
};

pub(super) const S202: Requirement = Requirement {
    id: "S202",
    name: "missing-tool-result-sampling-32602",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "A missing tool result in sampling is -32602.",
    section: "docs/specification/2025-11-25/client/sampling.mdx#error-handling",
    observed: Observed::By(&S202_CHECK),
};

const S202_CHECK: Check = Check {
    how: "asks for sampling in which the result of a tool is missing",
    seen: seen_in(&["hosted ask"]),
    fix: "answer -32602 if a tool is used and the next message has no result for it",
    judge: |evidence| tool_results(evidence, Topic::MissingToolResult),
    mutants: &[Mutant::new(
        "does not miss the results of tools",
        Mutation::Says(|_, message| {
            if message["id"] == "no-tool-result" {
                sampled(message);
            }
        }),
    )],
};

pub(super) const S203: Requirement = Requirement {
    id: "S203",
    name: "sampling-tool-results-mixed-other-content",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "Sampling tool results mixed with other content are -32602.",
    section: "docs/specification/2025-11-25/client/sampling.mdx#error-handling",
    observed: Observed::By(&S203_CHECK),
};

const S203_CHECK: Check = Check {
    how: "asks for sampling with the result of a tool and something else in one message",
    seen: seen_in(&["hosted ask"]),
    fix: "answer -32602 if a message has more than results of tools",
    judge: |evidence| tool_results(evidence, Topic::MixedToolResult),
    mutants: &[Mutant::new(
        "takes results of tools with anything beside them",
        Mutation::Says(|_, message| {
            if message["id"] == "mixed-tool-result" {
                sampled(message);
            }
        }),
    )],
};

pub(super) const S212: Requirement = Requirement {
    id: "S212",
    name: "sampling-deprecated-not-new-code-migrated",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Sampling is deprecated: not for new code, and to be migrated.",
    section: "docs/specification/2026-07-28/client/sampling.mdx",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

pub(super) const A105: Requirement = Requirement {
    id: "A105",
    name: "model-hints-may-mapped-other-providers",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Model hints may be mapped to other providers' models.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/sampling.mdx#model-hints",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const A108: Requirement = Requirement {
    id: "A108",
    name: "systemprompt-includecontext-may-changed-or",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "systemPrompt and includeContext may be changed or ignored.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CreateMessageRequest ; docs/specification/2026-07-28/client/sampling.mdx#system-prompt ; docs/specification/2026-07-28/client/sampling.mdx#context-inclusion",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const A109: Requirement = Requirement {
    id: "A109",
    name: "switching-off-parallel-tool-use-may-offered",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Switching off parallel tool use may be offered as an extension.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#parallel-tool-use",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

pub(super) const A111: Requirement = Requirement {
    id: "A111",
    name: "stopreason-may-value-client-own-beside",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "stopReason may be a value of the client's own beside endTurn, stopSequence, maxTokens and toolUse.",
    section: "docs/specification/2026-07-28/client/sampling.mdx#result-fields",
    observed: Observed::Unobservable("a permission: every string is a right stopReason"),
};

fn tool_results(evidence: &Evidence, topic: Topic) -> Outcome {
    if !evidence.capability("/sampling/tools") {
        return Outcome::NotApplicable("the client does not declare sampling.tools".to_owned());
    }
    refused(evidence, topic, &[-32602], NOT_ASKED_INPUTS)
}

/// Answers to sampling that was limited, and the limit in tokens.
fn limited(evidence: &Evidence) -> impl Iterator<Item = (Answer<'_>, usize)> {
    evidence.asked_by_method("sampling/createMessage").filter_map(|asked| {
        let most = asked.params?.get("maxTokens")?.as_u64()?;
        let answer = asked.answer?;
        answer.result()?;
        Some((answer, usize::try_from(most).ok()?))
    })
}

/// In characters.
const LONGEST_TOKEN: usize = 100;
