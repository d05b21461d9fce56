//! Bytes of a pipe, cut into messages: one a line, as it should be, or else as the writer seems to have meant it.
//!
//! A message that is spread over several lines, that has a `Content-Length` in front, or that no newline ends is still read as
//! one. How it was cut is its [`Border`], so that judges see what is wrong with it.

use std::collections::VecDeque;

use serde_json::Value;

use super::MOST_FRAME;
use crate::event::{Border, Frame, has_too_many_values};

#[derive(Debug)]
pub struct MessageSplitter {
    limit: usize,
    buffer: Vec<u8>,
    /// Where the message begins whose end has not come yet.
    taken: usize,
    /// Where the next line begins, behind lines that may be the beginning of the message.
    line: usize,
    /// Bytes of the buffer that have no newline in them from `line` on.
    scanned: usize,
    nesting: Nesting,
    /// Bytes of a body that a header has announced.
    announced: Option<usize>,
    ready: VecDeque<Frame>,
    is_too_long: bool,
}

#[derive(Debug)]
pub enum Cut {
    Frame(Frame),
    /// A message has more bytes than the limit. It is lost, and what follows up to the next newline.
    TooLong,
}

impl Default for MessageSplitter {
    fn default() -> Self {
        Self::new(MOST_FRAME)
    }
}

impl MessageSplitter {
    /// With a limit for the bytes of a message.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            buffer: Vec::new(),
            taken: 0,
            line: 0,
            scanned: 0,
            nesting: Nesting::default(),
            announced: None,
            ready: VecDeque::new(),
            is_too_long: false,
        }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.line -= self.taken;
            self.scanned -= self.taken;
            self.taken = 0;
            self.buffer.shrink_to(RETAINED);
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next message, or line that is none; `None` when more bytes are needed.
    pub fn cut(&mut self) -> Option<Cut> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(Cut::Frame(frame));
            }
            if let Some(length) = self.announced {
                return self.take_announced(length).map(Cut::Frame);
            }
            let from = self.scanned.max(self.line);
            let Some(newline) = memchr::memchr(b'\n', &self.buffer[from..]) else {
                self.scanned = self.buffer.len();
                return self.overflow();
            };
            let end = from + newline + 1;
            if std::mem::take(&mut self.is_too_long) {
                self.skip_to(end);
                continue;
            }
            if end - self.taken > self.limit {
                self.skip_to(end);
                return Some(Cut::TooLong);
            }
            if self.line == self.taken {
                self.begin(end)?;
            } else {
                self.go_on(end);
            }
        }
    }

    /// Whether the beginning of something waits for its end.
    pub fn is_waiting(&self) -> bool {
        !is_blank(&self.buffer[self.taken..])
    }

    /// Gives out what is whole without a newline at its end: for when nothing more came for a while.
    pub fn settle(&mut self) -> bool {
        if self.announced.is_some() || self.is_too_long {
            return false;
        }
        let rest = &self.buffer[self.taken..];
        let frames = unended(rest);
        let settled = !frames.is_empty();
        if settled {
            self.ready.extend(frames);
            self.skip_to(self.buffer.len());
        }
        settled
    }

    /// What came behind the last newline, and lines that waited for it.
    pub fn finish(&mut self) -> Vec<Frame> {
        let mut frames: Vec<Frame> = std::mem::take(&mut self.ready).into();
        let rest = &self.buffer[self.taken..];
        if !self.is_too_long {
            let whole = Frame::new(rest.trim_ascii_end(), Border::Lines);
            if self.line > self.taken && whole.json.is_ok() {
                frames.push(whole);
            } else {
                let newline = memchr::memrchr(b'\n', rest);
                let (lines, last) = rest.split_at(newline.map_or(0, |newline| newline + 1));
                frames.extend(lines_of(lines));
                frames.extend((!is_blank(last)).then(|| Frame::new(last, Border::Cut)));
            }
        }
        *self = Self::new(self.limit);
        frames
    }

    /// The first line of something. `None` if it cannot be told yet what it is.
    fn begin(&mut self, end: usize) -> Option<()> {
        let line = &self.buffer[self.taken..end];
        if is_blank(line) {
            self.skip_to(end);
            return Some(());
        }
        match header(&self.buffer[self.taken..], self.limit) {
            Header::Announces { length, behind } => {
                self.announced = Some(length);
                self.skip_to(self.taken + behind);
                return Some(());
            }
            // Until then the rest is not looked at.
            Header::NotYetOver => {
                self.scanned = self.line;
                return None;
            }
            Header::None => {}
        }
        let frame = Frame::new(without_ending(line), Border::Line);
        if frame.json.is_err() && !has_too_many_values(line) {
            let text = without_mark(line);
            if is_beginning(text) {
                self.nesting = Nesting::default();
                self.nesting.see(text);
                if self.nesting.is_open() {
                    self.line = end;
                    self.scanned = end;
                    return Some(());
                }
            }
            let several = one_after_another(without_ending(line));
            if several.len() > 1 {
                self.ready.extend(several);
                self.skip_to(end);
                return Some(());
            }
        }
        self.ready.push_back(frame);
        self.skip_to(end);
        Some(())
    }

    /// One more line of what may be one message.
    fn go_on(&mut self, end: usize) {
        let line = &self.buffer[self.line..end];
        if is_message(line) {
            // It stands for itself, so that what came before was never finished.
            let before = lines_of(&self.buffer[self.taken..self.line]);
            self.ready.extend(before);
            self.skip_to(self.line);
            return;
        }
        self.nesting.see(line);
        if self.nesting.is_open() {
            self.line = end;
            self.scanned = end;
            return;
        }
        let whole = Frame::new(self.buffer[self.taken..end].trim_ascii_end(), Border::Lines);
        if whole.json.is_ok() {
            self.ready.push_back(whole);
        } else {
            self.ready.extend(lines_of(&self.buffer[self.taken..end]));
        }
        self.skip_to(end);
    }

    fn take_announced(&mut self, length: usize) -> Option<Frame> {
        let body = self.buffer.get(self.taken..self.taken + length)?;
        let frame = Frame::new(body, Border::Length);
        self.announced = None;
        self.skip_to(self.taken + length);
        Some(frame)
    }

    fn overflow(&mut self) -> Option<Cut> {
        if self.is_too_long {
            self.skip_to(self.buffer.len());
            self.is_too_long = true;
            return None;
        }
        if self.buffer.len() - self.taken <= self.limit {
            return None;
        }
        self.skip_to(self.buffer.len());
        self.is_too_long = true;
        Some(Cut::TooLong)
    }

    fn skip_to(&mut self, end: usize) {
        (self.taken, self.line, self.scanned) = (end, end, end);
        if self.taken == self.buffer.len() {
            self.buffer.clear();
            self.buffer.shrink_to(RETAINED);
            (self.taken, self.line, self.scanned) = (0, 0, 0);
        }
    }
}

