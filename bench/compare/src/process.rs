//! A server while it is measured.

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

use crate::{
    Outcome,
    work::{Cost, Work},
};

/// A server's process; it ends with this value.
pub(crate) struct Process {
    child: Child,
    id: u32,
}

impl Process {
    /// Starts a server on a free port and waits until it listens.
    pub(crate) async fn listening(command: &[OsString], work: &Work) -> Outcome<(Self, u16)> {
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let words: Vec<OsString> =
            command.iter().cloned().chain([port.to_string().into()]).collect();
        let process = Self::start(&words, work, Stdio::null(), Stdio::null())?;
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
        work: &Work,
    ) -> Outcome<(Self, ChildStdin, ChildStdout)> {
        let mut process = Self::start(command, work, Stdio::piped(), Stdio::piped())?;
        let input = process.child.stdin.take().ok_or("no pipe")?;
        let output = process.child.stdout.take().ok_or("no pipe")?;
        Ok((process, input, output))
    }

    fn start(words: &[OsString], work: &Work, input: Stdio, output: Stdio) -> Outcome<Self> {
        let (program, words) = words.split_first().ok_or("no command")?;
        let child = Command::new(program)
            .args(words)
            .env("BENCH_TOOLS", work.call.more_tools().to_string())
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let id = child.id().ok_or("it ended at once")?;
        Ok(Self { child, id })
    }

    /// CPU time of all threads so far.
    fn cpu(&self) -> Outcome<Duration> {
        let mut nanoseconds = 0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.id))? {
            let times = std::fs::read_to_string(thread?.path().join("schedstat"))?;
            let time: u64 = times.split(' ').next().unwrap_or_default().parse()?;
            nanoseconds += time;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// Measures while others keep the server busy; `answered` says how many requests it has answered so far.
    pub(crate) async fn watch(&self, time: Duration, answered: impl Fn() -> u32) -> Outcome<Cost> {
        sleep(time.mul_f64(WARM_UP)).await;
        let (began, cpu, before) = (Instant::now(), self.cpu()?, answered());
        sleep(time).await;
        let (took, cpu, count) = (began.elapsed(), self.cpu()? - cpu, answered() - before);
        if count == 0 {
            return Err("nothing is answered".into());
        }
        let count = f64::from(count);
        Ok(Cost { cpu: cpu.as_secs_f64() * 1e6 / count, per_second: count / took.as_secs_f64() })
    }
}

const PATIENCE: Duration = Duration::from_secs(30);
/// The part of the time that is let pass before measuring.
const WARM_UP: f64 = 0.3;
