//! The hosted server as a process on a pipe: what a client starts carries everything between the pipe and the checker.
//!
//! To the checker go frames: a tag, a length of four bytes, the bytes. Back come bytes as they are.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, duplex},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
};

use super::{
    client::{ClientPeer, Meeting},
    stage::Heard,
};
use crate::run::Serving;

/// Why the pipe is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client closed the server's input.
    Closed,
    /// The server was told to end by a signal.
    Terminated,
}

/// Carries a pipe to the checker at this address until one of the two is over. `terminated` is ready when a signal asks to end.
pub async fn bridge(
    address: SocketAddr,
    mut input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
    terminated: impl Future<Output = ()>,
) -> io::Result<Ending> {
    let mut checker = TcpStream::connect(address).await?;
    checker.set_nodelay(true)?;
    let (mut from_checker, mut to_checker) = checker.split();
    let mut terminated = Box::pin(terminated);
    let mut buffer = vec![0; CHUNK];
    let mut answer = vec![0; CHUNK];
    loop {
        tokio::select! {
            read = input.read(&mut buffer) => {
                let read = read.unwrap_or(0);
                if read == 0 {
                    send(&mut to_checker, CLOSED, &[]).await?;
                    return Ok(Ending::Closed);
                }
                send(&mut to_checker, BYTES, &buffer[..read]).await?;
            }
            read = from_checker.read(&mut answer) => {
                let read = read?;
                if read == 0 {
                    return Ok(Ending::Closed);
                }
                output.write_all(&answer[..read]).await?;
                output.flush().await?;
            }
            () = &mut terminated => {
                send(&mut to_checker, TERMINATED, &[]).await?;
                return Ok(Ending::Terminated);
            }
        }
    }
}

async fn send(to: &mut (impl AsyncWrite + Unpin), tag: u8, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_u8(tag).await?;
    to.write_u32(length).await?;
    to.write_all(bytes).await
}

/// Where the client meets a server on a pipe, and what listens there.
pub(super) async fn meet(
    peer: &ClientPeer,
    stage: mpsc::Sender<Heard>,
) -> io::Result<(Meeting, Serving)> {
    Ok(match peer {
        ClientPeer::Memory { .. } => {
            let (near, far) = duplex(CHUNK);
            (Meeting::Pipe(far), Box::pin(attend_pipe(near, stage)))
        }
        ClientPeer::Command { bridge, .. } => {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let mut words = bridge.clone();
            words.push(listener.local_addr()?.to_string());
            (Meeting::Command(words), Box::pin(attend(listener, stage)))
        }
    })
}

async fn attend(listener: TcpListener, stage: mpsc::Sender<Heard>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            Ok((stream, _)) = listener.accept() => {
                connections.spawn(attend_bridge(stream, stage.clone()));
            }
        }
    }
}

async fn attend_bridge(stream: TcpStream, stage: mpsc::Sender<Heard>) {
    let (mut reader, mut writer) = stream.into_split();
    let (pieces, mut outgoing) = mpsc::channel(MOST_PIECES);
    if stage.send(Heard::Piped(pieces)).await.is_err() {
        return;
    }
    let writing = async {
        while let Some(piece) = outgoing.recv().await {
            if writer.write_all(&piece).await.is_err() {
                return;
            }
        }
        let _ = writer.shutdown().await;
    };
    let reading = async {
        loop {
            let heard = match frame(&mut reader).await {
                Ok((BYTES, bytes)) => Heard::Bytes(bytes),
                Ok((CLOSED, _)) => Heard::InputClosed,
                Ok(_) => Heard::Killed("the client ended the server with a signal".to_owned()),
                Err(_) => Heard::Killed("the client killed the server".to_owned()),
            };
            let over = !matches!(heard, Heard::Bytes(_));
            if stage.send(heard).await.is_err() || over {
                return;
            }
        }
    };
    tokio::join!(writing, reading);
}

async fn frame(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<(u8, Vec<u8>)> {
    let tag = reader.read_u8().await?;
    let length = reader.read_u32().await?;
    let length = usize::try_from(length).map_err(io::Error::other)?;
    if length > CHUNK {
        return Err(io::Error::other("no bridge writes so much at once"));
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).await?;
    Ok((tag, bytes))
}

async fn attend_pipe(pipe: tokio::io::DuplexStream, stage: mpsc::Sender<Heard>) {
    let (mut reader, mut writer) = tokio::io::split(pipe);
    let (pieces, mut outgoing) = mpsc::channel::<Vec<u8>>(MOST_PIECES);
    if stage.send(Heard::Piped(pieces)).await.is_err() {
        return;
    }
    let writing = async {
        while let Some(piece) = outgoing.recv().await {
            if writer.write_all(&piece).await.is_err() {
                return;
            }
        }
        let _ = writer.shutdown().await;
    };
    let reading = async {
        let mut buffer = vec![0; CHUNK];
        loop {
            let read = reader.read(&mut buffer).await.unwrap_or(0);
            let heard = match read {
                0 => Heard::InputClosed,
                _ => Heard::Bytes(buffer[..read].to_vec()),
            };
            if stage.send(heard).await.is_err() || read == 0 {
                return;
            }
        }
    };
    tokio::join!(writing, reading);
}

const BYTES: u8 = b'b';
const CLOSED: u8 = b'c';
const TERMINATED: u8 = b't';
const CHUNK: usize = 64 * 1024;
const MOST_PIECES: usize = 1024;
