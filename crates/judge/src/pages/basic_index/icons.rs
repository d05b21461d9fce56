//! `basic/index`: `#icons`, `#composition-keyword-resource-use`, `#auth`.

use crate::requirement::{Level, Observed, Party, Requirement, Transports, since};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25, V2026_07_28};

pub(super) const M132: Requirement = Requirement {
    id: "M132",
    name: "client-renders-icons-handles-png-jpeg",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A client that renders icons handles PNG and JPEG.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M133: Requirement = Requirement {
    id: "M133",
    name: "icon-metadata-bytes-handled-untrusted-input",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Icon metadata and bytes are handled as untrusted input.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M134: Requirement = Requirement {
    id: "M134",
    name: "icon-uris-other-than-https-data-rejected",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Icon URIs other than https and data are rejected (javascript, file, ftp, ws and app schemes included).",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable(
        "what a client does about an icon that it does not show leaves no trace on the wire",
    ),
};

pub(super) const M135: Requirement = Requirement {
    id: "M135",
    name: "icon-fetches-allow-no-scheme-change-no",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Icon fetches allow no scheme change and no cross-origin redirect.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable(
        "no hosted server has icons: what a client fetches for its user, and how, is not on this wire",
    ),
};

pub(super) const M136: Requirement = Requirement {
    id: "M136",
    name: "oversized-or-hostile-icons-cannot-exhaust",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Oversized or hostile icons cannot exhaust resources.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M137: Requirement = Requirement {
    id: "M137",
    name: "icons-fetched-without-cookies-authorization",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Icons are fetched without cookies, Authorization or client credentials.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable(
        "no hosted server has icons: what a client fetches for its user, and how, is not on this wire",
    ),
};

pub(super) const M138: Requirement = Requirement {
    id: "M138",
    name: "icon-uris-checked-share-server-origin",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Icon URIs are checked to share the server's origin.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M139: Requirement = Requirement {
    id: "M139",
    name: "executable-icon-payloads-treated-caution",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Executable icon payloads are treated with caution.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M140: Requirement = Requirement {
    id: "M140",
    name: "icon-mime-type-magic-bytes-verified",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Icon MIME type and magic bytes are verified; mismatches are refused.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M141: Requirement = Requirement {
    id: "M141",
    name: "only-allowlist-icon-image-types-rendered",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Only an allowlist of icon image types is rendered.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S047: Requirement = Requirement {
    id: "S047",
    name: "client-renders-icons-also-handles-svg-webp",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A client that renders icons also handles SVG and WebP.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const A035: Requirement = Requirement {
    id: "A035",
    name: "limits-on-icon-image-content-size-may-set",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Limits on icon image and content size may be set.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const A036: Requirement = Requirement {
    id: "A036",
    name: "icon-file-types-may-refused-or-sanitised",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Icon file types may be refused or sanitised.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S042: Requirement = Requirement {
    id: "S042",
    name: "schema-depth-subschema-count-or-validation",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Schema depth, subschema count or validation time is bounded.",
    section: "docs/specification/2026-07-28/basic/index.mdx#composition-keyword-resource-use",
    observed: Observed::Each {
        server: &Observed::Unobservable("servers are sent no schemas that they would have to read"),
        client: &Observed::Unobservable(
            "how much a client puts into a schema shows only under a load that a check must not put on it",
        ),
    },
};

pub(super) const A028: Requirement = Requirement {
    id: "A028",
    name: "peers-may-use-authentication-scheme-their",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Peers may use an authentication scheme of their own.",
    section: "docs/specification/{2024-11-05..2026-07-28}/basic/index.mdx#auth",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};
