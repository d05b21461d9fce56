//! What must not travel in the open: secrets in forms, in addresses, in headers and in logs.
//!
//! A secret cannot be told by its looks, but some are called so; what looks like one is at most a warning.

/// Whether a name is that of a secret, however its words are put together.
pub(crate) fn is_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    SECRETS.iter().any(|secret| plain.contains(secret))
}

pub(crate) const SECRETS: [&str; 9] = [
    "accesstoken",
    "apikey",
    "cardnumber",
    "clientsecret",
    "cvv",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        assert!(is_secret("API key"));
        assert!(is_secret("new_password"));
        assert!(!is_secret("username"));
    }
}
