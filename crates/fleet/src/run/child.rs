//! A process that does one job: what it says is read up to a limit, and it is ended in any case.

use std::{path::Path, process::Stdio, time::Duration};

use proofmark_check::record::{platform::ProcessGroup, text::excerpt_of};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command,
    time::timeout,
};

/// What it said on standard output, or why that is not to be had.
pub(super) async fn run(
    program: &Path,
    words: &[String],
    patience: Duration,
) -> Result<String, String> {
    let mut command = std::process::Command::new(program);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ProcessGroup::prepare(&mut command);
    let mut command = Command::from(command);
    command.kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| format!("the job did not start: {error}"))?;
    let group = Guard(ProcessGroup::of(child.id()));
    // Open for as long as the answer is wanted.
    let input = child.stdin.take();
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        return Err("the job has no output".to_owned());
    };
    let talk = async { tokio::join!(whole(out), last_words(err), child.wait()) };
    let said = timeout(patience, talk).await;
    let Ok((said, complaint, status)) = said else {
        // Then it ends what it started.
        drop(input);
        let _ = timeout(LAST, child.wait()).await;
        return Err(format!("it took longer than {} s", patience.as_secs()));
    };
    drop(group);
    let Some(said) = said else {
        return Err(format!("the job said more than {} MB", MOST / (1024 * 1024)));
    };
    match status {
        Ok(status) if status.success() => Ok(said),
        Ok(status) => Err(format!("the job ended with {status}: {complaint}")),
        Err(error) => Err(format!("the job was lost: {error}")),
    }
}

/// Ends the group when it is dropped. A job ends all else by itself, because it adopts what is left behind.
struct Guard(ProcessGroup);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.kill();
    }
}

/// `None` if there is more than may be; the rest is read all the same.
async fn whole(mut from: impl AsyncRead + Unpin) -> Option<String> {
    let (mut all, mut bytes) = (Vec::new(), vec![0; 64 * 1024]);
    let mut fits = true;
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        fits &= all.len() + read <= MOST;
        if fits {
            all.extend_from_slice(&bytes[..read]);
        }
    }
    fits.then(|| String::from_utf8_lossy(&all).into_owned())
}

async fn last_words(mut from: impl AsyncRead + Unpin) -> String {
    let (mut end, mut bytes) = (Vec::new(), vec![0; 4096]);
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        end.extend_from_slice(&bytes[..read]);
        end.drain(..end.len().saturating_sub(KEPT));
    }
    excerpt_of(&end, KEPT)
}

/// Bytes of an answer.
const MOST: usize = 64 * 1024 * 1024;
const KEPT: usize = 1_000;
/// For a job to end what it started after it was told to.
const LAST: Duration = Duration::from_secs(5);
