//! Where one message ends and the next begins, on pipes ([`lines`]) and in event streams ([`sse`]).
//!
//! Decoders are pushed chunks of any size and pulled for what they hold:
//!
//! ```
//! use proofmark_core::framing::lines::{Line, LineDecoder};
//!
//! let mut decoder = LineDecoder::default();
//! let mut seen = 0;
//! for chunk in [&b"{\"a\":1}\n{\"b\""[..], b":2}\n"] {
//!     let mut input = chunk;
//!     while let Some(line) = decoder.decode(&mut input) {
//!         assert!(matches!(line, Line::Message(_)));
//!         seen += 1;
//!     }
//! }
//! assert_eq!(seen, 2);
//! ```
//!
//! `decode` advances `input` past what it used, so a driver may stop after any item and go on later with the rest.
//! `None` means that all of `input` is used up and more bytes are needed. What comes out depends on the bytes alone,
//! never on how they were cut into chunks. A message that lies whole inside a chunk is lent from the chunk; only what
//! a chunk leaves unfinished is copied, and never beyond the limits. Between messages no buffer for them keeps more than
//! [`RETAINED`] bytes, whatever it held before.

pub mod lines;
pub mod sse;

mod buffer;

/// Bytes of capacity that each buffer of a decoder may keep for the next message.
pub const RETAINED: usize = 128 * 1024;

/// Replaces raw line breaks in JSON text by spaces.
///
/// Inside a JSON string they can only stand escaped, so a raw one is whitespace between tokens.
fn unbreak(json: &mut [u8]) {
    let mut from = 0;
    while let Some(at) = memchr::memchr2(b'\n', b'\r', &json[from..]) {
        json[from + at] = b' ';
        from += at + 1;
    }
}
