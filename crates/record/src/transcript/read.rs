//! Reads transcripts, as far as they are whole.

use std::{
    io::{self, BufRead},
    mem,
};

use super::{Header, Line, VERSION};
use crate::event::{Conversation, Event};
use crate::scenario::ScenarioName;

/// One transcript of a file.
#[derive(Debug)]
pub struct Recording {
    pub header: Header,
    pub conversations: Vec<Conversation>,
}

/// Why a file is no transcript.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("line {line} is not from a transcript: {why}")]
    NotATranscript { line: usize, why: String },
    #[error("is written in version {0} of the format, and this program knows {VERSION}")]
    Unknown(u32),
}

/// Takes in a file line by line; more may be appended while it is read.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    /// The beginning of a line whose end is not written yet.
    unfinished: Vec<u8>,
    lines: usize,
    pub recordings: Vec<Recording>,
}

impl<R: BufRead> Reader<R> {
    pub fn new(input: R) -> Self {
        Self { input, unfinished: Vec::new(), lines: 0, recordings: Vec::new() }
    }

    /// Reads what is there by now. Gives how many bytes that were.
    pub fn read(&mut self) -> Result<usize, Damage> {
        let mut all = 0;
        loop {
            let read = self.input.read_until(b'\n', &mut self.unfinished)?;
            all += read;
            if read == 0 || self.unfinished.last() != Some(&b'\n') {
                return Ok(all);
            }
            let line = mem::take(&mut self.unfinished);
            self.lines += 1;
            self.take(&line)?;
        }
    }

    /// Whether the writer was stopped within a line.
    pub fn is_cut(&self) -> bool {
        !self.unfinished.is_empty()
    }

    fn take(&mut self, line: &[u8]) -> Result<(), Damage> {
        let number = self.lines;
        let odd = |why: &str| Damage::NotATranscript { line: number, why: why.to_owned() };
        let line = match serde_json::from_slice(line) {
            Ok(line) => line,
            Err(_) if version(line).is_some_and(|version| version != VERSION) => {
                return Err(Damage::Unknown(version(line).unwrap_or_default()));
            }
            Err(error) => return Err(odd(&error.to_string())),
        };
        let recording = self.recordings.last_mut();
        match line {
            Line::Transcript(header) if header.version == VERSION => {
                self.recordings.push(Recording { header, conversations: Vec::new() });
            }
            Line::Transcript(header) => return Err(Damage::Unknown(header.version)),
            Line::Conversation { number, scenario } => {
                let recording = recording.ok_or_else(|| odd("it has no beginning"))?;
                if number != recording.conversations.len() {
                    return Err(odd("conversations are not numbered one by one"));
                }
                let scenario = ScenarioName::new(scenario);
                recording.conversations.push(Conversation { scenario, events: Vec::new() });
            }
            Line::Event { conversation, at, what } => {
                let recording = recording.ok_or_else(|| odd("it has no beginning"))?;
                let conversation = recording
                    .conversations
                    .get_mut(conversation)
                    .ok_or_else(|| odd("its conversation never began"))?;
                conversation.events.push(Event { at, kind: what });
            }
        }
        Ok(())
    }
}

/// Of a header that has more, or less, than ours.
fn version(line: &[u8]) -> Option<u32> {
    let line: serde_json::Value = serde_json::from_slice(line).ok()?;
    line.pointer("/transcript/version")?.as_u64()?.try_into().ok()
}
