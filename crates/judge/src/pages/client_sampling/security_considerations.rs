//! `client/sampling`: `#capabilities`, `#security-considerations`, `#tools-in-sampling`, `#tool-result-messages`, `#tool-choice-modes`,
//! `#messages`.

use super::shared::{NOT_ASKED, S200_CHECK, blocks as blocks_given};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{declared, initialize, remove},
        client_answers::{blocks, conversing, of_results},
        client_inputs::{M383_CHECK, NOT_ASKED as NOT_ASKED_INPUTS},
        server_requests::{SAMPLING, asked, declares, sampling},
        shape::{lacks, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25, V2026_07_28};
use proofmark_record::topic::Topic;
use serde_json::{Value, json};

pub(super) const M076: Requirement = Requirement {
    id: "M076",
    name: "client-sampling-declares-sampling-capability",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A client with sampling declares the sampling capability (2026-07-28: on each request, in _meta).",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/sampling.mdx#capabilities",
    observed: Observed::By(&M076_CHECK),
};

const M076_CHECK: Check = Check {
    how: "asks for sampling, whether it was declared or not",
    seen: seen_in(&["hosted ask"]),
    fix: "declare sampling in initialize, or answer it with an error",
    judge: |evidence| declared(evidence, Topic::AskSampling, "sampling"),
    mutants: &[initialize("samples without saying that it can", |params| {
        remove(&mut params["capabilities"], "sampling");
    })
    .also(&["M383", "M385"])],
};

pub(super) const S208: Requirement = Requirement {
    id: "S208",
    name: "includecontext-thisserver-or-allservers",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "includeContext thisServer or allServers is avoided, and not used without sampling.context.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#capabilities ; schema/{2025-11-25..2026-07-28}/schema.ts#CreateMessageRequest",
    observed: Observed::By(&S208_CHECK),
};

const S208_CHECK: Check = Check {
    how: "declares no sampling.context, and looks at includeContext of every sampling request",
    seen: seen_everywhere(),
    fix: "leave includeContext out, or use none",
    judge: |evidence| {
        asked(evidence, SAMPLING, |place, params| {
            let wanted = params.get("includeContext").filter(|it| *it != "none")?;
            Some(Finding::new("no context of servers", show(wanted), place))
        })
    },
    mutants: &[sampling("wants to know what other servers know", |params| {
        params["includeContext"] = json!("allServers");
    })],
};

