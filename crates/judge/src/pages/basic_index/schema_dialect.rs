//! `basic/index`: `#schema-dialect`, `#implementation-requirements`, `#schema-validation`, `#ref-resolution`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{REMOTE, hosted_at},
        optional_features::{ALLOWED, in_list},
        schemas::{of_schema, schemas, wrong},
        shape::{doubtful, show},
        tools::none_applies,
    },
    json_schema::{NEWEST, is_schema, is_schema_of},
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use jsonschema::Draft;
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_core::revision::Revision::{V2025_11_25, V2026_07_28};
use serde_json::json;

pub(super) const M112: Requirement = Requirement {
    id: "M112",
    name: "json-schema-2020-12-supported-what-schema",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "JSON Schema 2020-12 is supported, and is what a schema without $schema means.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#implementation-requirements ; docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#schema-dialect",
    observed: Observed::Each {
        server: &Observed::By(&M112_SERVER),
        client: &Observed::By(&M112_CLIENT),
    },
};

const M112_SERVER: Check = Check {
    how: "reads every schema that names no dialect as one of 2020-12",
    seen: seen_everywhere(),
    fix: "write schemas without $schema in 2020-12, or say in $schema what they are written in",
    judge: |evidence| {
        let unnamed = schemas(evidence).filter(|(_, schema)| schema.get("$schema").is_none());
        let outcome = each(unnamed, "", |(place, schema)| {
            wrong(place, schema, is_schema_of(schema, Draft::Draft202012))
        });
        none_applies(outcome, "every schema names its dialect, or there is none")
    },
    mutants: &[of_schema("has a tuple of an older dialect in a schema", |schema| {
        schema["properties"]["pair"] = json!({ "type": "array", "items": [{}, {}] });
    })
    .also(&["M115", "M472"])],
};

const M112_CLIENT: Check = Check {
    how: "lists a tool whose schema is in words of 2020-12 and does not say so, and looks whether it is called",
    seen: seen_in(&["hosted few"]).momentary(),
    fix: "read schemas without $schema as those of 2020-12",
    judge: |evidence| {
        let calls = |scenario: Option<HostedScenario>| {
            evidence.requests_for("tools/call").any(|call| {
                let here = hosted_at(evidence, call.place);
                call.text("/name") == Some("add_numbers")
                    && (scenario.is_none() || scenario == here)
            })
        };
        if !calls(None) {
            return Outcome::Unobserved("the client called nothing at all".to_owned());
        }
        let listed = evidence
            .requests_for("tools/list")
            .filter(|list| hosted_at(evidence, list.place) == Some(HostedScenario::FEW));
        doubtful(each(listed, "the client did not list the tools", |list| {
            let expected = "a call of the tool";
            (!calls(Some(HostedScenario::FEW))).then(|| Finding::new(expected, "none", list.place))
        }))
    },
    mutants: &[Mutant::new(
        "cannot read schemas with definitions",
        Mutation::Hears(|message| {
            message.pointer("/result/tools/0/inputSchema/$defs").is_some().then(Vec::new)
        }),
    )],
};

pub(super) const S038: Requirement = Requirement {
    id: "S038",
    name: "supported-json-schema-dialects-beyond",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Supported JSON Schema dialects beyond 2020-12 are documented.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#implementation-requirements ; docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#schema-dialect",
    observed: Observed::Unobservable("a duty of documentation"),
};

pub(super) const S039: Requirement = Requirement {
    id: "S039",
    name: "schemas-written-2020-12",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Schemas are written in 2020-12.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#schema-dialect",
    observed: Observed::Each {
        server: &Observed::By(&S039_CHECK),
        client: &Observed::Unobservable("nothing that a client sends has a schema in it"),
    },
};

const S039_CHECK: Check = Check {
    how: "looks at $schema of every schema",
    seen: seen_everywhere(),
    fix: "write schemas in 2020-12",
    judge: |evidence| {
        let outcome = each(schemas(evidence), "", |(place, schema)| {
            let named = schema.get("$schema")?;
            let newest = named.as_str().is_some_and(|named| named.trim_end_matches('#') == NEWEST);
            (!newest).then(|| Finding::new(NEWEST, show(named), place))
        });
        none_applies(outcome, "the server sends no schema")
    },
    mutants: &[of_schema("writes its schemas in an older dialect", |schema| {
        schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    })],
};

