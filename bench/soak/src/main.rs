//! Days of use in minutes: clients that come, go, break off, cancel and come back, and what the server keeps of them.
//!
//! `soak [MINUTES]`. The server is a process of its own, so that its memory is its own. Fails if a visit failed; if what the server has
//! allocated for each session in the last minute is above that of the second by more than a tenth; or if anything is left when everybody is
//! gone. Each minute is judged by its median, and nothing by how fast it went, so that other work on the machine does not decide: a slower one
//! has fewer sessions. The resident memory is shown, and bounded, but it is the allocator's too, which keeps some of what was freed.

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
    process::{ChildStdout, Command},
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
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some(SERVE) {
        return runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?
            .block_on(server::serve());
    }
    let minutes: f64 = argument.map_or(Ok(10.0), |minutes| minutes.parse())?;
    let length = Duration::from_secs_f64(minutes * 60.0);
    runtime::Builder::new_current_thread().enable_all().build()?.block_on(soak(length))
}

async fn soak(length: Duration) -> Result<(), Box<dyn Error>> {
    let mut server = Command::new(std::env::current_exe()?)
        .arg(SERVE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let process = server.id().ok_or("the server ended at once")?;
    let mut said = BufReader::new(server.stdout.take().ok_or("no pipe")?).lines();
    let port: u16 = said.next_line().await?.ok_or("the server says no port")?.parse()?;
    let tally = Tally::default();
    let began = Instant::now();
    let mut report = Report::new(length);
    report.add(Sample::take(began, process, &next(&mut said).await?, &tally)?);
    let clients = task::LocalSet::new();
    for number in 1..=CLIENTS {
        let tally = tally.clone();
        clients.spawn_local(async move {
            let mut numbers = Numbers::new(number);
            loop {
                visits::visit(port, &mut numbers, &tally).await;
            }
        });
    }
    let watch = async {
        while began.elapsed() < length {
            report.add(Sample::take(began, process, &next(&mut said).await?, &tally)?);
        }
        Ok::<_, Box<dyn Error>>(())
    };
    clients.run_until(watch).await?;
    // Everybody breaks off, and nobody comes back.
    drop(clients);
    let gone = Instant::now();
    loop {
        let sample = Sample::take(began, process, &next(&mut said).await?, &tally)?;
        report.add(sample);
        if sample.is_empty() || gone.elapsed() > LONGEST_GOODBYE {
            break;
        }
    }
    if let Some(why) = tally.first_failure() {
        return Err(format!("a visit failed: {why}").into());
    }
    report.verdict().map_err(Into::into)
}

/// What the server says of itself every few seconds.
async fn next(said: &mut Lines<BufReader<ChildStdout>>) -> Result<String, Box<dyn Error>> {
    Ok(said.next_line().await?.ok_or("the server ended")?)
}

const SERVE: &str = "serve";
const CLIENTS: u64 = 24;
/// Sessions that were left silently live for their idle time, and requests that lost their client run to their end.
const LONGEST_GOODBYE: Duration = Duration::from_secs(120);
