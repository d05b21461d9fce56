//! Which names say that a secret follows, in whatever spelling.

/// A name without its case, separators and escapes: `Access-Token`, `accessToken` and `access_\u0074oken` are one.
pub(super) struct Name {
    letters: [u8; LONGEST],
    length: usize,
}

impl Name {
    /// `None` if it is too long to be one that we know.
    pub(super) fn new(written: &[u8]) -> Option<Self> {
        let mut name = Self { letters: [0; LONGEST], length: 0 };
        let mut rest = written;
        while let [first, behind @ ..] = rest {
            rest = behind;
            let mut letter = *first;
            if letter == b'\\' {
                (letter, rest) = escape(behind);
            }
            if letter.is_ascii_alphanumeric() {
                *name.letters.get_mut(name.length)? = letter.to_ascii_lowercase();
                name.length += 1;
            }
        }
        Some(name)
    }

    /// Whether its value is a secret wherever it stands.
    pub(super) fn is_secret(&self) -> bool {
        let name = self.letters();
        if let Some(kind) = name.strip_suffix(b"token") {
            return !HARMLESS_TOKENS.iter().any(|it| kind.ends_with(it));
        }
        // Few names are left after the last letter.
        match name.last() {
            Some(b'd' | b'e' | b'n' | b'p' | b'r' | b's' | b't' | b'y') => {
                SECRET.iter().any(|it| name.ends_with(it)) || SECRET_ALONE.contains(&name)
            }
            _ => false,
        }
    }

    /// Whether its value is a secret as a parameter of an address or of a form.
    pub(super) fn is_secret_parameter(&self) -> bool {
        self.is_secret() || SECRET_PARAMETERS.contains(&self.letters())
    }

    pub(super) fn is_verifier(&self) -> bool {
        self.letters() == b"codeverifier"
    }

    fn letters(&self) -> &[u8] {
        &self.letters[..self.length]
    }
}

/// The ASCII letter behind the backslash of `\u0074`, of which JSON inside JSON has several, and what follows.
fn escape(behind: &[u8]) -> (u8, &[u8]) {
    let backslashes = behind.iter().take_while(|byte| **byte == b'\\').count();
    let behind = &behind[backslashes..];
    let escaped = behind.strip_prefix(b"u").and_then(|digits| {
        let (digits, rest) = digits.split_at_checked(4)?;
        let code = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        Some((u8::try_from(code).ok()?, rest))
    });
    escaped.unwrap_or((b'\\', behind))
}

const LONGEST: usize = 64;

/// What is before `token` where it is no credential.
const HARMLESS_TOKENS: &[&[u8]] = &[
    b"progress",
    b"page",
    b"next",
    b"sync",
    b"continuation",
    b"cancel",
    b"cancellation",
    b"stop",
    b"eos",
    b"bos",
    b"pad",
    b"max",
    b"per",
];

/// Ends of names, in the spelling that all others are brought to.
const SECRET: &[&[u8]] = &[
    b"accesskey",
    b"apikey",
    b"assertion",
    b"clientcredentials",
    b"credential",
    b"passphrase",
    b"passwd",
    b"password",
    b"privatekey",
    b"secret",
    b"secretkey",
    b"signingkey",
    b"verifier",
];

const SECRET_ALONE: &[&[u8]] = &[
    b"authorization",
    b"bearer",
    b"cookie",
    b"credentials",
    b"dpop",
    b"proxyauthorization",
    b"pwd",
    b"secrets",
    b"setcookie",
    b"xauthorization",
];

const SECRET_PARAMETERS: &[&[u8]] = &[
    b"auth",
    b"code",
    b"jwt",
    b"key",
    b"pass",
    b"sas",
    b"sig",
    b"signature",
    b"xamzsignature",
    b"xamzcredential",
];
