//! Entries that several clients share.

use crate::client::{
    CommandKey, EnvironmentReferences, Fixed, HeaderReferences, InlineReference, References,
    RemoteEntry, StdioEntry, UrlForm,
};

/// `{command, args, env}`
pub(super) const STDIO: StdioEntry = StdioEntry {
    first: &[],
    command: CommandKey::Apart("command", "args"),
    environment: "env",
    last: &[],
};

/// `{type: "stdio", command, args, env}`
pub(super) const TYPED_STDIO: StdioEntry =
    StdioEntry { first: &[("type", Fixed::Text("stdio"))], ..STDIO };

/// `{type: "local", command: [...], environment, enabled}`
pub(super) const LOCAL: StdioEntry = StdioEntry {
    first: &[("type", Fixed::Text("local"))],
    command: CommandKey::Together("command"),
    environment: "environment",
    last: &[("enabled", Fixed::Bool(true))],
};

/// `{url, headers}`, whatever the transport.
pub(super) const URL: RemoteEntry = RemoteEntry {
    first: &[],
    http: UrlForm { kind: None, url: "url" },
    sse: Some(UrlForm { kind: None, url: "url" }),
    headers: "headers",
    last: &[],
};

/// `{type: "http" | "sse", url, headers}`
pub(super) const TYPED_URL: RemoteEntry = RemoteEntry {
    http: UrlForm { kind: Some(("type", "http")), url: "url" },
    sse: Some(UrlForm { kind: Some(("type", "sse")), url: "url" }),
    ..URL
};

/// `{serverUrl, headers}`
pub(super) const SERVER_URL: RemoteEntry = RemoteEntry {
    http: UrlForm { kind: None, url: "serverUrl" },
    sse: Some(UrlForm { kind: None, url: "serverUrl" }),
    ..URL
};

/// `{type: "remote", url, headers, enabled}`
pub(super) const REMOTE: RemoteEntry = RemoteEntry {
    http: UrlForm { kind: Some(("type", "remote")), url: "url" },
    sse: Some(UrlForm { kind: Some(("type", "remote")), url: "url" }),
    last: &[("enabled", Fixed::Bool(true))],
    ..URL
};

pub(super) const NO_REFERENCES: References =
    References { environment: EnvironmentReferences::None, headers: HeaderReferences::None };

pub(super) const fn inline(form: InlineReference) -> References {
    References {
        environment: EnvironmentReferences::Inline(form),
        headers: HeaderReferences::Inline(form),
    }
}
