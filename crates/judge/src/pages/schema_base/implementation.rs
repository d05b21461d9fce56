//! `schema/base`: `#JSONRPCRequest`, `#JSONRPCNotification`, `#Icon`, `#Implementation`.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        client::{call, handshakes as handshakes_client, initialize, remove},
        envelope::{asks, beside, each_request, server_requests},
        lifecycle::NO_HANDSHAKE,
        names::found,
        optional_features::ALLOWED,
        shape::{lacks_text, show},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_06_18, V2025_11_25};
use proofmark_record::{
    evidence::{Answer, Evidence},
    meta::{CLIENT_INFO, SERVER_INFO},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M005: Requirement = Requirement {
    id: "M005",
    name: "request-names-method-string",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A request names its method with a string.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#JSONRPCRequest",
    observed: Observed::Each {
        server: &Observed::By(&M005_CHECK),
        client: &Observed::By(&M005_CHECK),
    },
};

const M005_CHECK: Check = Check {
    how: "looks at the method of every message with an id and no outcome",
    seen: seen_everywhere(),
    fix: "name the method with a string",
    judge: |evidence| {
        let requests = evidence.heard().filter(|heard| {
            heard.message.get("id").is_some() && heard.message.get("method").is_some()
        });
        each_request(requests, |heard| {
            let right = heard.message["method"].is_string();
            (!right).then(|| {
                Finding::new("a method that is a string", show(heard.message), heard.place)
            })
        })
    },
    mutants: &[asks("asks for a method that is a number", |_, message| {
        beside(message, &json!({ "jsonrpc": "2.0", "id": "odd", "method": 5 }))
    })],
};

pub(super) const A001: Requirement = Requirement {
    id: "A001",
    name: "request-may-omit-or-include-params",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A request may omit or include params (2026-07-28 requires params because _meta is required).",
    section: "schema/{2024-11-05..2025-11-25}/schema.ts#JSONRPCRequest",
    observed: Observed::Each {
        server: &Observed::By(&A001_SERVER),
        client: &Observed::By(&A001_CLIENT),
    },
};

const A001_SERVER: Check = Check {
    how: "looks at the requests of the server",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(server_requests(evidence), "requests with params", |heard| {
            heard.message.get("params").is_some()
        })
    },
    mutants: &[Mutant::new(
        "never gives params in requests",
        Mutation::Says(|_, message| {
            if message.get("id").is_some() && message.get("method").is_some() {
                message.as_object_mut().map(|message| message.remove("params"));
            }
        }),
    )
    .also(&[
        "M244", "M380", "M381", "M384", "M397", "M398", "M400", "M411", "M412", "M414", "S208",
    ])],
};

const A001_CLIENT: Check = Check {
    how: "looks for params in requests of the client",
    seen: seen_everywhere(),
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

pub(super) const M010: Requirement = Requirement {
    id: "M010",
    name: "notification-names-method-string",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A notification names its method with a string.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#JSONRPCNotification",
    observed: Observed::Each {
        server: &Observed::By(&M010_CHECK),
        client: &Observed::By(&M010_CHECK),
    },
};

const M010_CHECK: Check = Check {
    how: "looks at the method of every message without an id and without an outcome",
    seen: seen_everywhere(),
    fix: "name the method with a string",
    judge: |evidence| {
        let notifications = evidence.heard().filter(|heard| {
            heard.message.is_object()
                && ["id", "result", "error"]
                    .iter()
                    .all(|member| heard.message.get(member).is_none())
        });
        each(notifications, "the server sent no notification", |heard| {
            let right = heard.message.get("method").is_some_and(Value::is_string);
            (!right).then(|| {
                Finding::new("a method that is a string", show(heard.message), heard.place)
            })
        })
    },
    mutants: &[asks("notifies of a number", |_, message| {
        beside(message, &json!({ "jsonrpc": "2.0", "method": 5 }))
    })],
};

pub(super) const A002: Requirement = Requirement {
    id: "A002",
    name: "notification-may-include-params",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A notification may include params.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#JSONRPCNotification",
    observed: Observed::Each {
        server: &Observed::By(&A002_SERVER),
        client: &Observed::By(&A002_CLIENT),
    },
};

const A002_SERVER: Check = Check {
    how: "looks for params in notifications of the server",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let notifications =
            evidence.heard_methods().filter(|(heard, _)| heard.message.get("id").is_none());
        offered(notifications, "notifications with params", |(heard, _)| {
            heard.message.get("params").is_some()
        })
    },
    mutants: &[Mutant::new(
        "never gives params in notifications",
        Mutation::Says(|_, message| {
            if message.get("id").is_none() {
                message.as_object_mut().map(|message| message.remove("params"));
            }
        }),
    )
    .also(&["M080", "M084", "M086", "M226", "M418", "M466", "M488", "M611"])],
};

