//! `basic/index`: `#error-codes`, `#statelessness`.

use super::shared::ASKS_NOTHING;
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::beside_call,
        request_metadata::{error, to},
        shape::show,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    mutation::{Context, Mutation},
    scenario::Scenario,
};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::{Value, json};

pub(super) const M100: Requirement = Requirement {
    id: "M100",
    name: "no-new-error-code-allocated-between-32000",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "No new error code is allocated between -32000 and -32019.",
    section: "docs/specification/2026-07-28/basic/index.mdx#error-codes",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

pub(super) const M101: Requirement = Requirement {
    id: "M101",
    name: "receivers-give-codes-32000-32019-no-fixed",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Receivers give codes -32000 to -32019 no fixed meaning, -32002 excepted.",
    section: "docs/specification/2026-07-28/basic/index.mdx#error-codes",
    observed: Observed::Each {
        server: &Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
        client: &Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
};

pub(super) const M102: Requirement = Requirement {
    id: "M102",
    name: "codes-32020-32099-emitted-only-if",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Codes -32020 to -32099 are emitted only if the specification defines them, with their defined meaning.",
    section: "docs/specification/2026-07-28/basic/index.mdx#error-codes",
    observed: Observed::Each {
        server: &Observed::By(&M102_SERVER),
        client: &Observed::By(&M102_CLIENT),
    },
};

const M102_SERVER: Check = Check {
    how: "looks at the code of every error",
    seen: seen_everywhere(),
    fix: "leave the codes -32020 to -32099 to the specification",
    judge: |evidence| {
        codes(evidence, "no code of the specification's that it did not define", |code| {
            (-32099..=-32020).contains(&code) && !DEFINED.contains(&code)
        })
    },
    mutants: &[refuses("takes a code that is the specification's", |error| {
        error["code"] = json!(-32050);
    })],
};

const M102_CLIENT: Check = errors(
    M102_SERVER.fix,
    M102_SERVER.judge,
    &[beside_call("takes a code that is the specification's", |message| fail(message, -32050))
        .also(&["M006", "M157", "M158"])],
);

pub(super) const M103: Requirement = Requirement {
    id: "M103",
    name: "2026-07-28-server-never-emits-32002",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A 2026-07-28 server never emits -32002.",
    section: "docs/specification/2026-07-28/basic/index.mdx#error-codes",
    observed: Observed::By(&M103_CHECK),
};

const M103_CHECK: Check = Check {
    how: "looks at the code of every error",
    seen: seen_everywhere(),
    fix: "answer an unknown resource with -32602",
    judge: |evidence| codes(evidence, "no -32002", |code| code == -32002),
    mutants: &[refuses("still has a code for unknown resources", |error| {
        error["code"] = json!(-32002);
    })],
};

pub(super) const M104: Requirement = Requirement {
    id: "M104",
    name: "2026-07-28-server-never-emits-32042",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A 2026-07-28 server never emits -32042.",
    section: "docs/specification/2026-07-28/basic/index.mdx#error-codes",
    observed: Observed::By(&M104_CHECK),
};

const M104_CHECK: Check = Check {
    how: "looks at the code of every error",
    seen: seen_everywhere(),
    fix: "ask for what you need with input_required",
    judge: |evidence| codes(evidence, "no -32042", |code| code == -32042),
    mutants: &[refuses("still has a code for elicitations", |error| error["code"] = json!(-32042))
        .also(&["M102", "M110"])],
};

pub(super) const S032: Requirement = Requirement {
    id: "S032",
    name: "new-implementation-emits-no-code-between",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A new implementation emits no code between -32000 and -32019.",
    section: "docs/specification/2026-07-28/basic/index.mdx#error-codes",
    observed: Observed::Each {
        server: &Observed::By(&S032_SERVER),
        client: &Observed::By(&S032_CLIENT),
    },
};

const S032_SERVER: Check = Check {
    how: "looks at the code of every error",
    seen: seen_everywhere(),
    fix: "use codes of your own outside of -32768 to -32000",
    judge: |evidence| {
        codes(evidence, "no code between -32019 and -32000", |code| {
            // Those who come from the handshake era may still have this one, which is judged by itself.
            (-32019..=-32000).contains(&code) && code != -32002
        })
    },
    mutants: &[refuses("uses a code without a meaning", |error| error["code"] = json!(-32000))
        .also(&["M110", "S034"])],
};

const S032_CLIENT: Check = errors(
    S032_SERVER.fix,
    S032_SERVER.judge,
    &[beside_call("uses a code without a meaning", |message| fail(message, -32000))
        .also(&["M006", "M157", "M158", "S034"])],
);

pub(super) const S034: Requirement = Requirement {
    id: "S034",
    name: "application-error-codes-lie-outside-32768",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Application error codes lie outside -32768 to -32000.",
    section: "docs/specification/2026-07-28/basic/index.mdx#error-codes",
    observed: Observed::Each {
        server: &Observed::By(&S034_SERVER),
        client: &Observed::By(&S034_CLIENT),
    },
};

const S034_SERVER: Check = Check {
    how: "looks at the code of every error",
    seen: seen_everywhere(),
    fix: "use codes of your own outside of -32768 to -32000",
    judge: |evidence| {
        codes(evidence, "no code of its own between -32768 and -32000", |code| {
            let reserved = (-32768..=-32000).contains(&code) && !(-32099..=-32020).contains(&code);
            reserved && ![-32700, -32600, -32601, -32602, -32603, -32002].contains(&code)
        })
    },
    mutants: &[refuses("has a code of its own among JSON-RPC's", |error| {
        error["code"] = json!(-32150);
    })],
};

const S034_CLIENT: Check = errors(
    S034_SERVER.fix,
    S034_SERVER.judge,
    &[beside_call("has a code of its own among JSON-RPC's", |message| fail(message, -32150))
        .also(&["M006", "M157", "M158"])],
);

pub(super) const M105: Requirement = Requirement {
    id: "M105",
    name: "no-request-interpreted-through-earlier-one",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "No request is interpreted through an earlier one on the same connection: version, identity and capabilities come from that request alone.",
    section: "docs/specification/2026-07-28/basic/index.mdx#statelessness ; schema/2026-07-28/schema.ts#RequestMetaObject",
    observed: Observed::By(&M105_CHECK),
};

const M105_CHECK: Check = Check {
    how: "declares no capability in a request between others that declare all",
    seen: seen_in(&["rounds"]),
    fix: "look at nothing but the request itself for versions and capabilities",
    judge: |evidence| {
        let between = evidence
            .asked(Topic::BareCall)
            .filter(|asked| Scenario::at(evidence, asked.place) == Some(Scenario::ROUNDS));
        none_applies(
            each(between, "", |asked| {
                let answer = asked.answer?;
                let wants = answer.result()?.get("resultType")? == "input_required";
                wants.then(|| {
                    let expected = "no question to a client that declares nothing";
                    Finding::new(expected, show(answer.message), answer.place)
                })
            }),
            ASKS_NOTHING,
        )
    },
    mutants: &[to("remembers what a client could before", "bare-in-between", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
            "resultType": "input_required", "_meta": { proofmark_record::meta::SERVER_INFO: { "name": "a", "version": "1" } },
            "inputRequests": { "a": { "method": "roots/list" } } } });
    })
    .also(&["M127", "M275"])],
};

