//! The events of a response, as frames.

use std::{collections::VecDeque, io};

use super::{
    Body,
    event_stream::{Event, EventStream, Streamed},
};
use crate::event::{Border, Frame};

/// An event stream, cut into events as they come.
pub struct EventFrames {
    body: Body,
    stream: EventStream,
    ready: VecDeque<Frame>,
}

impl EventFrames {
    pub fn new(body: Body) -> Self {
        Self { body, stream: EventStream::default(), ready: VecDeque::new() }
    }

    /// The next event, or `None` when the stream is over. Safe to be dropped while it waits.
    pub async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(frame));
            }
            let Some(bytes) = self.body.next().await? else { return Ok(None) };
            let mut input = bytes.as_slice();
            while let Some(streamed) = self.stream.next(&mut input) {
                match streamed {
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

pub(crate) fn border_of(event: &Event<'_>) -> Border {
    Border::Event {
        name: event.name.to_owned(),
        id: event.id.map(str::to_owned),
        retry: event.retry,
    }
}