const A002_CLIENT: Check = Check {
    how: "looks for params in notifications of the client",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: A002_SERVER.judge,
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

pub(super) const M142: Requirement = Requirement {
    id: "M142",
    name: "icon-src-sizes-wxh-or-any-theme-light-or",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "An icon has src; sizes are WxH or any; theme is light or dark.",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#Icon",
    observed: Observed::Each {
        server: &Observed::By(&M142_SERVER),
        client: &Observed::By(&M142_CLIENT),
    },
};

const M142_SERVER: Check = Check {
    how: "looks at every icon",
    seen: seen_everywhere(),
    fix: "give icons a src, sizes as WxH or any, and a theme that is light or dark",
    judge: |evidence| {
        let icons = found(evidence, "icons");
        let icons = icons.iter().flat_map(|(place, icons)| {
            icons.as_array().into_iter().flatten().map(move |icon| (*place, icon))
        });
        let outcome = each(icons, "", |(place, icon)| {
            let expected = "src, sizes as WxH or any, theme light or dark";
            let source = icon.get("src").is_some_and(Value::is_string);
            let sizes = icon.get("sizes").and_then(Value::as_array);
            let sized = sizes.is_none_or(|sizes| sizes.iter().all(is_size));
            let themed = icon.get("theme").is_none_or(|it| it == "light" || it == "dark");
            (!(source && sized && themed)).then(|| Finding::new(expected, show(icon), place))
        });
        none_applies(outcome, "nothing has an icon")
    },
    mutants: &[Mutant::new(
        "has an icon that lies nowhere",
        Mutation::Says(|context, message| {
            if context.method == Some("prompts/list")
                && let Some(prompt) = message.pointer_mut("/result/prompts/0")
            {
                prompt["icons"] = json!([{ "mimeType": "image/png" }]);
            }
        }),
    )],
};

const M142_CLIENT: Check = Check {
    how: "looks at every icon of the client",
    seen: seen_everywhere(),
    fix: M142_SERVER.fix,
    judge: M142_SERVER.judge,
    mutants: &[initialize("has an icon that lies nowhere", |params| {
        params["clientInfo"]["icons"] = json!([{ "mimeType": "image/png" }]);
    })],
};

pub(super) const S048: Requirement = Requirement {
    id: "S048",
    name: "icon-urls-come-from-same-or-trusted-domain",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Icon URLs come from the same or a trusted domain, and SVG is handled with care (schema comment).",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#Icon",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M146: Requirement = Requirement {
    id: "M146",
    name: "clientinfo-serverinfo-have-name-version",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "clientInfo and serverInfo have name and version.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Implementation",
    observed: Observed::Each {
        server: &Observed::By(&M146_SERVER),
        client: &Observed::By(&M146_CLIENT),
    },
};

const M146_SERVER: Check = Check {
    how: "looks at serverInfo in the result of initialize",
    seen: seen_everywhere(),
    fix: "give serverInfo a name and a version",
    judge: |evidence| {
        let handshakes = evidence
            .results("initialize")
            .filter_map(|(answer, result)| Some((answer, result.get("serverInfo")?)));
        let discovered = evidence
            .results("server/discover")
            .filter_map(|(answer, result)| Some((answer, result.get("_meta")?.get(SERVER_INFO)?)));
        let infos = handshakes.chain(discovered);
        each(infos, NO_HANDSHAKE, |(answer, info)| {
            lacks_text(answer.place, info, "name")
                .or_else(|| lacks_text(answer.place, info, "version"))
        })
    },
    mutants: &[Mutant::new(
        "keeps its version to itself",
        Mutation::Says(|context, message| {
            if context.method == Some("initialize") {
                message["result"]["serverInfo"].as_object_mut().map(|info| info.remove("version"));
            }
        }),
    )],
};

const M146_CLIENT: Check = Check {
    how: "looks at clientInfo in every initialize, or in _meta of every request",
    seen: seen_everywhere(),
    fix: "give clientInfo a name and a version",
    judge: |evidence| {
        let infos = evidence.requests().filter_map(|request| {
            let params = request.params?;
            let info = match request.method {
                "initialize" => params.get("clientInfo"),
                _ => params.get("_meta")?.get(CLIENT_INFO),
            };
            Some((request.place, info?))
        });
        each(infos, "the client never said who it is", |(place, info)| {
            lacks_text(place, info, "name").or_else(|| lacks_text(place, info, "version"))
        })
    },
    mutants: &[
        initialize("keeps its version to itself", |params| {
            remove(&mut params["clientInfo"], "version");
        }),
        call("keeps its version to itself in _meta", |meta| {
            remove(&mut meta[CLIENT_INFO], "version");
        })
        .modern(),
    ],
};

pub(super) const A041: Requirement = Requirement {
    id: "A041",
    name: "clientinfo-serverinfo-may-have-title",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "clientInfo and serverInfo may have a title.",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#Implementation",
    observed: Observed::Each {
        server: &Observed::By(&A041_SERVER),
        client: &Observed::By(&A041_CLIENT),
    },
};

const A041_SERVER: Check = Check {
    how: "looks at serverInfo",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| offers_info(evidence, "title"),
    mutants: &[Mutant::new(
        "has no title",
        Mutation::Says(|context, message| {
            if context.method == Some("initialize") {
                message["result"]["serverInfo"].as_object_mut().map(|info| info.remove("title"));
            }
        }),
    )],
};

const A041_CLIENT: Check = Check {
    how: "looks at clientInfo",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(handshakes_client(evidence), "a title", |request| {
            request.text("/clientInfo/title").is_some()
        })
    },
    mutants: &[initialize("has no title", |params| remove(&mut params["clientInfo"], "title"))],
};

pub(super) const A042: Requirement = Requirement {
    id: "A042",
    name: "clientinfo-serverinfo-may-have-description",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "clientInfo and serverInfo may have description, icons and websiteUrl.",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#Implementation",
    observed: Observed::Each {
        server: &Observed::By(&A042_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A042_CHECK: Check = Check {
    how: "looks at what the server says of itself",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        let infos = evidence.asked(Topic::Initialize).filter_map(|asked| info(asked.answer?));
        offered(infos, "a description, icons or a website of itself", |info| {
            ["description", "icons", "websiteUrl"].iter().any(|it| info.get(it).is_some())
        })
    },
    mutants: &[Mutant::new(
        "says nothing of itself but its name",
        Mutation::Says(|context, message| {
            let info = message.pointer_mut("/result/serverInfo").and_then(Value::as_object_mut);
            if context.method == Some("initialize")
                && let Some(info) = info
            {
                info.retain(|name, _| name == "name" || name == "version");
            }
        }),
    )],
};

/// What a server says of itself, in whichever era.
fn info(answer: Answer<'_>) -> Option<&Value> {
    let result = answer.result()?;
    result.get("serverInfo").or_else(|| result.get("_meta")?.get(SERVER_INFO))
}

fn offers_info(evidence: &Evidence, member: &str) -> Outcome {
    offered(evidence.results("initialize"), member, |(_, result)| {
        result["serverInfo"].get(member).is_some()
    })
}

fn is_size(size: &Value) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    size.as_str().is_some_and(|size| {
        size == "any" || size.split_once('x').is_some_and(|(w, h)| digits(w) && digits(h))
    })
}

/// A client without params breaks whatever params are for.
const EVERYTHING: &[&str] = &[
    "M040", "M044", "M047", "M146", "M520", "M521", "M071", "M076", "M396", "M043", "M455", "M075",
    "S186", "S020", "S028", "M383", "M385", "S284", "M608",
];