/// How deep in objects and arrays a text is.
#[derive(Debug, Default)]
struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    fn see(&mut self, text: &[u8]) {
        for byte in text {
            if self.in_string {
                // A string that goes on in the next line is none, and neither is what has it.
                self.in_string = *byte != b'\n' && (self.escaped || *byte != b'"');
                self.escaped = *byte == b'\\' && !self.escaped;
                if *byte == b'\n' {
                    self.depth = 0;
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn is_open(&self) -> bool {
        self.depth > 0
    }
}

enum Header {
    None,
    /// Everything so far could be the header of a message, but its end has not come.
    NotYetOver,
    Announces {
        length: usize,
        /// Where the body begins.
        behind: usize,
    },
}

/// The lines in front of a message as the Language Server Protocol has them, with an empty one at their end.
fn header(bytes: &[u8], limit: usize) -> Header {
    let mut length = None;
    let mut at = 0;
    for _ in 0..MOST_HEADER_LINES {
        let Some(newline) = memchr::memchr(b'\n', &bytes[at..]) else {
            let short = bytes.len() - at < LONGEST_HEADER_LINE;
            return if at > 0 && short { Header::NotYetOver } else { Header::None };
        };
        let line = without_ending(&bytes[at..=at + newline]);
        at += newline + 1;
        if line.is_empty() {
            return match length {
                Some(length) if length <= limit => Header::Announces { length, behind: at },
                _ => Header::None,
            };
        }
        let Some((name, value)) = std::str::from_utf8(line).ok().and_then(|it| it.split_once(':'))
        else {
            return Header::None;
        };
        match name.trim().to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok(),
            "content-type" => {}
            _ => return Header::None,
        }
    }
    Header::None
}

/// Whether a text is JSON but for its end.
fn is_beginning(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let opens = matches!(text.first(), Some(b'{' | b'['));
    opens
        && serde_json::from_slice::<serde::de::IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// Whether a line is a message by itself.
fn is_message(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{")
        && serde_json::from_slice::<Value>(line).is_ok_and(|value| value.get("jsonrpc").is_some())
}

/// Messages that nothing divides but white space.
fn one_after_another(text: &[u8]) -> Vec<Frame> {
    let text = without_mark(text);
    let mut values =
        serde_json::Deserializer::from_slice(text).into_iter::<serde::de::IgnoredAny>();
    let (mut frames, mut from) = (Vec::new(), 0);
    while let Some(value) = values.next() {
        let to = values.byte_offset();
        let frame = Frame::new(text[from..to].trim_ascii(), Border::Unended);
        if value.is_err() || !frame.json.as_ref().is_ok_and(|it| it.is_object() || it.is_array()) {
            return Vec::new();
        }
        frames.push(frame);
        from = to;
    }
    if let Some(last) = frames.last_mut() {
        last.border = Border::Line;
    }
    frames
}

/// Whole messages without a newline behind them; none if there is anything else.
fn unended(rest: &[u8]) -> Vec<Frame> {
    let rest = rest.trim_ascii();
    let mut frames = one_after_another(rest);
    for frame in &mut frames {
        let spread = frame.bytes.contains(&b'\n');
        frame.border = if spread { Border::Lines } else { Border::Unended };
    }
    frames
}

/// Lines that are no message together.
fn lines_of(bytes: &[u8]) -> Vec<Frame> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_blank(line));
    lines.map(|line| Frame::new(without_ending(line), Border::Line)).collect()
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().is_empty()
}

fn without_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(crate::event::BYTE_ORDER_MARK).unwrap_or(text)
}

/// Bytes of memory that are kept from one message to the next.
const RETAINED: usize = 64 * 1024;
const MOST_HEADER_LINES: usize = 4;
const LONGEST_HEADER_LINE: usize = 256;

#[cfg(test)]
mod tests;
