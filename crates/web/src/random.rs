//! Secrets that cannot be guessed.

/// 32 random bytes as hexadecimal digits.
///
/// # Panics
/// Where the system has no randomness: nothing here is safe then.
pub(crate) fn secret() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    let digit = |value: u8| char::from_digit(value.into(), 16).expect("half a byte is one digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Compares in a time that says nothing about where two texts differ.
pub(crate) fn same(one: &str, other: &str) -> bool {
    let differences =
        one.bytes().zip(other.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_texts_are_the_same() {
        assert!(same("abc", "abc"));
        for (one, other) in [("abc", "abd"), ("abc", "ab"), ("", "a")] {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn no_secret_comes_twice() {
        assert_ne!(secret(), secret());
        assert_eq!(secret().len(), 64);
    }
}
