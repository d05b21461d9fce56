//! Peers that do everything right, to be measured and to be spoiled.
//!
//! The names, texts and shapes of the fixtures are fixed: conformance suites look for exactly these.

mod assets;
pub mod auth;
pub mod client;
mod completion;
mod prompts;
mod resources;
mod skills;
mod tools;

use std::num::NonZeroUsize;

use proofmark_sdk::{
    core::revision::{Era, Revision},
    server::{BuildError, Server, ServerBuilder},
};

/// How the Everything Server differs from what clients expect of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How many things a page of a list has. `None`: each list is one page, since not every client turns pages.
    pub page_size: Option<NonZeroUsize>,
    /// Speaks only revisions of this era. `None`: all.
    pub only: Option<Era>,
}

/// The Everything Server: every feature that a server can have, under the names that conformance suites look for.
pub fn server(options: Options) -> Result<Server, BuildError> {
    builder(options)?.build()
}

/// The same, to be changed before it is built.
pub fn builder(options: Options) -> Result<ServerBuilder, BuildError> {
    let mut builder = Server::builder(NAME, VERSION)
        .title("Proofmark Everything Server")
        .description("Every feature of MCP, to be tested against")
        .instructions("Fixtures for tests. Nothing here changes anything outside of the server.")
        .completion(completion::complete)
        .skill(skills::pdf_processing()?);
    if let Some(size) = options.page_size {
        builder = builder.page_size(size);
    }
    if let Some(era) = options.only {
        builder = builder.revisions(Revision::of(era));
    }
    for entry in tools::all() {
        builder = builder.add_tool(entry);
    }
    for entry in resources::all() {
        builder = builder.add_resource(entry);
    }
    builder = builder.add_template(resources::template());
    for entry in prompts::all() {
        builder = builder.add_prompt(entry);
    }
    Ok(builder)
}

const NAME: &str = "mcp-conformance-test-server";
const VERSION: &str = "1.0.0";