pub(super) const M106: Requirement = Requirement {
    id: "M106",
    name: "state-outlives-one-request-named-by",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "State that outlives one request is named by an identifier in every request that uses it.",
    section: "docs/specification/2026-07-28/basic/index.mdx#statelessness",
    observed: Observed::Each {
        server: &Observed::Unobservable(
            "which requests belong together is known to the server alone",
        ),
        client: &Observed::Unobservable(
            "which requests belong together is known to the server alone",
        ),
    },
};

pub(super) const S035: Requirement = Requirement {
    id: "S035",
    name: "server-copes-interleaved-requests-unrelated",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server copes with interleaved requests of unrelated conversations.",
    section: "docs/specification/2026-07-28/basic/index.mdx#statelessness",
    observed: Observed::By(&S035_CHECK),
};

const S035_CHECK: Check = Check {
    how: "sends several requests at once, each of which stands for itself",
    seen: seen_in(&["claims"]),
    fix: "answer every request, whatever else is asked meanwhile",
    judge: |evidence| {
        each(evidence.asked(Topic::Interleaved), "it was not tried", |asked| {
            let expected = "an answer to each";
            asked.answer.is_none().then(|| Finding::new(expected, "none", asked.place))
        })
    },
    mutants: &[Mutant::new(
        "loses a request among others",
        Mutation::Hears(|message| (message["id"] == "interleaved-2").then(Vec::new)),
    )],
};

pub(super) const S036: Requirement = Requirement {
    id: "S036",
    name: "related-operations-work-across-different",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Related operations work across different connections or processes.",
    section: "docs/specification/2026-07-28/basic/index.mdx#statelessness",
    observed: Observed::By(&S036_CHECK),
};

const S036_CHECK: Check = Check {
    how: "calls on one connection what another one was told of",
    seen: seen_in(&["claims"]),
    fix: "do not require that related requests come over the same connection",
    judge: |evidence| {
        let asked = evidence.asked(Topic::OtherConnection);
        each(asked, "no call of the tour could be repeated", |asked| {
            let fine = asked.answer.is_some_and(|answer| answer.result().is_some());
            let said = asked.answer.map_or_else(|| "no answer".to_owned(), |it| show(it.message));
            (!fine).then(|| Finding::new("a result", said, asked.place))
        })
    },
    mutants: &[to(
        "serves only whoever asked for its tools before",
        "on-another-connection",
        |message| {
            *message = error(&message["id"], -32600);
        },
    )],
};

pub(super) const S037: Requirement = Requirement {
    id: "S037",
    name: "stdio-process-does-not-live-die-one",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "A stdio process does not live and die with one conversation.",
    section: "docs/specification/2026-07-28/basic/index.mdx#statelessness",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

fn codes(evidence: &Evidence, expected: &str, is_wrong: fn(i64) -> bool) -> Outcome {
    let errors = evidence
        .heard()
        .filter_map(|heard| Some((heard, heard.message.get("error")?.get("code")?.as_i64()?)));
    each(errors, "the server sent no error", |(heard, code)| {
        is_wrong(code).then(|| Finding::new(expected, code.to_string(), heard.place))
    })
}

/// Changes the error for a method that does not exist.
const fn refuses(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (context.method == Some("proofmark/no-such-method")).then_some(())?;
        message.get_mut("error")
    }
    Mutant::new(name, Mutation::Part { of, change }).also(&["M110"])
}

#[track_caller]
const fn errors(
    fix: &'static str,
    judge: fn(&Evidence) -> Outcome,
    mutants: &'static [Mutant],
) -> Check {
    Check {
        how: "looks at the code of every error that the client sends",
        seen: seen_everywhere(),
        fix,
        judge,
        mutants,
    }
}

fn fail(message: &mut Value, code: i64) {
    let error = json!({ "code": code, "message": "no" });
    *message = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
}

/// Codes that the specification gives a meaning in its own range.
const DEFINED: [i64; 3] = [-32020, -32021, -32022];
