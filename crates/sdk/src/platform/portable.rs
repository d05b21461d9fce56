//! Other systems, where nothing tells whether a pipe has room: there are no such pipes here, and standard input and output are read and
//! written by tokio.

use std::io;

pub(crate) enum PipeReader {}

pub(crate) enum PipeWriter {}

pub(crate) enum Blocked {}

#[expect(clippy::unnecessary_wraps, reason = "the signature of its sibling")]
pub(crate) fn piped_stdio() -> io::Result<Option<(PipeReader, PipeWriter)>> {
    Ok(None)
}

impl PipeReader {
    pub(crate) fn read(&self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl PipeWriter {
    pub(crate) fn write(&self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl Blocked {
    pub(crate) fn new(output: &PipeWriter) -> io::Result<Self> {
        match *output {}
    }

    #[expect(clippy::unused_async, reason = "the signature of its sibling")]
    pub(crate) async fn writable(&self) -> io::Result<()> {
        match *self {}
    }
}
