//! An inspector of MCP servers in a browser that says of every message whether it is right.
//!
//! ```text
//! client SDK <-> Recorder (pipes, HTTP) <-> server          what the pages show is pulled from
//!                    |-> transcript (file)                   Inspector: servers, timeline, questions, verdicts
//!                    |-> Timeline (bounded)                  api (JSON, live events) and pages (HTML)
//!                    '-> judges (proofmark-check)
//! ```

mod api;
pub mod config;
pub mod doctor;
mod inspector;
mod pages;
mod process;
mod questions;
mod recorder;
pub mod server;
mod shared;
mod timeline;

pub use inspector::{Inspector, Login, NotDone};

use proofmark_web::{Asset, asset, axum::Router};

/// Everything that a site of the inspector has.
pub fn routes(inspector: Inspector) -> Router {
    api::routes(inspector.clone()).merge(pages::routes(inspector))
}

/// Files of its pages.
pub const ASSETS: &[Asset] = &[
    asset!("inspect.css", "../assets/inspect.css"),
    asset!("check.js", "../assets/check.js"),
    asset!("calls.js", "../assets/calls.js"),
    asset!("compare.js", "../assets/compare.js"),
    asset!("console.js", "../assets/console.js"),
    asset!("doctor.js", "../assets/doctor.js"),
    asset!("form.js", "../assets/form.js"),
    asset!("json.js", "../assets/json.js"),
    asset!("live.js", "../assets/live.js"),
    asset!("prompts.js", "../assets/prompts.js"),
    asset!("questions.js", "../assets/questions.js"),
    asset!("resources.js", "../assets/resources.js"),
    asset!("result.js", "../assets/result.js"),
    asset!("servers.js", "../assets/servers.js"),
    asset!("timeline.js", "../assets/timeline.js"),
    asset!("tools.js", "../assets/tools.js"),
];
