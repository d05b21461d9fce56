//! Takes secrets out of what is about to be written down.

use std::borrow::Cow;

use proofmark_core::json::{write_string, write_string_unless};

use crate::pkce::challenge_of;
use crate::{
    event::{Frame, Headers, What},
    form,
};

/// Leaves everything but secrets as it is.
pub fn redact(what: &mut What) {
    redact_with(what, &mut anonymous);
}

/// What is written in place of a secret.
pub type Cover<'c> = dyn FnMut(Secret<'_>) -> String + 'c;

#[derive(Clone, Copy)]
pub struct Secret<'s> {
    /// Of the header, member or field that has it.
    pub name: &'s str,
    /// As it stands there.
    pub value: &'s str,
}

/// As [`redact`], with something else in place of each secret: for those who need to know which ones are equal.
pub fn redact_with(what: &mut What, cover: &mut Cover<'_>) {
    match what {
        What::Sent { frame, .. } | What::Received { frame, .. } => frame_of(frame, cover),
        What::Requested { line, headers, .. } => {
            if let Cow::Owned(clean) = fields(line, cover) {
                *line = clean;
            }
            headers_of(headers, cover);
        }
        What::Responded { headers, .. } => headers_of(headers, cover),
        What::Stderr(text) | What::Connected(text) | What::Exited(text) => {
            if let Cow::Owned(clean) = members(text, cover) {
                *text = clean;
            }
        }
        What::Ended { .. }
        | What::Left { .. }
        | What::Broken { .. }
        | What::Silence(_)
        | What::Flooded { .. } => {}
    }
}

fn headers_of(headers: &mut Headers, cover: &mut Cover<'_>) {
    for (name, value) in headers {
        if SECRET_HEADERS.contains(&name.as_str()) {
            // The scheme is no secret, and requirements are about it.
            *value = match value.split_once(' ') {
                Some((scheme, value)) if name.ends_with("authorization") => {
                    format!("{scheme} {}", cover(Secret { name, value }))
                }
                _ => cover(Secret { name, value }),
            };
        } else if name == "location"
            && let Cow::Owned(clean) = fields(value, cover)
        {
            *value = clean;
        }
    }
}

fn frame_of(frame: &mut Frame, cover: &mut Cover<'_>) {
    if let Cow::Owned(clean) = bytes_of(&frame.bytes, cover) {
        *frame = Frame::new(clean, frame.border.clone());
    }
}

/// Appends a message, a body or a line as a JSON string, without its secrets.
pub(super) fn write_redacted(out: &mut Vec<u8>, text: &str) {
    if !is_json(text) {
        return write_string(out, &fields(text, &mut anonymous));
    }
    // Nearly all messages have none.
    let may_be_secret = |rest: &[u8]| secret_member(rest).is_some();
    if !write_string_unless(out, text, may_be_secret) {
        write_string(out, &members(text, &mut anonymous));
    }
}

/// A text that may have a query in it, fit to be shown.
pub fn redact_query(text: &str) -> Cow<'_, str> {
    fields(text, &mut anonymous)
}

/// What has been covered already says which secrets are equal, and stays.
fn anonymous(Secret { name, value }: Secret<'_>) -> String {
    if value.starts_with(COVERED) {
        return value.to_owned();
    }
    if name != VERIFIER {
        return REDACTED.to_owned();
    }
    let plain = form::decode(&format!("{name}={value}"));
    // Its client has published the same by itself.
    format!("{DIGEST}{}", challenge_of(form::one(&plain, name).unwrap_or(value)))
}

fn bytes_of<'b>(bytes: &'b [u8], cover: &mut Cover<'_>) -> Cow<'b, [u8]> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Cow::Borrowed(bytes) };
    let clean = if is_json(text) { members(text, cover) } else { fields(text, cover) };
    match clean {
        Cow::Borrowed(_) => Cow::Borrowed(bytes),
        Cow::Owned(clean) => Cow::Owned(clean.into_bytes()),
    }
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Without the strings that stand behind the names of secrets in JSON.
fn members<'t>(text: &'t str, cover: &mut Cover<'_>) -> Cow<'t, str> {
    let mut clean = String::new();
    let mut kept = 0;
    for at in memchr::memchr_iter(b'"', text.as_bytes()) {
        if at < kept {
            continue;
        }
        let rest = &text[at + 1..];
        let Some(name) = secret_member(rest.as_bytes()) else { continue };
        let after = &rest[name.len() + 1..];
        let Some(value) = after.trim_start().strip_prefix(':').map(str::trim_start) else {
            continue;
        };
        let Some(value) = value.strip_prefix('"') else { continue };
        let begin = text.len() - value.len();
        let end = end_of_string(value);
        clean.push_str(&text[kept..begin]);
        clean.push_str(&cover(Secret { name, value: &value[..end] }));
        kept = begin + end;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(&text[kept..]);
    Cow::Owned(clean)
}

/// The name that this begins with, up to its quotation mark, if what it names is a secret.
fn secret_member(text: &[u8]) -> Option<&'static str> {
    // Few names are left after the first letter, and fewer where a quotation mark has to be.
    let names: &[&str] = match text.first()?.to_ascii_lowercase() {
        b'a' => &["access_token", "authorization", "api_key", "apikey"],
        b'c' => &["client_secret", "client_assertion", VERIFIER],
        b'i' => &["id_token"],
        b'p' => &["password"],
        b'r' => &["refresh_token", "registration_access_token"],
        _ => return None,
    };
    names.iter().copied().find(|name| {
        text.get(name.len()) == Some(&b'"')
            && text[..name.len()].eq_ignore_ascii_case(name.as_bytes())
    })
}

