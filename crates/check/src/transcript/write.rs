//! Appends to a transcript as things happen.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    time::Duration,
};

use super::{Header, Line, redact::redact};
use crate::{
    evidence::{Evidence, What},
    scenario::Scenario,
};

/// A file that is only appended to. Lines are gathered until [`flush`](Self::flush), and then written at once.
#[derive(Debug)]
pub struct Writer {
    file: File,
    gathered: Vec<u8>,
}

impl Writer {
    /// Readable by its owner only, for nobody knows what people say to their tools.
    pub fn append(path: &Path, header: &Header) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let mut writer = Self { file, gathered: Vec::new() };
        writer.line(&Line::Transcript(header.clone()))?;
        writer.flush()?;
        Ok(writer)
    }

    pub fn conversation(&mut self, number: usize, scenario: Scenario) -> io::Result<()> {
        self.line(&Line::Conversation { number, scenario: scenario.name() })
    }

    pub fn event(&mut self, conversation: usize, at: Duration, mut what: What) -> io::Result<()> {
        redact(&mut what);
        self.line(&Line::Event { conversation, at, what })
    }

    pub fn flush(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.gathered);
        self.gathered.clear();
        written
    }

    /// Everything that happened in a run.
    pub fn evidence(&mut self, evidence: &Evidence) -> io::Result<()> {
        for (number, conversation) in evidence.conversations.iter().enumerate() {
            self.conversation(number, conversation.scenario)?;
            for event in &conversation.events {
                self.event(number, event.at, event.what.clone())?;
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
