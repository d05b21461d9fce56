//! `server/tools`: `#output-schema`, `#error-handling`, `#security-considerations`, `#user-interaction-model`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::REMOTE,
        request_metadata::{error, to},
        shape::{doubtful, show, undeclared},
        tools::none_applies,
    },
    json_schema::{Verdict, fits},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_06_18, V2025_11_25, V2026_07_28};
use proofmark_record::{
    evidence::{Answer, Evidence, Place},
    meta::SERVER_INFO,
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M474: Requirement = Requirement {
    id: "M474",
    name: "outputschema-structuredcontent-conforms",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "With an outputSchema, structuredContent conforms to it.",
    section: "docs/specification/{2025-06-18..2026-07-28}/server/tools.mdx#output-schema",
    observed: Observed::By(&M474_CHECK),
};

const M474_CHECK: Check = Check {
    how: "compares the structuredContent of every call with the outputSchema of its tool",
    seen: seen_everywhere(),
    fix: "give structuredContent that the outputSchema describes, whenever there is an outputSchema",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        none_applies(
            each(promised(evidence), "", |promise| promise.broken()),
            "no tool that was called has an outputSchema",
        )
    },
    mutants: &[
        structured("gives other content than its schema says", |result| {
            result["structuredContent"] = json!({ "temperature": "warm" });
            result["content"] = json!([{ "type": "text", "text": "{\"temperature\":\"warm\"}" }]);
        }),
        structured("promises structured content and gives none", |result| {
            result.as_object_mut().map(|result| result.remove("structuredContent"));
        }),
    ],
};

pub(super) const S244: Requirement = Requirement {
    id: "S244",
    name: "client-validates-structuredcontent",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "The client validates structuredContent.",
    section: "docs/specification/{2025-06-18..2026-07-28}/server/tools.mdx#output-schema",
    observed: Observed::Unobservable(
        "what a client does about content that does not fit is between it and its user",
    ),
};

pub(super) const M475: Requirement = Requirement {
    id: "M475",
    name: "unknown-tool-protocol-error-32602-example",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "An unknown tool is a protocol error, -32602 in the example.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#error-handling ; schema/{2024-11-05..2026-07-28}/schema.ts#CallToolResult",
    observed: Observed::By(&M475_CHECK),
};

const M475_CHECK: Check = Check {
    how: "calls a tool that does not exist",
    seen: seen_in(&["tour"]),
    fix: "answer an unknown tool with the error -32602",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let Some(asked) = evidence.asked(Topic::UnknownTool).next() else {
            return Outcome::Unobserved("no unknown tool was called".to_owned());
        };
        let expected = "the error -32602";
        let Some(answer) = asked.answer else {
            return Outcome::Broken(Finding::new(expected, "no answer", asked.place));
        };
        let finding = Finding::new(expected, show(answer.message), answer.place);
        let is_tool_error =
            answer.result().is_some_and(|result| result.get("isError") == Some(&json!(true)));
        match answer.code() {
            Some(-32602) => Outcome::Kept,
            // The code stands in an example only, and deployed SDKs report a tool error.
            Some(_) => Outcome::Doubtful(finding),
            None if is_tool_error => Outcome::Doubtful(finding),
            None => Outcome::Broken(finding),
        }
    },
    mutants: &[
        unknown_tool("runs a tool that does not exist", |message| {
            replace(message, json!({ "result": { "content": [] } }));
        }),
        unknown_tool("calls an unknown tool a failed one", |message| {
            replace(message, json!({ "result": { "content": [], "isError": true } }));
        }),
    ],
};

pub(super) const M476: Requirement = Requirement {
    id: "M476",
    name: "invalid-arguments-protocol-error",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_06_18),
    text: "Invalid arguments are a protocol error (list without keyword; invalid input data may be a tool error).",
    section: "docs/specification/{2024-11-05..2025-06-18}/server/tools.mdx#error-handling",
    observed: Observed::By(&M476_CHECK),
};