pub(super) const M382: Requirement = Requirement {
    id: "M382",
    name: "sensitive-data-sampling-handled-care",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Sensitive data in sampling is handled with care.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/sampling.mdx#security-considerations",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

pub(super) const M387: Requirement = Requirement {
    id: "M387",
    name: "each-tool-use-followed-by-user-message-tool",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Each tool use is followed by a user message of tool results that match every id.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#tool-use-and-result-balance ; docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#security-considerations",
    observed: Observed::By(&M387_CHECK),
};

const M387_CHECK: Check = Check {
    how: "has the model use tools, and compares the uses with the results that follow",
    seen: seen_everywhere(),
    fix: "follow each message that uses tools with one that has a result for every use",
    judge: |evidence| {
        conversing(evidence, |place, messages| {
            messages.iter().enumerate().find_map(|(at, message)| {
                let uses: Vec<&Value> = blocks(message)
                    .filter(|it| it["type"] == "tool_use")
                    .map(|it| &it["id"])
                    .collect();
                if uses.is_empty() {
                    return None;
                }
                let next = messages.get(at + 1);
                let results: Vec<&Value> = next
                    .into_iter()
                    .flat_map(blocks)
                    .filter(|it| it["type"] == "tool_result")
                    .map(|it| &it["toolUseId"])
                    .collect();
                let only = next.is_some_and(|it| blocks(it).all(|it| it["type"] == "tool_result"));
                let balanced = only && uses.iter().all(|id| results.contains(id));
                let expected = "a result for every use, in the next message";
                (!balanced).then(|| Finding::new(expected, show(&json!(messages)), place))
            })
        })
    },
    mutants: &[of_results("forgets a result", |content| {
        content.as_array_mut().map(Vec::pop);
    })],
};

pub(super) const S204: Requirement = Requirement {
    id: "S204",
    name: "sampling-needs-user-approval",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Sampling needs user approval.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/sampling.mdx#security-considerations",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S205: Requirement = Requirement {
    id: "S205",
    name: "sampling-message-content-validated",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Sampling message content is validated.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/sampling.mdx#security-considerations",
    observed: Observed::Each {
        server: &Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
        client: &Observed::By(&S205_CHECK),
    },
};

const S205_CHECK: Check = Check {
    how: "asks for sampling without messages",
    seen: seen_in(&["hosted ask"]),
    fix: "look at the messages before you give them to a model, and refuse what is none",
    judge: S200_CHECK.judge,
    mutants: S200_CHECK.mutants,
};

pub(super) const S206: Requirement = Requirement {
    id: "S206",
    name: "sampling-preference-hints-respected",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Sampling preference hints are respected.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/sampling.mdx#security-considerations",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S207: Requirement = Requirement {
    id: "S207",
    name: "sampling-rate-limited",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Sampling is rate limited.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/sampling.mdx#security-considerations",
    observed: Observed::Unobservable(
        "a limit shows only under a load that a check must not put on its peer",
    ),
};

pub(super) const S209: Requirement = Requirement {
    id: "S209",
    name: "tool-loops-have-iteration-limit",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Tool loops have an iteration limit.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#security-considerations",
    observed: Observed::Unobservable(
        "a loop of tools is driven by a model, which the checker does not bring",
    ),
};

pub(super) const M383: Requirement = Requirement {
    id: "M383",
    name: "sampling-tools-declared-receive-tools",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "sampling.tools is declared to receive tools in sampling.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#tools-in-sampling",
    observed: Observed::By(&M383_CHECK),
};

pub(super) const M384: Requirement = Requirement {
    id: "M384",
    name: "no-tools-sent-client-without-sampling-tools",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "No tools are sent to a client without sampling.tools.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#tools-in-sampling",
    observed: Observed::By(&M384_CHECK),
};

const M384_CHECK: Check = Check {
    how: "declares no tools for sampling in one conversation, and looks at what is asked there",
    seen: seen_everywhere(),
    fix: "send tools only to clients that declare sampling.tools",
    judge: |evidence| {
        asked(evidence, SAMPLING, |place, params| {
            let tools = params.get("tools").or_else(|| params.get("toolChoice"))?;
            (!declares(evidence, place, "/sampling/tools")).then_some(())?;
            Some(Finding::new("no tools for a client without them", show(tools), place))
        })
    },
    mutants: &[sampling("gives a model tools that its client does not know", |params| {
        params["tools"] = json!([{ "name": "a", "inputSchema": { "type": "object" } }]);
    })],
};

pub(super) const M386: Requirement = Requirement {
    id: "M386",
    name: "user-message-tool-results-nothing-else",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A user message with tool results has nothing else.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#tool-result-messages",
    observed: Observed::By(&M386_CHECK),
};

const M386_CHECK: Check = Check {
    how: "has the model use tools, and looks at the messages with their results",
    seen: seen_everywhere(),
    fix: "put nothing but tool results into a message that has one",
    judge: |evidence| {
        conversing(evidence, |place, messages| {
            let mixed = messages.iter().find(|message| {
                let kinds = || blocks(message).map(|block| block["type"] == "tool_result");
                kinds().any(|it| it) && !kinds().all(|it| it)
            })?;
            Some(Finding::new("tool results and nothing else", show(mixed), place))
        })
    },
    mutants: &[of_results("comments on the results of tools", |content| {
        let comment = json!({ "type": "text", "text": "Here they are" });
        content.as_array_mut().into_iter().for_each(|it| it.push(comment.clone()));
    })
    .also(&["M387"])],
};

pub(super) const M388: Requirement = Requirement {
    id: "M388",
    name: "toolchoice-required-means-tool-used",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "toolChoice required means a tool is used.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#tool-choice-modes",
    observed: Observed::Unobservable("what a model is shown is not on the wire"),
};

pub(super) const M389: Requirement = Requirement {
    id: "M389",
    name: "toolchoice-none-means-no-tool-used",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "toolChoice none means no tool is used.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/sampling.mdx#tool-choice-modes",
    observed: Observed::By(&M389_CHECK),
};

const M389_CHECK: Check = Check {
    how: "asks for sampling with tools of which none is to be used",
    seen: seen_everywhere(),
    fix: "let the model use no tool where toolChoice is none",
    judge: |evidence| {
        if !evidence.capability("/sampling/tools") {
            return Outcome::NotApplicable("the client does not declare sampling.tools".to_owned());
        }
        let asked = evidence.asked_by_method("sampling/createMessage").filter(|asked| {
            let choice = asked.params.and_then(|it| it.pointer("/toolChoice/mode"));
            choice.is_some_and(|it| it == "none") && asked.answer.is_some()
        });
        each(asked, NOT_ASKED, |asked| {
            let answer = asked.answer?;
            let result = answer.result()?;
            let used = blocks_given(result).any(|block| block["type"] == "tool_use");
            let stopped = result.get("stopReason").is_some_and(|it| it == "toolUse");
            (used || stopped).then(|| Finding::new("no tool", show(result), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "uses tools although it should not",
        Mutation::Part {
            of: |context, message| sampled(context, message, "none"),
            change: |result| {
                result["content"] = json!({ "type": "tool_use", "id": "use-1", "name": "look",
                    "input": {} });
                result["stopReason"] = json!("toolUse");
            },
        },
    )],
};

pub(super) const M393: Requirement = Requirement {
    id: "M393",
    name: "sampling-message-role-user-or-assistant",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A sampling message has role user or assistant, and content.",
    section: "docs/specification/2026-07-28/client/sampling.mdx#messages",
    observed: Observed::Each {
        server: &Observed::By(&M393_SERVER),
        client: &Observed::By(&M393_CLIENT),
    },
};

const M393_SERVER: Check = Check {
    how: "looks at the messages of every sampling request",
    seen: seen_everywhere(),
    fix: "give each message a role, user or assistant, and content",
    judge: |evidence| {
        asked(evidence, SAMPLING, |place, params| {
            let messages = params.get("messages")?.as_array()?;
            let odd = messages.iter().find(|message| {
                let known = message["role"] == "user" || message["role"] == "assistant";
                !known || message.get("content").is_none()
            })?;
            Some(Finding::new("a role and content", show(odd), place))
        })
    },
    mutants: &[sampling("puts words into the system's mouth", |params| {
        params["messages"][0]["role"] = json!("system");
    })],
};

const M393_CLIENT: Check = Check {
    how: "asks for sampling and looks at the role and content of the result",
    seen: seen_everywhere(),
    fix: "answer as user or assistant, with content",
    judge: |evidence| {
        if !evidence.capability("/sampling") {
            return Outcome::NotApplicable("the client does not declare sampling".to_owned());
        }
        each(evidence.results("sampling/createMessage"), NOT_ASKED_INPUTS, |(answer, result)| {
            let known = result["role"] == "user" || result["role"] == "assistant";
            (!known).then(|| Finding::new("user or assistant", show(result), answer.place)).or_else(
                || {
                    lacks(answer.place, result, "content", "an object or an array", |content| {
                        content.is_object() || content.is_array()
                    })
                },
            )
        })
    },
    mutants: &[Mutant::new(
        "puts words into the system's mouth",
        Mutation::Says(|_, message| {
            let given = message.pointer_mut("/params/inputResponses");
            if let Some(sampled_inputs) = given.and_then(|it| it.get_mut("what")) {
                sampled_inputs["role"] = json!("system");
            }
        }),
    )],
};

pub(super) const S211: Requirement = Requirement {
    id: "S211",
    name: "sampling-messages-not-kept-between-requests",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Sampling messages are not kept between requests.",
    section: "docs/specification/2026-07-28/client/sampling.mdx#messages",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

/// The answer to sampling with this choice of tools.
fn sampled<'m>(
    context: &Context<'_>,
    message: &'m mut Value,
    choice: &str,
) -> Option<&'m mut Value> {
    (context.params.pointer("/toolChoice/mode")? == choice).then_some(())?;
    message.get_mut("result")
}
