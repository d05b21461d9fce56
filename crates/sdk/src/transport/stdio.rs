//! The process's own standard input and output.

use std::{future::pending, io};

use super::{
    LineSettings,
    lines::{Client, serve_lines_of},
    lines_fast,
};
use crate::{caller::Principal, platform, server::Server};

/// Serves the client that started this process. Nothing else may write to standard output meanwhile.
///
/// Returns when the input ends and what it asked for is answered. If it is dropped before, one more read of the input may be under way.
/// Where the system allows it, handlers begin on a thread that reads for them, within the runtime that this is awaited in.
pub async fn serve_stdio(server: &Server, settings: LineSettings) -> io::Result<()> {
    serve_stdio_until(server, settings, pending()).await
}

/// The same, until `stop` is done: then nothing more is read, and what was asked for is answered within [`LineSettings::drain`]. A server
/// that is to answer before it goes by a signal gives the arrival of that signal.
pub async fn serve_stdio_until(
    server: &Server,
    settings: LineSettings,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    if let Some((input, output)) = platform::piped_stdio()? {
        return lines_fast::serve(server, input, output, settings, stop).await;
    }
    let client = Client { owner: Principal::Local, caller: None };
    let (reader, writer) = (tokio::io::stdin(), tokio::io::stdout());
    serve_lines_of(server, (reader, writer), settings, client, stop).await
}
