//! The events of a response, as frames.

use std::{collections::VecDeque, io};

use super::{
    Body,
    event_stream::{Event, EventStream, Streamed},
};
use crate::{
    event::{Border, Frame},
    wire::MOST_FRAME,
};

/// An event stream, cut into events as they come.
pub struct EventFrames {
    body: Body,
    stream: EventStream,
    ready: VecDeque<Frame>,
    content: Content,
}

/// What comes under the name of an event stream.
enum Content {
    /// Nothing but white space so far.
    Unknown,
    Events,
    /// JSON as it is. It is one frame when it is over, or whole.
    Json(Vec<u8>),
}

impl EventFrames {
    pub fn new(body: Body) -> Self {
        let (stream, ready) = (EventStream::default(), VecDeque::new());
        Self { body, stream, ready, content: Content::Unknown }
    }

    /// The next event, or `None` when the stream is over. Safe to be dropped while it waits.
    pub async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(frame));
            }
            let Some(bytes) = self.body.next().await? else { return Ok(self.rest()) };
            if let (Content::Unknown, Some(first)) =
                (&self.content, bytes.trim_ascii_start().first())
            {
                let json = matches!(first, b'{' | b'[');
                self.content = if json { Content::Json(Vec::new()) } else { Content::Events };
            }
            if let Content::Json(text) = &mut self.content {
                text.extend_from_slice(&bytes);
                if text.len() > MOST_FRAME {
                    let why = format!("the body has more than {MOST_FRAME} bytes");
                    return Err(io::Error::other(why));
                }
                if matches!(text.trim_ascii_end().last(), Some(b'}' | b']')) {
                    let frame = Frame::new(text.clone(), Border::Body);
                    if frame.json.is_ok() {
                        self.content = Content::Unknown;
                        return Ok(Some(frame));
                    }
                }
                continue;
            }
            let mut input = bytes.as_slice();
            while let Some(streamed) = self.stream.next(&mut input) {
                match streamed {
                    // A name alone makes no event.
                    Streamed::Event(Event { data: None, id: None, retry: None, .. }) => {}
                    Streamed::Event(event) => {
                        let bytes = event.data.unwrap_or_default();
                        self.ready.push_back(Frame::new(bytes, border_of(&event)));
                    }
                    Streamed::TooLarge { limit } => {
                        let why = format!("an event has more than {limit} bytes");
                        return Err(io::Error::other(why));
                    }
                }
            }
        }
    }
}

impl EventFrames {
    /// What has come of JSON that never was whole.
    fn rest(&mut self) -> Option<Frame> {
        match std::mem::replace(&mut self.content, Content::Events) {
            Content::Json(text) => Some(Frame::new(text, Border::Body)),
            Content::Unknown | Content::Events => None,
        }
    }
}

pub(crate) fn border_of(event: &Event<'_>) -> Border {
    Border::Event {
        name: event.name.to_owned(),
        id: event.id.map(str::to_owned),
        retry: event.retry,
    }
}
