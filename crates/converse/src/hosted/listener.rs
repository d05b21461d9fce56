//! The listener for clients over HTTP: requests are read, and whatever the server says is written.

mod chunked;

use std::io;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
};

use super::server::ServerInput;
use crate::http_request::HttpRequest;
use proofmark_record::{
    event::header,
    wire::{MOST_FRAME, http::read_head},
};

/// Accepts connections until it is dropped. One request each, so that whatever goes wrong belongs to one request.
pub(super) async fn accept(listener: TcpListener, server: mpsc::Sender<ServerInput>) {
    let mut connections = JoinSet::new();
    let mut exchange = 0;
    loop {
        tokio::select! {
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            Ok((stream, _)) = listener.accept(), if connections.len() < MOST_CONNECTIONS => {
                exchange += 1;
                let server = server.clone();
                connections.spawn(async move {
                    // What the client sees of a broken connection is for the client to handle.
                    let _ = serve(stream, exchange, &server).await;
                });
            }
        }
    }
}

async fn serve(
    mut stream: TcpStream,
    exchange: u32,
    server: &mpsc::Sender<ServerInput>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let request = match read(&mut stream).await {
        Ok(Some(request)) => request,
        // A connection that was opened ahead and never used.
        Ok(None) => return Ok(()),
        Err(error) => {
            let _ = server.send(ServerInput::NoHttp { exchange, why: error.to_string() }).await;
            return Err(error);
        }
    };
    let (pieces, mut outgoing) = mpsc::channel(MOST_PIECES);
    if server.send(ServerInput::Request { exchange, request, pieces }).await.is_err() {
        return Ok(());
    }
    let (mut reader, mut writer) = stream.split();
    let mut rest = [0; 256];
    loop {
        tokio::select! {
            piece = outgoing.recv() => {
                let Some(piece) = piece else { return writer.shutdown().await };
                if writer.write_all(&piece).await.is_err() {
                    break;
                }
            }
            read = reader.read(&mut rest) => if !matches!(read, Ok(1..)) { break },
        }
    }
    // The client does not listen any more.
    let _ = server.send(ServerInput::Left { exchange }).await;
    Ok(())
}

async fn read(stream: &mut TcpStream) -> io::Result<Option<HttpRequest>> {
    if stream.peek(&mut [0]).await? == 0 {
        return Ok(None);
    }
    let (start, headers, mut body) = read_head(stream).await?;
    let mut words = start.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !words.next().is_some_and(|version| version.starts_with("HTTP/1.")) {
        return Err(io::Error::other(format!("no HTTP/1.1 request line: {start:?}")));
    }
    let (method, path) = (method.to_owned(), path.to_owned());
    if header(&headers, "expect").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    let chunked = header(&headers, "transfer-encoding")
        .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
    if chunked {
        body = chunked::read(stream, body).await?;
    } else {
        let length: usize =
            header(&headers, "content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
        while body.len() < length {
            refuse_floods(&body)?;
            if stream.read_buf(&mut body).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        body.truncate(length);
    }
    Ok(Some(HttpRequest { method, path, headers, body }))
}

pub(super) fn refuse_floods(bytes: &[u8]) -> io::Result<()> {
    if bytes.len() > MOST_FRAME {
        return Err(io::Error::other(format!("the body has more than {MOST_FRAME} bytes")));
    }
    Ok(())
}

const MOST_CONNECTIONS: usize = 64;
/// Pieces that wait for a client that does not read.
const MOST_PIECES: usize = 256;
