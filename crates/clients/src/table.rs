//! The clients that are known. A client is one literal, here or in a file below.

mod agents;
mod editors;
mod shapes;

use crate::Client;

/// In the order in which they are shown.
pub static CLIENTS: [&Client; 24] = [
    &agents::CLAUDE_DESKTOP,
    &agents::CLAUDE_CODE,
    &editors::CURSOR,
    &editors::VS_CODE,
    &agents::COPILOT_CLI,
    &editors::WINDSURF,
    &editors::DEVIN,
    &editors::ZED,
    &agents::CODEX,
    &agents::GEMINI_CLI,
    &editors::ANTIGRAVITY,
    &agents::GOOSE,
    &editors::CLINE,
    &agents::CLINE_CLI,
    &agents::OPENCODE,
    &editors::KILO,
    &editors::KIRO,
    &agents::KIMI,
    &agents::GROK,
    &agents::FX,
    &agents::MASTRA,
    &agents::PI,
    &agents::MCPORTER,
    &agents::INSPECTOR,
];
