//! What a tap between a client and a server costs the two: calls per second with it, as a share of those without.
//!
//! Both ends are ours, at the speed of a client that has so many calls under way at once. Rounds take turns, and shares are taken
//! within a round.

use std::{
    env,
    error::Error,
    fs,
    io::{BufRead, BufReader},
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
    let rounds = env::args().nth(1).map_or(Ok(5), |rounds| rounds.parse())?;
    let programs = Programs::build()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    for link in [Link::Stdio, Link::Http] {
        for at_once in [1, 16] {
            let mut shares = Vec::new();
            for round in 0..=rounds {
                let direct = runtime.block_on(programs.speed(link, Between::Nothing, at_once))?;
                let tapped = runtime.block_on(programs.speed(link, Between::Tap, at_once))?;
                // The first fills caches.
                if round > 0 {
                    shares.push((tapped / direct, direct, tapped));
                }
            }
            shares.sort_by(|one, other| one.0.total_cmp(&other.0));
            let (share, direct, tapped) = shares[shares.len() / 2];
            println!(
                "{link:?}, {at_once} at once: {direct:.0} calls a second, {tapped:.0} with a tap ({:.1} %)",
                share * 100.0
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
                if between == Between::Tap {
                    let tap = [self.proofmark.as_os_str(), "tap".as_ref(), "--output".as_ref()];
                    words.extend(tap.map(ToOwned::to_owned));
                    words.extend([transcript.clone().into(), "--".into()]);
                }
                words.extend([self.server.clone().into(), "stdio".into()]);
                let mut command = ServerCommand::new(words.remove(0));
                command.arguments = words;
                Target::Command(command)
            }
            Link::Http => {
                let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
                let mut server = Command::new(&self.server);
                started.push(Running(server.args(["http", &port.to_string()]).spawn()?));
                while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                let mut url = format!("http://127.0.0.1:{port}/mcp");
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

/// How long calls are counted.
const LASTS: Duration = Duration::from_secs(3);
/// Between two looks at the clock.
const IN_A_ROW: u32 = 50;
