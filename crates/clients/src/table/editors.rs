//! Editors, and what lives in them.

use super::shapes::{
    LOCAL, NO_REFERENCES, REMOTE, SERVER_URL, STDIO, TYPED_STDIO, TYPED_URL, URL, inline,
};
use crate::{
    client::{
        Client, EnvironmentReferences, Fixed, Format, HeaderReferences, InlineReference,
        References, RemoteEntry, StdioEntry, UrlForm,
    },
    machine::Place,
};

pub(super) const CURSOR: Client = Client {
    id: "cursor",
    name: "Cursor",
    user: &[Place::everywhere("~/.cursor/mcp.json")],
    project: &[".cursor/mcp.json"],
    marks: &[],
    format: Format::Json,
    key: &["mcpServers"],
    other_key: None,
    local: false,
    stdio: STDIO,
    remote: Ok(URL),
    references: inline(InlineReference::DollarEnv),
};

pub(super) const VS_CODE: Client = Client {
    id: "vscode",
    name: "VS Code",
    user: &[Place::everywhere("{support}/Code/User/mcp.json")],
    project: &[".vscode/mcp.json"],
    key: &["servers"],
    stdio: TYPED_STDIO,
    remote: Ok(TYPED_URL),
    references: inline(InlineReference::Input),
    ..CURSOR
};

/// Until 2 June 2026; later versions are [`DEVIN`].
pub(super) const WINDSURF: Client = Client {
    id: "windsurf",
    name: "Windsurf",
    user: &[Place::everywhere("~/.codeium/windsurf/mcp_config.json")],
    project: &[],
    remote: Ok(SERVER_URL),
    ..CURSOR
};

pub(super) const DEVIN: Client = Client {
    id: "devin",
    name: "Devin Desktop",
    user: &[
        Place::unix("~/.config/devin/mcp_config.json"),
        Place::windows("%APPDATA%/devin/mcp_config.json"),
    ],
    project: &[".devin/mcp_config.json"],
    remote: Ok(RemoteEntry {
        http: UrlForm { kind: Some(("transport", "http")), url: "url" },
        sse: None,
        ..URL
    }),
    references: NO_REFERENCES,
    ..CURSOR
};

pub(super) const ZED: Client = Client {
    id: "zed",
    name: "Zed",
    user: &[
        Place::unix("~/.config/zed/settings.json"),
        Place::windows("%APPDATA%/Zed/settings.json"),
    ],
    project: &[".zed/settings.json"],
    key: &["context_servers"],
    references: NO_REFERENCES,
    ..CURSOR
};

pub(super) const ANTIGRAVITY: Client = Client {
    id: "antigravity",
    name: "Antigravity",
    user: &[Place::everywhere("~/.gemini/config/mcp_config.json")],
    project: &[],
    remote: Ok(SERVER_URL),
    references: NO_REFERENCES,
    ..CURSOR
};

pub(super) const CLINE: Client = Client {
    id: "cline",
    name: "Cline (VS Code)",
    user: &[Place::everywhere(
        "{support}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    )],
    project: &[],
    stdio: StdioEntry { last: &[("disabled", Fixed::Bool(false))], ..STDIO },
    remote: Ok(RemoteEntry {
        http: UrlForm { kind: Some(("type", "streamableHttp")), url: "url" },
        sse: Some(UrlForm { kind: Some(("type", "sse")), url: "url" }),
        last: &[("disabled", Fixed::Bool(false))],
        ..URL
    }),
    references: NO_REFERENCES,
    ..CURSOR
};

pub(super) const KILO: Client = Client {
    id: "kilo",
    name: "Kilo Code",
    user: &[
        Place::everywhere("~/.config/kilo/kilo.jsonc"),
        Place::everywhere("~/.config/kilo/kilo.json"),
    ],
    project: &[
        "kilo.jsonc",
        "kilo.json",
        ".kilo/kilo.jsonc",
        ".kilo/kilo.json",
        ".kilocode/kilo.jsonc",
        ".kilocode/kilo.json",
    ],
    key: &["mcp"],
    stdio: LOCAL,
    remote: Ok(REMOTE),
    references: inline(InlineReference::BraceEnv),
    ..CURSOR
};

pub(super) const KIRO: Client = Client {
    id: "kiro",
    name: "Kiro",
    user: &[Place::everywhere("~/.kiro/settings/mcp.json")],
    project: &[".kiro/settings/mcp.json"],
    references: References {
        environment: EnvironmentReferences::Inline(InlineReference::Dollar),
        headers: HeaderReferences::None,
    },
    ..CURSOR
};
