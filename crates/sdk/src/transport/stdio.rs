//! The process's own standard input and output.

mod piped;

use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::FileTypeExt,
    },
};

use super::{LineSettings, lines::serve_lines_of};
use crate::{caller::Principal, server::Server};

/// Serves the client that started this process. Nothing else may write to standard output meanwhile.
///
/// Returns when the input ends and what it asked for is answered. If it is dropped before, one more read of the input may be under way.
/// Handlers begin on a thread that reads for them, within the runtime that this is awaited in.
pub async fn serve_stdio(server: &Server, settings: LineSettings) -> io::Result<()> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    if is_piped(&input)? && is_piped(&output)? {
        return piped::serve(server, input, output, settings).await;
    }
    let (reader, writer) = (tokio::io::stdin(), tokio::io::stdout());
    serve_lines_of(server, reader, writer, settings, Principal::Local).await
}

/// Clients connect pipes or sockets. A terminal or a file is for people who try things out.
fn is_piped(fd: &OwnedFd) -> io::Result<bool> {
    let file_type = File::from(fd.try_clone()?).metadata()?.file_type();
    Ok(file_type.is_fifo() || file_type.is_socket())
}
