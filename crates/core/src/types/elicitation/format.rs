//! The string formats that a form may demand, and whether a text has them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The `format` of a string field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StringFormat {
    Date,
    DateTime,
    Email,
    Uri,
    /// One that no revision defines: harmless where it is shown, and never checked.
    Other(String),
}

impl StringFormat {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Other(name) => name,
        }
    }

    /// Whether `text` has this format. Strict about dates, which have one spelling; about the others it refuses only what
    /// cannot be one.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
            Self::Email => is_email(text),
            Self::Uri => is_uri(text),
            Self::Other(_) => true,
        }
    }
}

impl From<String> for StringFormat {
    fn from(name: String) -> Self {
        match name.as_str() {
            "date" => Self::Date,
            "date-time" => Self::DateTime,
            "email" => Self::Email,
            "uri" => Self::Uri,
            _ => Self::Other(name),
        }
    }
}

impl Serialize for StringFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for StringFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// RFC 3339 `full-date`, on a day that exists.
fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return false };
    let (Some(year), Some(month), Some(day)) =
        (digits(&[*y1, *y2, *y3, *y4]), digits(&[*m1, *m2]), digits(&[*d1, *d2]))
    else {
        return false;
    };
    (1..=days_of(year, month)).contains(&day)
}

/// RFC 3339 `date-time`: a date, a time with seconds, and an offset.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = time.as_bytes() else { return false };
    let below = |pair: [u8; 2], limit| digits(&pair).is_some_and(|number| number < limit);
    // A minute may have a leap second.
    is_date(date)
        && below([*h1, *h2], 24)
        && below([*m1, *m2], 60)
        && below([*s1, *s2], 61)
        && is_offset(without_fraction(rest))
}

/// What is left after the fraction of a second; a dot without digits stays and spoils the offset.
fn without_fraction(rest: &[u8]) -> &[u8] {
    let [b'.', fraction @ ..] = rest else { return rest };
    match fraction.iter().take_while(|byte| byte.is_ascii_digit()).count() {
        0 => rest,
        length => &fraction[length..],
    }
}

fn is_offset(text: &[u8]) -> bool {
    match text {
        b"Z" | b"z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            digits(&[*h1, *h2]).is_some_and(|hours| hours < 24)
                && digits(&[*m1, *m2]).is_some_and(|minutes| minutes < 60)
        }
        _ => false,
    }
}

fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
    })
}

fn days_of(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

/// Something, one `@` that counts, and a host: whether mail arrives is for the mail to find out.
fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let literal = host.starts_with('[') && host.ends_with(']') && host.len() > 2;
    is_local_part(local) && (literal || host.split('.').all(label))
}

fn is_local_part(local: &str) -> bool {
    if local.len() > 2 && local.starts_with('"') && local.ends_with('"') {
        return !local.contains(char::is_control);
    }
    let atom = |c: char| !c.is_control() && !c.is_whitespace() && !"()<>[]:;@\\,\"".contains(c);
    local.split('.').all(|part| !part.is_empty() && part.chars().all(atom))
}

/// RFC 3986: a scheme, a colon, and only characters that need no escape.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
        && is_escaped(rest.as_bytes())
}

fn is_escaped(text: &[u8]) -> bool {
    let mut rest = text;
    loop {
        rest = match rest {
            [] => return true,
            [b'%', high, low, tail @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                tail
            }
            [byte, tail @ ..] if byte.is_ascii_alphanumeric() || URI_MARKS.contains(byte) => tail,
            _ => return false,
        };
    }
}

const URI_MARKS: &[u8] = b"-._~:/?#[]@!$&'()*+,;=";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: &StringFormat, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(format.matches(text), "{text:?} has the format {format:?}");
        }
        for text in bad {
            assert!(!format.matches(text), "{text:?} does not have the format {format:?}");
        }
    }

    #[test]
    fn a_date_is_a_day_that_exists() {
        check(
            &StringFormat::Date,
            &["2025-11-25", "2024-02-29", "2000-02-29", "0001-01-01", "2025-12-31"],
            &[
                "",
                "2025-11-31",
                "2025-02-29",
                "1900-02-29",
                "2025-13-01",
                "2025-00-10",
                "2025-01-00",
                "25-11-25",
                "2025-1-5",
                "2025/11/25",
                "2025-11-25T00:00:00Z",
                "2025-11-2x",
                "+025-11-25",
                "２０２５-11-25",
            ],
        );
    }

    #[test]
    fn a_date_time_has_seconds_and_an_offset() {
        check(
            &StringFormat::DateTime,
            &[
                "2025-11-25T10:30:00Z",
                "2025-11-25t10:30:00z",
                "2025-11-25T10:30:00.123456+05:30",
                "2016-12-31T23:59:60Z",
                "2025-11-25T00:00:00-23:59",
            ],
            &[
                "2025-11-25",
                "2025-11-25T10:30:00",
                "2025-11-25T10:30Z",
                "2025-11-25 10:30:00Z",
                "2025-11-25T24:00:00Z",
                "2025-11-25T10:60:00Z",
                "2025-11-25T10:30:61Z",
                "2025-11-25T10:30:00.Z",
                "2025-11-25T10:30:00+0530",
                "2025-11-25T10:30:00+24:00",
                "2025-02-30T10:30:00Z",
            ],
        );
    }

    #[test]
    fn an_email_address_has_a_name_and_a_host() {
        check(
            &StringFormat::Email,
            &[
                "a@b",
                "ada.lovelace+x@example.org",
                "\"a b\"@example.org",
                "jörg@müller.de",
                "u@[127.0.0.1]",
            ],
            &[
                "", "@", "a@", "@b", "a.b", "a b@c", "a@b c", "a@-b", "a@b..c", "a..b@c", ".a@b",
                "a@b@c", "<a@b>",
            ],
        );
    }

    #[test]
    fn a_uri_has_a_scheme_and_only_escaped_characters() {
        check(
            &StringFormat::Uri,
            &[
                "https://example.org/a%20b?c=d#e",
                "mailto:a@b",
                "urn:isbn:0451450523",
                "file:///tmp",
            ],
            &[
                "",
                "example.org",
                "//example.org",
                "1http://a",
                ":a",
                "http://a b",
                "http://a/%2",
                "http://a/é",
            ],
        );
    }

    #[test]
    fn an_unknown_format_keeps_its_name_and_refuses_nothing() {
        let format: StringFormat = serde_json::from_str(r#""uuid""#).unwrap();
        check(&format, &["", "anything"], &[]);
        assert_eq!(serde_json::to_string(&format).unwrap(), r#""uuid""#);
    }
}
