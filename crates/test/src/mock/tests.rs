//! A mock answers as was recorded, in both eras, and says what was not.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use proofmark_core::revision::Revision;
use serde_json::{Value, json};
use tokio::io::{duplex, split};

use super::*;
use crate::{
    Judging, MemoryServer,
    file::{self, ClientAnswers, Reach, Server, Suite},
    outcome::RunOutcome,
    recorded::Exchange,
    run::{self, Options},
    snapshot::{Snapshots, Update},
};

#[test]
fn the_same_question_is_answered_as_recorded_one_after_the_other() {
    let (mock, told) = mock(Settings::default());
    let texts: Vec<String> =
        (0..3).map(|_| text(&mock.hear(&call("add", &json!({"a": 1}))))).collect();
    assert_eq!(texts, ["first", "second", "second"]);
    assert_eq!(told.lock().unwrap()[..], Vec::<String>::new());
}

#[test]
fn what_was_not_recorded_is_answered_as_the_nearest_and_told() {
    let (mock, told) = mock(Settings::default());
    assert_eq!(text(&mock.hear(&call("add", &json!({"a": 7, "b": 2})))), "other");
    let said = told.lock().unwrap()[0].clone();
    assert!(said.contains("add {\"a\":7,\"b\":2}") && said.contains("answered as"), "{said}");
    let refused = mock.hear(&call("ad", &json!({})));
    assert_eq!(refused.messages[0]["error"]["code"], -32602);
    assert!(told.lock().unwrap()[1].contains("the nearest is add"), "{told:?}");
    let no_such = mock.hear(&request("resources/read", &json!({"uri": "x://none"})));
    assert_eq!(no_such.messages[0]["error"]["code"], -32002);
    let page = mock.hear(&request("tools/list", &json!({"cursor": "none"})));
    assert_eq!(page.messages[0]["error"]["code"], -32602);
    assert_eq!(mock.hear(&request("odd/method", &json!({}))).messages[0]["error"]["code"], -32601);
}

