//! Any system, with what the standard library has.

use std::{
    fs::OpenOptions,
    io::{self, Read, Write},
    process::Command,
};

/// Nothing: a child process is ended alone, and what it started ends when its pipes do.
#[derive(Clone, Copy, Debug)]
pub struct ProcessGroup(());

impl ProcessGroup {
    /// Before the child is started.
    pub fn prepare(_: &mut Command) {}

    /// Of a child that was prepared and started, by its process id.
    pub fn of(_: Option<u32>) -> Self {
        Self(())
    }

    /// Cannot be asked; the end of its input is what tells it.
    pub fn terminate(self) {}

    /// The child itself is killed by its owner.
    pub fn kill(self) {}
}

/// A new file gets the rights of its folder.
pub fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Standard input and output; what is written is to be flushed.
pub fn raw_stdio() -> io::Result<(impl Read + Send + 'static, impl Write + Send + 'static)> {
    Ok((io::stdin(), io::stdout()))
}
