//! Who is judged.

use super::super::Transport;

/// The peers that are judged. A further one is one more row.
pub(super) const PEERS: &[Peer] = &[
    Peer {
        file: "server-everything",
        title: "@modelcontextprotocol/server-everything",
        about: "The official example server, on the official TypeScript SDK. All its tools were called.",
        language: Language::Node,
        package: "@modelcontextprotocol/server-everything",
        script: "node_modules/@modelcontextprotocol/server-everything/dist/index.js",
        checking: &["server", "--call-all"],
        revisions: LEGACY,
        ways: &[
            Way { transport: Transport::Stdio, words: &["stdio"], path: "" },
            Way { transport: Transport::Http, words: &["streamableHttp"], path: "mcp" },
            Way { transport: Transport::Sse, words: &["sse"], path: "sse" },
        ],
    },
    Peer {
        file: "server-memory",
        title: "@modelcontextprotocol/server-memory",
        about: "The official server that remembers, on the official TypeScript SDK.",
        language: Language::Node,
        package: "@modelcontextprotocol/server-memory",
        script: "node_modules/@modelcontextprotocol/server-memory/dist/index.js",
        checking: &["server"],
        revisions: LEGACY,
        ways: &[Way { transport: Transport::Stdio, words: &[], path: "" }],
    },
    Peer {
        file: "server-filesystem",
        title: "@modelcontextprotocol/server-filesystem",
        about: "The official server for files, on the official TypeScript SDK, with the folder of its own package.",
        language: Language::Node,
        package: "@modelcontextprotocol/server-filesystem",
        script: "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
        checking: &["server"],
        revisions: LEGACY,
        ways: &[Way { transport: Transport::Stdio, words: &["."], path: "" }],
    },
    Peer {
        file: "typescript-sdk",
        title: "@modelcontextprotocol/sdk",
        about: "The official TypeScript SDK, version 1, by the small server in `interop/node/server.mjs`.",
        language: Language::Node,
        package: "@modelcontextprotocol/sdk",
        script: "server.mjs",
        checking: &["server"],
        revisions: LEGACY,
        ways: &[
            Way { transport: Transport::Stdio, words: &["stdio"], path: "" },
            Way { transport: Transport::Http, words: &["http"], path: "mcp" },
        ],
    },
    Peer {
        file: "typescript-sdk-2",
        title: "@modelcontextprotocol/server",
        about: "The official TypeScript SDK, version 2, by the small server in `interop/node/modern-server.mjs`.",
        language: Language::Node,
        package: "@modelcontextprotocol/server",
        script: "modern-server.mjs",
        checking: &["server"],
        revisions: BOTH_ERAS,
        ways: &[
            Way { transport: Transport::Stdio, words: &["stdio"], path: "" },
            Way { transport: Transport::Http, words: &["http"], path: "mcp" },
        ],
    },
    Peer {
        file: "python-sdk",
        title: "mcp",
        about: "The official Python SDK, version 1, by the small server in `interop/python/server.py`.",
        language: PYTHON,
        package: "mcp",
        script: "server.py",
        checking: &["server"],
        revisions: LEGACY,
        ways: &[
            Way { transport: Transport::Stdio, words: &["--transport", "stdio"], path: "" },
            Way { transport: Transport::Http, words: &["--transport", "http"], path: "mcp" },
            Way { transport: Transport::Sse, words: &["--transport", "sse"], path: "sse" },
        ],
    },
    Peer {
        file: "python-sdk-2",
        title: "mcp",
        about: "The official Python SDK, version 2, by the small server in `interop/python/modern_server.py`.",
        language: PYTHON_2,
        package: "mcp",
        script: "modern_server.py",
        checking: &["server"],
        revisions: BOTH_ERAS,
        ways: &[
            Way { transport: Transport::Stdio, words: &["--transport", "stdio"], path: "" },
            Way { transport: Transport::Http, words: &["--transport", "http"], path: "mcp" },
        ],
    },
    Peer {
        file: "fastmcp",
        title: "fastmcp",
        about: "fastmcp, by the small server in `interop/fastmcp/server.py`.",
        language: Language::Python {
            requirements: "fastmcp/requirements.txt",
            folder: "fastmcp",
            environment: "venv-fastmcp",
        },
        package: "fastmcp",
        script: "server.py",
        checking: &["server", "--call-all"],
        revisions: BOTH_ERAS,
        ways: &[
            Way { transport: Transport::Stdio, words: &[], path: "" },
            Way { transport: Transport::Http, words: &[], path: "mcp" },
        ],
    },
    Peer {
        file: "rmcp",
        title: "rmcp",
        about: "The official Rust SDK, by the small server in `interop/rmcp`.",
        language: Language::Rust { folder: "rmcp" },
        package: "rmcp",
        script: "server",
        checking: &["server"],
        revisions: BOTH_ERAS,
        ways: &[
            Way { transport: Transport::Stdio, words: &["stdio"], path: "" },
            Way { transport: Transport::Http, words: &["http"], path: "mcp" },
        ],
    },
    Peer {
        file: "typescript-client",
        title: "@modelcontextprotocol/sdk (client)",
        about: "The client of the official TypeScript SDK, version 1, driven by `interop/node/checked.mjs`.",
        language: Language::Node,
        package: "@modelcontextprotocol/sdk",
        script: "checked.mjs",
        checking: &["client"],
        revisions: NEWEST_LEGACY,
        ways: CLIENT,
    },
    Peer {
        file: "typescript-client-2",
        title: "@modelcontextprotocol/client",
        about: "The client of the official TypeScript SDK, version 2, driven by `interop/node/checked-2.mjs`.",
        language: Language::Node,
        package: "@modelcontextprotocol/client",
        script: "checked-2.mjs",
        checking: &["client"],
        revisions: NEWEST_OF_BOTH,
        ways: CLIENT,
    },
    Peer {
        file: "python-client",
        title: "mcp (client)",
        about: "The client of the official Python SDK, version 1, driven by `interop/python/checked.py`.",
        language: PYTHON,
        package: "mcp",
        script: "checked.py",
        checking: &["client"],
        revisions: NEWEST_LEGACY,
        ways: CLIENT,
    },
    Peer {
        file: "python-client-2",
        title: "mcp (client)",
        about: "The client of the official Python SDK, version 2, driven by `interop/python/checked_2.py`.",
        language: PYTHON_2,
        package: "mcp",
        script: "checked_2.py",
        checking: &["client"],
        revisions: NEWEST_OF_BOTH,
        ways: CLIENT,
    },
    Peer {
        file: "rmcp-client",
        title: "rmcp (client)",
        about: "The client of the official Rust SDK, driven by `interop/rmcp/src/bin/client.rs`.",
        language: Language::Rust { folder: "rmcp" },
        package: "rmcp",
        script: "client",
        checking: &["client"],
        revisions: NEWEST_OF_BOTH,
        ways: CLIENT,
    },
];

