//! A program that listens: started on a free port, and ended with all that it started.

use std::{
    net::{Ipv4Addr, TcpListener},
    process::Stdio,
    time::Duration,
};

use proofmark_check::record::{
    environment::Inherited, platform::ProcessGroup, text::excerpt_of, wire::Url,
};
use proofmark_test::file::{Reach, Server};
use tokio::{
    io::AsyncReadExt,
    net::TcpStream,
    process::{Child, Command},
    task::JoinSet,
    time::{Instant, sleep},
};

use crate::inventory::Route;

/// Ends the program when it is dropped.
pub(super) struct Listener {
    group: ProcessGroup,
    _child: Child,
    /// Reads what the program writes, so that it is not held up by it.
    _readers: JoinSet<Vec<u8>>,
}

impl Listener {
    /// Starts the program of a route if there is one, and waits until it listens. The server with its port in the URL.
    pub(super) async fn start(route: &Route) -> Result<(Server, Option<Self>), String> {
        let mut server = route.server.clone();
        let Some(start) = &route.start else { return Ok((server, None)) };
        let Reach::Command { words, environment, folder } = &start.reach else {
            return Err("there is no command to start".to_owned());
        };
        let port = free_port().map_err(|error| format!("there is no free port: {error}"))?;
        let fill = |text: &str| text.replace("{port}", &port.to_string());
        if let Reach::Url { url, .. } = &mut server.reach {
            *url = fill(url);
        }
        let (program, rest) = words.split_first().ok_or("the command is empty")?;
        let mut command = std::process::Command::new(program);
        command
            .args(rest.iter().map(|word| fill(word)))
            .env_clear()
            .envs(Inherited::WithoutSecrets.variables())
            .envs(environment.iter().map(|(name, value)| (name, fill(value))))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        ProcessGroup::prepare(&mut command);
        let mut command = Command::from(command);
        command.kill_on_drop(true);
        let mut child =
            command.spawn().map_err(|error| format!("cannot start {program}: {error}"))?;
        let group = ProcessGroup::of(child.id());
        let mut readers = JoinSet::new();
        if let Some(out) = child.stdout.take() {
            readers.spawn(last_words(out));
        }
        let err = child.stderr.take();
        let mut complaints = JoinSet::new();
        if let Some(err) = err {
            complaints.spawn(last_words(err));
        }
        let reached = wait(&server, &mut child, start.start_timeout).await;
        if let Err(why) = reached {
            group.kill();
            let said = complaints.join_next().await.and_then(Result::ok).unwrap_or_default();
            let said = excerpt_of(&said, 500);
            return Err(if said.is_empty() { why } else { format!("{why}; it said: {said}") });
        }
        while let Some(task) = complaints.try_join_next() {
            drop(task);
        }
        readers.spawn(async move {
            complaints.join_all().await;
            Vec::new()
        });
        Ok((server, Some(Self { group, _child: child, _readers: readers })))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.group.kill();
    }
}

async fn wait(server: &Server, child: &mut Child, patience: Duration) -> Result<(), String> {
    let Reach::Url { url, .. } = &server.reach else { return Ok(()) };
    let url: Url = url.parse().map_err(|error| format!("{error}"))?;
    let deadline = Instant::now() + patience;
    loop {
        if TcpStream::connect((url.host.as_str(), url.port)).await.is_ok() {
            return Ok(());
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(format!("the program that is to listen ended ({status})"));
        }
        if Instant::now() >= deadline {
            return Err(format!("it does not listen after {} s", patience.as_secs()));
        }
        sleep(Duration::from_millis(50)).await;
    }
}

/// The end of what a program writes.
async fn last_words(mut from: impl tokio::io::AsyncRead + Unpin) -> Vec<u8> {
    let mut end = Vec::new();
    let mut bytes = vec![0; 4096];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        end.extend_from_slice(&bytes[..read]);
        end.drain(..end.len().saturating_sub(KEPT));
    }
    end
}

/// Another program may take it before the one that is started; then that does not listen, and the job is tried again.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

const KEPT: usize = 2_000;
