//! Which variables of our own environment a program gets that we start.
//!
//! A server under test is a stranger: it gets what programs need to run, and none of the credentials that happen to be set in the same
//! shell. What it needs of those is named by the user.

use std::ffi::{OsStr, OsString};

use crate::transcript::redact::{is_secret_name, redact_words};

/// What a child sees of our own environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inherited {
    /// Everything but what looks like a credential.
    #[default]
    WithoutSecrets,
    All,
}

impl Inherited {
    /// The variables that are passed on.
    pub fn variables(self) -> impl Iterator<Item = (OsString, OsString)> {
        std::env::vars_os()
            .filter(move |(name, value)| self == Self::All || !is_secret(name, value))
    }

    /// The names of those that are not, in order.
    pub fn withheld(self) -> Vec<String> {
        if self == Self::All {
            return Vec::new();
        }
        let secret = std::env::vars_os().filter(|(name, value)| is_secret(name, value));
        let mut names: Vec<_> =
            secret.map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// By its name, or because its value has the shape of a credential: a key with a known prefix, an address with a password.
fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy();
    if NEVER.contains(&&*name) {
        return false;
    }
    if ALWAYS.contains(&&*name) || name.ends_with("_KEY") || is_secret_name(&name) {
        return true;
    }
    // Only what is short is a credential as a whole; a path or a list of words is not looked through.
    let Some(value) = value.to_str().filter(|it| it.len() <= LONGEST) else { return false };
    redact_words(value) != value
}

/// Variables that lead to credentials, though their names do not say so.
const ALWAYS: &[&str] = &["SSH_AUTH_SOCK", "GPG_AGENT_INFO", "GOOGLE_APPLICATION_CREDENTIALS"];

/// The working directory, whose name is short for another word elsewhere.
const NEVER: &[&str] = &["PWD", "OLDPWD"];

const LONGEST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_told_by_their_names_and_by_their_shapes() {
        let secret = |name: &str, value: &str| is_secret(name.as_ref(), value.as_ref());
        for (name, value) in [
            ("GITHUB_TOKEN", "x"),
            ("OPENAI_API_KEY", "x"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("DB_PASSWORD", "x"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("STRIPE_KEY", "x"),
            ("DATABASE_URL", "postgres://me:hunter2@db.test/shop"),
            ("CI_EXTRA", "ghp_0123456789abcdefghijklmnopqrstuvwxyz"),
        ] {
            assert!(secret(name, value), "{name}");
        }
        for (name, value) in [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("HOME", "/srv/me"),
            ("PWD", "/srv/me"),
            ("LANG", "en_US.UTF-8"),
            ("PYTHONPATH", "src:tests"),
            ("NODE_OPTIONS", "--max-old-space-size=4096"),
            ("HTTPS_PROXY", "http://proxy.test:3128"),
            ("DEFECT", "answers-twice"),
            ("DATABASE_URL", "postgres://db.test/shop"),
            ("KEYBOARD", "us"),
            ("XKB_KEYMAP", "us"),
        ] {
            assert!(!secret(name, value), "{name}");
        }
    }

    #[test]
    fn everything_is_passed_on_where_the_user_says_so() {
        assert_eq!(Inherited::All.variables().count(), std::env::vars_os().count());
        assert!(Inherited::All.withheld().is_empty());
        let passed = Inherited::WithoutSecrets.variables().count();
        let withheld = Inherited::WithoutSecrets.withheld().len();
        assert_eq!(passed + withheld, std::env::vars_os().count());
    }
}
