//! Without a revision on the command line a server is held to the newest that it speaks, in either era.

use std::sync::{Arc, Mutex};

use proofmark_check::{
    Options, Progress, Step, check, check_all,
    converse::peer::Peer,
    judge::outcome::Status,
    record::wire::lines::LineWire,
    report::{Report, Strictness, Verdict},
};
use proofmark_core::revision::{Era, Revision};
use proofmark_sdk::transport::{LineSettings, serve_lines};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};

#[tokio::test(start_paused = true)]
async fn a_server_is_held_to_the_newest_revision_that_it_speaks() {
    for (only, expected) in [
        (None, Revision::newest(Era::Modern)),
        (Some(Era::Modern), Revision::newest(Era::Modern)),
        (Some(Era::Legacy), Revision::newest(Era::Legacy)),
    ] {
        let report = check(&server(only, |_| Reaction::Answer), &Options::default()).await.unwrap();
        assert_eq!(report.revision, expected, "{only:?}");
        assert_eq!(broken(&report), Vec::<&str>::new(), "{only:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_legacy_server_does_about_the_question_of_the_era_is_not_held_against_it() {
    for reaction in [Reaction::Close, Reaction::Error, Reaction::Junk, Reaction::Silence] {
        let react = move |line: &str| {
            if line.contains("server/discover") { reaction } else { Reaction::Answer }
        };
        let peer = server(Some(Era::Legacy), react);
        let report = check(&peer, &Options::default()).await.unwrap();
        assert_eq!(report.revision, Revision::newest(Era::Legacy), "{reaction:?}");
        assert_eq!(broken(&report), Vec::<&str>::new(), "{reaction:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn in_all_revisions_each_that_is_spoken_is_judged_once() {
    let told = Arc::new(Mutex::new((0, 0)));
    let telling = Arc::clone(&told);
    let progress = Progress::new(move |step| {
        let mut told = telling.lock().unwrap();
        match step {
            Step::Planned(more) => told.0 += more,
            Step::Began(_) => {}
            Step::Ended(_) => told.1 += 1,
        }
    });
    let options = Options { progress, ..Options::default() };
    let all = check_all(&server(Some(Era::Legacy), |_| Reaction::Answer), &options).await.unwrap();
    let judged: Vec<Revision> = all.reports.iter().map(|report| report.revision).collect();
    assert_eq!(judged, Revision::of(Era::Legacy).rev().collect::<Vec<_>>());
    assert_eq!(all.not_spoken, [Revision::newest(Era::Modern)]);
    assert_eq!(all.verdict(Strictness::Failures), Verdict::Conformant);
    let (planned, ended) = *told.lock().unwrap();
    assert!(planned == ended && ended > judged.len(), "{ended} of {planned}");
}

/// What becomes of a line from the client.
#[derive(Clone, Copy, Debug)]
enum Reaction {
    Answer,
    Close,
    Error,
    Junk,
    Silence,
}

fn broken(report: &Report) -> Vec<&'static str> {
    let is_broken = |status| matches!(status, Status::Fail | Status::Warn);
    report.entries.iter().filter(|it| is_broken(it.status)).map(|it| it.requirement.id).collect()
}

/// The Everything Server, behind what may react in its place.
fn server(
    only: Option<Era>,
    react: impl Fn(&str) -> Reaction + Clone + Send + Sync + 'static,
) -> Peer {
    Peer::Memory(Arc::new(move || {
        let (near, far) = duplex(64 * 1024);
        let (reader, writer) = split(near);
        (LineWire::new(reader, writer), Box::pin(serve(only, react.clone(), far)))
    }))
}

async fn serve(only: Option<Era>, react: impl Fn(&str) -> Reaction, far: DuplexStream) {
    let options = proofmark_everything::Options { only, ..Default::default() };
    let server = proofmark_everything::server(options).expect("the server is put together");
    let (outer, inner) = duplex(64 * 1024);
    let (from, to) = split(inner);
    let serving = serve_lines(&server, from, to, LineSettings::default());
    let passing = async {
        let (from_client, mut to_client) = split(far);
        let (from_server, mut to_server) = split(outer);
        let mut asked = BufReader::new(from_client).lines();
        let mut answered = BufReader::new(from_server).lines();
        loop {
            let (writer, line) = tokio::select! {
                Ok(Some(line)) = answered.next_line() => (&mut to_client, line),
                Ok(line) = asked.next_line() => {
                    let Some(line) = line else { return };
                    match react(&line) {
                        Reaction::Answer => (&mut to_server, line),
                        Reaction::Close => return,
                        Reaction::Error => (&mut to_client, ERROR.to_owned()),
                        Reaction::Junk => (&mut to_client, "what?".to_owned()),
                        Reaction::Silence => continue,
                    }
                }
                else => return,
            };
            let _ = writer.write_all(format!("{line}\n").as_bytes()).await;
        }
    };
    let _ = tokio::join!(serving, passing);
}

const ERROR: &str =
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"initialize first"}}"#;
