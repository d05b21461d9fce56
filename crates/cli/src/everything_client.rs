//! `proofmark everything-client`: the Everything Client, as a conformance suite runs it.

use anyhow::Context;
use proofmark_everything::client::{Assignment, run as act};
use proofmark_sdk::client::Inherit;
use tokio::runtime::Builder;

use crate::{arguments::EverythingClient, everything::NO_RUNTIME, exit, peer};

pub(crate) fn run(arguments: &EverythingClient) -> anyhow::Result<u8> {
    let assignment = Assignment::from_environment(|name| std::env::var(name).ok())?;
    let runtime = Builder::new_current_thread().enable_all().build().context(NO_RUNTIME)?;
    // The suite that starts this program says by variables what its server is to do.
    let server = || peer::target(arguments.url.as_deref(), &arguments.command, || Inherit::All);
    runtime.block_on(act(server, &assignment))?;
    Ok(exit::SUCCESS)
}
