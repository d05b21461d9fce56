//! The process's own standard input and output.

use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{fs::FileTypeExt, net::UnixStream as StdUnixStream},
    },
};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{UnixStream, unix::pipe},
};

use super::{LineSettings, lines::serve_lines_of};
use crate::{caller::Principal, server::Server};

/// Serves the client that started this process. Nothing else may write to standard output meanwhile.
///
/// Returns when the input ends and what it asked for is answered.
pub async fn serve_stdio(server: &Server, settings: LineSettings) -> io::Result<()> {
    let reader = reader(io::stdin().as_fd().try_clone_to_owned()?)?;
    let writer = writer(io::stdout().as_fd().try_clone_to_owned()?)?;
    serve_lines_of(server, reader, writer, settings, Principal::Local).await
}

/// Clients connect pipes or sockets, which can be waited for. Anything else is read by a thread.
fn reader(fd: OwnedFd) -> io::Result<Box<dyn AsyncRead + Unpin + Send>> {
    Ok(match kind(&fd)? {
        Kind::Pipe => Box::new(pipe::Receiver::from_owned_fd(fd)?),
        Kind::Socket => Box::new(socket(fd)?),
        Kind::Other => Box::new(tokio::io::stdin()),
    })
}

fn writer(fd: OwnedFd) -> io::Result<Box<dyn AsyncWrite + Unpin + Send>> {
    Ok(match kind(&fd)? {
        Kind::Pipe => Box::new(pipe::Sender::from_owned_fd(fd)?),
        Kind::Socket => Box::new(socket(fd)?),
        Kind::Other => Box::new(tokio::io::stdout()),
    })
}

enum Kind {
    Other,
    Pipe,
    Socket,
}

fn kind(fd: &OwnedFd) -> io::Result<Kind> {
    let file_type = File::from(fd.try_clone()?).metadata()?.file_type();
    Ok(if file_type.is_fifo() {
        Kind::Pipe
    } else if file_type.is_socket() {
        Kind::Socket
    } else {
        Kind::Other
    })
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let socket = StdUnixStream::from(fd);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}
