//! `basic/index`: `#batching`, `#protocol-layers`, `#resulttype`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        capabilities::UNDECLARED,
        client::{also_says, beside, calls, hosted_at},
        results::{NO_RESULT, result, results},
        shape::{doubtful, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, all_of, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, only, since},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2025_11_25, V2026_07_28};
use proofmark_record::{
    evidence::{Evidence, PeerRequest},
    side::Side,
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};

pub(super) const M011: Requirement = Requirement {
    id: "M011",
    name: "incoming-json-rpc-batch-array-accepted",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_03_26),
    text: "An incoming JSON-RPC batch array is accepted and processed (2025-03-26 only).",
    section: "docs/specification/2025-03-26/basic/index.mdx#batching",
    observed: Observed::Each {
        server: &Observed::By(&M011_SERVER),
        client: &Observed::By(&M011_CLIENT),
    },
};

const M011_SERVER: Check = Check {
    how: "sends batches of one ping, of two, and of pings among notifications",
    seen: seen_in(&["garbage"]),
    fix: "take arrays apart, and answer each request in them",
    judge: |evidence| {
        let batched = || evidence.asked(Topic::Batch);
        let answered = each(batched(), "no batch was sent", |asked| match asked.answer {
            Some(answer) if answer.result().is_some() || asked.method != "ping" => None,
            Some(answer) => {
                Some(Finding::new("a result for each request", show(answer.message), answer.place))
            }
            None => Some(Finding::new("an answer to each request", "no answer", asked.place)),
        });
        if evidence.transport == Transport::Http || evidence.side == Side::Client {
            return answered;
        }
        // JSON-RPC says should, and no page of MCP says more.
        let together = each(batched(), "", |asked| {
            let answer = asked.answer?;
            let other = batched().find(|it| {
                let apart = it.answer.is_some_and(|it| it.place != answer.place);
                it.place == asked.place && apart
            })?;
            let expected = "one array of answers to the requests of one array";
            Some(Finding::new(expected, "answers one by one", other.answer?.place))
        });
        all_of([answered, doubtful(together)])
    },
    mutants: &[
        Mutant::new(
            "does not take batches",
            Mutation::Hears(|message| {
                let refusal = json!({ "jsonrpc": "2.0", "id": null,
            "error": { "code": -32600, "message": "no batches" } });
                message.is_array().then(|| vec![refusal.to_string()])
            }),
        ),
        Mutant::new(
            "answers the first request of a batch only",
            Mutation::Says(|_, message| {
                if message["id"] == "batch-4" {
                    message["id"] = json!("batch-3");
                }
            }),
        )
        .also(&["M006"]),
        Mutant::new(
            "leaves errors out of batches",
            Mutation::Writes(|_, message| match message {
                Value::Array(batch) => {
                    let right = batch.iter().filter(|it| it.get("error").is_none());
                    vec![right.cloned().collect::<Value>().to_string()]
                }
                single => vec![single.to_string()],
            }),
        )
        .also(&["M001", "M109"]),
        Mutant::new(
            "answers batches one by one",
            Mutation::Writes(|_, message| match message {
                Value::Array(batch) => batch.iter().map(Value::to_string).collect(),
                single => vec![single.to_string()],
            }),
        ),
        Mutant::new(
            "does not take batches of one",
            Mutation::Hears(|message| {
                let refusal = json!({ "jsonrpc": "2.0", "id": null,
                    "error": { "code": -32600, "message": "no batch" } });
                (message.pointer("/0/id") == Some(&json!("batch-alone")))
                    .then(|| vec![refusal.to_string()])
            }),
        ),
    ],
};

const M011_CLIENT: Check = Check {
    how: "sends two pings in one batch",
    seen: seen_in(&["hosted batch"]),
    fix: M011_SERVER.fix,
    judge: M011_SERVER.judge,
    mutants: &[Mutant::new(
        "drops batches",
        Mutation::Hears(|message| message.is_array().then(Vec::new)),
    )],
};

