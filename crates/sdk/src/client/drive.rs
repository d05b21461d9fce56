//! The one task of a client: it owns the connection, and ends with it.

use std::{io, sync::Arc};

use futures_util::FutureExt;
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
        let _whatever_happens = Ended(engine.clone());
        // Boxed, so that what other targets need lies out of the way of what every message goes through.
        match target {
            Target::Command(command) => {
                engine.begin(|_| {});
                child::run(&engine, &command, &stderr, &closing).boxed().await;
            }
            Target::Custom(transport) => transport.run(&engine, &closing).await,
            Target::Memory(memory) => {
                let generation = engine.begin(|_| {});
                let (reader, writer, serving) = memory.open();
                let mut run = lines::run(&engine, generation, reader, writer, &closing).boxed();
                let end = tokio::select! {
                    biased;
                    end = &mut run => end,
                    // What it said last is still to be read.
                    _ended = serving.boxed() => run.await,
                };
                engine.lose(Lost::from(end));
            }
            Target::Streams { reader, writer } => {
                let generation = engine.begin(|_| {});
                let end = lines::run(&engine, generation, reader, writer, &closing).boxed().await;
                engine.lose(Lost::from(end));
            }
            Target::Url(url) => {
                http::run(&engine, &url, http::HttpTransport::Streamable, &closing).boxed().await;
            }
            Target::SseUrl(url) => {
                http::run(&engine, &url, http::HttpTransport::Sse, &closing).boxed().await;
            }
        }
    })
}

impl From<End> for Lost {
    fn from(end: End) -> Self {
        match end {
            End::Asked => Self::Closed,
            End::Broken(error) => Self::Io(error),
            End::Failed(lost) => lost,
            End::Output => Self::Ended { stderr: String::new() },
            End::Stalled(limit) => Self::Stalled { seconds: limit.as_secs() },
        }
    }
}

/// No caller waits for a task that is no more, even if it panicked or its runtime was shut down.
struct Ended(Arc<Engine>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.lose(Lost::Io(io::Error::other("the client's own task ended early")));
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use tokio::io::{AsyncRead, ReadBuf, sink};

    use crate::client::Client;

    use super::*;

    /// A stream that cannot be read without a panic.
    struct Trap;

    impl AsyncRead for Trap {
        fn poll_read(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
            _: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            panic!("on purpose");
        }
    }

    #[tokio::test]
    async fn a_task_that_panics_leaves_no_caller_waiting() {
        let error = Client::connect(Target::streams(Trap, sink())).await.err().unwrap();
        assert!(error.to_string().contains("ended early"), "{error}");
    }
}
