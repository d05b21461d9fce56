//! The requirements of `basic/transports/index`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::{client::M158_CHECK, stateless::M159_CHECK},
    mutant::Mutant,
    outcome::{Finding, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2026_07_28};

pub(super) const PAGE: Page = Page {
    name: "basic/transports/index",
    why: "The transport decides where a message begins and ends and whom it belongs to; a mistake here breaks everything above it.",
    requirements: &[&M154, &M156, &M157, &S063, &A050, &A051],
};

const M154: Requirement = Requirement {
    id: "M154",
    name: "messages-utf-8",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Messages are UTF-8.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx ; docs/specification/2026-07-28/basic/transports/index.mdx#messages",
    observed: Observed::Each {
        server: &Observed::By(&M154_SERVER),
        client: &Observed::By(&M154_CLIENT),
    },
};

const M154_SERVER: Check = Check {
    how: "looks at the bytes of every message",
    seen: seen_everywhere(),
    fix: "write UTF-8",
    judge: |evidence| {
        each(evidence.frames(), "the server sent no message", |(place, frame)| {
            let error = std::str::from_utf8(&frame.bytes).err()?;
            Some(Finding::new("UTF-8", error.to_string(), place))
        })
    },
    mutants: &[Mutant::new("writes Latin-1", Mutation::Line(|text| {
        let mut bytes = text.as_bytes().to_vec();
        if text.contains("\"last-ping\"") {
            bytes = b"{\"jsonrpc\":\"2.0\",\"id\":\"last-ping\",\"result\":{\"_meta\":{\"a\":\"\xe9\"}}}".to_vec();
        }
        bytes.push(b'\n');
        bytes
    }))
    .also(&["M016", "M221", "S101"])],
};

const M154_CLIENT: Check = Check {
    how: M154_SERVER.how,
    seen: seen_everywhere(),
    fix: M154_SERVER.fix,
    judge: M154_SERVER.judge,
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

const M156: Requirement = Requirement {
    id: "M156",
    name: "custom-transport-keeps-json-rpc-format-2",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A custom transport keeps the JSON-RPC format, the message patterns and per-request metadata.",
    section: "docs/specification/2026-07-28/basic/transports/index.mdx#custom-transports",
    observed: Observed::Unobservable("it concerns custom transports"),
};

const M157: Requirement = Requirement {
    id: "M157",
    name: "binding-carries-client-requests",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A binding carries client requests and notifications one way, server responses and notifications the other.",
    section: "docs/specification/2026-07-28/basic/transports/index.mdx#messages",
    observed: Observed::Each {
        server: &Observed::By(&M157_SERVER),
        client: &Observed::By(&M157_CLIENT),
    },
};

const M157_SERVER: Check = Check {
    how: M159_CHECK.how,
    seen: seen_everywhere(),
    fix: M159_CHECK.fix,
    judge: M159_CHECK.judge,
    mutants: M159_CHECK.mutants,
};

const M157_CLIENT: Check = M158_CHECK;

const S063: Requirement = Requirement {
    id: "S063",
    name: "custom-transport-documents-connection-setup",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A custom transport documents its connection setup, framing and exchange patterns.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#custom-transports ; docs/specification/2026-07-28/basic/transports/index.mdx#custom-transports",
    observed: Observed::Unobservable("a duty of documentation"),
};

const A050: Requirement = Requirement {
    id: "A050",
    name: "custom-transports-may-built",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Custom transports may be built.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#custom-transports ; docs/specification/2026-07-28/basic/transports/index.mdx#custom-transports",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

const A051: Requirement = Requirement {
    id: "A051",
    name: "binding-may-mirror-body-fields-into-envelope",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A binding may mirror body fields into its envelope.",
    section: "docs/specification/2026-07-28/basic/transports/index.mdx#request-metadata",
    observed: Observed::Unobservable("it concerns custom transports"),
};
