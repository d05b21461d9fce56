//! `proofmark hosted-server`: what a client under check starts to reach the checker.

use anyhow::Context;
use proofmark_check::converse::hosted::{Ending, bridge};
use tokio::{
    io::{stdin, stdout},
    runtime::Builder,
};

use crate::{arguments::HostedServer, everything::NO_RUNTIME, exit, platform};

pub(crate) fn run(arguments: &HostedServer) -> anyhow::Result<u8> {
    let runtime = Builder::new_current_thread().enable_all().build().context(NO_RUNTIME)?;
    let ending = runtime.block_on(async {
        let terminated = platform::terminated()?;
        bridge(arguments.connect, stdin(), stdout(), terminated).await
    })?;
    // The thread that still reads from standard input is not waited for.
    runtime.shutdown_background();
    Ok(match ending {
        Ending::Closed | Ending::Terminated => exit::SUCCESS,
        // As crashed servers end.
        Ending::Died => exit::BROKEN,
    })
}
