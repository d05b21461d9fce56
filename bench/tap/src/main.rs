//! What a tap between a client and a server costs the two: calls per second with it, as a share of those without.
//!
//! Both ends are ours, at the speed of a client that has so many calls under way at once. Rounds take turns, and shares are taken
//! within a round. A relay that only copies bytes takes part, because a third process costs something whatever it does: where the two
//! keep all processors busy by themselves, it takes its time from theirs.

mod relay;

use std::{
    env,
    error::Error,
    fs,
    io::{self, BufRead, BufReader},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use futures_util::future::try_join_all;
use proofmark_sdk::client::{Client, ServerCommand, Target};
use serde_json::json;
use tokio::runtime::Builder;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [RELAY, "--", ..] => return relay::pipes(&words[2..]),
        [RELAY, listen, server] => return relay::sockets(listen.parse()?, server.parse()?),
        _ => {}
    }
    let rounds = words.first().map_or(Ok(5), |rounds| rounds.parse())?;
    let programs = Programs::build()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    println!("calls a second, and medians of the share of those without anything in between\n");
    println!("| | nothing | relay | tap | tap of relay |\n|---|---:|---:|---:|---:|");
    for link in [Link::Stdio, Link::Http] {
        for at_once in [1, 16, 64] {
            let mut measured = Vec::new();
            for round in 0..=rounds {
                let speed = |between| runtime.block_on(programs.speed(link, between, at_once));
                let speeds =
                    [speed(Between::Nothing)?, speed(Between::Relay)?, speed(Between::Tap)?];
                // The first fills caches.
                if round > 0 {
                    measured.push(speeds);
                }
            }
            let median = |of: &dyn Fn(&[f64; 3]) -> f64| {
                let mut values: Vec<f64> = measured.iter().map(of).collect();
                values.sort_by(f64::total_cmp);
                values[values.len() / 2]
            };
            println!(
                "| {link:?}, {at_once} at once | {:.0} | {:.0} ({:.2}) | {:.0} ({:.2}) | {:.2} |",
                median(&|it| it[0]),
                median(&|it| it[1]),
                median(&|it| it[1] / it[0]),
                median(&|it| it[2]),
                median(&|it| it[2] / it[0]),
                median(&|it| it[2] / it[1]),
            );
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Stdio,
    Http,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    Relay,
    Tap,
}

struct Programs {
    server: PathBuf,
    proofmark: PathBuf,
}

impl Programs {
    fn build() -> Outcome<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no folder")?.to_owned();
        let target =
            env::var_os("CARGO_TARGET_DIR").map_or_else(|| here.join("target"), PathBuf::from);
        let packages =
            [(here.join("Cargo.toml"), "bench-ours"), (here.join("../Cargo.toml"), "proofmark")];
        for (manifest, package) in packages {
            let mut cargo = Command::new("cargo");
            cargo.args(["build", "--release", "--quiet", "--package", package, "--manifest-path"]);
            let status = cargo.arg(manifest).arg("--target-dir").arg(&target).status()?;
            if !status.success() {
                return Err(format!("{package} cannot be built").into());
            }
        }
        let release = target.join("release");
        Ok(Self { server: release.join("bench-ours"), proofmark: release.join("proofmark") })
    }

    /// Calls per second.
    async fn speed(&self, link: Link, between: Between, at_once: usize) -> Outcome<f64> {
        let transcript = env::temp_dir().join(format!("tap-cost-{}.jsonl", std::process::id()));
        let mut started = Vec::new();
        let target = match link {
            Link::Stdio => {
                let mut words = Vec::new();
                match between {
                    Between::Nothing => {}
                    Between::Relay => {
                        words.extend([env::current_exe()?.into(), RELAY.into(), "--".into()]);
                    }
                    Between::Tap => {
                        let tap = [self.proofmark.as_os_str(), "tap".as_ref(), "--output".as_ref()];
                        words.extend(tap.map(ToOwned::to_owned));
                        words.extend([transcript.clone().into(), "--".into()]);
                    }
                }
                words.extend([self.server.clone().into(), "stdio".into()]);
                let mut command = ServerCommand::new(words.remove(0));
                command.arguments = words;
                Target::Command(command)
            }
            Link::Http => {
                let port = free_port()?;
                let mut server = Command::new(&self.server);
                started.push(Running(server.args(["http", &port.to_string()]).spawn()?));
                listens(port).await;
                let mut url = format!("http://127.0.0.1:{port}/mcp");
                if between == Between::Relay {
                    let own = free_port()?;
                    let mut relay = Command::new(env::current_exe()?);
                    relay.args([RELAY, &own.to_string(), &port.to_string()]);
                    started.push(Running(relay.spawn()?));
                    listens(own).await;
                    url = format!("http://127.0.0.1:{own}/mcp");
                }
                if between == Between::Tap {
                    let mut tap = Command::new(&self.proofmark);
                    tap.args(["tap", "--listen", "127.0.0.1:0", "--url", &url, "--output"]);
                    let mut tap = tap.arg(&transcript).stderr(Stdio::piped()).spawn()?;
                    let said = tap.stderr.take().ok_or("no stderr")?;
                    started.push(Running(tap));
                    url = own_url(BufReader::new(said))?;
                }
                Target::Url(url)
            }
        };
        let client = Client::connect(target).await?;
        let message = "x".repeat(100);
        let call =
            || async { client.call_tool("echo", json!({ "message": message })).await.map(drop) };
        let began = Instant::now();
        let mut calls = 0.0;
        while began.elapsed() < LASTS {
            try_join_all((0..at_once).map(|_| async {
                for _ in 0..IN_A_ROW {
                    call().await?;
                }
                Ok::<_, proofmark_sdk::client::Error>(())
            }))
            .await?;
            calls += f64::from(u32::try_from(at_once)? * IN_A_ROW);
        }
        let speed = calls / began.elapsed().as_secs_f64();
        client.close().await;
        drop(started);
        if between == Between::Tap {
            fs::remove_file(&transcript)?;
        }
        Ok(speed)
    }
}

/// Ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

async fn listens(port: u16) {
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Where the tap listens. Whatever it says later is read and dropped, so that it never waits.
fn own_url(mut said: impl BufRead + Send + 'static) -> Outcome<String> {
    let mut line = String::new();
    while said.read_line(&mut line)? > 0 {
        if let Some((_, rest)) = line.split_once("http://") {
            let url = rest.split_whitespace().next().unwrap_or_default();
            let url = format!("http://{url}");
            std::thread::spawn(move || said.lines().map_while(Result::ok).for_each(drop));
            return Ok(url);
        }
        line.clear();
    }
    Err("the tap does not listen".into())
}

/// Told to itself.
const RELAY: &str = "relay";
/// How long calls are counted.
const LASTS: Duration = Duration::from_secs(3);
/// Between two looks at the clock.
const IN_A_ROW: u32 = 50;