const M476_CHECK: Check = Check {
    how: "calls a tool without the arguments that it requires",
    seen: seen_in(&["tour"]),
    fix: "answer wrong arguments with -32602",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let outcome = each(evidence.asked(Topic::WrongArguments), "", |asked| {
            let answer = asked.answer?;
            let expected = "the error -32602";
            answer.result().map(|_| Finding::new(expected, show(answer.message), answer.place))
        });
        // Input that is not valid stands among the errors of tools, too.
        doubtful(none_applies(outcome, "no tool that was called requires arguments"))
    },
    mutants: &[to("runs tools without their arguments", "wrong-arguments", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "content": [] } });
    })
    .also(&["M477"])],
};

pub(super) const S252: Requirement = Requirement {
    id: "S252",
    name: "input-validation-failures-tool-errors",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Input validation failures are tool errors with isError, only malformed requests are protocol errors (SEP-1303; list without keyword).",
    section: "docs/specification/{2025-11-25..2026-07-28}/server/tools.mdx#error-handling",
    observed: Observed::By(&S252_CHECK),
};

const S252_CHECK: Check = Check {
    how: "calls a tool without the arguments that it requires",
    seen: seen_in(&["tour"]),
    fix: "answer with a result whose isError is true, so that the model can correct itself",
    judge: |evidence| {
        let outcome = called(evidence, |answer| {
            let expected = "a result with isError";
            let error = answer.error()?;
            Some(Finding::new(expected, show(error), answer.place))
        });
        // The schema lists wrong arguments among the errors of the protocol, too.
        doubtful(outcome)
    },
    mutants: &[to("takes wrong arguments for a broken protocol", "wrong-arguments", |message| {
        *message = error(&message["id"], -32602);
    })],
};

pub(super) const S254: Requirement = Requirement {
    id: "S254",
    name: "tool-errors-shown-model",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Tool errors are shown to the model.",
    section: "docs/specification/{2025-11-25..2026-07-28}/server/tools.mdx#error-handling",
    observed: Observed::Unobservable("what a model is shown is not on the wire"),
};

pub(super) const A134: Requirement = Requirement {
    id: "A134",
    name: "protocol-errors-may-shown-model",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Protocol errors may be shown to the model.",
    section: "docs/specification/{2025-11-25..2026-07-28}/server/tools.mdx#error-handling",
    observed: Observed::Unobservable("what a model is shown is not on the wire"),
};

pub(super) const M477: Requirement = Requirement {
    id: "M477",
    name: "tool-input-validated",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Tool input is validated.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#security-considerations",
    observed: Observed::By(&M477_CHECK),
};

const M477_CHECK: Check = Check {
    how: "calls a tool without the arguments that it requires",
    seen: seen_in(&["tour"]),
    fix: "validate arguments against inputSchema before the tool runs",
    judge: |evidence| {
        called(evidence, |answer| {
            let result = answer.result();
            let served = result.is_some_and(|it| !is_error(it) && !wants(it));
            served.then(|| Finding::new("a refusal", show(answer.message), answer.place))
        })
    },
    mutants: &[to("runs without arguments", "wrong-arguments", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
            "resultType": "complete", "content": [], "_meta": { SERVER_INFO: { "name": "a", "version": "1" } } } });
    })],
};

pub(super) const M478: Requirement = Requirement {
    id: "M478",
    name: "tools-access-controlled",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Tools are access controlled.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#security-considerations",
    observed: Observed::Unobservable("which tools a user may call is known to the server alone"),
};

pub(super) const M479: Requirement = Requirement {
    id: "M479",
    name: "tool-calls-rate-limited",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Tool calls are rate limited.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#security-considerations",
    observed: Observed::Unobservable(
        "a limit shows only under a load that a check must not put on its peer",
    ),
};

pub(super) const M480: Requirement = Requirement {
    id: "M480",
    name: "tool-output-sanitised",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Tool output is sanitised.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#security-considerations",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S255: Requirement = Requirement {
    id: "S255",
    name: "sensitive-tool-operations-confirmed-by-user",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Sensitive tool operations are confirmed by the user.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#security-considerations",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S256: Requirement = Requirement {
    id: "S256",
    name: "tool-inputs-shown-user-before-call",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Tool inputs are shown to the user before the call.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#security-considerations",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S257: Requirement = Requirement {
    id: "S257",
    name: "tool-results-validated-before-model-sees",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Tool results are validated before the model sees them.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#security-considerations",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S258: Requirement = Requirement {
    id: "S258",
    name: "tool-calls-have-timeouts",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Tool calls have timeouts.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#security-considerations",
    observed: Observed::Unobservable(
        "how long a peer waits is its own choice, and may be longer than any check",
    ),
};

