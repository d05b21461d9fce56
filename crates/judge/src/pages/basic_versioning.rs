//! The requirements of `basic/versioning`, how each is judged, and the mutants that prove it.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{call, meta, modern, unsupported},
        endpoint::versions,
        names::is_label,
        optional_features::ALLOWED,
        request_metadata::{error, to},
        shape::show,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, all_of, each, offered},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_converse::{mutation::Mutation, scenario::NONSENSE_VERSION};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{
    meta::{CAPABILITIES, SERVER_INFO},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "basic/versioning",
    why: "Peers of different years meet; each has to say which rules it follows, or both misread the other.",
    requirements: &[&M147, &M151, &M152, &S054, &S055, &S056, &S057, &A045, &A046, &A047, &A048],
};

const M147: Requirement = Requirement {
    id: "M147",
    name: "unimplemented-protocol-version-answered",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An unimplemented protocol version is answered -32022 with data.supported and data.requested.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#protocol-version-negotiation",
    observed: Observed::By(&M147_CHECK),
};

const M147_CHECK: Check = Check {
    how: "claims to speak the version 1999-01-01, and looks whether the version that is answered is among those that are named",
    seen: seen_in(&["claims", "tour"]),
    fix: "answer -32022 with the versions that you speak in data.supported and the other in data.requested",
    judge: |evidence| {
        let unnamed = each(evidence.asked(Topic::Initialize), "", |asked| {
            let answer = asked.answer?;
            let named = answer.result()?.get("supportedVersions")?.as_array()?;
            let own = evidence.revision.as_str();
            let expected = format!("{own} in supportedVersions, or the error -32022");
            let is_named = named.iter().any(|version| version == own);
            (!is_named).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        let unknown = each(evidence.asked(Topic::UnknownVersion), "it was not tried", |asked| {
            let expected = "the error -32022 with data.supported and data.requested";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let data = |member: &str| answer.error()?.get("data")?.get(member);
            let supported = data("supported").and_then(Value::as_array).is_some();
            let requested = data("requested") == Some(&json!(NONSENSE_VERSION));
            let right = answer.code() == Some(-32022) && supported && requested;
            (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        all_of([unnamed, unknown])
    },
    mutants: &[
        to("takes an unknown version for wrong params", "unknown-version", |message| {
            message["error"]["code"] = json!(-32602);
        }),
        to("does not say which versions it speaks", "unknown-version", |message| {
            message["error"]["data"] = json!({ "requested": NONSENSE_VERSION });
        }),
        Mutant::new(
            "does not name the version that it answers in",
            Mutation::Says(|context, message| {
                if context.method == Some("server/discover") && message.get("result").is_some() {
                    message["result"]["supportedVersions"] = json!(["2025-11-25"]);
                }
            }),
        ),
    ],
};

const M151: Requirement = Requirement {
    id: "M151",
    name: "extension-identifiers-follow-meta-key-rules",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Extension identifiers follow the _meta key rules and always have a prefix.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#extension-negotiation",
    observed: Observed::Each {
        server: &Observed::By(&M151_SERVER),
        client: &Observed::By(&M151_CLIENT),
    },
};

const M151_SERVER: Check = Check {
    how: "looks at the extensions among the capabilities",
    seen: seen_everywhere(),
    fix: "name extensions with a prefix, as keys of _meta are named",
    judge: |evidence| {
        let named = evidence.results("server/discover").flat_map(|(answer, result)| {
            let extensions = result.pointer("/capabilities/extensions").and_then(Value::as_object);
            extensions.into_iter().flatten().map(move |(name, _)| (answer.place, name))
        });
        let outcome = each(named, "", |(place, identifier)| {
            let right = identifier.rsplit_once('/').is_some_and(|(prefix, name)| {
                let edge = |c: char| c.is_ascii_alphanumeric();
                let named = name.is_empty() || (name.starts_with(edge) && name.ends_with(edge));
                named && prefix.split('.').all(is_label)
            });
            (!right).then(|| {
                Finding::new("a prefix, a slash and a name", show(&json!(identifier)), place)
            })
        });
        none_applies(outcome, "the server has no extensions")
    },
    mutants: &[to("has an extension of no home", "last-ping", |message| {
        message["result"]["capabilities"]["extensions"]["tasks"] = json!({});
    })],
};

const M151_CLIENT: Check = Check {
    how: "looks at the extensions that the client declares",
    seen: seen_in(&["hosted behave"]),
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

const M152: Requirement = Requirement {
    id: "M152",
    name: "if-only-one-side-supports-extension-side",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "If only one side supports an extension, that side falls back to core behaviour or rejects with a proper error.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#extension-negotiation",
    observed: Observed::Each {
        server: &Observed::By(&M152_CHECK),
        client: &Observed::Unobservable(
            "a client that does without an extension cannot be told from one that would have liked to use it",
        ),
    },
};

const M152_CHECK: Check = Check {
    how: "calls tools as a client that does not know the tasks extension",
    seen: seen_everywhere(),
    fix: "answer clients that do not declare an extension as if you had none, or with an error",
    judge: |evidence| {
        if !evidence.capability("/extensions/io.modelcontextprotocol~1tasks") {
            let why = "the server has no extension that changes results";
            return Outcome::NotApplicable(why.to_owned());
        }
        let strange = evidence.asked_by_method("tools/call").filter(|asked| {
            let declared = asked.params.and_then(|it| it.get("_meta")?.get(CAPABILITIES));
            declared.is_none_or(|it| it.pointer(TASKS).is_none())
        });
        each(strange, "every call declared the extension", |asked| {
            let answer = asked.answer?;
            let task = answer.result()?.get("resultType")? == "task";
            let expected = "a result without the extension, or an error";
            task.then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "has an extension for everybody",
        Mutation::Says(|context, message| {
            let declared = context.params["_meta"][CAPABILITIES].pointer(TASKS).is_some();
            let wished = context.params.get("task").is_some();
            if context.params["name"] == "test_simple_text" && !declared && !wished {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "task", "taskId": "a-task-of-everybody", "status": "working", "ttlMs": 1000,
                    "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
                    "_meta": { SERVER_INFO: { "name": "a", "version": "1" } } } });
            }
        }),
    )
    .also(&["M068", "M530"])],
};

const S054: Requirement = Requirement {
    id: "S054",
    name: "on-32022-client-retries-version-from",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "On -32022 the client retries with a version from data.supported, or reports that none fits.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#protocol-version-negotiation",
    observed: Observed::By(&S054_CHECK),
};

const S054_CHECK: Check = Check {
    how: "supports only a version that the client cannot know, and looks at whether it asks on",
    seen: seen_in(&["hosted version 1999-01-01"]),
    fix: "choose a version of data.supported, or say that there is none to choose",
    judge: |evidence| {
        unsupported(evidence, |request| {
            let on = evidence.requests().find(|it| {
                let answered = request.answer.map_or(usize::MAX, |answer| answer.place.event);
                it.place.conversation == request.place.conversation && it.place.event > answered
            })?;
            let expected = "nothing more, for no version fits";
            Some(Finding::new(expected, show(&json!(on.method)), on.place))
        })
    },
    mutants: &[Mutant::new(
        "asks on in a version that is not supported",
        Mutation::Hears(|message| {
            let first = message["error"]["code"] == -32022 && message["id"] != "on";
            first.then(|| {
                let meta = json!({
                    "io.modelcontextprotocol/protocolVersion": message["error"]["data"]["requested"],
                    "io.modelcontextprotocol/clientInfo": { "name": "a", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": {} });
                let request = json!({ "jsonrpc": "2.0", "id": "on", "method": "tools/list",
                    "params": { "_meta": meta } });
                vec![request.to_string()]
            })
        }),
    )],
};

const S055: Requirement = Requirement {
    id: "S055",
    name: "extension-documents-fallback",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An extension documents its fallback.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#extension-negotiation",
    observed: Observed::Unobservable("a duty of documentation"),
};

const S056: Requirement = Requirement {
    id: "S056",
    name: "client-caches-server-era-process-or-origin",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client caches the server's era for the process or origin.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#backward-compatibility-with-initialization-based-versions",
    observed: Observed::Unobservable(
        "each run of a client is a process of its own, so that nothing is left to be cached",
    ),
};

const S057: Requirement = Requirement {
    id: "S057",
    name: "server-only-speaks-per-request-versions",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A server that only speaks per-request versions names its versions in the error it gives to initialize.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#backward-compatibility-with-initialization-based-versions",
    observed: Observed::By(&S057_CHECK),
};

const S057_CHECK: Check = Check {
    how: "initializes, as clients of earlier revisions do",
    seen: seen_in(&["older"]),
    fix: "name the versions that you speak in the error that answers initialize",
    judge: |evidence| {
        each(evidence.asked(Topic::OlderInitialize), "it was not tried", |asked| {
            let answer = asked.answer?;
            let error = answer.error()?;
            let text = error.to_string();
            let mut spoken = versions(evidence);
            let named = spoken.any(|version| text.contains(version));
            let expected = "the versions that it speaks";
            (!named).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[to("turns older clients away without a word", "older-initialize", |message| {
        *message = error(&message["id"], -32601);
    })],
};

const A045: Requirement = Requirement {
    id: "A045",
    name: "client-may-call-server-discover-first-or",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client may call server/discover first, or skip it and handle -32022 inline.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#protocol-version-negotiation",
    observed: Observed::Unobservable(
        "a permission: which request a client begins with is its own choice, and both beginnings have rows of their own",
    ),
};

const A046: Requirement = Requirement {
    id: "A046",
    name: "server-may-serve-both-handshake-era",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A server may serve both handshake-era and per-request-era clients.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#backward-compatibility-with-initialization-based-versions",
    observed: Observed::By(&A046_CHECK),
};

const A046_CHECK: Check = BOTH_ERAS;

const A047: Requirement = Requirement {
    id: "A047",
    name: "server-era-may-remembered-across-restarts",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server era may be remembered across restarts and probed again on failure.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#backward-compatibility-with-initialization-based-versions",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const A048: Requirement = Requirement {
    id: "A048",
    name: "both-eras-may-served-at-same-time-on-one",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Both eras may be served at the same time on one endpoint or process.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#compatibility-matrix",
    observed: Observed::By(&A048_CHECK),
};

const A048_CHECK: Check = BOTH_ERAS;

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

const TASKS: &str = "/extensions/io.modelcontextprotocol~1tasks";

const BOTH_ERAS: Check = Check {
    how: "initializes as clients of earlier revisions do, while others talk in the modern way",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::OlderInitialize), "earlier revisions, too", |asked| {
            asked.answer.is_some_and(|answer| answer.result().is_some())
        })
    },
    mutants: &[to("speaks to modern clients only", "older-initialize", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"],
            "error": { "code": -32601, "message": "this server speaks 2026-07-28" } });
    })],
};
