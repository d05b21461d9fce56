//! The names that every client can be expected to cope with.

/// Whether a tool's name is one to 128 ASCII letters, digits, underscores, hyphens and dots.
///
/// A name that is not portable is still a name: the specification asks servers to avoid it and clients to accept it.
pub fn name_is_portable(name: &str) -> bool {
    (1..=MAX_LENGTH).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

const MAX_LENGTH: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_three_marks_are_portable() {
        for name in ["a", "get_weather", "data.export-v2", "0", "A.b_C-9"] {
            assert!(name_is_portable(name), "{name}");
        }
    }

    #[test]
    fn anything_else_is_not() {
        for name in ["", "a b", "a/b", "größe", "a,b", "a\u{0}"] {
            assert!(!name_is_portable(name), "{name}");
        }
    }

    #[test]
    fn the_longest_portable_name_has_128_characters() {
        assert!(name_is_portable(&"x".repeat(128)));
        assert!(!name_is_portable(&"x".repeat(129)));
    }
}
