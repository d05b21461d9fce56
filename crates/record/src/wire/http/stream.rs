//! Frames of a response: its one body, or the events of its stream.

use std::{collections::VecDeque, io};

use proofmark_core::framing::sse::{Data, EventDecoder, Item, Limits, Received};

use super::Body;
use crate::{
    event::{Border, Frame},
    wire::MOST_FRAME,
};

/// An event stream, cut into events as they come.
pub struct EventFrames {
    body: Body,
    decoder: EventDecoder,
    ready: VecDeque<Frame>,
}

impl EventFrames {
    pub fn new(body: Body) -> Self {
        let limits = Limits { event: MOST_FRAME, ..Limits::default() };
        Self { body, decoder: EventDecoder::new(limits), ready: VecDeque::new() }
    }

    /// The next event, or `None` when the stream is over. Safe to be dropped while it waits.
    pub async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(frame));
            }
            let Some(bytes) = self.body.next().await? else { return Ok(None) };
            let mut input = bytes.as_slice();
            while let Some(item) = self.decoder.decode(&mut input) {
                match item {
                    Item::Comment => {}
                    Item::Event(event) => self.ready.push_back(frame_of(event)),
                    Item::Oversized { limit, .. } => {
                        let why = format!("an event has more than {limit} bytes");
                        return Err(io::Error::other(why));
                    }
                }
            }
        }
    }
}

pub fn frame_of(event: Received<'_>) -> Frame {
    let bytes = match event.data {
        Data::Payload(bytes) => bytes,
        Data::Absent | Data::Empty => &[],
    };
    let border = Border::Event {
        name: event.event.to_owned(),
        id: event.id.map(str::to_owned),
        retry: event.retry,
    };
    Frame::new(bytes, border)
}
