//! How messages are told apart on a pipe to the peer.

use proofmark_record::event::Border;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// One a line, as the specification has it.
    #[default]
    Lines,
    /// Behind a `Content-Length`, as the Language Server Protocol has it: for a peer that understands nothing else.
    Lengths,
}

impl Framing {
    /// A message as it goes out.
    pub fn write(self, text: &str) -> String {
        match self {
            Self::Lines => format!("{text}\n"),
            Self::Lengths => format!("Content-Length: {}\r\n\r\n{text}", text.len()),
        }
    }

    pub fn border(self) -> Border {
        match self {
            Self::Lines => Border::Line,
            Self::Lengths => Border::Length,
        }
    }
}
