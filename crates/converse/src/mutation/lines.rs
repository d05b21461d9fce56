//! A changed pipe.

use std::sync::Arc;

use tokio::{
    io::{
        AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, duplex,
        split,
    },
    sync::mpsc,
};

use super::{Change, Mutation, Mutator};
use proofmark_record::wire::lines::LineWire;

/// Gives a client's end of a pipe, and what carries lines between it and a server's pipe, changing them.
pub fn mutate_lines(
    mutation: Mutation,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> (LineWire, impl Future<Output = ()> + Send) {
    let (near, far) = duplex(BUFFER);
    let (near_reader, near_writer) = split(near);
    let mut wire = LineWire::new(near_reader, near_writer);
    if let Mutation::Mutters(text) = mutation {
        let (sender, receiver) = mpsc::channel(1);
        // There is room for one.
        let _ = sender.try_send(text.to_owned());
        wire = wire.with_stderr(receiver);
    }
    (wire, carry(Mutator::new(mutation), far, reader, writer))
}

/// As [`mutate_lines`], with a change that was made for the occasion.
pub fn change_lines(
    change: Arc<dyn Change>,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> (LineWire, impl Future<Output = ()> + Send) {
    let (near, far) = duplex(BUFFER);
    let (near_reader, near_writer) = split(near);
    let wire = LineWire::new(near_reader, near_writer);
    (wire, carry(Mutator::changed(change), far, reader, writer))
}

async fn carry(
    mut mutator: Mutator,
    client: DuplexStream,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
) {
    let (from_client, mut to_client) = split(client);
    let mut from_client = BufReader::new(from_client).lines();
    let mut from_server = BufReader::new(reader).lines();
    let mut to_server = Some(writer);
    loop {
        let outgoing = tokio::select! {
            line = from_client.next_line(), if to_server.is_some() => {
                let Ok(Some(line)) = line else {
                    if let Some(mut writer) = to_server.take() {
                        let _ = writer.shutdown().await;
                    }
                    continue;
                };
                if let Some(answers) = mutator.hear(&line) {
                    answers
                } else {
                    let Some(writer) = &mut to_server else { return };
                    if writer.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                        return;
                    }
                    mutator.beside_heard(&line)
                }
            }
            line = from_server.next_line() => {
                let Ok(Some(line)) = line else {
                    if mutator.lingers() {
                        // The checker, which waits for the end, is the one to give up.
                        return std::future::pending().await;
                    }
                    return;
                };
                mutator.say(&line)
            }
        };
        for text in outgoing {
            if to_client.write_all(&mutator.line(&text)).await.is_err() {
                return;
            }
        }
    }
}

const BUFFER: usize = 64 * 1024;
