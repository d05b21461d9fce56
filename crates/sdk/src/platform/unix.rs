//! Unix: standard input and output that are pipes or sockets can be read and written without a detour.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::FileTypeExt,
    },
};

use rustix::event::{PollFd, PollFlags, poll};
use tokio::net::{UnixStream, unix::pipe};

/// The end of a pipe or socket that is read from. To read blocks.
pub(crate) struct PipeReader(File);

/// The end of a pipe or socket that is written to. To write does not block.
pub(crate) struct PipeWriter(File);

/// Standard input and output, if both are pipes or sockets, as clients connect them. A terminal or a file is for people who try things out.
pub(crate) fn piped_stdio() -> io::Result<Option<(PipeReader, PipeWriter)>> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    if !is_piped(&input)? || !is_piped(&output)? {
        return Ok(None);
    }
    Ok(Some((PipeReader::new(input), PipeWriter::new(output)?)))
}

fn is_piped(fd: &OwnedFd) -> io::Result<bool> {
    let file_type = File::from(fd.try_clone()?).metadata()?.file_type();
    Ok(file_type.is_fifo() || file_type.is_socket())
}

impl PipeReader {
    pub(crate) fn new(input: OwnedFd) -> Self {
        Self(input.into())
    }

    /// Blocks until there is something to read, also if another process has made the input one that does not block. Zero at the end.
    pub(crate) fn read(&self, chunk: &mut [u8]) -> io::Result<usize> {
        loop {
            match (&self.0).read(chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], None) {
                        Ok(_) | Err(rustix::io::Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                read => return read,
            }
        }
    }
}

impl PipeWriter {
    pub(crate) fn new(output: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&output, true)?;
        Ok(Self(output.into()))
    }

    /// Writes as much as there is room for; [`io::ErrorKind::WouldBlock`] if there is none.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        (&self.0).write(bytes)
    }
}

/// An output that the client has to read from before there is room.
pub(crate) enum Blocked {
    Pipe(pipe::Sender),
    Socket(UnixStream),
}

impl Blocked {
    pub(crate) fn new(output: &PipeWriter) -> io::Result<Self> {
        let fd = output.0.as_fd().try_clone_to_owned()?;
        Ok(if output.0.metadata()?.file_type().is_socket() {
            Self::Socket(UnixStream::from_std(fd.into())?)
        } else {
            Self::Pipe(pipe::Sender::from_owned_fd(fd)?)
        })
    }

    pub(crate) async fn writable(&self) -> io::Result<()> {
        match self {
            Self::Pipe(output) => output.writable().await,
            Self::Socket(output) => output.writable().await,
        }
    }
}
