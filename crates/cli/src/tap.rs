//! `proofmark tap`: what a client and a server say to each other, and what is wrong with it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, ExitStatus},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, SystemTime},
};

use anyhow::Context;
use proofmark_check::{
    Options,
    live::Live,
    record::{
        tap::{HttpTap, StdioTap},
        transcript::{Header, Kind, Writer},
        transport::Transport,
        wire::Url,
    },
    report::pretty::{self, Colours},
};
use rustix::process::{Pid, Signal, kill_process_group, setpriority_process};
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

use crate::{address::Address, arguments::Tap, exit, say};

/// The exit code.
pub(crate) fn run(arguments: &Tap) -> anyhow::Result<u8> {
    let target = match &arguments.url {
        Some(url) => url.to_string(),
        None => arguments.command.join(" "),
    };
    let transport = if arguments.url.is_some() { Transport::Http } else { Transport::Stdio };
    let path = place(arguments.output.as_deref());
    let before = fs::metadata(&path).map_or(0, |file| file.len());
    let writer = Writer::append(&path, &Header::new(Kind::Tap, target, transport))
        .with_context(|| format!("cannot write {}", path.display()))?;
    say::on_stderr(format_args!("proofmark tap: the transcript is {}", path.display()));
    let judge = if arguments.no_judge { None } else { Some(Judge::start(&path, before)?) };
    // Threads would hand each other what one can pass on, and take the processors of those who talk.
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system refuses an event loop")?;
    let code = match (&arguments.url, &arguments.listen) {
        (Some(url), Some(listen)) => runtime.block_on(over_http(listen, url, writer)),
        _ => runtime.block_on(over_stdio(&arguments.command, writer)),
    }?;
    // A thread that waits for the client's next line would be waited for.
    runtime.shutdown_background();
    if let Some(judge) = judge {
        judge.conclude();
    }
    Ok(code)
}

async fn over_stdio(command: &[String], writer: Writer) -> anyhow::Result<u8> {
    let (program, words) = command.split_first().context("there is no command")?;
    let mut command = process::Command::new(program);
    command.args(words);
    let tap =
        StdioTap::start(command, writer).with_context(|| format!("cannot start {program:?}"))?;
    let group = i32::try_from(tap.process()).ok().and_then(Pid::from_raw);
    let mut ended = tokio::task::spawn_blocking(move || tap.run());
    let (mut terminate, mut interrupt, mut hangup) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
        signal(SignalKind::hangup())?,
    );
    let status = loop {
        // What is meant for the server reaches it and all that it started.
        let passed = tokio::select! {
            ended = &mut ended => break ended.context("the tap broke")??,
            _ = terminate.recv() => Signal::TERM,
            _ = interrupt.recv() => Signal::INT,
            _ = hangup.recv() => Signal::HUP,
        };
        if let Some(group) = group {
            let _ = kill_process_group(group, passed);
        }
    };
    Ok(code_of(status))
}

async fn over_http(listen: &Address, url: &Url, writer: Writer) -> anyhow::Result<u8> {
    let address = listen.resolve().await?;
    let tap = HttpTap::bind(address, url.clone(), writer)
        .await
        .with_context(|| format!("cannot listen on {address}"))?;
    let own = tap.address()?;
    say::on_stderr(format_args!("proofmark tap: http://{own}{} leads to {url}", url.path));
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        () = tap.run() => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(exit::SUCCESS)
}

/// As a shell would put it.
fn code_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let by_signal = || status.signal().map_or(1, |signal| 128 + signal);
    u8::try_from(status.code().unwrap_or_else(by_signal)).unwrap_or(1)
}

/// Where the transcript goes. A client may start its servers where nothing can be written.
fn place(wanted: Option<&Path>) -> PathBuf {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let name = format!("proofmark-tap-{}-{}.jsonl", since.as_secs(), process::id());
    match wanted {
        Some(path) if path.is_dir() => path.join(name),
        Some(path) => path.to_owned(),
        None => {
            let here = PathBuf::from(&name);
            if fs::File::create_new(&here).is_ok() { here } else { std::env::temp_dir().join(name) }
        }
    }
}

/// A thread that reads the transcript and tells what is wrong.
struct Judge {
    thread: JoinHandle<Live>,
    stop: Sender<()>,
}

impl Judge {
    fn start(path: &Path, from: u64) -> anyhow::Result<Self> {
        let mut live = Live::open(path, from).context("the transcript cannot be read again")?;
        let (stop, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            // Here this is about the thread alone: traffic goes first. Where it is refused, it is judged all the same.
            let _ = setpriority_process(None, LEAST_PRIORITY);
            let mut pause = Duration::from_millis(500);
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                if live.is_busy() {
                    continue;
                }
                tell(&mut live);
                let Some(next) = live.pause() else {
                    say::on_stderr(
                        "proofmark tap: too much to judge while it runs; the transcript goes on",
                    );
                    let _ = stopped.recv();
                    break;
                };
                pause = next;
            }
            live
        });
        Ok(Self { thread, stop })
    }

    fn conclude(self) {
        drop(self.stop);
        let Ok(mut live) = self.thread.join() else { return };
        if live.pause().is_none() {
            return say::on_stderr("proofmark tap: judge the transcript with `proofmark replay`");
        }
        tell(&mut live);
        let reports = live.reports(&Options::default());
        if reports.is_empty() {
            say::on_stderr("proofmark tap: no conversation was heard");
        }
        for report in reports {
            say::on_stderr(format_args!("\nthe {}:", report.side));
            say::on_stderr(pretty::write(&report, Colours::Off).trim_end());
        }
    }
}

fn tell(live: &mut Live) {
    match live.look() {
        Ok(news) => {
            for line in news {
                say::on_stderr(format_args!("proofmark tap: {line}"));
            }
        }
        Err(error) => say::on_stderr(format_args!("proofmark tap: the transcript {error}")),
    }
}

/// As `nice` counts.
const LEAST_PRIORITY: i32 = 19;
