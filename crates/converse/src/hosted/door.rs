//! Where clients come in over HTTP: requests are read, and whatever the stage says is written.

use std::io;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
};

use super::stage::Heard;
use crate::http_request::HttpRequest;
use proofmark_record::{
    event::header,
    wire::{MOST_FRAME, http::read_head},
};

/// Accepts connections until it is dropped. One request each, so that whatever goes wrong belongs to one request.
pub(super) async fn attend(listener: TcpListener, stage: mpsc::Sender<Heard>) {
    let mut connections = JoinSet::new();
    let mut exchange = 0;
    loop {
        tokio::select! {
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            Ok((stream, _)) = listener.accept(), if connections.len() < MOST_CONNECTIONS => {
                exchange += 1;
                let stage = stage.clone();
                connections.spawn(async move {
                    // What the client sees of a broken connection is for the client to handle.
                    let _ = serve(stream, exchange, &stage).await;
                });
            }
        }
    }
}

async fn serve(
    mut stream: TcpStream,
    exchange: u32,
    stage: &mpsc::Sender<Heard>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let request = match read(&mut stream).await {
        Ok(Some(request)) => request,
        // A connection that was opened ahead and never used.
        Ok(None) => return Ok(()),
        Err(error) => {
            let _ = stage.send(Heard::NoHttp { exchange, why: error.to_string() }).await;
            return Err(error);
        }
    };
    let (pieces, mut outgoing) = mpsc::channel(MOST_PIECES);
    if stage.send(Heard::Request { exchange, request, pieces }).await.is_err() {
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
    // Nobody listens any more.
    let _ = stage.send(Heard::Left { exchange }).await;
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
        body = unchunk(stream, body).await?;
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

async fn unchunk(stream: &mut TcpStream, mut raw: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let end = loop {
            if let Some(end) = raw[at..].windows(2).position(|pair| pair == b"\r\n") {
                break at + end;
            }
            more(stream, &mut raw).await?;
        };
        let digits = String::from_utf8_lossy(&raw[at..end]).into_owned();
        let digits = digits.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16)
            .map_err(|_| io::Error::other(format!("no chunk size: {digits:?}")))?;
        if size == 0 {
            return Ok(body);
        }
        let next = size
            .checked_add(end + 4)
            .filter(|next| *next <= MOST_FRAME)
            .ok_or_else(|| io::Error::other("the body is too large"))?;
        while raw.len() < next {
            more(stream, &mut raw).await?;
        }
        body.extend_from_slice(&raw[end + 2..end + 2 + size]);
        at = next;
    }
}

async fn more(stream: &mut TcpStream, raw: &mut Vec<u8>) -> io::Result<()> {
    refuse_floods(raw)?;
    if stream.read_buf(raw).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

fn refuse_floods(bytes: &[u8]) -> io::Result<()> {
    if bytes.len() > MOST_FRAME {
        return Err(io::Error::other(format!("the body has more than {MOST_FRAME} bytes")));
    }
    Ok(())
}

const MOST_CONNECTIONS: usize = 64;
/// Pieces that wait for a client that does not read.
const MOST_PIECES: usize = 256;
