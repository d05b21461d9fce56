//! Child processes that write to a file, end in time, and never outlive their owner.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Killed when dropped, and also when this program ends without dropping it.
pub(super) struct Process {
    child: Child,
    watchdog: Option<Child>,
    /// The program and its arguments, to be named in complaints.
    line: String,
    log: PathBuf,
}

impl Process {
    /// Starts the command with an empty input. Both outputs go to `log`.
    pub(super) fn start(command: &mut Command, log: &Path) -> Result<Self, String> {
        let line = line(command);
        let wrong = |error| format!("could not write {}: {error}", log.display());
        let out = File::create(log).map_err(wrong)?;
        let err = out.try_clone().map_err(wrong)?;
        let child = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn();
        let child = child.map_err(|error| could_not_start(command, &error))?;
        let mut process = Self { child, watchdog: None, line, log: log.to_owned() };
        process.watchdog = watchdog(process.child.id())?;
        Ok(process)
    }

    /// How it ended, unless it goes on.
    pub(super) fn ended(&mut self) -> Result<Option<ExitStatus>, String> {
        self.child
            .try_wait()
            .map_err(|error| format!("could not wait for `{}`: {error}", self.line))
    }

    /// Waits until it ends by itself. One that takes too long is killed.
    pub(super) fn finish(mut self, limit: Duration) -> Result<ExitStatus, String> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            thread::sleep(POLL);
        }
        Err(format!(
            "`{}` was not done after {} s{}",
            self.line,
            limit.as_secs(),
            self.last_words()
        ))
    }

    /// What it has written so far.
    pub(super) fn said(&self) -> String {
        read(&self.log)
    }

    /// The end of what it wrote, as a continuation of a complaint.
    pub(super) fn last_words(&self) -> String {
        let said = self.said();
        let lines: Vec<&str> = said.lines().collect();
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        if last.is_empty() {
            return " and said nothing".into();
        }
        format!("; it said last:\n    {}", last.join("\n    "))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The watchdog goes first: it must not kill another process that inherits the id.
        for child in self.watchdog.iter_mut().chain([&mut self.child]) {
            // Either fails where the process has ended already, and then nothing is left to do.
            let _ended = child.kill();
            let _ended = child.wait();
        }
    }
}

/// Runs a command to its end, which has to be a good one.
pub(super) fn complete(command: &mut Command, log: &Path, limit: Duration) -> Result<(), String> {
    let line = line(command);
    let status = Process::start(command, log)?.finish(limit)?;
    if status.success() {
        return Ok(());
    }
    let said = read(log);
    Err(format!("`{line}` failed ({status}):\n{}", said.trim_end()))
}

/// Empty where there is none; what is not UTF-8 is replaced.
pub(super) fn read(log: &Path) -> String {
    fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// A shell that reads from a pipe which only this program holds open. When this program ends, by a
/// signal for example, the pipe ends and the shell kills the process.
fn watchdog(id: u32) -> Result<Option<Child>, String> {
    if !cfg!(unix) {
        return Ok(None);
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("read _; kill {id}")]).stdin(Stdio::piped()).stderr(Stdio::null());
    shell.spawn().map(Some).map_err(|error| could_not_start(&shell, &error))
}

fn could_not_start(command: &Command, error: &std::io::Error) -> String {
    let program = command.get_program().to_string_lossy();
    if error.kind() == ErrorKind::NotFound {
        return format!("{program} is not installed");
    }
    format!("could not start {program}: {error}")
}

fn line(command: &Command) -> String {
    let mut line: OsString = command.get_program().to_owned();
    for argument in command.get_args() {
        line.push(" ");
        line.push(argument);
    }
    line.to_string_lossy().into_owned()
}

const POLL: Duration = Duration::from_millis(20);
const LAST_LINES: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let log = log("a_program_that_does_not_exist_is_named");
        let complaint = complete(&mut Command::new("no-such-program"), &log, POLL).unwrap_err();
        assert_eq!(complaint, "no-such-program is not installed");
    }

    #[test]
    fn what_a_failed_command_said_is_part_of_the_complaint() {
        let log = log("what_a_failed_command_said_is_part_of_the_complaint");
        let mut command = Command::new("git");
        let complaint =
            complete(command.arg("no-such-subcommand"), &log, Duration::from_secs(60)).unwrap_err();
        assert!(complaint.starts_with("`git no-such-subcommand` failed ("), "{complaint}");
        assert!(complaint.contains("'no-such-subcommand' is not a git command"), "{complaint}");
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_takes_too_long_is_killed() {
        let log = log("a_process_that_takes_too_long_is_killed");
        let process = Process::start(Command::new("sleep").arg("60"), &log).unwrap();
        let id = process.child.id().to_string();
        let complaint = process.finish(POLL).unwrap_err();
        assert!(complaint.starts_with("`sleep 60` was not done after"), "{complaint}");
        let probe = Command::new("kill").args(["-0", &id]).stderr(Stdio::null()).status().unwrap();
        assert!(!probe.success(), "the process still exists");
    }

    fn log(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("proofmark-xtask-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder.join(test)
    }
}
