//! A mock on a pair of pipes: a message is a line.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use proofmark_check::record::wire::line_splitter::{LineSplitter, Split};
use serde_json::Value;
use tokio::io::{self, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{Fault, Mock, Reply, refused};

/// Serves one client until it has closed its end, or until a fault closes ours.
pub async fn serve_lines(
    mock: Arc<Mock>,
    reader: impl AsyncRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let lines = Box::pin(lines(reader).map(|line| {
        let mock = Arc::clone(&mock);
        async move { said(&mock, line).await }
    }));
    let mut replies = lines.buffer_unordered(AT_ONCE);
    while let Some(bytes) = replies.next().await {
        match bytes {
            Some(bytes) => {
                writer.write_all(&bytes).await?;
                writer.flush().await?;
            }
            None => break,
        }
    }
    writer.shutdown().await
}

/// The bytes that answer a line; `None` for the end of the connection.
async fn said(mock: &Mock, line: Result<Value, String>) -> Option<Vec<u8>> {
    let replies: Vec<Reply> = match line {
        Ok(Value::Array(batch)) => batch.iter().map(|message| mock.hear(message)).collect(),
        Ok(message) => vec![mock.hear(&message)],
        Err(why) => vec![refused(&Value::Null, -32700, &why)],
    };
    let mut bytes = Vec::new();
    for reply in replies {
        tokio::time::sleep(reply.delay).await;
        match reply.fault {
            Some(Fault::Close) => return None,
            Some(Fault::Drop) => {}
            Some(Fault::Garbage) => bytes.extend_from_slice(GARBAGE),
            Some(Fault::Error) | None if mock.was_cancelled(&reply) => {}
            Some(Fault::Error) | None => {
                for message in &reply.messages {
                    bytes.extend_from_slice(message.to_string().as_bytes());
                    bytes.push(b'\n');
                }
            }
        }
    }
    Some(bytes)
}

/// Lines as JSON, or why they are none.
fn lines(
    reader: impl AsyncRead + Unpin,
) -> impl futures_util::Stream<Item = Result<Value, String>> {
    let state = (reader, LineSplitter::default());
    let chunks = stream::unfold(state, |(mut reader, mut splitter)| async move {
        let mut buffer = vec![0; CHUNK];
        let read = reader.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        let mut input = &buffer[..read];
        let mut found = Vec::new();
        while let Some(split) = splitter.next(&mut input) {
            found.push(match split {
                Split::Line(line) => serde_json::from_slice(line).map_err(|it| it.to_string()),
                Split::TooLong => Err("the message is too long".to_owned()),
            });
        }
        Some((stream::iter(found), (reader, splitter)))
    });
    chunks.flatten()
}

/// Answers that wait at the same time.
const AT_ONCE: usize = 64;
const CHUNK: usize = 64 * 1024;
pub(super) const GARBAGE: &[u8] = b"{\"jsonrpc\": \"2.0\", oops\n";
