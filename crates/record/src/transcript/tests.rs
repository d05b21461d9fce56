use std::{fs, io::BufReader, path::PathBuf};

use serde_json::json;

use super::*;
use crate::scenario::ScenarioName;
use crate::{
    event::{Border, Frame},
    side::Side,
    topic::Topic,
};

#[test]
fn what_was_written_is_read_again() {
    let file = Temporary::new("again");
    let happened = [
        EventKind::Connected("a pipe".to_owned()),
        EventKind::Sent {
            topic: Topic::Ping,
            exchange: 0,
            frame: Frame::new(json!({ "id": 1 }).to_string(), Border::Line),
        },
        EventKind::Received { exchange: 7, frame: Frame::new(*b"\xff\xfe", Border::Cut) },
        EventKind::Received {
            exchange: 7,
            frame: Frame::new(
                "{}",
                Border::Event {
                    name: "message".to_owned(),
                    id: None,
                    retry: Some(Duration::from_millis(3)),
                },
            ),
        },
        EventKind::Silence(Duration::from_millis(250)),
        EventKind::Flooded { limit: 5 },
    ];
    let mut writer = file.writer();
    writer.conversation(0, &ScenarioName::new("tour")).unwrap();
    for what in &happened {
        writer.event(0, Duration::from_micros(1500), what.clone()).unwrap();
    }
    writer.flush().unwrap();

    let reader = file.read();
    let [recording] = reader.recordings.as_slice() else { panic!("one transcript") };
    assert_eq!(recording.header.target, "somebody");
    let [conversation] = recording.conversations.as_slice() else { panic!("one conversation") };
    assert_eq!(conversation.events[0].at, Duration::from_micros(1500));
    let read: Vec<_> = conversation.events.iter().map(|it| format!("{:?}", it.kind)).collect();
    let written: Vec<_> = happened.iter().map(|it| format!("{it:?}")).collect();
    assert_eq!(read, written);
}

#[test]
fn what_is_overheard_is_written_as_any_event() {
    let frames: [(&[u8], Border); 3] = [
        (br#"{"a":"\n","password":"s3cret"}"#, Border::Line),
        (b"\xff\xfe", Border::Cut),
        (
            b"x\x07",
            Border::Event { name: "message".to_owned(), id: Some("1".to_owned()), retry: None },
        ),
    ];
    let at = Duration::from_micros(1500);
    for (bytes, border) in frames {
        let frame = Frame::new(bytes, border.clone());
        let sent = EventKind::Sent { topic: Topic::Overheard, exchange: 3, frame: frame.clone() };
        let received = EventKind::Received { exchange: 3, frame };
        for (by, what) in [(Side::Client, sent), (Side::Server, received)] {
            let (file, other) = (Temporary::new("overheard"), Temporary::new("event"));
            let (mut heard, mut happened) = (file.writer(), other.writer());
            heard.overheard(2, at, by, 3, bytes, &border).unwrap();
            happened.event(2, at, what).unwrap();
            heard.flush().and_then(|()| happened.flush()).unwrap();
            assert_eq!(fs::read_to_string(&file.0).unwrap(), fs::read_to_string(&other.0).unwrap());
        }
    }
}

#[test]
fn a_writer_that_was_killed_loses_at_most_its_last_line() {
    let file = Temporary::new("killed");
    let mut writer = file.writer();
    writer.conversation(0, &ScenarioName::OVERHEARD).unwrap();
    writer.event(0, Duration::ZERO, EventKind::Stderr("one".to_owned())).unwrap();
    writer.event(0, Duration::ZERO, EventKind::Stderr("two".to_owned())).unwrap();
    writer.flush().unwrap();
    let whole = fs::read(&file.0).unwrap();
    let begin = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for cut in begin..whole.len() {
        fs::write(&file.0, &whole[..cut]).unwrap();
        let reader = file.read();
        let kept: usize = reader.recordings[0].conversations.iter().map(|it| it.events.len()).sum();
        let lines = whole[..cut].split(|byte| *byte == b'\n').count() - 1;
        assert_eq!(kept, lines.saturating_sub(2));
        assert_eq!(reader.is_cut(), whole[cut - 1] != b'\n');
    }
}

#[test]
fn what_is_no_transcript_is_refused_with_the_line() {
    let header = Line::Transcript(Header::new(TranscriptKind::Tap, "x", Transport::Stdio));
    let header = serde_json::to_string(&header).unwrap();
    for (text, complaint) in [
        ("hello\n", "line 1 is not from a transcript"),
        (&*format!("{header}\n{{\"event\":7}}\n"), "line 2"),
        ("{\"conversation\":{\"number\":0,\"scenario\":\"tour\"}}\n", "no beginning"),
        ("{\"transcript\":{\"version\":99,\"new\":true}}\n", "version 99"),
    ] {
        let error = Reader::new(text.as_bytes()).read().unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
    }
}

#[test]
fn a_scenario_that_this_version_does_not_have_is_shown_by_its_name() {
    let header = Line::Transcript(Header::new(TranscriptKind::CheckServer, "x", Transport::Stdio));
    let header = serde_json::to_string(&header).unwrap();
    let text = format!("{header}\n{{\"conversation\":{{\"number\":0,\"scenario\":\"new\"}}}}\n");
    let mut reader = Reader::new(text.as_bytes());
    reader.read().unwrap();
    assert_eq!(reader.recordings[0].conversations[0].scenario.to_string(), "new");
}

#[test]
fn a_new_transcript_does_not_replace_another() {
    let file = Temporary::new("new");
    let header = Header::new(TranscriptKind::Tap, "x", Transport::Stdio);
    Writer::create_new(&file.0, &header).unwrap();
    let error = Writer::create_new(&file.0, &header).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
}

#[cfg(all(unix, not(proofmark_portable)))]
#[test]
fn a_new_transcript_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let header = Header::new(TranscriptKind::Tap, "x", Transport::Stdio);
    for open in [Writer::append, Writer::create_new] {
        let file = Temporary::new("mode");
        open(&file.0, &header).unwrap();
        assert_eq!(fs::metadata(&file.0).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn secrets_are_not_written() {
    let file = Temporary::new("secrets");
    let mut writer = file.writer();
    writer.conversation(0, &ScenarioName::OVERHEARD).unwrap();
    let headers = vec![("authorization".to_owned(), "Bearer s3cret".to_owned())];
    let (topic, exchange) = (Topic::Overheard, 1);
    let line = "POST /token?code=s3cret HTTP/1.1".to_owned();
    let frame = Frame::new(r#"{"access_token":"s3cret"}"#, Border::Body);
    writer
        .event(0, Duration::ZERO, EventKind::Requested { topic, exchange, line, headers })
        .and_then(|()| writer.event(0, Duration::ZERO, EventKind::Received { exchange, frame }))
        .and_then(|()| writer.flush())
        .unwrap();
    assert!(!fs::read_to_string(&file.0).unwrap().contains("s3cret"));
}

struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        let name = format!("proofmark-transcript-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn writer(&self) -> Writer {
        Writer::append(&self.0, &Header::new(TranscriptKind::Tap, "somebody", Transport::Stdio))
            .unwrap()
    }

    fn read(&self) -> Reader<BufReader<fs::File>> {
        let mut reader = Reader::new(BufReader::new(fs::File::open(&self.0).unwrap()));
        reader.read().unwrap();
        reader
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
