//! The one task of a client: it owns the connection, and ends with it.

use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{
    Lost, child,
    child::StderrTail,
    engine::Engine,
    http,
    lines::{self, End},
    target::Target,
};

/// Begins the conversation. When the token is cancelled, the connection is closed in good order, and the task ends.
pub(super) fn start(
    engine: Arc<Engine>,
    target: Target,
    stderr: StderrTail,
    closing: CancellationToken,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        match target {
            Target::Command(command) => {
                engine.begin(|_| {});
                child::run(&engine, &command, &stderr, &closing).await;
            }
            Target::Streams { reader, writer } => {
                let generation = engine.begin(|_| {});
                let end = lines::run(&engine, generation, reader, writer, &closing).await;
                engine.lose(match end {
                    End::Asked => Lost::Closed,
                    End::Broken(error) => Lost::Io(error),
                    End::Failed(lost) => lost,
                    End::Output => Lost::Ended { stderr: String::new() },
                    End::Stalled(limit) => Lost::Stalled { seconds: limit.as_secs() },
                });
            }
            Target::Url(url) => http::run(&engine, &url, http::Way::Streamable, &closing).await,
            Target::SseUrl(url) => http::run(&engine, &url, http::Way::Sse, &closing).await,
        }
    })
}
