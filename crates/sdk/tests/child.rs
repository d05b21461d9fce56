//! Servers that run as children: how they start, end, fail to end, and what is left of them.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use proofmark_sdk::{
    client::{
        ChildSettings, Client, ClientBuilder, ClientSettings, Error, Inherit, Lost, Restart,
        ServerCommand,
    },
    core::{
        revision::{Era, Revision},
        session::client::Preference,
    },
};
use tokio::time::{Instant, sleep, timeout};

#[tokio::test]
async fn a_program_that_does_not_exist_is_named() {
    let error = connect(ServerCommand::new("no-such-program")).await.err().unwrap();
    assert!(error.to_string().starts_with("`no-such-program` could not be started"), "{error}");
}

#[tokio::test]
async fn a_server_that_dies_at_once_is_quoted() {
    let started = Instant::now();
    let error = connect(shell("echo 'no configuration found' >&2; exit 7")).await.err().unwrap();
    let said = error.to_string();
    assert!(said.contains("exit status: 7") && said.contains("no configuration found"), "{said}");
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[tokio::test]
async fn calls_fail_at_once_when_the_server_is_killed() {
    let server = format!("{HANDSHAKE} read -r call; echo 'out of memory' >&2; kill -9 $$");
    let client = connect(shell(&server)).await.unwrap();
    let started = Instant::now();
    let error = client.ping().await.unwrap_err();
    assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    let Error::Lost(lost) = &error else { panic!("{error}") };
    assert!(matches!(&**lost, Lost::Exited { .. }), "{lost}");
    assert!(error.to_string().contains("signal: 9"), "{error}");
    assert!(error.to_string().contains("out of memory"), "{error}");
    let again = client.ping().await.unwrap_err();
    assert_eq!(again.to_string(), error.to_string());
}

#[tokio::test(start_paused = true)]
async fn a_caller_hears_of_a_servers_death_within_a_tenth_of_a_second() {
    for (number, death) in ["exit 1", "kill -9 $$", "kill -SEGV $$"].into_iter().enumerate() {
        let marks = Marks::new(&format!("death-{number}"));
        let file = marks.0.display();
        let still = Still::begin();
        let connecting = connect(shell(&format!("echo $$ > {file}; echo alas >&2; {death}")));
        let started = Instant::now();
        still.until_gone(&marks);
        let error = connecting.await.err().unwrap();
        told_in_time(&error, started.elapsed(), &marks, death);
        for (moment, bytes, server) in [
            ("in a call", 1, format!("{HANDSHAKE} read -r call; echo alas >&2; {death}")),
            // More than a pipe holds.
            (
                "while it is written to",
                1_000_000,
                format!("{HANDSHAKE} head -c 1 >/dev/null; echo alas >&2; {death}"),
            ),
        ] {
            // Another process may hold its pipes open, so that nothing but the process itself tells of its end.
            for holder in ["", "sleep 60 &"] {
                let marks = Marks::new(&format!("death-{number}-{bytes}-{}", holder.len()));
                let file = marks.0.display();
                let still = Still::begin();
                let server = shell(&format!("echo $$ > {file}; {holder} {server}"));
                let client = connect(server).await.unwrap();
                let text = serde_json::json!({"text": "a".repeat(bytes)});
                let started = Instant::now();
                still.until_gone(&marks);
                let error = client.call_tool("write", text).await.unwrap_err();
                let about = format!("{death} {moment} {holder}");
                told_in_time(&error, started.elapsed(), &marks, &about);
                client.close().await;
            }
        }
    }
}

/// It was told what happened, and nothing is left that would have to be waited for.
#[track_caller]
fn told_in_time(error: &Error, waited: Duration, marks: &Marks, about: &str) {
    assert!(waited <= Duration::from_millis(100), "{about}: {waited:?}");
    let said = error.to_string();
    assert!(said.contains("exit status: 1") || said.contains("signal: "), "{about}: {said}");
    assert!(said.contains("alas"), "{about}: {said}");
    assert!(!is_known(&marks.0), "{about}: it was not waited for");
}

#[tokio::test]
async fn a_server_ends_with_a_client_that_is_killed() {
    let marks = Marks::new("killed-client");
    let mut client = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_client_to_be_killed", "--ignored"])
        .env(MARKS, &marks.0)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    marks.appear().await;
    assert!(marks.alive());
    client.kill().unwrap();
    client.wait().unwrap();
    timeout(Duration::from_secs(20), async {
        while marks.alive() {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .expect("the server lives on");
}

#[tokio::test]
#[ignore = "the other side of `a_server_ends_with_a_client_that_is_killed`, which starts it"]
async fn a_client_to_be_killed() {
    let Some(file) = std::env::var_os(MARKS) else { return };
    let file = PathBuf::from(file);
    let server = format!("{HANDSHAKE} echo $$ > {}; cat >/dev/null", file.display());
    let _client = connect(shell(&server)).await.unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_server_that_closes_its_output_but_lives_on_is_lost_too() {
    let server = format!("{HANDSHAKE} read -r call; exec 1>&-; sleep 30");
    let client = connect_with(shell(&server), quick()).await.unwrap();
    let error = client.ping().await.unwrap_err();
    assert!(error.to_string().starts_with("the server closed the connection"), "{error}");
    client.close().await;
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let mut settings = ClientSettings { child: quick(), ..ClientSettings::default() };
    settings.session.patience = Duration::from_millis(200);
    let error = builder().settings(settings).connect(shell("sleep 30")).await.err().unwrap();
    assert!(error.is_timeout(), "{error}");
}

#[tokio::test]
async fn an_answer_that_never_ends_is_refused_by_its_length() {
    let server = format!("{HANDSHAKE} read -r call; yes | tr -d '\\n'");
    let mut settings = ClientSettings { child: quick(), ..ClientSettings::default() };
    settings.messages.bytes = 100_000;
    let client = builder().settings(settings).connect(shell(&server)).await.unwrap();
    let error = client.ping().await.unwrap_err();
    assert!(error.to_string().contains("more than 100000 bytes"), "{error}");
    client.close().await;
}

#[tokio::test]
async fn noise_on_standard_output_does_not_end_a_conversation() {
    let server = format!(
        "echo 'Listening on stdio'; {HANDSHAKE} read -r call; echo '{{broken'; \
         echo '{{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{{}}}}'; {PONG} cat >/dev/null"
    );
    let client = connect(shell(&server)).await.unwrap();
    client.ping().await.unwrap();
}

#[tokio::test]
async fn a_flood_on_standard_error_blocks_nothing_and_is_not_kept() {
    let server = format!(
        "{HANDSHAKE} read -r call; yes nonsense | head -c 50000000 >&2; echo done >&2; {PONG} \
         cat >/dev/null"
    );
    let client = connect(shell(&server)).await.unwrap();
    timeout(Duration::from_secs(20), client.ping().into_future()).await.unwrap().unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    while !client.stderr().ends_with("done\n") {
        assert!(Instant::now() < deadline, "standard error is not read");
        sleep(Duration::from_millis(10)).await;
    }
    assert!(client.stderr().len() <= ChildSettings::default().stderr);
}

#[tokio::test]
async fn a_server_that_ignores_everything_is_killed_with_all_it_started() {
    let marks = Marks::new("ignores");
    let stubborn = format!(
        "trap '' TERM INT; (trap '' TERM; while :; do sleep 0.1; done) & echo $! > {file}; \
         {HANDSHAKE} while :; do sleep 0.1; done",
        file = marks.0.display(),
    );
    let client = connect_with(shell(&stubborn), quick()).await.unwrap();
    let started = Instant::now();
    client.close().await;
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    marks.descendant_is_gone();
}

#[tokio::test]
async fn a_server_that_ends_with_its_input_is_not_told_to_terminate() {
    let marks = Marks::new("obedient");
    let server = format!(
        "trap 'echo terminated > {file}' TERM; {HANDSHAKE} while read -r line; do :; done; \
         sleep 0.1; echo ended > {file}",
        file = marks.0.display(),
    );
    connect(shell(&server)).await.unwrap().close().await;
    assert_eq!(fs::read_to_string(&marks.0).unwrap(), "ended\n");
}

#[tokio::test]
async fn a_server_that_does_not_read_is_given_up() {
    let server = format!("{HANDSHAKE} sleep 60");
    let child = ChildSettings { write_stall: Duration::from_millis(300), ..quick() };
    let client = connect_with(shell(&server), child).await.unwrap();
    // More than a pipe holds.
    let long = serde_json::json!({"text": "a".repeat(1_000_000)});
    let error = client.call_tool("write", long).await.unwrap_err();
    assert!(error.to_string().starts_with("the server does not read"), "{error}");
    client.close().await;
}

#[tokio::test]
async fn a_server_that_dies_while_it_is_written_to_is_quoted() {
    let server = format!("{HANDSHAKE} sleep 0.2; echo 'disk full' >&2; exit 5");
    let client = connect(shell(&server)).await.unwrap();
    let long = serde_json::json!({"text": "a".repeat(1_000_000)});
    let error = client.call_tool("write", long).await.unwrap_err();
    let said = error.to_string();
    assert!(said.contains("exit status: 5") && said.contains("disk full"), "{said}");
}

#[tokio::test]
async fn what_a_server_leaves_behind_is_ended_and_does_not_hold_up_its_client() {
    let marks = Marks::new("orphan");
    // The grandchild holds the pipes open after its parent has gone.
    let server = format!(
        "sleep 60 & echo $! > {file}; {HANDSHAKE} read -r call; exit 3",
        file = marks.0.display(),
    );
    let client = connect(shell(&server)).await.unwrap();
    let started = Instant::now();
    let error = client.ping().await.unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert!(error.to_string().contains("exit status: 3"), "{error}");
    client.close().await;
    marks.descendant_is_gone();
}

#[tokio::test]
async fn a_client_that_is_dropped_takes_its_server_along() {
    let marks = Marks::new("dropped");
    let server = format!("echo $$ > {}; {HANDSHAKE} cat >/dev/null", marks.0.display());
    drop(connect(shell(&server)).await.unwrap());
    let deadline = Instant::now() + Duration::from_secs(5);
    while marks.alive() {
        assert!(Instant::now() < deadline, "the server lives on");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_server_that_crashed_is_started_again_when_asked_for() {
    let server = format!("{HANDSHAKE} read -r call; {PONG} exit 1");
    let pause = Duration::from_millis(10);
    let restart = Restart::Crashed { most: 5, pause, longest_pause: pause };
    let client = connect_with(shell(&server), ChildSettings { restart, ..quick() }).await.unwrap();
    for _ in 0..3 {
        // The one that answered may be seen to end only after the next call was made.
        let answered = async { while client.ping().await.is_err() {} };
        timeout(Duration::from_secs(5), answered).await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_keeps_crashing_is_given_up() {
    let pause = Duration::from_millis(5);
    let restart = Restart::Crashed { most: 2, pause, longest_pause: pause };
    let settings = ChildSettings { restart, ..quick() };
    let error = connect_with(shell("exit 4"), settings).await.err().unwrap();
    assert!(error.to_string().contains("exit status: 4"), "{error}");
}

#[tokio::test]
async fn the_environment_is_passed_on_as_allowed() {
    let server = format!("echo \"$SECRET-$GIVEN\" >&2; {HANDSHAKE} cat >/dev/null");
    let command = shell(&server).env("GIVEN", "given").inherit(Inherit::Only(vec!["PATH".into()]));
    let client = connect(command).await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    while client.stderr().is_empty() && Instant::now() < deadline {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(client.stderr(), "-given\n");
}

/// Where a script writes down the ids of processes that must not survive.
struct Marks(PathBuf);

impl Marks {
    fn new(name: &str) -> Self {
        let name = format!("proofmark-child-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Waits until there is an id.
    async fn appear(&self) {
        let written = async {
            while !fs::read_to_string(&self.0).is_ok_and(|id| id.ends_with('\n')) {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(20), written).await.expect("nothing was started");
    }

    fn alive(&self) -> bool {
        let id = fs::read_to_string(&self.0).unwrap();
        let state = fs::read_to_string(format!("/proc/{}/stat", id.trim()));
        // A process that is dead and not yet waited for is none of ours: the process that inherits it waits for it.
        state.is_ok_and(|state| !state.contains(") Z "))
    }

    /// Without process groups, a client does not know what a server started itself; that is ended here.
    #[track_caller]
    fn descendant_is_gone(&self) {
        if cfg!(proofmark_portable) {
            let id = fs::read_to_string(&self.0).unwrap();
            std::process::Command::new("kill").args(["-9", id.trim()]).status().unwrap();
        } else {
            assert!(!self.alive(), "a process survived");
        }
    }
}

/// Whether the system knows a process, dead or alive, or it has yet to write down its id.
fn is_known(marks: &Path) -> bool {
    let id = fs::read_to_string(marks).unwrap_or_default();
    id.trim().is_empty() || fs::exists(format!("/proc/{}", id.trim())).unwrap()
}

impl Drop for Marks {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.0);
    }
}

/// Keeps the paused clock from jumping ahead while processes take the machine's time, however slow that is. Once the process is gone, what
/// time there is to wait passes at once, and can be read off the clock.
struct Still(mpsc::Sender<PathBuf>);

impl Still {
    fn begin() -> Self {
        let (sender, receiver) = mpsc::channel::<PathBuf>();
        tokio::task::spawn_blocking(move || {
            let Ok(file) = receiver.recv_timeout(LONGEST) else { return };
            let begun = std::time::Instant::now();
            // The other thread may be through before this has looked.
            while is_known(&file)
                && begun.elapsed() < LONGEST
                && receiver.recv_timeout(Duration::from_millis(1)) == Err(RecvTimeoutError::Timeout)
            {
            }
        });
        Self(sender)
    }

    fn until_gone(&self, marks: &Marks) {
        self.0.send(marks.0.clone()).unwrap();
    }
}

fn shell(script: &str) -> ServerCommand {
    ServerCommand::new("sh").arg("-c").arg(script)
}

fn quick() -> ChildSettings {
    ChildSettings {
        close_grace: Duration::from_millis(200),
        term_grace: Duration::from_millis(200),
        ..ChildSettings::default()
    }
}

/// Speaks the legacy era at once, so that a script of two lines is a server.
fn builder() -> ClientBuilder {
    let preference = Preference::Legacy(Revision::newest(Era::Legacy));
    Client::builder("test", "1").preference(preference)
}

async fn connect(command: ServerCommand) -> Result<Client, Error> {
    connect_with(command, ChildSettings::default()).await
}

async fn connect_with(command: ServerCommand, child: ChildSettings) -> Result<Client, Error> {
    let settings = ClientSettings { child, ..ClientSettings::default() };
    builder().settings(settings).connect(command).await
}

/// What should have happened by then never will.
const LONGEST: Duration = Duration::from_secs(60);
const MARKS: &str = "PROOFMARK_TEST_MARKS";
const HANDSHAKE: &str = r#"read -r initialize; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}}'; read -r initialized;"#;
const PONG: &str = r#"echo '{"jsonrpc":"2.0","id":2,"result":{}}';"#;
