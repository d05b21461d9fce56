//! What each request of a client without a handshake says about itself, and what such a client no longer says.

use serde_json::{Value, json};

use super::{hosted_at, notification, remove};
use crate::{
    checks::{
        Check, reserved, results,
        shape::{lacks, lacks_text, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    event::What,
    evidence::{Evidence, PeerRequest},
    meta::{CAPABILITIES, CLIENT_INFO, VERSION},
    transport::Transport,
};

pub(crate) const M124: Check = Check {
    how: "looks at _meta of every request",
    fix: "put the protocol version and the capabilities into _meta of every request",
    judge: |evidence| {
        each(modern(evidence), NO_REQUEST, |request| {
            let meta = meta(&request);
            lacks_text(request.place, meta, VERSION)
                .or_else(|| lacks(request.place, meta, CAPABILITIES, "an object", Value::is_object))
        })
    },
    mutants: &[
        call("does not say what it can", |meta| remove(meta, CAPABILITIES)),
        call("does not say what it speaks", |meta| remove(meta, VERSION)),
    ],
};

pub(crate) const M131: Check = Check {
    mutants: &[call("has a trace that nobody can follow", |meta| meta["traceparent"] = json!("1"))],
    ..reserved::M131
};

pub(crate) const S044: Check = Check {
    how: "looks at _meta of every request",
    fix: "put io.modelcontextprotocol/clientInfo into _meta of every request",
    judge: |evidence| {
        each(modern(evidence), NO_REQUEST, |request| {
            lacks(request.place, meta(&request), CLIENT_INFO, "an object", Value::is_object)
        })
    },
    mutants: &[call("does not say who it is", |meta| remove(meta, CLIENT_INFO))],
};

pub(crate) const M095: Check = Check {
    how: "compares the id of every request with those that are not answered yet",
    fix: "give each request an id that no running request has",
    judge: |evidence| {
        let all: Vec<_> = modern(evidence).collect();
        each(all.iter().enumerate(), NO_REQUEST, |(index, request)| {
            let taken = all[..index].iter().any(|earlier| {
                earlier.id == request.id
                    && earlier.place.conversation == request.place.conversation
                    && runs(evidence, earlier, request)
            });
            let expected = "an id that no running request has";
            taken.then(|| Finding::new(expected, show(request.id), request.place))
        })
    },
    mutants: &[Mutant::new(
        "asks twice under one id",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["params"]["name"] == "add_numbers" {
                let mut twin = message.clone();
                twin["method"] = json!("tools/list");
                texts.push(twin.to_string());
            }
            texts
        }),
    )],
};

pub(crate) const M158: Check = Check {
    how: "looks for responses among the messages of the client",
    fix: "answer what a server asks for by a retry; send no responses",
    judge: |evidence| {
        let all = evidence.heard().filter(|heard| !is_puzzle(evidence, heard.place));
        each(all, NO_REQUEST, |heard| {
            let says = |member: &str| heard.message.get(member).is_some();
            let responds = !says("method") && (says("result") || says("error"));
            responds.then(|| {
                Finding::new("a request or a notification", show(heard.message), heard.place)
            })
        })
    },
    mutants: &[beside_call("answers what nobody asked", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} });
    })
    .also(&["M006", "M157", "M158"])],
};

pub(crate) const M157: Check = M158;

pub(crate) const M516: Check = Check {
    how: "looks for notifications that went with the handshake",
    fix: "send neither notifications/initialized nor notifications/roots/list_changed",
    judge: |evidence| {
        gone(evidence, &["notifications/initialized", "notifications/roots/list_changed"])
    },
    mutants: &[
        beside_call("still says that it is ready", |message| {
            *message = notification("notifications/initialized", &json!({}));
        }),
        beside_call("still announces new roots", |message| {
            *message = notification("notifications/roots/list_changed", &json!({}));
        })
        .also(&["M075"]),
    ],
};

pub(crate) const M225: Check = Check {
    how: "looks for pings among the requests of the client",
    fix: "do not ping; any request shows whether the server is there",
    judge: |evidence| gone(evidence, &["ping"]),
    mutants: &[beside_call("still pings", |message| {
        message["method"] = json!("ping");
        message["params"] = json!({ "_meta": message["params"]["_meta"] });
    })],
};

pub(crate) const M493: Check = Check {
    how: "looks for logging/setLevel among the requests of the client",
    fix: "say in _meta of each request what you want logged",
    judge: |evidence| gone(evidence, &["logging/setLevel"]),
    mutants: &[beside_call("still sets a level", |message| {
        message["method"] = json!("logging/setLevel");
        let meta = &message["params"]["_meta"];
        message["params"] = json!({ "_meta": meta, "level": "info" });
    })],
};

