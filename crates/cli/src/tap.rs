//! `proofmark tap`: what a client and a server say to each other, and what is wrong with it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, SystemTime},
};

use anyhow::Context;
use proofmark_check::{
    Options,
    live::Live,
    record::{
        tap::{Allowed, HttpTap, StdioTap},
        transcript::{Header, TranscriptKind, Writer, redact::redact_command},
        transport::Transport,
        wire::Url,
    },
    report::{
        Strictness,
        pretty::{self, Colours},
    },
};
use tokio::runtime::Builder;

use crate::{address::Address, arguments::Tap, exit, platform, say};

/// The exit code.
pub(crate) fn run(arguments: &Tap) -> anyhow::Result<u8> {
    let target = match &arguments.url {
        Some(url) => url.to_string(),
        None => redact_command(&arguments.command),
    };
    let allowed =
        Allowed { hosts: arguments.allow_host.clone(), origins: arguments.allow_origin.clone() };
    if let Some(listen) = &arguments.listen
        && !listen.is_loopback()
        && allowed.hosts.is_empty()
    {
        say::error(format_args!(
            "{listen} can be reached by other machines: say with --allow-host how they call it"
        ));
        return Ok(exit::USAGE);
    }
    let transport = if arguments.url.is_some() { Transport::Http } else { Transport::Stdio };
    let before = arguments.output.as_ref().and_then(|path| fs::metadata(path).ok());
    let before = before.filter(fs::Metadata::is_file).map_or(0, |file| file.len());
    let header = Header::new(TranscriptKind::Tap, target, transport);
    let (path, writer) = open(arguments.output.as_deref(), &header)?;
    say::on_stderr(format_args!("proofmark tap: the transcript is {}", path.display()));
    let judge = if arguments.no_judge {
        None
    } else {
        Some(Judge::start(&path, before, shown(arguments))?)
    };
    // Threads would hand each other what one can pass on, and take the processors of those who talk.
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system refuses an event loop")?;
    let code = match (&arguments.url, &arguments.listen) {
        (Some(url), Some(listen)) => runtime.block_on(over_http(listen, url, allowed, writer)),
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
    let signals = platform::pass_signals(tap.process())?;
    let ended = tokio::task::spawn_blocking(move || tap.run());
    let status = tokio::select! {
        ended = ended => ended.context("the tap broke")??,
        never = signals => match never {},
    };
    Ok(platform::exit_code(status))
}

async fn over_http(
    listen: &Address,
    url: &Url,
    allowed: Allowed,
    writer: Writer,
) -> anyhow::Result<u8> {
    let address = listen.resolve().await?;
    let tap = HttpTap::bind(address, url.clone(), allowed, writer)
        .await
        .with_context(|| format!("cannot listen on {address}"))?;
    let own = tap.address()?;
    say::on_stderr(format_args!("proofmark tap: http://{own}{} leads to {url}", url.path));
    let told = platform::interrupted_or_terminated()?;
    tokio::select! {
        () = tap.run() => {}
        _ = told => {}
    }
    Ok(exit::SUCCESS)
}

/// A transcript to write to, and where it is. A client may start its servers where nothing can be written.
fn open(wanted: Option<&Path>, header: &Header) -> anyhow::Result<(PathBuf, Writer)> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let name = format!("proofmark-tap-{}-{}.jsonl", since.as_secs(), process::id());
    let at = |path: PathBuf, opened: io::Result<Writer>| {
        let writer = opened.with_context(|| format!("cannot write {}", path.display()))?;
        Ok((path, writer))
    };
    if let Some(wanted) = wanted {
        let path = if wanted.is_dir() { wanted.join(name) } else { wanted.to_owned() };
        let opened = Writer::append(&path, header);
        return at(path, opened);
    }
    let here = PathBuf::from(&name);
    if let Ok(writer) = Writer::create_new(&here, header) {
        return Ok((here, writer));
    }
    let path = std::env::temp_dir().join(name);
    let opened = Writer::create_new(&path, header);
    at(path, opened)
}

/// Whether messages are shown, or only what is wrong with them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Findings,
    Messages,
}

fn shown(arguments: &Tap) -> Shown {
    if arguments.show { Shown::Messages } else { Shown::Findings }
}

/// A thread that reads the transcript and tells what is wrong.
struct Judge {
    thread: JoinHandle<Live>,
    stop: Sender<()>,
    shown: Shown,
}

impl Judge {
    fn start(path: &Path, from: u64, shown: Shown) -> anyhow::Result<Self> {
        let mut live = Live::open(path, from).context("the transcript cannot be read again")?;
        let (stop, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            // Traffic goes first.
            platform::lower_priority();
            let mut pause = Duration::from_millis(500);
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                if live.is_busy() {
                    continue;
                }
                tell(&mut live, shown);
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
        Ok(Self { thread, stop, shown })
    }

    fn conclude(self) {
        drop(self.stop);
        let Ok(mut live) = self.thread.join() else { return };
        if live.pause().is_none() {
            return say::on_stderr("proofmark tap: judge the transcript with `proofmark replay`");
        }
        tell(&mut live, self.shown);
        let reports = live.reports(&Options::default());
        if reports.is_empty() {
            say::on_stderr("proofmark tap: no conversation was heard");
        }
        for report in reports {
            say::on_stderr(format_args!("\nthe {}:", report.side));
            say::on_stderr(pretty::write(&report, Strictness::Failures, Colours::Off).trim_end());
        }
    }
}

fn tell(live: &mut Live, shown: Shown) {
    match live.look() {
        Ok(news) => {
            if shown == Shown::Messages {
                live.messages().iter().for_each(say::on_stderr);
            }
            for line in news {
                say::on_stderr(format_args!("proofmark tap: {line}"));
            }
        }
        Err(error) => say::on_stderr(format_args!("proofmark tap: the transcript {error}")),
    }
}