pub(super) const S259: Requirement = Requirement {
    id: "S259",
    name: "tool-use-logged",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Tool use is logged.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#security-considerations",
    observed: Observed::Unobservable("log files of the peer cannot be seen from outside"),
};

pub(super) const S260: Requirement = Requirement {
    id: "S260",
    name: "validation-tool-input-output-keeps-ref-rules",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Validation of tool input and output keeps to the $ref rules.",
    section: "docs/specification/2026-07-28/server/tools.mdx#security-considerations",
    observed: Observed::By(&S260_CHECK),
};

const S260_CHECK: Check = REMOTE;

pub(super) const S240: Requirement = Requirement {
    id: "S240",
    name: "human-can-deny-tool-calls",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A human can deny tool calls.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#user-interaction-model",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S241: Requirement = Requirement {
    id: "S241",
    name: "tools-calls-visible-operations-confirmed",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Tools and calls are visible, and operations confirmed.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#user-interaction-model",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

/// The result of a call of a tool that says what its results are like.
struct Promise<'e> {
    place: Place,
    schema: &'e Value,
    result: &'e Value,
}

impl Promise<'_> {
    fn broken(&self) -> Option<Finding> {
        let Some(content) = self.result.get("structuredContent") else {
            return Some(Finding::new("structuredContent", show(self.result), self.place));
        };
        match fits(self.schema, content) {
            Verdict::Wrong(why) => {
                let expected = format!("what {} describes", show(self.schema));
                Some(Finding::new(expected, format!("{}: {why}", show(content)), self.place))
            }
            Verdict::Right | Verdict::Unknown(_) => None,
        }
    }
}

fn called(evidence: &Evidence, judge: impl Fn(Answer<'_>) -> Option<Finding>) -> Outcome {
    if let Some(outcome) = undeclared(evidence, "tools") {
        return outcome;
    }
    let outcome = each(evidence.asked(Topic::WrongArguments), "", |asked| judge(asked.answer?));
    none_applies(outcome, "no tool that may be called requires arguments")
}

fn is_error(result: &Value) -> bool {
    result.get("isError") == Some(&Value::Bool(true))
}

fn wants(result: &Value) -> bool {
    result.get("resultType").is_some_and(|kind| kind == "input_required")
}

/// Complete results of tools with an `outputSchema`. Errors are no such results.
fn promised(evidence: &Evidence) -> impl Iterator<Item = Promise<'_>> {
    let schemas: Vec<(&Value, &Value)> = evidence
        .listed("tools/list")
        .filter_map(|tool| Some((tool.message.get("name")?, tool.message.get("outputSchema")?)))
        .collect();
    evidence.asked_by_method("tools/call").filter_map(move |asked| {
        let answer = asked.answer?;
        let result = answer.result()?;
        let kind = result.get("resultType").and_then(Value::as_str).unwrap_or("complete");
        let complete = kind == "complete" && result.get("task").is_none();
        let failed = result.get("isError") == Some(&json!(true));
        let name = asked.params?.get("name")?;
        let (_, schema) = schemas.iter().find(|(known, _)| *known == name)?;
        (complete && !failed).then_some(Promise { place: answer.place, schema, result })
    })
}

/// Changes what the tool with structured content answers.
const fn structured(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Call { tool: "test_structured_content", part: "", change })
}

fn replace(message: &mut Value, mut with: Value) {
    with["jsonrpc"] = json!("2.0");
    with["id"] = message["id"].clone();
    *message = with;
}

/// Changes the whole answer to a call of a tool that does not exist.
const fn unknown_tool(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (context.params["name"] == "proofmark-no-such-tool").then_some(message)
    }
    Mutant::new(name, Mutation::Part { of, change })
}
