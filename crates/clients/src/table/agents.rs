//! Chats, agents of the command line, and tools for developers.

use super::shapes::{LOCAL, NO_REFERENCES, REMOTE, STDIO, TYPED_STDIO, TYPED_URL, URL, inline};
use crate::{
    client::{
        Client, CommandKey, EnvironmentReferences, Fixed, Format, HeaderReferences,
        InlineReference, References, RemoteEntry, StdioEntry, UrlForm,
    },
    machine::Place,
};

pub(super) const CLAUDE_DESKTOP: Client = Client {
    id: "claude-desktop",
    name: "Claude Desktop",
    user: &[
        // The packaged form that Windows gets since February 2026 sees its own copy of the folder only.
        Place::windows(
            "%LOCALAPPDATA%/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json",
        ),
        Place::everywhere("{support}/Claude/claude_desktop_config.json"),
    ],
    project: &[],
    remote: Err(
        "it takes remote servers in Settings > Connectors only; in its file a program such as mcp-remote has to stand between",
    ),
    ..PLAIN
};

pub(super) const CLAUDE_CODE: Client = Client {
    id: "claude-code",
    name: "Claude Code",
    user: &[Place::everywhere("~/.claude.json")],
    project: &[".mcp.json"],
    marks: &[Place::everywhere("~/.claude")],
    format: Format::Json,
    key: &["mcpServers"],
    other_key: None,
    local: true,
    stdio: TYPED_STDIO,
    remote: Ok(TYPED_URL),
    references: inline(InlineReference::Dollar),
};

/// What most others begin with.
const PLAIN: Client = Client {
    marks: &[],
    local: false,
    stdio: STDIO,
    remote: Ok(URL),
    references: NO_REFERENCES,
    ..CLAUDE_CODE
};

pub(super) const COPILOT_CLI: Client = Client {
    id: "copilot-cli",
    name: "Copilot CLI",
    user: &[Place::everywhere("${COPILOT_HOME:-~/.copilot}/mcp-config.json")],
    project: &[".mcp.json", ".github/mcp.json"],
    stdio: TYPED_STDIO,
    remote: Ok(TYPED_URL),
    ..PLAIN
};

pub(super) const CODEX: Client = Client {
    id: "codex",
    name: "Codex",
    user: &[Place::everywhere("${CODEX_HOME:-~/.codex}/config.toml")],
    project: &[".codex/config.toml"],
    format: Format::Toml,
    key: &["mcp_servers"],
    remote: Ok(RemoteEntry { sse: None, headers: "http_headers", ..URL }),
    references: References {
        environment: EnvironmentReferences::Names("env_vars"),
        headers: HeaderReferences::Keys {
            bearer: "bearer_token_env_var",
            whole: Some("env_http_headers"),
            refuses_text: false,
        },
    },
    ..PLAIN
};

pub(super) const GEMINI_CLI: Client = Client {
    id: "gemini-cli",
    name: "Gemini CLI",
    user: &[Place::everywhere("~/.gemini/settings.json")],
    project: &[".gemini/settings.json"],
    remote: Ok(RemoteEntry { http: UrlForm { kind: None, url: "httpUrl" }, ..URL }),
    references: inline(InlineReference::Dollar),
    ..PLAIN
};

pub(super) const GOOSE: Client = Client {
    id: "goose",
    name: "Goose",
    user: &[
        Place::unix("~/.config/goose/config.yaml"),
        Place::windows("%APPDATA%/Block/goose/config/config.yaml"),
    ],
    project: &[],
    format: Format::Yaml,
    key: &["extensions"],
    stdio: StdioEntry {
        first: &[("name", Fixed::Name), ("type", Fixed::Text("stdio"))],
        command: CommandKey::Apart("cmd", "args"),
        environment: "envs",
        last: &[("enabled", Fixed::Bool(true)), ("timeout", Fixed::Number(300))],
    },
    remote: Ok(RemoteEntry {
        first: &[("name", Fixed::Name)],
        http: UrlForm { kind: Some(("type", "streamable_http")), url: "uri" },
        sse: Some(UrlForm { kind: Some(("type", "sse")), url: "uri" }),
        headers: "headers",
        last: &[("enabled", Fixed::Bool(true)), ("timeout", Fixed::Number(300))],
    }),
    references: References {
        environment: EnvironmentReferences::Names("env_keys"),
        headers: HeaderReferences::None,
    },
    ..PLAIN
};