pub(super) const A003: Requirement = Requirement {
    id: "A003",
    name: "batches-may-sent",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_03_26),
    text: "Batches may be sent (2025-03-26 only).",
    section: "docs/specification/2025-03-26/basic/index.mdx#batching",
    observed: Observed::Each {
        server: &Observed::By(&A003_SERVER),
        client: &Observed::By(&A003_CLIENT),
    },
};

const A003_SERVER: Check = Check {
    how: "looks for arrays among everything that the server sends",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.frames(), "batches of its own", |(_, frame)| {
            frame.json.as_ref().is_ok_and(Value::is_array)
        })
    },
    mutants: &[Mutant::new(
        "answers a batch one by one",
        Mutation::Writes(|_, message| match message {
            Value::Array(batch) => batch.iter().map(Value::to_string).collect(),
            single => vec![single.to_string()],
        }),
    )
    .also(&["M011"])],
};

const A003_CLIENT: Check = Check {
    how: "looks for arrays of messages",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.frames(), "batches", |(_, frame)| {
            frame.json.as_ref().is_ok_and(Value::is_array)
        })
    },
    mutants: &[also_says("sends a batch", |_, message| {
        beside(message, &json!([{ "jsonrpc": "2.0", "id": "in-batch", "method": "ping" }]))
    })],
};

pub(super) const M090: Requirement = Requirement {
    id: "M090",
    name: "every-implementation-provides-base-protocol",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Every implementation provides the base protocol and lifecycle management.",
    section: "docs/specification/2024-11-05/basic/index.mdx#protocol-layers ; docs/specification/{2025-03-26..2025-11-25}/basic/index.mdx",
    observed: Observed::Each {
        server: &Observed::Unobservable(
            "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
        ),
        client: &Observed::Unobservable(
            "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
        ),
    },
};

pub(super) const A027: Requirement = Requirement {
    id: "A027",
    name: "anything-beyond-base-components-may-left",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Anything beyond the base components may be left unimplemented.",
    section: "docs/specification/2024-11-05/basic/index.mdx#protocol-layers ; docs/specification/{2025-03-26..2026-07-28}/basic/index.mdx",
    observed: Observed::Unobservable(
        "what is left out is seen by nobody who does not ask for it, and each part has rows of its own",
    ),
};

pub(super) const M091: Requirement = Requirement {
    id: "M091",
    name: "every-implementation-provides-base-protocol-2",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Every implementation provides the base protocol, versioning and the message patterns.",
    section: "docs/specification/2026-07-28/basic/index.mdx",
    observed: Observed::Each {
        server: &Observed::Unobservable(
            "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
        ),
        client: &Observed::Unobservable(
            "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
        ),
    },
};

pub(super) const M097: Requirement = Requirement {
    id: "M097",
    name: "result-only-uses-resulttype-values-core-or",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A result only uses resultType values of the core or of an extension advertised in capabilities.",
    section: "docs/specification/2026-07-28/basic/index.mdx#resulttype",
    observed: Observed::By(&M097_CHECK),
};

const M097_CHECK: Check = Check {
    how: "compares the type of every result with what the server advertises",
    seen: seen_in(&["tour"]),
    fix: "use complete and input_required, and others only with the extension that defines them",
    judge: |evidence| {
        if evidence.declared().is_none() {
            return Outcome::Unobserved(UNDECLARED.to_owned());
        }
        let tasks = evidence.capability("/extensions/io.modelcontextprotocol~1tasks");
        each(results(evidence), NO_RESULT, |(heard, result)| {
            let kind = result.get("resultType")?.as_str()?;
            let known = ["complete", "input_required"].contains(&kind) || (tasks && kind == "task");
            (!known).then(|| {
                Finding::new("complete or input_required", show(&json!(kind)), heard.place)
            })
        })
    },
    mutants: &[result("has a kind of result of its own", |context, result| {
        if context.method == Some("completion/complete") {
            result["resultType"] = json!("finished");
        }
    })],
};

