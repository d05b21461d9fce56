//! Where a mock's answers come from: a transcript, a file of answers, or a file of tests with its snapshots.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use proofmark_check::record::transcript::{Damage, Reader, Recording, TranscriptKind};
use proofmark_core::revision::{Era, Revision};
use serde_json::{Map, Value, json};

use super::{Book, book::Said};
use crate::{
    file::{self, Act, ListOf, Mistakes, MockFile, Outcome, Reference, Step, Suite, Variables},
    recorded::{self, Answered},
    snapshot::{Snapshots, Update},
    yaml,
};

/// Why there is nothing to answer with.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("{path} is damaged: {why}")]
    Damaged { path: PathBuf, why: Damage },
    #[error("{0} has no answers: it needs a transcript, `answers`, or `tests` with snapshots")]
    Empty(PathBuf),
    #[error("{0}")]
    Mistakes(Mistakes),
    #[error("{path} is for the servers {names}; say which (--server)")]
    NoServer { path: PathBuf, names: String },
    #[error("{0} is what a client said to the checker, and not what a server answered")]
    OfAClient(PathBuf),
    #[error("{path} cannot be read: {error}")]
    Unreadable { path: PathBuf, error: io::Error },
}

/// Reads whatever a path holds; `server` chooses one where a file of tests has several.
pub fn read(
    path: &Path,
    server: Option<&str>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Book, Unusable> {
    let unreadable = |error| Unusable::Unreadable { path: path.to_owned(), error };
    let bytes = fs::read(path).map_err(unreadable)?;
    let book = if is_transcript(&bytes) {
        let mut reader = Reader::new(&bytes[..]);
        let read = reader.read();
        read.map_err(|why| Unusable::Damaged { path: path.to_owned(), why })?;
        let kind = reader.recordings.first().map(|it| it.header.kind);
        if matches!(kind, Some(TranscriptKind::CheckClient | TranscriptKind::CheckAuthorization)) {
            return Err(Unusable::OfAClient(path.to_owned()));
        }
        of_recordings(&reader.recordings)
    } else if has_tests(&bytes) {
        let suite = file::load(path, environment).map_err(Unusable::Mistakes)?;
        of_tests(&suite, &chosen(&suite, server)?)
    } else {
        of_file(file::load_mock(path, environment).map_err(Unusable::Mistakes)?)
    };
    if book.entries.is_empty() { Err(Unusable::Empty(path.to_owned())) } else { Ok(book) }
}

fn is_transcript(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let first: Option<Value> = line.and_then(|line| serde_json::from_slice(line).ok());
    first.is_some_and(|first| first.get("transcript").is_some())
}

fn has_tests(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    yaml::read(&text).is_ok_and(|root| root.get("tests").is_some())
}

fn chosen(suite: &Suite, server: Option<&str>) -> Result<String, Unusable> {
    let names: Vec<&String> = suite.servers.keys().collect();
    match (&names[..], server) {
        ([only], None) => Ok((*only).clone()),
        (_, Some(wanted)) if suite.servers.contains_key(wanted) => Ok(wanted.to_owned()),
        (names, _) => {
            let names = names.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", ");
            Err(Unusable::NoServer { path: suite.path.clone(), names })
        }
    }
}

/// Everything that was asked and answered. Who the server is is not asked with the same words twice, so it is kept apart.
fn of_recordings(recordings: &[Recording]) -> Book {
    let mut book = Book::default();
    let (mut legacy, mut modern) = (None, None);
    for exchange in recorded::heard(recordings) {
        let Answered::Result(result) = &exchange.answer else {
            if !matches!(exchange.method.as_str(), "initialize" | "server/discover") {
                book.add_exchange(exchange);
            }
            continue;
        };
        let taken = |member: &str| result.get(member).cloned();
        match exchange.method.as_str() {
            "initialize" => {
                legacy = legacy.or_else(|| taken("protocolVersion"));
                book.info = taken("serverInfo").or(book.info);
            }
            "server/discover" => {
                let all = taken("supportedVersions");
                modern =
                    modern.or_else(|| all?.as_array()?.iter().find(|it| is_modern(it)).cloned());
                let info = result.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
                book.info = info.cloned().or(book.info);
            }
            _ => {
                book.add_exchange(exchange);
                continue;
            }
        }
        book.capabilities = taken("capabilities").or(book.capabilities);
        book.instructions = taken("instructions").or(book.instructions);
    }
    // A server that was heard in both eras speaks both.
    let only = match (legacy, modern) {
        (Some(_), Some(_)) => None,
        (one, other) => one.or(other),
    };
    book.revision = only.as_ref().and_then(Value::as_str).map(str::to_owned);
    book
}