pub(super) const CLINE_CLI: Client = Client {
    id: "cline-cli",
    name: "Cline CLI",
    user: &[Place::everywhere("${CLINE_DIR:-~/.cline}/data/settings/cline_mcp_settings.json")],
    ..super::editors::CLINE
};

pub(super) const OPENCODE: Client = Client {
    id: "opencode",
    name: "OpenCode",
    user: &[
        Place::everywhere("~/.config/opencode/opencode.jsonc"),
        Place::everywhere("~/.config/opencode/opencode.json"),
    ],
    project: &[
        "opencode.jsonc",
        "opencode.json",
        ".opencode/opencode.jsonc",
        ".opencode/opencode.json",
    ],
    key: &["mcp"],
    other_key: Some(&["mcp", "servers"]),
    stdio: LOCAL,
    remote: Ok(REMOTE),
    references: inline(InlineReference::BraceEnv),
    ..PLAIN
};

pub(super) const KIMI: Client = Client {
    id: "kimi",
    name: "Kimi Code",
    user: &[Place::everywhere("${KIMI_CODE_HOME:-~/.kimi-code}/mcp.json")],
    project: &[".kimi-code/mcp.json"],
    stdio: StdioEntry { first: &[("transport", Fixed::Text("stdio"))], ..STDIO },
    remote: Ok(RemoteEntry {
        http: UrlForm { kind: Some(("transport", "http")), url: "url" },
        sse: Some(UrlForm { kind: Some(("transport", "sse")), url: "url" }),
        ..URL
    }),
    ..PLAIN
};

pub(super) const GROK: Client = Client {
    id: "grok",
    name: "Grok Build",
    user: &[Place::everywhere("${GROK_HOME:-~/.grok}/config.toml")],
    project: &[".grok/config.toml"],
    format: Format::Toml,
    key: &["mcp_servers"],
    ..PLAIN
};

pub(super) const FX: Client = Client {
    id: "fx",
    name: "fx",
    user: &[Place::everywhere("~/.fx/mcp.json")],
    project: &[],
    key: &["mcp"],
    stdio: LOCAL,
    remote: Ok(RemoteEntry { last: &[], ..REMOTE }),
    references: References {
        environment: EnvironmentReferences::None,
        headers: HeaderReferences::Keys {
            bearer: "bearer_token_env",
            whole: None,
            refuses_text: true,
        },
    },
    ..PLAIN
};

pub(super) const MASTRA: Client = Client {
    id: "mastra",
    name: "Mastra Code",
    user: &[Place::everywhere("~/.mastracode/mcp.json")],
    project: &[".mastracode/mcp.json"],
    ..PLAIN
};

pub(super) const PI: Client = Client {
    id: "pi",
    name: "Pi",
    user: &[Place::everywhere("${PI_CODING_AGENT_DIR:-~/.pi/agent}/mcp.json")],
    project: &[".pi/mcp.json"],
    ..PLAIN
};

pub(super) const MCPORTER: Client = Client {
    id: "mcporter",
    name: "mcporter",
    user: &[
        Place::everywhere("~/.mcporter/mcporter.json"),
        Place::everywhere("~/.mcporter/mcporter.jsonc"),
    ],
    project: &["config/mcporter.json"],
    references: inline(InlineReference::Dollar),
    ..PLAIN
};

pub(super) const INSPECTOR: Client = Client {
    id: "inspector",
    name: "MCP Inspector",
    user: &[Place::everywhere("~/.mcp-inspector/mcp.json")],
    project: &[],
    stdio: TYPED_STDIO,
    remote: Ok(TYPED_URL),
    ..PLAIN
};