pub(super) const A032: Requirement = Requirement {
    id: "A032",
    name: "schema-may-name-dialect-schema",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A schema may name its dialect with $schema.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#schema-dialect",
    observed: Observed::Each {
        server: &Observed::By(&A032_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A032_CHECK: Check = Check {
    how: "looks for $schema in the schemas of tools",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.listed("tools/list"), "schemas that name their dialect", |tool| {
            tool.message.pointer("/inputSchema/$schema").is_some()
        })
    },
    mutants: &[in_list("never names the dialect of a schema", |result| {
        for tool in result["tools"].as_array_mut().into_iter().flatten() {
            tool["inputSchema"].as_object_mut().map(|schema| schema.remove("$schema"));
        }
    })],
};

pub(super) const M113: Requirement = Requirement {
    id: "M113",
    name: "schemas-validated-under-their-declared-or",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Schemas are validated under their declared or default dialect.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#implementation-requirements",
    observed: Observed::Each {
        server: &Observed::Unobservable("servers are sent no schemas that they would have to read"),
        client: &Observed::Unobservable(
            "whether a client validates what its tools are called with is between it and its user",
        ),
    },
};

pub(super) const M114: Requirement = Requirement {
    id: "M114",
    name: "unsupported-dialect-produces-proper-error",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "An unsupported dialect produces a proper error saying so.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#implementation-requirements",
    observed: Observed::Each {
        server: &Observed::Unobservable("servers are sent no schemas that they would have to read"),
        client: &Observed::Unobservable(
            "what a client says about a schema that it cannot read, it says to its user",
        ),
    },
};

pub(super) const M115: Requirement = Requirement {
    id: "M115",
    name: "every-schema-sent-valid-under-dialect",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Every schema sent is valid under its dialect.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#schema-validation",
    observed: Observed::Each {
        server: &Observed::By(&M115_CHECK),
        client: &Observed::Unobservable("nothing that a client sends has a schema in it"),
    },
};

const M115_CHECK: Check = Check {
    how: "holds every schema to the meta-schema of its dialect",
    seen: seen_everywhere(),
    fix: "send schemas that are valid under their dialect",
    judge: |evidence| {
        let outcome =
            each(schemas(evidence), "", |(place, schema)| wrong(place, schema, is_schema(schema)));
        none_applies(outcome, "the server sends no schema")
    },
    mutants: &[
        of_schema("has a schema with a type that does not exist", |schema| {
            schema["properties"]["odd"] = json!({ "type": "strnig" });
        })
        .also(&["M112", "M472"]),
        of_schema("names a dialect that its schema does not keep", |schema| {
            schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
            schema["required"] = json!("name");
        })
        .also(&["M472", "S039", "M603"]),
    ],
};

pub(super) const M116: Requirement = Requirement {
    id: "M116",
    name: "ref-pointing-at-network-not-fetched",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A $ref pointing at the network is not fetched automatically.",
    section: "docs/specification/2026-07-28/basic/index.mdx#ref-resolution",
    observed: Observed::Each {
        server: &Observed::Unobservable("servers are sent no schemas that they would have to read"),
        client: &Observed::By(&M116_CHECK),
    },
};

const M116_CHECK: Check = REMOTE;

pub(super) const M117: Requirement = Requirement {
    id: "M117",
    name: "remote-ref-fetching-off-by-default",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Remote $ref fetching is off by default.",
    section: "docs/specification/2026-07-28/basic/index.mdx#ref-resolution",
    observed: Observed::Each {
        server: &Observed::Unobservable("servers are sent no schemas that they would have to read"),
        client: &Observed::By(&M117_CHECK),
    },
};

const M117_CHECK: Check = REMOTE;

pub(super) const S040: Requirement = Requirement {
    id: "S040",
    name: "remote-ref-fetching-uses-allowlist-timeouts",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Remote $ref fetching uses an allowlist (or refuses private ranges), timeouts, size limits and logging.",
    section: "docs/specification/2026-07-28/basic/index.mdx#ref-resolution",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S041: Requirement = Requirement {
    id: "S041",
    name: "schema-depends-on-unresolved-external-ref",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A schema that depends on an unresolved external $ref is rejected, not treated as permissive.",
    section: "docs/specification/2026-07-28/basic/index.mdx#ref-resolution",
    observed: Observed::Each {
        server: &Observed::Unobservable("servers are sent no schemas that they would have to read"),
        client: &Observed::Unobservable(
            "what a client makes of a schema that it cannot resolve is between it and its user",
        ),
    },
};

pub(super) const A033: Requirement = Requirement {
    id: "A033",
    name: "opt-in-mode-fetches-remote-refs-may-exist",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An opt-in mode that fetches remote $refs may exist.",
    section: "docs/specification/2026-07-28/basic/index.mdx#ref-resolution",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};
