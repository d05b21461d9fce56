//! The hosted server as a process on a pipe: what a client starts carries everything between the pipe and the checker.
//!
//! To the checker go frames: a tag, a length of four bytes, the bytes. Back come bytes as they are.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex, split},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
};

use super::{
    client::{ClientPeer, ServerAddress},
    server::{PipeInput, ServerInput},
};
use crate::peer::Serving;

/// Why the pipe is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client closed the server's input.
    Closed,
    /// The checker has the server end, as if by itself.
    Died,
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
                    return Ok(Ending::Died);
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

/// Starts the hosted server for a client in this process.
#[derive(Clone, Debug)]
pub struct Pipes(mpsc::Sender<DuplexStream>);

impl Pipes {
    /// Starts the server, and gives the client's end of a pipe to it. For a client that starts it over and over, nothing is at the other end.
    pub fn start(&self) -> DuplexStream {
        let (near, far) = duplex(CHUNK);
        let _ = self.0.try_send(near);
        far
    }
}

/// Where the client meets a server on a pipe, and what listens there.
pub(super) async fn open(
    peer: &ClientPeer,
    server: mpsc::Sender<ServerInput>,
) -> io::Result<(ServerAddress, Serving)> {
    Ok(match peer {
        ClientPeer::Memory { .. } => {
            let (pipes, started) = mpsc::channel(MOST_STARTS);
            (ServerAddress::Pipe(Pipes(pipes)), Box::pin(accept_pipes(started, server)))
        }
        ClientPeer::Command { bridge, .. } => {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let mut words = bridge.clone();
            words.push(listener.local_addr()?.to_string());
            (ServerAddress::Command(words), Box::pin(accept_bridges(listener, server)))
        }
    })
}

async fn accept_bridges(listener: TcpListener, server: mpsc::Sender<ServerInput>) {
    let mut connections = JoinSet::new();
    let mut start = 0;
    loop {
        tokio::select! {
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            Ok((stream, _)) = listener.accept() => {
                start += 1;
                connections.spawn(serve_bridge(stream, start, server.clone()));
            }
        }
    }
}

async fn accept_pipes(
    mut started: mpsc::Receiver<DuplexStream>,
    server: mpsc::Sender<ServerInput>,
) {
    let mut connections = JoinSet::new();
    let mut start = 0;
    loop {
        tokio::select! {
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            Some(pipe) = started.recv() => {
                start += 1;
                connections.spawn(serve_pipe(pipe, start, server.clone()));
            }
            else => return,
        }
    }
}

async fn serve_bridge(stream: TcpStream, start: u32, server: mpsc::Sender<ServerInput>) {
    let (mut reader, writer) = stream.into_split();
    let (pieces, outgoing) = mpsc::channel(MOST_PIECES);
    if server.send(ServerInput::Piped { start, pieces }).await.is_err() {
        return;
    }
    let reading = async {
        loop {
            let said = match frame(&mut reader).await {
                Ok((BYTES, bytes)) => PipeInput::Bytes(bytes),
                Ok((CLOSED, _)) => PipeInput::InputClosed,
                Ok(_) => PipeInput::Killed("the client ended the server with a signal".to_owned()),
                Err(_) => PipeInput::Killed("the client killed the server".to_owned()),
            };
            let over = !matches!(said, PipeInput::Bytes(_));
            if server.send(ServerInput::Line { start, said }).await.is_err() || over {
                return;
            }
        }
    };
    tokio::join!(write(outgoing, writer), reading);
}

/// Everything that is to be said, and then the end.
async fn write(mut outgoing: mpsc::Receiver<Vec<u8>>, mut writer: impl AsyncWrite + Unpin) {
    while let Some(piece) = outgoing.recv().await {
        if writer.write_all(&piece).await.is_err() {
            return;
        }
    }
    let _ = writer.shutdown().await;
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

async fn serve_pipe(pipe: DuplexStream, start: u32, server: mpsc::Sender<ServerInput>) {
    let (mut reader, writer) = split(pipe);
    let (pieces, outgoing) = mpsc::channel::<Vec<u8>>(MOST_PIECES);
    if server.send(ServerInput::Piped { start, pieces }).await.is_err() {
        return;
    }
    let reading = async {
        let mut buffer = vec![0; CHUNK];
        loop {
            let read = reader.read(&mut buffer).await.unwrap_or(0);
            let said = match read {
                0 => PipeInput::InputClosed,
                _ => PipeInput::Bytes(buffer[..read].to_vec()),
            };
            if server.send(ServerInput::Line { start, said }).await.is_err() || read == 0 {
                return;
            }
        }
    };
    tokio::join!(write(outgoing, writer), reading);
}

const BYTES: u8 = b'b';
const CLOSED: u8 = b'c';
const TERMINATED: u8 = b't';
const CHUNK: usize = 64 * 1024;
const MOST_PIECES: usize = 1024;
/// Servers that wait for the checker to take notice of them.
const MOST_STARTS: usize = 8;
