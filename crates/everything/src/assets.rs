//! The smallest picture and the shortest sound that every program accepts, in base64.

/// One red pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
pub(crate) const PNG_TYPE: &str = "image/png";

/// One millisecond of silence: one channel, 8000 samples of 8 bits a second.
pub(crate) const WAV: &str =
    "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";
pub(crate) const WAV_TYPE: &str = "audio/wav";

#[cfg(test)]
mod tests {
    use base64::{Engine, engine::general_purpose::STANDARD};

    use super::*;

    #[test]
    fn the_picture_is_one_pixel_and_no_chunk_of_it_is_damaged() {
        let png = STANDARD.decode(PNG).unwrap();
        let mut rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap();
        let mut kinds = Vec::new();
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            let (checked, after) = rest[4..].split_at(4 + length);
            assert_eq!(crc32(checked).to_be_bytes(), after[..4]);
            kinds.push(&checked[..4]);
            if checked.starts_with(b"IHDR") {
                assert_eq!(checked[4..12], [0, 0, 0, 1, 0, 0, 0, 1]);
            }
            rest = &after[4..];
        }
        assert_eq!(kinds, [b"IHDR", b"IDAT", b"IEND"]);
    }

    #[test]
    fn the_sound_is_as_long_as_it_says() {
        let wav = STANDARD.decode(WAV).unwrap();
        let number = |at: usize| u32::from_le_bytes(wav[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&wav[..4], &wav[8..16]), (&b"RIFF"[..], &b"WAVEfmt "[..]));
        assert_eq!(number(4), wav.len() - 8);
        assert_eq!(&wav[36..40], b"data");
        assert_eq!(number(40), wav.len() - 44);
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 }
            })
        })
    }
}
