//! Days of use in minutes: clients that come, go, break off, cancel and come back, and what the server keeps of them.
//!
//! `soak [MINUTES]`. The server is a process of its own, so that its memory is its own. Fails if it has more memory at the end than
//! after the first minute, beyond a tenth.

mod client;
mod numbers;
mod server;
mod visits;

use std::{
    error::Error,
    process::Stdio,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{ChildStdout, Command},
    runtime, task,
};

use self::{numbers::Numbers, visits::Tally};

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
    let (mut settled, mut last) = (None, 0);
    println!(
        "| minute | RSS KiB | sessions | detached | visits | failed |\n|---:|---:|---:|---:|---:|---:|"
    );
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
        loop {
            let (sessions, detached) = state(&mut said).await?;
            let minute = began.elapsed().as_secs_f64() / 60.0;
            let rss = resident(process)?;
            let (visits, failed) = tally.counts();
            println!("| {minute:.1} | {rss} | {sessions} | {detached} | {visits} | {failed} |");
            if settled.is_none() && minute >= 1.0 {
                settled = Some(rss);
            }
            last = rss;
            if began.elapsed() >= length {
                return Ok::<_, Box<dyn Error>>(());
            }
        }
    };
    clients.run_until(watch).await?;
    if let Some(why) = tally.first_failure() {
        return Err(format!("a visit failed: {why}").into());
    }
    let settled = settled.unwrap_or(last);
    if last * 10 > settled * 11 {
        return Err(format!("{last} KiB at the end, {settled} KiB after the first minute").into());
    }
    println!("{last} KiB at the end, {settled} KiB after the first minute");
    Ok(())
}

/// What the server says of itself every few seconds.
async fn state(said: &mut Lines<BufReader<ChildStdout>>) -> Result<(usize, usize), Box<dyn Error>> {
    let line = said.next_line().await?.ok_or("the server ended")?;
    let (sessions, detached) = line.split_once(' ').ok_or("the server says something else")?;
    Ok((sessions.parse()?, detached.parse()?))
}

/// Resident memory in KiB.
fn resident(process: u32) -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

const SERVE: &str = "serve";
const CLIENTS: u64 = 24;
