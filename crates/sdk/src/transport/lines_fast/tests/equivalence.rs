//! The same conversations on pipes, and on any pair of streams.

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use tokio::io::{duplex, split};

use super::*;
use crate::transport::lines::{Client, serve_lines_of};

/// What a client may say, good and bad. Requests have ids of their own, so that no answer depends on which handler was faster.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        4 => prop::sample::select(&["quick", "slow", "spawns", "unknown"])
            .prop_map(|tool| call(ID, tool).to_string()),
        3 => prop::sample::select(&["ping", "tools/list", "no/such/method"])
            .prop_map(|method| json!({ "jsonrpc": "2.0", "id": ID, "method": method }).to_string()),
        1 => Just(initialize().to_string()),
        1 => Just(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned()),
        1 => prop::sample::select(&["", "{", "[]", "[1]", "null", "\u{1f600}", r#"{"jsonrpc":"2.0"}"#])
            .prop_map(str::to_owned),
        1 => Just("x".repeat(LIMIT + 1)),
    ];
    prop::collection::vec(line, 0..12).prop_map(|lines| {
        let numbered = lines.into_iter().enumerate();
        numbered.map(|(at, line)| line.replace(&ID.to_string(), &(at + 1).to_string())).collect()
    })
}

/// All answers, in an order that does not depend on which handler was faster.
fn sorted(answers: &str) -> Vec<String> {
    let mut answers: Vec<_> = answers.lines().map(str::to_owned).collect();
    answers.sort();
    answers
}

fn limited() -> LineSettings {
    let mut settings = settings();
    settings.limits.bytes = LIMIT;
    settings
}

async fn on_pipes(input: &str) -> Vec<String> {
    let (theirs, to_server) = io::pipe().unwrap();
    let (from_server, output) = io::pipe().unwrap();
    let serving = serving(theirs.into(), output.into(), limited());
    let mut to_server = pipe::Sender::from_owned_fd(to_server.into()).unwrap();
    let mut from_server = pipe::Receiver::from_owned_fd(from_server.into()).unwrap();
    let send = async {
        to_server.write_all(input.as_bytes()).await.unwrap();
        drop(to_server);
    };
    let mut answers = String::new();
    let ((), read) = tokio::join!(send, from_server.read_to_string(&mut answers));
    read.unwrap();
    serving.await.unwrap().unwrap();
    sorted(&answers)
}

async fn on_streams(input: &str) -> Vec<String> {
    let (client, far) = duplex(64 * 1024);
    let serving = tokio::spawn(async move {
        let (reader, writer) = split(far);
        let client = Client { owner: Principal::Local, caller: None };
        serve_lines_of(&server(), (reader, writer), limited(), client, pending()).await
    });
    let (mut reader, mut writer) = split(client);
    let send = async {
        writer.write_all(input.as_bytes()).await.unwrap();
        writer.shutdown().await.unwrap();
    };
    let mut answers = String::new();
    let ((), read) = tokio::join!(send, reader.read_to_string(&mut answers));
    read.unwrap();
    serving.await.unwrap().unwrap();
    sorted(&answers)
}

#[tokio::test]
async fn both_paths_answer_alike() {
    let mut runner = TestRunner::new(Config::default());
    let mut answered = 0;
    for number in 0..CONVERSATIONS {
        let mut lines = lines().new_tree(&mut runner).unwrap().current();
        // Some clients forget to.
        if number % 4 > 0 {
            lines.insert(0, initialize().to_string());
        }
        let input = lines.iter().flat_map(|line| [line, "\n"]).collect::<String>();
        let answers = on_pipes(&input).await;
        assert_eq!(answers, on_streams(&input).await, "{input}");
        answered += answers.len();
    }
    assert!(answered > CONVERSATIONS, "{answered} answers are too few to compare");
}

const CONVERSATIONS: usize = 60;
const LIMIT: usize = 2000;
/// Stands for the id until a request has one.
const ID: usize = 987_654_321;
