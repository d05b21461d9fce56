//! `client/elicitation`: `#safe-url-handling`, `#identifying-the-user`, `#phishing`, `#requested-schema`, `#example-request-sensitive-
//! data`.

use super::shared::{NO_FORM, page, properties, sent};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client_inputs::{NOT_ASKED, accepted, filled},
        secrets::is_secret,
        server_requests::{ELICITATION, all, elicitation},
        shape::{doubtful, show},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2025_11_25;
use proofmark_record::{topic::Topic, transport::Transport, wire::Url};
use serde_json::json;

pub(super) const M435: Requirement = Requirement {
    id: "M435",
    name: "elicitation-url-no-personal-or-secret-data",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "An elicitation URL has no personal or secret data.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::By(&M435_CHECK),
};

const M435_CHECK: Check = Check {
    how: "looks for credentials in the url of every URL elicitation",
    seen: seen_everywhere(),
    fix: "put neither credentials nor anything about the user into the address",
    judge: |evidence| {
        let pages = all(evidence, ELICITATION).filter_map(|(place, request)| {
            Some((place, request.pointer("/params/url")?.as_str()?))
        });
        let outcome = each(pages, "", |(place, url)| {
            let (_, rest) = url.split_once("://")?;
            let user = rest.split('/').next().unwrap_or_default().contains('@');
            let query = rest.split_once('?').map_or("", |(_, query)| query);
            let mut names = query.split(['&', '#']).filter_map(|pair| pair.split('=').next());
            let told = names.any(|name| is_secret(name) || PERSONAL.contains(&name));
            let expected = "an address without credentials";
            (user || told).then(|| Finding::new(expected, show(&json!(url)), place))
        });
        doubtful(none_applies(outcome, "nobody was sent to a page"))
    },
    mutants: &[page("sends users away with their address", |params| {
        params["url"] = json!("https://example.com/connect?email=user%40example.com");
    })],
};

