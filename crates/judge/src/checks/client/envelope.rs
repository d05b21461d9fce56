//! The envelope of what a client says, where servers are looked at in another way.

use serde_json::json;

use super::{also_says, beside, remove};
use crate::{
    checks::{Check, envelope, errors, shape::show},
    mutant::Mutant,
    outcome::{Finding, each, offered},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::What,
    evidence::{Evidence, PeerRequest},
};

pub(crate) const M004: Check = Check {
    how: "compares the ids of all requests of the client in one session",
    fix: "count upwards and never begin again within a session",
    judge: |evidence| {
        let requests: Vec<_> = evidence.requests().collect();
        each(requests.iter().enumerate(), "the client sent no request", |(index, request)| {
            let begun = session(evidence, request);
            let reused = requests[..index]
                .iter()
                .any(|it| it.id == request.id && session(evidence, it) == begun);
            let expected = "an id that was not used before";
            reused.then(|| Finding::new(expected, show(request.id), request.place))
        })
    },
    mutants: &[Mutant::new(
        "asks under the same id again",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["params"]["name"] == "add_numbers" {
                let again =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "method": "tools/list" });
                texts.push(again.to_string());
            }
            texts
        }),
    )],
};

pub(crate) const M009: Check = Check {
    how: envelope::M009.how,
    fix: envelope::M009.fix,
    judge: envelope::M009.judge,
    mutants: &[Mutant::new(
        "numbers its notifications",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/roots/list_changed" {
                message["id"] = json!("numbered");
            }
        }),
    )
    .also(&["M074"])],
};

pub(crate) const M011: Check = Check {
    how: "sends two pings in one batch",
    fix: errors::M011.fix,
    judge: errors::M011.judge,
    mutants: &[Mutant::new(
        "drops batches",
        Mutation::Hears(|message| message.is_array().then(Vec::new)),
    )],
};

pub(crate) const M094: Check = Check {
    how: envelope::M094.how,
    fix: envelope::M094.fix,
    judge: envelope::M094.judge,
    mutants: &[Mutant::new(
        "answers without an outcome",
        Mutation::Says(|_, message| {
            if message["id"] == "ping-by-string" {
                remove(message, "result");
            }
        }),
    )
    .also(&["M079"])],
};

pub(crate) const M154: Check = Check {
    how: envelope::M154.how,
    fix: envelope::M154.fix,
    judge: envelope::M154.judge,
    mutants: &[Mutant::new(
        "writes Latin-1",
        Mutation::Line(|text| {
            let mut bytes = text.as_bytes().to_vec();
            if text.contains("\"last-ping\"") {
                bytes = b"{\"jsonrpc\":\"2.0\",\"id\":\"last-ping\",\"result\":{\"_meta\":{\"a\":\"\xe9\"}}}".to_vec();
            }
            bytes.push(b'\n');
            bytes
        }),
    )
    .also(&["M017", "M221", "S101"])],
};

pub(crate) const A001: Check = Check {
    how: "looks for params in requests of the client",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.requests(), "requests with params", |it| it.params.is_some())
    },
    mutants: &[Mutant::new(
        "never gives params",
        Mutation::Says(|_, message| {
            if message.get("id").is_some() {
                remove(message, "params");
            }
        }),
    )
    .also(EVERYTHING)],
};

pub(crate) const A002: Check = Check {
    how: "looks for params in notifications of the client",
    fix: "nothing: this is allowed",
    judge: envelope::A002.judge,
    mutants: &[Mutant::new(
        "never gives params in notifications",
        Mutation::Says(|_, message| {
            if message.get("id").is_none() {
                remove(message, "params");
            }
        }),
    )
    .also(&["M080", "S020", "S078"])],
};

pub(crate) const A003: Check = Check {
    how: "looks for arrays of messages",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.frames(), "batches", |(_, frame)| {
            frame.json.as_ref().is_ok_and(serde_json::Value::is_array)
        })
    },
    mutants: &[also_says("sends a batch", |_, message| {
        beside(message, &json!([{ "jsonrpc": "2.0", "id": "in-batch", "method": "ping" }]))
    })],
};

/// How many handshakes came before, in which conversation.
fn session(evidence: &Evidence, request: &PeerRequest<'_>) -> (usize, usize) {
    let events = &evidence.conversations[request.place.conversation].events;
    let handshakes = events[..=request.place.event].iter().filter(|event| match &event.what {
        What::Received { frame, .. } => {
            frame.messages().iter().any(|message| message["method"] == "initialize")
        }
        _ => false,
    });
    // What was tried before the first handshake belongs to its session.
    (request.place.conversation, handshakes.count().max(1))
}

/// A client without params breaks whatever params are for.
const EVERYTHING: &[&str] = &[
    "M040", "M044", "M047", "M146", "M520", "M521", "M071", "M076", "M396", "M043", "M455", "M075",
    "S186", "S020", "S028", "M383", "M385", "S284",
];
