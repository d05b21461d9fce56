//! `schema/base`: `#Error`, `#InitializeRequest`, `#BaseMetadata`, `#Icons`.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        client::{countered, handshakes, went_on},
        optional_features::{ALLOWED, in_list, resources},
        request_metadata::to,
        shape::show,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_06_18, V2025_11_25};
use proofmark_record::evidence::Evidence;
use serde_json::{Value, json};

pub(super) const S031: Requirement = Requirement {
    id: "S031",
    name: "error-message-one-concise-sentence",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "An error message is one concise sentence (schema comment).",
    section: "schema/{2024-11-05..2025-06-18}/schema.ts#JSONRPCError ; schema/{2025-11-25..2026-07-28}/schema.ts#Error",
    observed: Observed::Each {
        server: &Observed::By(&S031_SERVER),
        client: &Observed::By(&S031_CLIENT),
    },
};

const S031_SERVER: Check = Check {
    how: "looks at the message of every error",
    seen: seen_everywhere(),
    fix: "say in one short sentence what is wrong; leave traces to your logs",
    judge: |evidence| {
        let errors = evidence.heard().filter_map(|heard| {
            Some((heard.place, heard.message.pointer("/error/message")?.as_str()?))
        });
        let outcome = each(errors, "", |(place, text)| {
            let long = text.contains('\n') || text.chars().count() > LONGEST;
            long.then(|| Finding::new("one short sentence", show(&json!(text)), place))
        });
        none_applies(outcome, "there was no error")
    },
    mutants: &[Mutant::new(
        "answers with a trace",
        Mutation::Says(|context, message| {
            if context.method == Some("proofmark/no-such-method") {
                message["error"]["message"] = json!("no such method\n  at dispatch\n  at main");
            }
        }),
    )],
};

const S031_CLIENT: Check = Check {
    mutants: &[to("answers with a trace", "wrong-params", |message| {
        message["error"]["message"] = json!("no\n  at dispatch\n  at main");
    })],
    ..S031_SERVER
};

pub(super) const A039: Requirement = Requirement {
    id: "A039",
    name: "client-may-support-versions-older-than-one",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "The client may support versions older than the one it offers (schema comment).",
    section: "schema/{2024-11-05..2025-11-25}/schema.ts#InitializeRequest",
    observed: Observed::By(&A039_CHECK),
};

const A039_CHECK: Check = Check {
    how: "counters with older versions",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(handshakes(evidence), "older versions than the one it offers", |request| {
            let older = countered(&request).zip(request.text("/protocolVersion"));
            older.is_some_and(|(countered, offered)| countered < offered)
                && went_on(evidence, &request)
        })
    },
    mutants: &[Mutant::new(
        "speaks one version only",
        Mutation::Writes(|_, message| {
            let on = message["method"] == "notifications/initialized";
            if on { Vec::new() } else { vec![message.to_string()] }
        }),
    )
    .also(&["M043", "M044"])],
};

pub(super) const A127: Requirement = Requirement {
    id: "A127",
    name: "tools-prompts-resources-templates-prompt",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Tools, prompts, resources, templates and prompt arguments may have a title.",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#BaseMetadata",
    observed: Observed::By(&A127_CHECK),
};

const A127_CHECK: Check = Check {
    how: "looks at everything that is listed",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| offered(listed(evidence), "titles", |item| item.get("title").is_some()),
    mutants: &[in_list("has a tool with a title", |result| {
        result["tools"][1]["title"] = json!("A tool");
    })],
};

pub(super) const A128: Requirement = Requirement {
    id: "A128",
    name: "tools-prompts-resources-templates-may-have",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Tools, prompts, resources and templates may have icons.",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#Icons",
    observed: Observed::By(&A128_CHECK),
};

const A128_CHECK: Check = Check {
    how: "looks at everything that is listed",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| offered(listed(evidence), "icons", |item| item.get("icons").is_some()),
    mutants: &[in_list("has a tool with an icon", |result| {
        result["tools"][1]["icons"] = json!([{ "src": "https://example.com/a.png" }]);
    })],
};

fn listed(evidence: &Evidence) -> impl Iterator<Item = &Value> {
    let tools = evidence.listed("tools/list").chain(evidence.listed("prompts/list"));
    tools.map(|heard| heard.message).chain(resources(evidence))
}

/// Of a sentence, in characters.
const LONGEST: usize = 500;