#[test]
fn a_strict_mock_refuses_what_was_not_recorded() {
    let (mock, told) = mock(Settings { matching: Matching::Strict, ..Settings::default() });
    let answer = mock.hear(&call("add", &json!({"a": 7})));
    let message = answer.messages[0]["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("the nearest is tools/call add"), "{message}");
    assert!(told.lock().unwrap()[0].contains("refused"));
    assert_eq!(text(&mock.hear(&call("add", &json!({"a": 1})))), "first");
    // It speaks what was recorded, and nothing else.
    let offered = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}});
    let answer = mock.hear(&request("initialize", &offered));
    assert_eq!(answer.messages[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(
        mock.hear(&request("server/discover", &json!({}))).messages[0]["error"]["code"],
        -32601
    );
}

#[test]
fn progress_goes_to_the_token_of_the_client() {
    let (mock, _) = mock(Settings::default());
    let mut asked = call("slow", &json!({}));
    assert_eq!(mock.hear(&asked).messages.len(), 1);
    asked["params"]["_meta"] = json!({"progressToken": "mine"});
    let answer = mock.hear(&asked);
    assert_eq!(answer.messages[0]["params"]["progressToken"], "mine");
    assert_eq!(answer.messages.len(), 2);
}

#[test]
fn faults_and_latencies_are_made_on_request_and_repeat_with_the_seed() {
    let settings = Settings {
        latency: "10ms..20ms".parse().unwrap(),
        faults: Faults(vec![(Fault::Drop, 0.5)]),
        seed: 9,
        ..Settings::default()
    };
    let course = || -> Vec<(Option<Fault>, Duration)> {
        let (mock, _) = mock(settings.clone());
        let replies = (0..20).map(|_| mock.hear(&call("add", &json!({"a": 1}))));
        replies.map(|it| (it.fault, it.delay)).collect()
    };
    assert_eq!(course(), course());
    assert!(course().iter().any(|it| it.0.is_some()) && course().iter().any(|it| it.0.is_none()));
    assert!(course().iter().all(|it| it.1 >= Duration::from_millis(10)), "{:?}", course());
    // What every session needs stays whole.
    let (mock, _) = mock(Settings { faults: Faults(vec![(Fault::Close, 1.0)]), ..settings });
    assert_eq!(mock.hear(&request("tools/list", &json!({}))).fault, None);
}

#[test]
fn messages_that_are_none_do_no_harm() {
    let (mock, _) = mock(Settings::default());
    for odd in [json!(null), json!([]), json!({}), json!({"id": 1}), json!({"method": 5, "id": 1})]
    {
        assert_eq!(mock.hear(&odd).messages[0]["error"]["code"], -32600, "{odd}");
    }
    for quiet in [json!({"method": "notifications/x"}), json!({"id": 1, "result": {}})] {
        assert_eq!(mock.hear(&quiet), Reply::default(), "{quiet}");
    }
}

#[tokio::test]
async fn a_client_of_either_era_is_served_on_pipes() {
    for revision in Revision::ALL {
        let outcome = tested(
            *revision,
            Settings::default(),
            "{call: add, arguments: {a: 1}, expect: {text: first}}",
        )
        .await;
        assert!(outcome.is_good(), "{revision:?}: {:?}", outcome.tests);
    }
}

#[tokio::test]
async fn a_client_sees_the_faults() {
    for (fault, what) in [
        (Fault::Close, "lost"),
        (Fault::Drop, "in time"),
        (Fault::Error, "-32603"),
        (Fault::Garbage, "in time"),
    ] {
        let settings = Settings { faults: Faults(vec![(fault, 1.0)]), ..Settings::default() };
        let outcome = tested(Revision::ALL[0], settings, "{call: add, arguments: {a: 1}}").await;
        let failed = format!("{:?}", outcome.tests);
        assert!(failed.contains(what), "{fault:?}: {failed}");
    }
}

#[test]
fn a_file_says_what_is_answered() {
    let book = from_file(
        "name: shop\ninstructions: Buy.\ntools: [{name: add, inputSchema: {type: object}}]\nanswers:\n  - {call: add, arguments: {a: 1}, text: one}\n  - {call: add, text: any, delay: 2s}\n  - {read: 'x://y', text: yy}\n  - {prompt: p, error: -32603}\n  - {method: odd/one, result: {x: 1}, notifications: [{method: message, params: {level: info, data: d}}]}\n  - {call: gone, fault: close}\n",
    )
    .unwrap();
    let mock = Mock::new(book, Settings::default(), Box::new(|_| {}));
    assert_eq!(text(&mock.hear(&call("add", &json!({"a": 1})))), "one");
    let any = mock.hear(&call("add", &json!({"a": 5})));
    assert_eq!((text(&any), any.delay), ("any".to_owned(), Duration::from_secs(2)));
    let read = mock.hear(&request("resources/read", &json!({"uri": "x://y"})));
    assert_eq!(read.messages[0]["result"]["contents"][0]["text"], "yy");
    let prompt = mock.hear(&request("prompts/get", &json!({"name": "p"})));
    assert_eq!(prompt.messages[0]["error"]["code"], -32603);
    assert_eq!(mock.hear(&request("odd/one", &json!({}))).messages.len(), 2);
    assert_eq!(mock.hear(&call("gone", &json!({}))).fault, Some(Fault::Close));
    let lists = mock.hear(&request("tools/list", &json!({})));
    assert_eq!(lists.messages[0]["result"]["tools"][0]["name"], "add");
}

#[test]
fn mistakes_in_a_file_are_told_with_their_places() {
    for (text, what) in [
        ("answer: []", ":1:1: a file for `mock` has no `answer`: did you mean `answers`?"),
        ("answers:\n  - {call: x}", ":2:5: an answer has one of `text`, `result` or `error`"),
        ("answers:\n  - {text: x}", ":2:5: an answer is to one of"),
        ("answers:\n  - {call: x, fault: boom}", "boom is no fault: close, drop, error, garbage"),
        ("answers:\n  - {call: x, text: y, delay: soon}", "`delay` has to be a time"),
        ("answers: [", "this is no YAML"),
        ("name: x", "has no answers"),
    ] {
        let why = from_file(text).expect_err(text).to_string();
        assert!(why.contains(what), "{text}: {why}");
    }
    assert!(matches!(
        read(Path::new("no/such/file"), None, &|_| None),
        Err(Unusable::Unreadable { .. })
    ));
}

#[test]
fn tests_with_snapshots_are_answers_too() {
    let folder = folder("tests");
    let path = folder.join("t.yaml");
    std::fs::write(
        &path,
        "servers: {s: {command: x}}\ntests:\n  - {name: greets, call: greet, arguments: {name: Ada}, expect: {snapshot: true}}\n  - {name: refuses, call: none, expect: {error: -32602}}\n",
    )
    .unwrap();
    let snapshots = Snapshots::beside(&path, Update::Always);
    let seen = json!({"call greet": {"content": [{"type": "text", "text": "Hello, Ada!"}]}});
    snapshots.keep("s", "greets", seen.as_object().unwrap()).unwrap();
    let book = read(&path, None, &|_| None).unwrap();
    let mock = Mock::new(book, Settings::default(), Box::new(|_| {}));
    assert_eq!(text(&mock.hear(&call("greet", &json!({"name": "Ada"})))), "Hello, Ada!");
    assert_eq!(mock.hear(&call("none", &json!({}))).messages[0]["error"]["code"], -32602);
    std::fs::remove_dir_all(folder).unwrap();
}

type Notes = Arc<Mutex<Vec<String>>>;

fn mock(settings: Settings) -> (Mock, Notes) {
    let notes = Notes::default();
    let kept = Arc::clone(&notes);
    let told = move |note: &str| kept.lock().unwrap().push(note.to_owned());
    (Mock::new(book(), settings, Box::new(told)), notes)
}

fn book() -> Book {
    let mut book = Book { revision: Some("2025-06-18".to_owned()), ..Book::default() };
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 3, "progress": 1}});
    for (tool, arguments, text, notices) in [
        ("add", json!({"a": 1}), "first", vec![]),
        ("add", json!({"a": 1}), "second", vec![]),
        ("add", json!({"a": 3, "b": 2}), "other", vec![]),
        ("slow", json!({}), "done", vec![progress]),
    ] {
        book.add_exchange(Exchange {
            method: "tools/call".to_owned(),
            params: json!({"name": tool, "arguments": arguments}),
            answer: Answered::Result(json!({"content": [{"type": "text", "text": text}]})),
            notices,
        });
    }
    let listed = json!({"tools": [{"name": "add", "inputSchema": {"type": "object"}}]});
    book.add("tools/list", &json!({}), false, Said::result(listed));
    book
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn call(tool: &str, arguments: &Value) -> Value {
    request("tools/call", &json!({"name": tool, "arguments": arguments}))
}

