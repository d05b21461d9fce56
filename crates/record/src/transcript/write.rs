//! Appends to a transcript as things happen.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};

use super::{
    Header, Line,
    redact::{redact, redact_words, write_redacted},
};
use crate::scenario::ScenarioName;
use crate::{
    event::{Border, EventKind},
    evidence::Evidence,
    platform::owner_only,
    side::Side,
};

/// A file that is only appended to. Lines are gathered until [`flush`](Self::flush), and then written at once.
#[derive(Debug)]
pub struct Writer {
    file: File,
    gathered: Vec<u8>,
}

impl Writer {
    /// Goes on in a file that may be there already. A new one is readable by its owner only, because people tell secrets to their
    /// tools.
    pub fn append(path: &Path, header: &Header) -> io::Result<Self> {
        Self::open(OpenOptions::new().create(true), path, header)
    }

    /// Begins a file that must not be there yet, readable by its owner only.
    pub fn create_new(path: &Path, header: &Header) -> io::Result<Self> {
        Self::open(OpenOptions::new().create_new(true), path, header)
    }

    fn open(options: &mut OpenOptions, path: &Path, header: &Header) -> io::Result<Self> {
        let file = owner_only(options.append(true)).open(path)?;
        let mut writer = Self { file, gathered: Vec::new() };
        let target = redact_words(&header.target).into_owned();
        writer.line(&Line::Transcript(Header { target, ..header.clone() }))?;
        writer.flush()?;
        Ok(writer)
    }

    pub fn conversation(&mut self, number: usize, scenario: &ScenarioName) -> io::Result<()> {
        self.line(&Line::Conversation { number, scenario: scenario.to_string() })
    }

    pub fn event(
        &mut self,
        conversation: usize,
        at: Duration,
        mut what: EventKind,
    ) -> io::Result<()> {
        redact(&mut what);
        self.line(&Line::Event { conversation, at, what })
    }

    /// A frame that was overheard. The same as [`event`](Self::event) would write, in less time, because the peer waits for the frame.
    pub fn overheard(
        &mut self,
        conversation: usize,
        at: Duration,
        by: Side,
        exchange: u32,
        bytes: &[u8],
        border: &Border,
    ) -> io::Result<()> {
        let out = &mut self.gathered;
        out.extend_from_slice(br#"{"event":{"conversation":"#);
        serde_json::to_writer(&mut *out, &conversation)?;
        out.extend_from_slice(br#","at":"#);
        serde_json::to_writer(&mut *out, &u64::try_from(at.as_micros()).unwrap_or(u64::MAX))?;
        out.extend_from_slice(match by {
            Side::Client => br#","what":{"sent":{"topic":"overheard","exchange":"#.as_slice(),
            Side::Authorization | Side::Server => br#","what":{"received":{"exchange":"#,
        });
        serde_json::to_writer(&mut *out, &exchange)?;
        out.extend_from_slice(br#","frame":{"#);
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                out.extend_from_slice(br#""text":"#);
                write_redacted(out, text);
            }
            Err(_) => write!(out, r#""base64":"{}""#, STANDARD.encode(bytes))?,
        }
        out.extend_from_slice(br#","border":"#);
        match border {
            Border::Line => out.extend_from_slice(br#""line""#),
            other => serde_json::to_writer(&mut *out, other)?,
        }
        out.extend_from_slice(b"}}}}}\n");
        Ok(())
    }

    /// Another writer of the same file, with lines of its own to gather.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { file: self.file.try_clone()?, gathered: Vec::new() })
    }

    pub fn flush(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.gathered);
        self.gathered.clear();
        written
    }

    /// Everything that happened in a run.
    pub fn evidence(&mut self, evidence: &Evidence) -> io::Result<()> {
        for (number, conversation) in evidence.conversations.iter().enumerate() {
            self.conversation(number, &conversation.scenario)?;
            for event in &conversation.events {
                self.event(number, event.at, event.kind.clone())?;
            }
            self.flush()?;
        }
        Ok(())
    }

    fn line(&mut self, line: &Line) -> io::Result<()> {
        serde_json::to_writer(&mut self.gathered, line)?;
        self.gathered.push(b'\n');
        Ok(())
    }
}
