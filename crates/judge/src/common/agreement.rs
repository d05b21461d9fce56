//! Keeping to what was agreed and declared, by everything that is said.

/// In how many places two texts differ.
pub(crate) fn differ(one: &str, other: &str) -> usize {
    let (longer, shorter) = (one.len().max(other.len()), one.len().min(other.len()));
    let places = one.bytes().zip(other.bytes()).filter(|(a, b)| a != b).count();
    places + longer - shorter
}

/// Of an id that is a secret, in bytes: less than that is soon guessed.
pub(crate) const SHORTEST: usize = 16;
