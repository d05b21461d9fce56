//! `proofmark mock`: a server that answers as was recorded, or as a file says.

use std::sync::Arc;

use anyhow::Context;
use proofmark_check::record::text::Untrusted;
use proofmark_test::mock::{self, Faults, Matching, Settings};
use tokio::{net::TcpListener, runtime::Builder};

use crate::{address::Address, arguments::Mock, check, everything::NO_RUNTIME, exit, say};

pub(crate) fn run(arguments: &Mock) -> anyhow::Result<u8> {
    let environment = |name: &str| std::env::var(name).ok();
    let read = mock::read(&arguments.file, arguments.server.as_deref(), &environment);
    let book = match check::sensible(read.map_err(Into::into)) {
        Ok(book) => book,
        Err(code) => return Ok(code),
    };
    let settings = Settings {
        matching: if arguments.strict { Matching::Strict } else { Matching::Lenient },
        latency: arguments.latency.unwrap_or_default(),
        faults: Faults(arguments.fault.clone()),
        seed: arguments.seed,
    };
    // Standard output belongs to the messages.
    let told = |note: &str| say::on_stderr(Untrusted(note));
    let mock = Arc::new(mock::Mock::new(book, settings, Box::new(told)));
    let runtime = Builder::new_multi_thread().enable_all().build().context(NO_RUNTIME)?;
    let served = runtime.block_on(check::unless_told(async {
        match &arguments.http {
            Some(address) => over_http(mock, address).await,
            None => mock::serve_lines(mock, tokio::io::stdin(), tokio::io::stdout())
                .await
                .context("the connection to the client broke"),
        }
    }));
    // A read of standard input that still waits does not hold the process.
    runtime.shutdown_background();
    served??;
    Ok(exit::SUCCESS)
}

async fn over_http(mock: Arc<mock::Mock>, address: &Address) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address.resolve().await?)
        .await
        .with_context(|| format!("cannot listen on {address}"))?;
    let origin = format!("http://{}", listener.local_addr()?);
    say::on_stdout(format_args!("mock server running on {origin}"));
    say::on_stdout(format_args!("  - MCP endpoint: {origin}/mcp"));
    say::on_stdout(format_args!("  - HTTP+SSE endpoint: {origin}/sse"));
    mock::serve_http(mock, listener).await.context("the listener broke")
}