fn text(reply: &Reply) -> String {
    let last = reply.messages.last().unwrap();
    last.pointer("/result/content/0/text").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Runs one test of our own client against a mock within this process.
async fn tested(revision: Revision, settings: Settings, test: &str) -> RunOutcome {
    let folder = folder(&format!("{revision:?}-{}", settings.faults.0.len()));
    let path = folder.join("t.yaml");
    std::fs::write(
        &path,
        format!("servers: {{s: {{command: x}}}}\ntests: [{{name: t, {}]", &test[1..]),
    )
    .unwrap();
    let mut suite: Suite = file::load(&path, &|_| None).unwrap_or_else(|why| panic!("{why}"));
    let memory = MemoryServer::new(move || {
        let (near, far) = duplex(64 * 1024);
        let (mock, _) = mock(settings.clone());
        let serving = async move {
            let (reader, writer) = split(far);
            let _ = serve_lines(Arc::new(mock), reader, writer).await;
        };
        (near, Box::pin(serving))
    });
    let server = Server {
        name: "s".to_owned(),
        reach: Reach::Memory(memory),
        revision: Some(revision),
        timeout: Duration::from_millis(700),
        start_timeout: Duration::from_secs(20),
        client: ClientAnswers::default(),
        watch: Vec::new(),
    };
    suite.servers.insert("s".to_owned(), server);
    let selected: Vec<_> = suite.tests.iter().collect();
    let snapshots = Snapshots::beside(&path, Update::Never);
    let options = Options {
        seed: 1,
        jobs: 1,
        fail_fast: false,
        judging: Judging::Off,
        lanes: 1,
        budget: None,
        snapshots: &snapshots,
        told: &|_| {},
    };
    let outcome = run::run(&suite, &selected, &options).await;
    std::fs::remove_dir_all(folder).unwrap();
    outcome
}

fn from_file(text: &str) -> Result<Book, Unusable> {
    let folder = folder("file");
    let path = folder.join("m.yaml");
    std::fs::write(&path, text).unwrap();
    let book = read(&path, None, &|_| None);
    std::fs::remove_dir_all(folder).unwrap();
    book
}

fn folder(name: &str) -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder =
        std::env::temp_dir().join(format!("proofmark-mock-{name}-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