pub(super) const M436: Requirement = Requirement {
    id: "M436",
    name: "elicitation-url-not-pre-authenticated",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "An elicitation URL is not pre-authenticated.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const M437: Requirement = Requirement {
    id: "M437",
    name: "client-url-elicitation-guards-users-against",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A client with URL elicitation guards users against malicious links.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M438: Requirement = Requirement {
    id: "M438",
    name: "elicitation-url-not-pre-fetched",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "An elicitation URL is not pre-fetched.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::By(&M438_CHECK),
};

const M438_CHECK: Check = Check {
    how: "asks for a visit of a URL of its own, and looks at who comes",
    seen: seen_in(&["hosted ask"]),
    fix: "do not fetch a URL before the user has agreed to go there",
    judge: |evidence| {
        if evidence.transport == Transport::Stdio {
            return Outcome::Unobserved("only a server that listens sees who comes".to_owned());
        }
        if !evidence.capability("/elicitation/url") {
            return Outcome::NotApplicable("the client does not declare url".to_owned());
        }
        let asked = evidence.asked(Topic::AskUrl).filter(|it| it.answer.is_some());
        each(asked, NOT_ASKED, |asked| {
            let answered = asked.answer?.place;
            let visit = evidence.exchanges().find(|it| {
                it.place.conversation == asked.place.conversation
                    && it.line.contains("/visit")
                    && (asked.place.event..answered.event).contains(&it.place.event)
            })?;
            Some(Finding::new("nobody before the answer", visit.line, visit.place))
        })
    },
    mutants: &[
        Mutant::new("looks at links first", Mutation::Visits("/visit")).over(Transport::Http)
    ],
};

pub(super) const M439: Requirement = Requirement {
    id: "M439",
    name: "elicitation-url-not-opened-without-consent",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "An elicitation URL is not opened without consent.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M440: Requirement = Requirement {
    id: "M440",
    name: "full-elicitation-url-shown-before-consent",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The full elicitation URL is shown before consent.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M441: Requirement = Requirement {
    id: "M441",
    name: "elicitation-url-opens-where-client-model",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "An elicitation URL opens where client and model cannot look in.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S222: Requirement = Requirement {
    id: "S222",
    name: "form-elicitation-fields-hold-no-clickable",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Form elicitation fields hold no clickable URLs.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::By(&S222_CHECK),
};

const S222_CHECK: Check = Check {
    how: "looks for addresses in the texts of every form",
    seen: seen_everywhere(),
    fix: "keep addresses that can be clicked out of forms; use a URL elicitation",
    judge: |evidence| {
        let asked = all(evidence, ELICITATION).filter_map(|(place, request)| {
            let params = request.get("params")?;
            params.get("requestedSchema")?;
            Some((place, params))
        });
        let outcome = each(asked, "", |(place, params)| {
            let text = params.to_string();
            let link = ["http://", "https://"].iter().any(|scheme| {
                // The name of the dialect is no text for people.
                text.replace("https://json-schema.org/", "").contains(scheme)
            });
            link.then(|| Finding::new("no address in a form", show(params), place))
        });
        none_applies(outcome, NO_FORM)
    },
    mutants: &[elicitation("has an address in its form", |params| {
        params["message"] = json!("Please see https://example.com/terms");
    })],
};

pub(super) const S223: Requirement = Requirement {
    id: "S223",
    name: "elicitation-urls-https-outside-development",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Elicitation URLs are https outside development.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::By(&S223_CHECK),
};

const S223_CHECK: Check = Check {
    how: "reads the url of every URL elicitation",
    seen: seen_everywhere(),
    fix: "send users to https pages",
    judge: |evidence| {
        sent(evidence, |place, params| {
            let url = params.get("url")?.as_str()?;
            let near = url.parse::<Url>().is_ok_and(|url| LOCAL.contains(&url.host.as_str()));
            let safe = url.to_ascii_lowercase().starts_with("https://");
            // On the user's own machine it is development.
            (!safe && !near).then(|| Finding::new("https", show(&json!(url)), place))
        })
    },
    mutants: &[page("sends users to an open page", |params| {
        params["url"] = json!("http://example.com/connect");
    })],
};

pub(super) const S224: Requirement = Requirement {
    id: "S224",
    name: "domain-elicitation-url-highlighted",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The domain of an elicitation URL is highlighted and suspicious URIs are warned about.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S225: Requirement = Requirement {
    id: "S225",
    name: "no-elicitation-field-other-than-url-rendered",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "No elicitation field other than url is rendered clickable.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#safe-url-handling",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M442: Requirement = Requirement {
    id: "M442",
    name: "server-does-not-trust-identity-client-merely",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The server does not trust an identity the client merely claims.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#identifying-the-user",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S226: Requirement = Requirement {
    id: "S226",
    name: "server-identifies-user-by-security-best",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The server identifies the user by the security best practice guide.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#identifying-the-user",
    observed: Observed::Unobservable(
        "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
    ),
};

pub(super) const M443: Requirement = Requirement {
    id: "M443",
    name: "user-who-opens-elicitation-url-verified-one",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The user who opens an elicitation URL is verified to be the one asked.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#phishing",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const M444: Requirement = Requirement {
    id: "M444",
    name: "check-who-opened-elicitation-url-withstands",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The check of who opened an elicitation URL withstands a modified URL.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#phishing",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const S220: Requirement = Requirement {
    id: "S220",
    name: "elicitation-defaults-pre-fill-form",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Elicitation defaults pre-fill the form.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#requested-schema",
    observed: Observed::By(&S220_CHECK),
};

const S220_CHECK: Check = Check {
    how: "asks for a form whose fields have defaults, and looks at what is accepted",
    seen: seen_everywhere(),
    fix: "fill the fields of a form with their defaults",
    judge: |evidence| {
        let forms = accepted(evidence).filter(|(_, schema, _)| {
            properties(schema).any(|(_, property)| property.get("default").is_some())
        });
        each(forms, NO_DEFAULTS, |(place, schema, content)| {
            let missing = properties(schema)
                .find(|(name, it)| it.get("default").is_some() && content.get(name).is_none());
            let (name, property) = missing?;
            let expected = format!("{name}: {}", show(&property["default"]));
            Some(Finding::new(expected, show(content), place))
        })
    },
    mutants: &[filled("leaves forms empty", |content| *content = json!({}))],
};

pub(super) const S221: Requirement = Requirement {
    id: "S221",
    name: "url-mode-user-can-retry-or-cancel-by-hand",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "In URL mode the user can retry or cancel by hand.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#completion-notifications-for-url-mode-elicitation ; docs/specification/2026-07-28/client/elicitation.mdx#example-request-sensitive-data",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

const LOCAL: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

const PERSONAL: [&str; 4] = ["email", "name", "phone", "user"];

const NO_DEFAULTS: &str = "the client accepted no form with defaults";
