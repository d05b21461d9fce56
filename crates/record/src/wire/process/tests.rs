#![cfg(unix)]

use std::time::Instant;

use super::*;

#[tokio::test]
async fn a_child_is_talked_to_and_ends_with_its_input() {
    let (process, mut wire) =
        Process::start(&shell("read line; echo \"$line\"; echo oh >&2")).unwrap();
    let mut recorder = Recorder::new(tokio::time::Instant::now());
    let soon = tokio::time::Instant::now() + PATIENCE;
    wire.write(b"{}\n", soon).await.unwrap();
    assert!(wire.read(&mut recorder, soon).await);
    wire.close_input().await;
    process.stop(&mut recorder, PATIENCE).await;
    let what: Vec<_> = recorder.events.iter().map(|event| format!("{:?}", event.kind)).collect();
    assert!(what[0].contains("Received"), "{what:?}");
    assert_eq!(what[1..], ["Stderr(\"oh\")", "Exited(\"exit status: 0\")"]);
}

#[tokio::test]
async fn a_child_that_does_not_end_is_ended() {
    let (process, _wire) = Process::start(&shell("trap '' TERM; echo; exec sleep 600")).unwrap();
    let mut recorder = Recorder::new(tokio::time::Instant::now());
    let began = Instant::now();
    process.stop(&mut recorder, Duration::from_millis(10)).await;
    assert!(began.elapsed() < PATIENCE);
    let last = recorder.events.last().map(|event| format!("{:?}", event.kind));
    assert_eq!(last.as_deref(), Some("Exited(\"ended by the checker\")"));
}

#[cfg(not(proofmark_portable))]
#[tokio::test]
async fn what_a_child_started_ends_with_it() {
    let (process, mut wire) = Process::start(&shell("sleep 600 & echo ready; wait")).unwrap();
    let mut recorder = Recorder::new(tokio::time::Instant::now());
    let soon = tokio::time::Instant::now() + PATIENCE;
    assert!(wire.read(&mut recorder, soon).await);
    drop(process);
    // What is left behind would hold the pipe open.
    assert!(!wire.read(&mut recorder, soon).await);
    let last = recorder.events.last().map(|event| &event.kind);
    assert!(matches!(last, Some(EventKind::Ended { .. })), "{last:?}");
}

fn shell(script: &str) -> CommandLine {
    CommandLine {
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        ..CommandLine::default()
    }
}

const PATIENCE: Duration = Duration::from_secs(10);
