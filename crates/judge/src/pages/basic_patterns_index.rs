//! The requirements of `basic/patterns/index`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        client::M158_CHECK,
        optional_features::{ALLOWED, LOG, PROGRESS, silent_about},
        stateless::M159_CHECK,
    },
    outcome::offered,
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_core::revision::Revision::V2026_07_28;

pub(super) const PAGE: Page = Page {
    name: "basic/patterns/index",
    why: "The patterns are what every feature is built from; one exception makes every client special.",
    requirements: &[&M158, &M159, &A069],
};

const M158: Requirement = Requirement {
    id: "M158",
    name: "client-sends-no-json-rpc-response",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client sends no JSON-RPC response.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#sending-messages ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages ; docs/specification/2026-07-28/basic/patterns/index.mdx",
    observed: Observed::By(&M158_CHECK),
};

const M159: Requirement = Requirement {
    id: "M159",
    name: "server-sends-no-json-rpc-request",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server sends no JSON-RPC request.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#receiving-messages ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#receiving-messages ; docs/specification/2026-07-28/basic/patterns/index.mdx",
    observed: Observed::By(&M159_CHECK),
};

const A069: Requirement = Requirement {
    id: "A069",
    name: "server-may-send-progress-log-notifications",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server may send progress and log notifications while a request is in flight.",
    section: "docs/specification/2026-07-28/basic/patterns/progress.mdx ; docs/specification/2026-07-28/basic/patterns/index.mdx#request-and-response",
    observed: Observed::By(&A069_CHECK),
};

const A069_CHECK: Check = Check {
    how: "looks for progress and log messages while requests run",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.heard_methods(), "news of requests that run", |(_, method)| {
            method == PROGRESS || method == LOG
        })
    },
    mutants: &[silent_about("says nothing while it works", |method| {
        method == PROGRESS || method == LOG
    })],
};
