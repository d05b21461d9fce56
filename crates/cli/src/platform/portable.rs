//! Any system: Ctrl-C is all that tells a process what to do.

use std::{convert::Infallible, future::pending, io, process::ExitStatus};

use tokio::signal::ctrl_c;

use super::Ending;

/// Done when the process is interrupted.
#[expect(clippy::unnecessary_wraps, reason = "other systems may refuse it")]
pub(crate) fn interrupted_or_terminated() -> io::Result<impl Future<Output = Ending>> {
    Ok(async {
        if ctrl_c().await.is_err() {
            pending::<()>().await;
        }
        Ending::Interrupted
    })
}

/// Never done: the process is ended without being told.
#[expect(clippy::unnecessary_wraps, reason = "other systems may refuse it")]
pub(crate) fn terminated() -> io::Result<impl Future<Output = ()>> {
    Ok(pending())
}

/// Ctrl-C reaches the child by itself; it does not end this process before the child.
#[expect(clippy::unnecessary_wraps, reason = "other systems may refuse it")]
pub(crate) fn pass_signals(_: u32) -> io::Result<impl Future<Output = Infallible>> {
    Ok(async {
        loop {
            if ctrl_c().await.is_err() {
                pending::<()>().await;
            }
        }
    })
}

/// One where the child has none.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// The standard library has no such thing.
pub(crate) fn adopt_orphans() {}

/// None were adopted.
pub(crate) fn end_orphans() {}

/// The standard library has no such thing.
pub(crate) fn lower_priority() {}
