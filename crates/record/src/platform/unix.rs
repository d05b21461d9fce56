//! Unix: process groups, descriptors and file modes.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::{
        fd::AsFd,
        unix::{fs::OpenOptionsExt, process::CommandExt},
    },
    process::Command,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// A child process and all that it starts and does not put elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// Before the child is started.
    pub fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    /// Of a child that was prepared and started, by its process id.
    pub fn of(process: Option<u32>) -> Self {
        Self(process.and_then(|id| Pid::from_raw(id.cast_signed())))
    }

    /// Asks all of them to end.
    pub fn terminate(self) {
        self.signal(Signal::TERM);
    }

    /// Ends all of them.
    pub fn kill(self) {
        self.signal(Signal::KILL);
    }

    fn signal(self, signal: Signal) {
        if let Some(group) = self.0 {
            // A group that is gone needs no signal.
            let _ = kill_process_group(group, signal);
        }
    }
}

/// Lets a file that is created be read and written by its owner only, from its first moment on.
pub fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Standard input and output without buffers in between.
pub fn raw_stdio() -> io::Result<(impl Read + Send + 'static, impl Write + Send + 'static)> {
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    Ok((input, output))
}