pub(crate) const M151: Check = Check {
    how: "looks at the extensions that the client declares",
    fix: "name extensions as keys of _meta are named, with a prefix",
    judge: |evidence| {
        let declared = modern(evidence).filter_map(|request| {
            Some((request.place, meta(&request).get(CAPABILITIES)?.get("extensions")?.as_object()?))
        });
        let names = declared.flat_map(|(place, it)| it.keys().map(move |name| (place, name)));
        let outcome = each(names, "", |(place, name)| {
            (!is_prefixed(name)).then(|| Finding::new("a prefix and a name", name, place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("the client declares no extension".to_owned())
            }
            other => other,
        }
    },
    mutants: &[call("has an extension without a prefix", |meta| {
        meta[CAPABILITIES]["extensions"] = json!({ "ui": {} });
    })],
};

pub(crate) const M102: Check = errors(
    results::M102.fix,
    results::M102.judge,
    &[beside_call("takes a code that is the specification's", |message| fail(message, -32050))
        .also(&["M006", "M157", "M158"])],
);

pub(crate) const S032: Check = errors(
    results::S032.fix,
    results::S032.judge,
    &[beside_call("uses a code without a meaning", |message| fail(message, -32000))
        .also(&["M006", "M157", "M158", "S034"])],
);

pub(crate) const S034: Check = errors(
    results::S034.fix,
    results::S034.judge,
    &[beside_call("has a code of its own among JSON-RPC's", |message| fail(message, -32150))
        .also(&["M006", "M157", "M158"])],
);

/// Requests to servers that are not there to be found out about, and all others that need no handshake.
pub(in crate::checks) fn modern(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests().filter(|it| it.is_modern() || !is_puzzle(evidence, it.place))
}

pub(super) fn is_puzzle(evidence: &Evidence, place: proofmark_record::evidence::Place) -> bool {
    hosted_at(evidence, place).is_some_and(|it| it.hides_revision)
}

pub(super) fn meta<'e>(request: &PeerRequest<'e>) -> &'e Value {
    request.params.and_then(|params| params.get("_meta")).unwrap_or(&Value::Null)
}

/// Whether a request still ran when another was sent.
fn runs(evidence: &Evidence, earlier: &PeerRequest<'_>, request: &PeerRequest<'_>) -> bool {
    // What a client has given up, or lost with its stream, runs no more.
    let over = evidence.after(earlier.place).take_while(|(at, _)| at.event < request.place.event);
    let over = over.into_iter().any(|(_, what)| match what {
        What::Sent { frame, .. } => {
            let answers =
                |it: &Value| it.get("id") == Some(earlier.id) && it.get("method").is_none();
            frame.messages().iter().any(answers)
        }
        What::Received { frame, .. } => frame.messages().iter().any(|it| {
            it["method"] == "notifications/cancelled"
                && it.pointer("/params/requestId") == Some(earlier.id)
        }),
        What::Ended { exchange } | What::Left { exchange } => {
            evidence.transport != Transport::Stdio && *exchange == earlier.exchange
        }
        _ => false,
    });
    !over
}

/// Judges that the client says none of these.
fn gone(evidence: &Evidence, methods: &[&str]) -> Outcome {
    let said = evidence.heard_methods().filter(|(heard, _)| !is_puzzle(evidence, heard.place));
    each(said, NO_REQUEST, |(heard, method)| {
        let expected = "nothing that is gone with the handshake";
        methods.contains(&method).then(|| Finding::new(expected, method, heard.place))
    })
}

fn is_prefixed(name: &str) -> bool {
    let Some((prefix, name)) = name.rsplit_once('/') else { return false };
    let (first, last) = (|c: char| c.is_ascii_alphabetic(), |c: char| c.is_ascii_alphanumeric());
    let label = |label: &str| {
        label.starts_with(first)
            && label.ends_with(last)
            && label.chars().all(|c| last(c) || c == '-')
    };
    prefix.split('.').all(label)
        && (name.is_empty() || (name.starts_with(last) && name.ends_with(last)))
}

const fn errors(
    fix: &'static str,
    judge: fn(&Evidence) -> Outcome,
    mutants: &'static [Mutant],
) -> Check {
    Check { how: "looks at the code of every error that the client sends", fix, judge, mutants }
}

fn fail(message: &mut Value, code: i64) {
    let error = json!({ "code": code, "message": "no" });
    *message = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
}

/// Changes `_meta` of every call.
pub(super) const fn call(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (message["method"] == "tools/call").then_some(())?;
        message.pointer_mut("/params/_meta")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Says something more with every call.
pub(super) const fn beside_call(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Twice { method: "tools/call", change })
}

const NO_REQUEST: &str = "the client sent no request";