/// Where the quotation mark is that ends a JSON string.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.unwrap_or(text.len())
}

/// Without the values of secret fields of a form or of a query.
fn fields<'t>(text: &'t str, cover: &mut Cover<'_>) -> Cow<'t, str> {
    let mut clean = String::new();
    let mut kept = 0;
    for (at, _) in text.match_indices('=') {
        let name =
            text[..at].rsplit(['&', '?', '#', ' ', '\n', ';', '"']).next().unwrap_or_default();
        if at < kept || !SECRET_FIELDS.contains(&name) {
            continue;
        }
        let value = &text[at + 1..];
        let end = value.find(['&', '#', ' ', '\r', '\n', '"', '\'', '<']).unwrap_or(value.len());
        clean.push_str(&text[kept..=at]);
        clean.push_str(&cover(Secret { name, value: &value[..end] }));
        kept = at + 1 + end;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(&text[kept..]);
    Cow::Owned(clean)
}

pub const REDACTED: &str = "redacted";
/// What a cover begins with that tells equal secrets from different ones.
pub const COVERED: &str = "redacted-";
/// What stands before the hash of a verifier of PKCE.
pub const DIGEST: &str = "redacted-s256-";
const VERIFIER: &str = "code_verifier";

const SECRET_HEADERS: &[&str] =
    &["authorization", "proxy-authorization", "cookie", "set-cookie", "dpop", "x-api-key"];

/// In forms and queries, where a `code` is always a secret.
const SECRET_FIELDS: &[&str] = &[
    "access_token",
    "refresh_token",
    "id_token",
    "client_secret",
    "client_assertion",
    "assertion",
    "subject_token",
    "code",
    VERIFIER,
    "password",
    "token",
    "api_key",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Border;

    #[test]
    fn credentials_in_headers_are_not_kept() {
        let mut headers = vec![
            ("authorization".to_owned(), "Bearer s3cret".to_owned()),
            ("cookie".to_owned(), "a=s3cret".to_owned()),
            ("mcp-session-id".to_owned(), "abc".to_owned()),
        ];
        headers_of(&mut headers, &mut anonymous);
        let values: Vec<_> = headers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["Bearer redacted", "redacted", "abc"]);
    }

    #[test]
    fn tokens_in_messages_are_not_kept_and_the_rest_is_not_touched() {
        for (text, clean) in [
            (
                r#"{"access_token" : "a\"b","code":-32602,"x":"access_token"}"#,
                r#"{"access_token" : "redacted","code":-32602,"x":"access_token"}"#,
            ),
            (r#"{"apiKey":"k","password":"p"}"#, r#"{"apiKey":"redacted","password":"redacted"}"#),
            (r#"{"text":"nothing = here & there"}"#, r#"{"text":"nothing = here & there"}"#),
            ("grant_type=x&code=c&code_challenge=v", "grant_type=x&code=redacted&code_challenge=v"),
        ] {
            let mut frame = Frame::new(text, Border::Body);
            frame_of(&mut frame, &mut anonymous);
            assert_eq!(String::from_utf8(frame.bytes).unwrap(), clean);
            assert_eq!(redacted(text), clean);
        }
    }

    #[test]
    fn members_are_known_by_every_name_of_a_secret_in_whatever_case() {
        for name in [
            "access_token",
            "refresh_token",
            "id_token",
            "client_secret",
            "client_assertion",
            "code_verifier",
            "registration_access_token",
            "authorization",
            "password",
            "api_key",
            "apikey",
        ] {
            for name in [name.to_owned(), name.to_ascii_uppercase()] {
                let clean = redacted(&format!(r#"{{"a":{{"{name}":"s3cret"}}}}"#));
                assert!(clean.contains(&name) && !clean.contains("s3cret"), "{clean}");
                let longer = format!(r#"{{"{name}s":"kept"}}"#);
                assert_eq!(redacted(&longer), longer);
            }
        }
    }

    #[test]
    fn of_a_verifier_the_hash_is_kept_however_it_is_written() {
        let hash = "redacted-s256--xh-7XN6s3XmPhIa3ZUEzcKqw8IUjcjWiJysn9xxC-E";
        for text in
            ["code_verifier=a-b.c", "code_verifier=a%2Db%2ec", r#"{"code_verifier":"a-b.c"}"#]
        {
            let clean = redacted(text);
            assert!(clean.contains(hash) && !clean.contains("b.c"), "{clean}");
            assert_eq!(redacted(&clean), clean);
        }
    }

    /// As it would stand in a transcript.
    fn redacted(text: &str) -> String {
        let mut written = Vec::new();
        write_redacted(&mut written, text);
        serde_json::from_slice(&written).unwrap()
    }

    #[test]
    fn tokens_in_addresses_are_not_kept() {
        assert_eq!(
            redact_query("GET /cb?code=abc&state=1 HTTP/1.1"),
            "GET /cb?code=redacted&state=1 HTTP/1.1"
        );
        assert_eq!(
            redact_query("<a href=\"/cb?state=1&amp;code=abc\">"),
            "<a href=\"/cb?state=1&amp;code=redacted\">"
        );
        assert_eq!(redact_query("GET /mcp HTTP/1.1"), "GET /mcp HTTP/1.1");
    }
}
