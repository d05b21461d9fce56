//! Bytes are a message or are refused with a reason that can be sent, and a message survives being written again.

use proofmark_core::{
    framing::lines::write_line,
    jsonrpc::{Incoming, Limits, Message, NotAMessage, parse, write},
};

pub fn run(data: &[u8]) {
    check(data, &Limits::default());
    check(data, &Limits { bytes: 512, depth: 6, batch: 3 });
}

fn check(data: &[u8], limits: &Limits) {
    let parsed = parse(data, limits);
    around_white_space(data, limits, &parsed);
    match &parsed {
        Ok(Incoming::Message(message)) => rewrite(message, limits),
        Ok(Incoming::Batch(members)) => {
            assert!((1..=limits.batch).contains(&members.len()));
            for member in members {
                match member {
                    Ok(message) => rewrite(message, limits),
                    Err(refused) => refuse(refused),
                }
            }
        }
        Err(refused) => refuse(refused),
    }
}

fn rewrite(message: &Message<'_>, limits: &Limits) {
    let mut written = Vec::new();
    message.write(&mut written);
    let again = one(&written, limits);
    assert_eq!(again, *message);
    let mut twice = Vec::new();
    again.write(&mut twice);
    assert_eq!(written, twice);

    let mut line = Vec::new();
    write_line(&mut line, &written);
    assert_eq!(line.iter().position(|&byte| byte == b'\n'), Some(line.len() - 1));
    // Line breaks between the tokens of a payload have become spaces, which is another text of the same value.
    assert_eq!(value(&line), value(&written));
    one(&line, &Limits { bytes: line.len(), ..*limits });
}

/// The answer to a refusal is itself a message, under the id that could be read.
fn refuse(refused: &NotAMessage) {
    let error = refused.to_error();
    let mut written = Vec::new();
    write::error(&mut written, refused.id.as_ref(), &error);
    let Message::Error(answer) = one(&written, &Limits::default()) else {
        panic!("a refusal is written as {}", String::from_utf8_lossy(&written));
    };
    assert_eq!(answer.id, refused.id);
    assert_eq!(answer.error, error);
}

/// White space around it does not make another message.
fn around_white_space(data: &[u8], limits: &Limits, parsed: &Result<Incoming<'_>, NotAMessage>) {
    let padded = [b" \n", data, b"\r\t"].concat();
    let limits = Limits { bytes: limits.bytes.saturating_add(4), ..*limits };
    match (parsed, parse(&padded, &limits)) {
        (Ok(Incoming::Message(one)), Ok(Incoming::Message(other))) => assert_eq!(*one, other),
        (Ok(Incoming::Batch(ones)), Ok(Incoming::Batch(others))) => assert_eq!(*ones, others),
        (Err(one), Err(other)) => assert_eq!(one.id, other.id),
        (one, other) => panic!("{one:?} becomes {other:?}"),
    }
}

fn one<'a>(bytes: &'a [u8], limits: &Limits) -> Message<'a> {
    match parse(bytes, limits) {
        Ok(Incoming::Message(message)) => message,
        other => panic!("{} is read as {other:?}", String::from_utf8_lossy(bytes)),
    }
}

fn value(bytes: &[u8]) -> Option<serde_json::Value> {
    // Numbers beyond what a `Value` holds, and lone surrogates inside payloads, are left to whoever reads them.
    serde_json::from_slice(bytes).ok()
}
