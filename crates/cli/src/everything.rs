//! `proofmark everything`: the Everything Server, on standard input and output or over HTTP.

mod http;
mod shared;

use anyhow::Context;
use proofmark_everything::Options;
use proofmark_sdk::transport::{LineSettings, serve_stdio_until};
use tokio::{runtime::Builder, sync::Notify};

use self::http::Access;
use crate::{arguments::Everything, exit, platform, say};

pub(crate) fn run(arguments: &Everything) -> anyhow::Result<u8> {
    let options = Options { page_size: arguments.page_size, ..Options::default() };
    if arguments.stdio {
        let server = proofmark_everything::server(options).context(NO_SERVER)?;
        // Standard output belongs to the messages.
        say::on_stderr(format_args!("{TITLE} running on stdio"));
        let runtime = Builder::new_current_thread().enable_all().build().context(NO_RUNTIME)?;
        let stop = Notify::new();
        let serving = async {
            serve_stdio_until(&server, LineSettings::default(), stop.notified())
                .await
                .context("the connection to the client broke")
        };
        runtime.block_on(unless_told_twice(serving, &stop))?;
        return Ok(exit::SUCCESS);
    }
    let runtime = Builder::new_multi_thread().enable_all().build().context(NO_RUNTIME)?;
    let access = if arguments.auth { Access::Tokens } else { Access::Open };
    let stop = Notify::new();
    let serving = async {
        let stores = shared::stores(arguments.store.as_deref()).await?;
        let server = shared::server(options, stores.as_ref()).await?;
        let settings = shared::settings(&arguments.host, stores.as_ref());
        http::serve(server, &arguments.http, access, settings, stores, &stop).await
    };
    runtime.block_on(unless_told_twice(serving, &stop))?;
    Ok(exit::SUCCESS)
}

/// Serves, and says so when the process is told to stop. When it is told a second time, it ends at once.
async fn unless_told_twice(
    serving: impl Future<Output = anyhow::Result<()>>,
    stop: &Notify,
) -> anyhow::Result<()> {
    const NO_SIGNALS: &str = "the system delivers no signals";
    let told = async {
        platform::interrupted_or_terminated().context(NO_SIGNALS)?.await;
        stop.notify_one();
        Err(platform::interrupted_or_terminated().context(NO_SIGNALS)?.await.into())
    };
    tokio::select! {
        biased;
        ended = told => ended,
        served = serving => served,
    }
}

const NO_SERVER: &str = "the Everything Server cannot be put together";
const TITLE: &str = "MCP Conformance Test Server";
pub(crate) const NO_RUNTIME: &str = "the system refuses what an event loop needs";
