//! Days of use in minutes: clients that come, go, break off, cancel and come back, and what the server keeps of them.
//!
//! `soak [MINUTES] [--hostile]`. The server is a process of its own, so that its memory is its own. A first minute is not counted: when its clients
//! are gone, the server is as it may be at the end. Fails if a visit failed; if what the server has allocated for each session in the last
//! minute is above that of the second by more than a tenth; or if more is left when everybody is gone than after the first minute.
//!
//! `--hostile` lets attackers work beside the clients of the long crowd. Then no visit may fail, the resident memory may be 256 MiB at most,
//! and has to come back to within 64 MiB of what it was; the latency of honest calls is shown beside that of the quiet minute.
//!
//! Each minute is judged by its median, and nothing by how fast it went, so that other work on the machine does not decide: a slower one
//! has fewer sessions. The resident memory is shown, and bounded, but it is the allocator's too, which keeps some of what was freed.

mod attacks;
mod client;
mod numbers;
mod report;
mod server;
mod visits;

use std::{
    error::Error,
    process::Stdio,
    time::{Duration, Instant},
};

use peak_alloc::PeakAlloc;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    runtime, task,
};

use self::{
    numbers::Numbers,
    report::{Report, Sample},
    visits::Tally,
};

/// Counts, so that what the server keeps can be told from what its allocator does.
#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

fn main() -> Result<(), Box<dyn Error>> {
    let (options, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|it| it == HOSTILE);
    let first = words.first().map(String::as_str);
    if first == Some(SERVE) {
        return runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?
            .block_on(server::serve());
    }
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    if first == Some(ATTACK) {
        let port = words.get(1).ok_or("no port")?.parse()?;
        runtime.block_on(attacks::attack(port));
        return Ok(());
    }
    let minutes: f64 = first.map_or(Ok(10.0), str::parse)?;
    let length = Duration::from_secs_f64(minutes * 60.0);
    runtime.block_on(soak(length, !options.is_empty()))
}

async fn soak(length: Duration, hostile: bool) -> Result<(), Box<dyn Error>> {
    let mut server = Command::new(std::env::current_exe()?)
        .arg(SERVE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let process = server.id().ok_or("the server ended at once")?;
    let mut said = BufReader::new(server.stdout.take().ok_or("no pipe")?).lines();
    let port: u16 = said.next_line().await?.ok_or("the server says no port")?.parse()?;
    let (began, tally) = (Instant::now(), Tally::default());
    let mut watch = Watch { process, said, began, tally, attackers: None };
    let mut report = Report::new(length);
    // What a first crowd leaves behind, such as tables that keep their size, is all that a long one may leave.
    watch.crowd(port, report.settling(), &mut report).await?;
    report.begin();
    let quiet = watch.tally.take_slowest_percent();
    watch.attackers = if hostile { Some(attackers(port)?) } else { None };
    watch.crowd(port, length, &mut report).await?;
    let slowest = watch.tally.take_slowest_percent();
    println!(
        "99 % of the calls took at most {quiet:?} in the first minute, {slowest:?} after that"
    );
    if let Some(why) = watch.tally.first_failure() {
        return Err(format!("a visit failed: {why}").into());
    }
    let verdict = if hostile { report.verdict_after_attacks() } else { report.verdict() };
    verdict.map_err(Into::into)
}

/// Ends with the value.
fn attackers(port: u16) -> Result<Child, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    Ok(command.args([ATTACK, &port.to_string()]).kill_on_drop(true).spawn()?)
}

/// A server that is watched.
struct Watch {
    process: u32,
    said: Lines<BufReader<ChildStdout>>,
    began: Instant,
    tally: Tally,
    /// They go with the crowd.
    attackers: Option<Child>,
}

impl Watch {
    /// Clients come and go for so long, and then all are gone.
    async fn crowd(
        &mut self,
        port: u16,
        length: Duration,
        report: &mut Report,
    ) -> Result<(), Box<dyn Error>> {
        let clients = task::LocalSet::new();
        for number in 1..=CLIENTS {
            let tally = self.tally.clone();
            clients.spawn_local(async move {
                let mut numbers = Numbers::new(number);
                loop {
                    visits::visit(port, &mut numbers, &tally).await;
                }
            });
        }
        let came = Instant::now();
        let watch = async {
            while came.elapsed() < length {
                report.add(self.sample().await?);
            }
            Ok::<_, Box<dyn Error>>(())
        };
        clients.run_until(watch).await?;
        // Everybody breaks off, and nobody comes back.
        drop(clients);
        drop(self.attackers.take());
        let gone = Instant::now();
        loop {
            let sample = self.sample().await?;
            report.add(sample);
            if sample.is_empty() || gone.elapsed() > LONGEST_GOODBYE {
                return Ok(());
            }
        }
    }

    /// What the server says of itself every few seconds, and what the system says.
    async fn sample(&mut self) -> Result<Sample, Box<dyn Error>> {
        let said = self.said.next_line().await?.ok_or("the server ended")?;
        Sample::take(self.began, self.process, &said, &self.tally)
    }
}

const SERVE: &str = "serve";
const ATTACK: &str = "attack";
const HOSTILE: &str = "--hostile";
const CLIENTS: u64 = 24;
/// Sessions that were left silently live for their idle time, and requests that lost their client run to their end.
const LONGEST_GOODBYE: Duration = Duration::from_secs(120);
