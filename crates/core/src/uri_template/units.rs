//! A URI as the characters it means, each with the knowledge whether it was encoded.

/// One character of a URI. Two spellings that RFC 3986 calls equivalent (`%7e` and `~`) are equal units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) character: char,
    /// Encoded because it had to be: it delimits nothing.
    pub(super) encoded: bool,
}

impl Unit {
    pub(super) fn raw(character: char) -> Self {
        Self { character, encoded: false }
    }
}

/// `None` if this is no URI, or if its encoded octets are not UTF-8. Unencoded characters beyond ASCII are taken as if
/// they were encoded.
pub(super) fn units(text: &str) -> Option<Vec<Unit>> {
    let mut units = Vec::with_capacity(text.len());
    let mut octets = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if character != '%' {
            let encoded = !character.is_ascii();
            if !(encoded || is_unreserved(character) || is_reserved(character)) {
                return None;
            }
            units.push(Unit { character, encoded });
            rest = &rest[character.len_utf8()..];
            continue;
        }
        octets.clear();
        while let Some(octet) = triplet(rest) {
            octets.push(octet);
            rest = &rest[TRIPLET..];
        }
        if octets.is_empty() {
            return None;
        }
        let decoded = std::str::from_utf8(&octets).ok()?.chars();
        units.extend(
            decoded.map(|character| Unit { character, encoded: !is_unreserved(character) }),
        );
    }
    Some(units)
}

/// The octet of the percent-encoded triplet at the start of the text.
pub(super) fn triplet(text: &str) -> Option<u8> {
    let &[b'%', high, low, ..] = text.as_bytes() else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

/// Appends the character as percent-encoded UTF-8.
pub(super) fn encode(character: char, out: &mut String) {
    for octet in character.encode_utf8(&mut [0; 4]).bytes() {
        out.push('%');
        for nibble in [octet >> 4, octet & 0xF] {
            out.push(char::from(HEX[usize::from(nibble)]));
        }
    }
}

pub(super) fn is_unreserved(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~".contains(character)
}

pub(super) fn is_reserved(character: char) -> bool {
    ":/?#[]@!$&'()*+,;=".contains(character)
}

pub(super) const TRIPLET: usize = "%00".len();
const HEX: &[u8; 16] = b"0123456789ABCDEF";