pub(super) const M098: Requirement = Requirement {
    id: "M098",
    name: "client-treats-unknown-resulttype-invalid",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client treats an unknown resultType as an invalid response.",
    section: "docs/specification/2026-07-28/basic/index.mdx#resulttype",
    observed: Observed::By(&M098_CHECK),
};

const M098_CHECK: Check = Check {
    how: "lists tools in a result of a kind that does not exist, and looks at whether the client takes them for tools",
    seen: seen_in(&["hosted unknown"]),
    fix: "take a result whose resultType you do not know for an error",
    judge: |evidence| {
        if !calls(evidence, HostedScenario::BEHAVE) {
            return Outcome::Unobserved("the client called no tool".to_owned());
        }
        let Some(listed) = listed(evidence, HostedScenario::UNKNOWN) else {
            return Outcome::Unobserved("the client listed no tools".to_owned());
        };
        let call = evidence.requests_for("tools/call").find(|it| {
            it.place.conversation == listed.place.conversation
                && it.place.event > listed.place.event
        });
        // It may know the tool from elsewhere.
        call.map_or(Outcome::Kept, |call| {
            let expected = "no call of a tool from a list that is none";
            Outcome::Doubtful(Finding::new(expected, show(&json!(call.text("/name"))), call.place))
        })
    },
    mutants: &[Mutant::new(
        "takes any result for a complete one",
        Mutation::Hears(|message| {
            (message["result"]["resultType"] == HostedScenario::UNKNOWN_KIND).then(|| {
                let meta = json!({
                    "io.modelcontextprotocol/protocolVersion":
                        message["result"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
                    "io.modelcontextprotocol/clientInfo": { "name": "a", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": {} });
                let params = json!({ "_meta": meta, "name": "add_numbers", "arguments": {} });
                let call = json!({ "jsonrpc": "2.0", "id": "taken", "method": "tools/call",
                    "params": params });
                vec![call.to_string()]
            })
        }),
    )
    .also(&["M124"])],
};

pub(super) const M099: Requirement = Requirement {
    id: "M099",
    name: "client-reads-absent-resulttype-complete",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client reads an absent resultType as complete.",
    section: "docs/specification/2026-07-28/basic/index.mdx#resulttype",
    observed: Observed::By(&M099_CHECK),
};

const M099_CHECK: Check = Check {
    how: "lists tools without saying of what kind the result is, and looks at whether the client goes on",
    seen: seen_in(&["hosted untyped"]).momentary(),
    fix: "take a result without resultType for a complete one",
    judge: |evidence| {
        if !calls(evidence, HostedScenario::BEHAVE) {
            return Outcome::Unobserved("the client called no tool".to_owned());
        }
        let Some(listed) = listed(evidence, HostedScenario::UNTYPED) else {
            return Outcome::Unobserved("the client listed no tools".to_owned());
        };
        if calls(evidence, HostedScenario::UNTYPED) {
            return Outcome::Kept;
        }
        let expected = "the same calls as after a list with resultType";
        // The schema has it that results of servers of earlier revisions are taken so, and this one calls itself modern.
        Outcome::Doubtful(Finding::new(expected, "no call", listed.place))
    },
    mutants: &[Mutant::new(
        "does not take results without a kind",
        Mutation::Hears(|message| {
            let list = message["result"].get("tools").is_some();
            (list && message["result"].get("resultType").is_none()).then(Vec::new)
        }),
    )],
};

pub(super) const A031: Requirement = Requirement {
    id: "A031",
    name: "extension-may-add-resulttype-values",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An extension may add resultType values.",
    section: "docs/specification/2026-07-28/basic/index.mdx#resulttype",
    observed: Observed::Unobservable(
        "extensions that are not part of the specification bring values that the checker does not know",
    ),
};

fn listed(evidence: &Evidence, scenario: HostedScenario) -> Option<PeerRequest<'_>> {
    evidence
        .requests_for("tools/list")
        .find(|it| hosted_at(evidence, it.place) == Some(scenario) && it.answer.is_some())
}
