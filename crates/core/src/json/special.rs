//! Finds the bytes of a JSON string that are not plain text, many bytes at a time.

use wide::u8x16;

/// Where the quotation marks, backslashes and control characters are.
///
/// They are found in blocks that do not depend on what was found before, so that a processor can look at several at once.
pub(crate) struct Specials<'a> {
    bytes: &'a [u8],
    /// Where the next block begins.
    next: usize,
    /// The special bytes of this block that are still to be given out, one bit each.
    found: u64,
}

impl<'a> Specials<'a> {
    /// From `at` on.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, next: at, found: 0 }
    }
}

impl Iterator for Specials<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            let rest = self.bytes.get(self.next..).filter(|rest| !rest.is_empty())?;
            self.found = match rest.first_chunk() {
                Some(lot) => lot_bits(lot),
                None => last_bits(rest),
            };
            self.next += LOT;
        }
        let at = self.next - LOT + self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(at)
    }
}

/// Where the next quotation mark, backslash or control character is, from `at` on.
#[inline]
pub(crate) fn find_special(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let (blocks, last) = rest.as_chunks::<BLOCK>();
    let mut done = at;
    for block in blocks {
        let found = special_bits(block);
        if found != 0 {
            return Some(done + found.trailing_zeros() as usize);
        }
        done += BLOCK;
    }
    let mut block = [b' '; BLOCK];
    block[..last.len()].copy_from_slice(last);
    let found = special_bits(&block);
    (found != 0).then(|| done + found.trailing_zeros() as usize)
}

/// The bits of less than a lot.
fn last_bits(rest: &[u8]) -> u64 {
    let mut lot = [b' '; LOT];
    lot[..rest.len()].copy_from_slice(rest);
    lot_bits(&lot)
}

/// One bit for every special byte, that of the first one lowest.
#[inline]
fn lot_bits(lot: &[u8; LOT]) -> u64 {
    let (blocks, _) = lot.as_chunks::<BLOCK>();
    blocks.iter().rev().fold(0, |bits, block| bits << BLOCK | u64::from(special_bits(block)))
}

#[inline]
fn special_bits(block: &[u8; BLOCK]) -> u32 {
    let bytes = u8x16::new(*block);
    let control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    let quotation = bytes.simd_eq(u8x16::splat(b'"'));
    let backslash = bytes.simd_eq(u8x16::splat(b'\\'));
    (control | quotation | backslash).to_bitmask()
}

/// Bytes that are compared at once.
const BLOCK: usize = 16;
/// Bytes whose bits fill a word.
const LOT: usize = 64;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_special(byte: u8) -> bool {
        matches!(byte, b'"' | b'\\' | 0..b' ')
    }

    proptest! {
        #[test]
        fn every_special_byte_is_found_and_no_other(
            bytes in prop::collection::vec(prop_oneof![4 => any::<u8>(), 1 => Just(b'"'), 1 => Just(b'\\')], 0..300),
            at in 0..80_usize,
        ) {
            let expected: Vec<usize> = (at..bytes.len()).filter(|at| is_special(bytes[*at])).collect();
            prop_assert_eq!(find_special(&bytes, at), expected.first().copied());
            prop_assert_eq!(Specials::new(&bytes, at).collect::<Vec<_>>(), expected);
        }
    }
}
