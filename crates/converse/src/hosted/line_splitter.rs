//! Bytes of a pipe, cut into lines.

use proofmark_record::wire::MOST_FRAME;

#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    rest: Vec<u8>,
}

impl LineSplitter {
    /// The lines that are whole by now, without their endings. Blank ones are none, and an endless one is cut.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.rest.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.rest.len() > MOST_FRAME {
                let mut line = std::mem::take(&mut self.rest);
                while line.last().is_some_and(|byte| b"\r\n".contains(byte)) {
                    line.pop();
                }
                if !line.trim_ascii().is_empty() {
                    lines.push(line);
                }
            }
        }
        lines
    }

    /// What came after the last newline.
    pub(super) fn finish(&mut self) -> Option<Vec<u8>> {
        let rest = std::mem::take(&mut self.rest);
        (!rest.trim_ascii().is_empty()).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_whatever_the_pieces() {
        let mut line_splitter = LineSplitter::default();
        assert_eq!(line_splitter.push(b"{\"a\""), Vec::<Vec<u8>>::new());
        assert_eq!(
            line_splitter.push(b":1}\r\n\n[1]\n{"),
            [b"{\"a\":1}".to_vec(), b"[1]".to_vec()]
        );
        assert_eq!(line_splitter.finish(), Some(b"{".to_vec()));
        assert_eq!(line_splitter.finish(), None);
    }
}