fn is_modern(said: &Value) -> bool {
    Revision::ALL.iter().any(|it| it.era() == Era::Modern && said == it.as_str())
}

fn of_file(file: MockFile) -> Book {
    let mut book = Book {
        info: Some(json!({"name": file.name, "version": file.version})),
        instructions: file.instructions.map(Value::String),
        ..Book::default()
    };
    for (what, items) in file.lists {
        add_list(&mut book, what, &items);
    }
    for answer in file.answers {
        let said = Said {
            notices: answer.notifications,
            answer: match answer.answer {
                Ok(result) => Answered::Result(result),
                Err(error) => Answered::Error(error),
            },
            delay: answer.delay,
            fault: answer.fault.as_deref().and_then(|it| it.parse().ok()),
        };
        book.add(&answer.method, &answer.params, answer.any_arguments, said);
    }
    book
}

fn add_list(book: &mut Book, what: ListOf, items: &Value) {
    let method = match what {
        ListOf::Prompts => "prompts/list",
        ListOf::Resources => "resources/list",
        ListOf::Templates => "resources/templates/list",
        ListOf::Tools => "tools/list",
    };
    book.add(method, &json!({}), false, Said::result(json!({what.member(): items})));
}

/// What the snapshots of tests have, and the errors that tests expect.
fn of_tests(suite: &Suite, server: &str) -> Book {
    let snapshots = Snapshots::beside(&suite.path, Update::Never);
    let mut book = Book { info: Some(json!({"name": server, "version": "0"})), ..Book::default() };
    for test in suite.tests.iter().filter(|test| test.server == server) {
        let kept = fs::read_to_string(snapshots.path(server, &test.name)).unwrap_or_default();
        let kept = yaml::read(&kept).map(|node| node.value()).unwrap_or_default();
        let values = Variables::new(&test.values);
        for step in &test.steps {
            let Some((method, params)) = question(step, &values) else { continue };
            if let Outcome::Error { code, message: _ } = &step.expect.outcome {
                let said = Said::error(code.unwrap_or(-32602), "as the test expects");
                book.add(method, &params, false, said);
            } else if let Some(result) = kept.get(&step.title) {
                book.add(method, &params, false, Said::result(result.clone()));
            }
        }
    }
    book
}

/// What a step asks, if nothing of it has to be found out first.
fn question(step: &Step, values: &Variables) -> Option<(&'static str, Value)> {
    let fill = |value: &Value| values.fill(value).ok();
    Some(match &step.act {
        Act::Call { tool, arguments, .. } => (
            "tools/call",
            json!({"name": values.fill_in(tool).ok()?, "arguments": fill(arguments)?}),
        ),
        Act::Prompt { name, arguments } => (
            "prompts/get",
            json!({"name": values.fill_in(name).ok()?, "arguments": fill(arguments)?}),
        ),
        Act::Read { uri } => ("resources/read", json!({"uri": fill(uri)?})),
        Act::List(what) => {
            let method = match what {
                ListOf::Prompts => "prompts/list",
                ListOf::Resources => "resources/list",
                ListOf::Templates => "resources/templates/list",
                ListOf::Tools => "tools/list",
            };
            (method, json!({}))
        }
        Act::Complete { reference, argument, value, context } => {
            let reference = match reference {
                Reference::Prompt(name) => json!({"type": "ref/prompt", "name": name}),
                Reference::Resource(uri) => json!({"type": "ref/resource", "uri": uri}),
            };
            let mut params = Map::new();
            params.insert("ref".to_owned(), reference);
            params.insert("argument".to_owned(), json!({"name": argument, "value": fill(value)?}));
            let context = fill(context)?;
            if context.as_object().is_some_and(|it| !it.is_empty()) {
                params.insert("context".to_owned(), json!({"arguments": context}));
            }
            ("completion/complete", Value::Object(params))
        }
        _ => return None,
    })
}
