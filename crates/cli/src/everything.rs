//! `proofmark everything`: the Everything Server, on standard input and output or over HTTP.

mod http;

use anyhow::Context;
use proofmark_everything::Options;
use proofmark_sdk::transport::{LineSettings, serve_stdio_until};
use tokio::runtime::Builder;

use self::http::Access;
use crate::{arguments::Everything, exit, platform, say};

pub(crate) fn run(arguments: &Everything) -> anyhow::Result<u8> {
    let server = proofmark_everything::server(Options {
        page_size: arguments.page_size,
        ..Options::default()
    })
    .context("the Everything Server cannot be put together")?;
    if arguments.stdio {
        // Standard output belongs to the messages.
        say::on_stderr(format_args!("{TITLE} running on stdio"));
        let runtime = Builder::new_current_thread().enable_all().build().context(NO_RUNTIME)?;
        let served = async {
            let told = told_to_stop()?;
            serve_stdio_until(&server, LineSettings::default(), told)
                .await
                .context("the connection to the client broke")
        };
        runtime.block_on(served)?;
        return Ok(exit::SUCCESS);
    }
    let runtime = Builder::new_multi_thread().enable_all().build().context(NO_RUNTIME)?;
    let access = if arguments.auth { Access::Tokens } else { Access::Open };
    runtime.block_on(http::serve(server, &arguments.http, access))?;
    Ok(exit::SUCCESS)
}

/// Done when the process is told to stop. When it is told a second time, it ends at once.
fn told_to_stop() -> anyhow::Result<impl Future<Output = ()>> {
    let told = platform::interrupted_or_terminated().context("the system delivers no signals")?;
    Ok(async {
        told.await;
        if let Ok(again) = platform::interrupted_or_terminated() {
            tokio::spawn(async { std::process::exit(again.await.code().into()) });
        }
    })
}

const TITLE: &str = "MCP Conformance Test Server";
pub(crate) const NO_RUNTIME: &str = "the system refuses what an event loop needs";
