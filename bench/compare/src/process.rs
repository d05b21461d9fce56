//! A program while it is measured.

use std::{
    ffi::OsString,
    process::Stdio,
    time::{Duration, Instant},
};

use tokio::{
    net::TcpStream,
    process::{Child, ChildStdin, ChildStdout, Command},
    time::sleep,
};

use crate::{Outcome, tally::Tally, work::Cost};

/// A server's or client's process; it ends with this value.
pub(crate) struct Process {
    child: Child,
    id: u32,
}

impl Process {
    /// Starts a server on a free port and waits until it listens.
    pub(crate) async fn listening(command: &[OsString], tools: usize) -> Outcome<(Self, u16)> {
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let words: Vec<OsString> =
            command.iter().cloned().chain([port.to_string().into()]).collect();
        let process = Self::start(&words, tools, Stdio::null(), Stdio::null())?;
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            if began.elapsed() > PATIENCE {
                return Err("it does not listen".into());
            }
            sleep(Duration::from_millis(10)).await;
        }
        Ok((process, port))
    }

    pub(crate) fn piped(
        command: &[OsString],
        tools: usize,
    ) -> Outcome<(Self, ChildStdin, ChildStdout)> {
        let mut process = Self::start(command, tools, Stdio::piped(), Stdio::piped())?;
        let input = process.child.stdin.take().ok_or("no pipe")?;
        let output = process.child.stdout.take().ok_or("no pipe")?;
        Ok((process, input, output))
    }

    fn start(words: &[OsString], tools: usize, input: Stdio, output: Stdio) -> Outcome<Self> {
        let (program, words) = words.split_first().ok_or("no command")?;
        let child = Command::new(program)
            .args(words)
            .env("BENCH_TOOLS", tools.to_string())
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let id = child.id().ok_or("it ended at once")?;
        Ok(Self { child, id })
    }

    /// CPU time of all threads so far.
    pub(crate) fn cpu(&self) -> Outcome<Duration> {
        let mut nanoseconds = 0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.id))? {
            let times = std::fs::read_to_string(thread?.path().join("schedstat"))?;
            let time: u64 = times.split(' ').next().unwrap_or_default().parse()?;
            nanoseconds += time;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// Resident memory, in MiB.
    pub(crate) fn memory(&self) -> Outcome<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kibibytes / 1024.0)
    }

    /// Measures while others keep the server busy and keep the tally.
    pub(crate) async fn watch(&self, time: Duration, tally: &Tally) -> Outcome<Cost> {
        sleep(time.mul_f64(WARM_UP)).await;
        tally.begin();
        let (began, cpu) = (Instant::now(), self.cpu()?);
        sleep(time).await;
        let (took, cpu, count) =
            (began.elapsed(), self.cpu()?.saturating_sub(cpu), tally.answered());
        if count == 0 {
            return Err("nothing is answered".into());
        }
        let count = f64::from(count);
        Ok(Cost {
            cpu: cpu.as_secs_f64() * 1e6 / count,
            per_second: count / took.as_secs_f64(),
            median: tally.quantile(0.5),
            slow: tally.quantile(0.99),
        })
    }
}

const PATIENCE: Duration = Duration::from_secs(30);
/// The part of the time that is let pass before measuring.
const WARM_UP: f64 = 0.3;