pub(super) struct Peer {
    /// Of its page.
    pub(super) file: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) language: Language,
    /// Whose version is told, and whose findings they are.
    pub(super) package: &'static str,
    pub(super) script: &'static str,
    /// What the checker is to check, and how.
    pub(super) checking: &'static [&'static str],
    pub(super) revisions: &'static [&'static str],
    pub(super) ways: &'static [Way],
}

impl Peer {
    pub(super) fn is_client(&self) -> bool {
        self.checking.first() == Some(&"client")
    }
}

#[derive(Clone, Copy)]
pub(super) enum Language {
    Node,
    /// Places in `interop`, and what the environment is called.
    Python {
        requirements: &'static str,
        folder: &'static str,
        environment: &'static str,
    },
    /// A workspace in `interop`, whose programs are the scripts.
    Rust {
        folder: &'static str,
    },
}

pub(super) struct Way {
    pub(super) transport: Transport,
    /// What makes the peer speak it.
    pub(super) words: &'static [&'static str],
    pub(super) path: &'static str,
}

const PYTHON: Language = Language::Python {
    requirements: "python/requirements.txt",
    folder: "python",
    environment: "venv",
};
const PYTHON_2: Language = Language::Python {
    requirements: "python/modern/requirements.txt",
    folder: "python",
    environment: "venv-2",
};

/// How the drivers of clients are told where the server is.
const CLIENT: &[Way] = &[
    Way { transport: Transport::Stdio, words: &["--", "{command}"], path: "" },
    Way { transport: Transport::Http, words: &["{url}"], path: "" },
];

/// Revisions with a handshake.
const LEGACY: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const NEWEST_LEGACY: &[&str] = &["2025-11-25"];
const NEWEST_OF_BOTH: &[&str] = &["2025-11-25", "2026-07-28"];
const BOTH_ERAS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
