//! Secrets that are known by what they look like or by what stands before them, anywhere in a text.

use std::{borrow::Cow, ops::Range};

use super::{Cover, Secret, VERIFIER, names::Name};

/// How the text is to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Forms, addresses and markup: what people write about a password is no password.
    Data,
    /// As data; a quotation mark that is not escaped ends a string.
    Json,
    /// Lines of a log and command lines: `password: x` and `--password x`.
    Words,
}

pub(super) fn shapes<'t>(text: &'t str, reading: Reading, cover: &mut Cover<'_>) -> Cow<'t, str> {
    let mut clean = String::new();
    let mut kept = 0;
    for at in 0..text.len() {
        if at < kept {
            continue;
        }
        let found = match text.as_bytes()[at] {
            b':' | b' ' if reading == Reading::Words => told(text, at),
            _ => shape_at(text, at, reading),
        };
        let Some((name, range)) = found.filter(|(_, range)| range.start >= kept) else { continue };
        clean.push_str(&text[kept..range.start]);
        clean.push_str(&cover(Secret { name, value: &text[range.clone()] }));
        kept = range.end;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(&text[kept..]);
    Cow::Owned(clean)
}

/// Whether [`shapes`] would find something in data; nearly always it would not.
pub(super) fn has_shape(text: &str) -> bool {
    let bytes = text.as_bytes();
    let at = |at: usize| shape_at(text, at, Reading::Data).is_some();
    memchr::memchr3_iter(b'=', b'_', b'-', bytes).any(at)
        || memchr::memchr3_iter(b'@', b'I', b'J', bytes).any(at)
        || memchr::memchr3_iter(b'.', b'B', b'b', bytes).any(at)
}

type Found<'t> = (&'t str, Range<usize>);

/// The secret that is told by this byte, of which each shape has one.
fn shape_at(text: &str, at: usize, reading: Reading) -> Option<Found<'_>> {
    match text.as_bytes()[at] {
        b'=' => field(text, at, reading),
        b'_' | b'-' => key(text, at).or_else(|| private_key(text, at)),
        b'.' => key(text, at),
        b'I' => access_key(text, at),
        b'J' => web_token(text, at),
        b'B' | b'b' => bearer(text, at),
        b'@' => user_info(text, at),
        _ => None,
    }
}

/// `token=…`, in a form, a query, a cookie or an environment.
fn field(text: &str, at: usize, reading: Reading) -> Option<Found<'_>> {
    let name = name_before(text, at)?;
    let known = Name::new(name.as_bytes())?;
    let before = text[..at - name.len()].bytes().next_back();
    let is_parameter = before.is_none_or(|byte| b"?&;#".contains(&byte));
    let secret = if is_parameter { known.is_secret_parameter() } else { known.is_secret() };
    let name = if known.is_verifier() { VERIFIER } else { name };
    secret.then(|| value(text, at + 1, reading)).flatten().map(|range| (name, range))
}

/// `token: …` and `--token …`.
fn told(text: &str, at: usize) -> Option<Found<'_>> {
    let name = name_before(text, at)?;
    let flag = name.starts_with('-') || text[..at - name.len()].ends_with('-');
    if text.as_bytes()[at] == b' ' && !flag || !Name::new(name.as_bytes())?.is_secret() {
        return None;
    }
    let begin = at + 1 + text[at + 1..].bytes().take_while(|byte| *byte == b' ').count();
    let word = text[begin..].split(' ').next().unwrap_or_default();
    let is_scheme = SCHEMES.iter().any(|it| it.eq_ignore_ascii_case(word));
    let begin = if is_scheme { (begin + word.len() + 1).min(text.len()) } else { begin };
    value(text, begin, Reading::Words).map(|range| (name, range))
}

fn name_before(text: &str, at: usize) -> Option<&str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let length =
        text.as_bytes()[..at].iter().rev().take(LONGEST_NAME).take_while(|it| is_part(it)).count();
    (length > 0).then(|| &text[at - length..at])
}

/// A value that begins here, up to its quotation mark if it has one.
fn value(text: &str, begin: usize, reading: Reading) -> Option<Range<usize>> {
    let rest = &text[begin..];
    let quoted = rest.trim_start_matches('\\');
    let escaped = (rest.len() - quoted.len()) % 2 == 1;
    if reading == Reading::Json && quoted.starts_with('"') && !escaped {
        return None;
    }
    if let Some(inner) = quoted.strip_prefix(['"', '\'']) {
        let quote = quoted.as_bytes()[0];
        let begin = text.len() - inner.len();
        let end = memchr::memchr3(quote, b'"', b'\\', inner.as_bytes()).unwrap_or(inner.len());
        return (end > 0).then_some(begin..begin + end);
    }
    let ends = |it: char| it.is_whitespace() || "&#\"'`<>\\,;(){}[]".contains(it);
    let end = rest.find(ends).unwrap_or(rest.len());
    (end > 0).then_some(begin..begin + end)
}

/// Keys whose beginning says who gave them out.
fn key(text: &str, at: usize) -> Option<Found<'_>> {
    let before = &text[..=at];
    let (prefix, least) = PREFIXES.iter().find(|(prefix, _)| before.ends_with(prefix))?;
    let begin = at + 1 - prefix.len();
    let end =
        at + 1 + run(text, at + 1, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    (is_edge(text, begin) && end - at > *least).then_some(("key", begin..end))
}

/// `-----BEGIN PRIVATE KEY-----` and what follows.
fn private_key(text: &str, at: usize) -> Option<Found<'_>> {
    let label = text[at..].strip_prefix("-----BEGIN ")?;
    let label = &label[..label.find("-----")?];
    if !label.ends_with("PRIVATE KEY") {
        return None;
    }
    let begin = at + "-----BEGIN ".len() + label.len() + "-----".len();
    let rest = &text[begin..];
    let body = &rest[..rest.find('"').unwrap_or(rest.len())];
    let end = body.find("-----END").unwrap_or_else(|| body.trim_end_matches('\\').len());
    (end > 0).then_some(("private key", begin..begin + end))
}

/// `AKIA…`, `ASIA…` and `AIza…`.
fn access_key(text: &str, at: usize) -> Option<Found<'_>> {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let begin = at.checked_sub(2).filter(|begin| matches!(&bytes[*begin..at], b"AK" | b"AS"));
    if let Some(begin) = begin {
        let end =
            begin + run(text, begin, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        return (is_edge(text, begin) && end - begin >= 20).then_some(("key", begin..end));
    }
    let begin = at.checked_sub(1).filter(|begin| bytes[*begin..].starts_with(b"AIza"))?;
    let end = begin + run(text, begin, is_part);
    (is_edge(text, begin) && end - begin >= 30).then_some(("key", begin..end))
}

/// A JSON Web Token: two objects and a signature.
fn web_token(text: &str, at: usize) -> Option<Found<'_>> {
    let begin = at.checked_sub(2).filter(|begin| text.as_bytes()[*begin..].starts_with(b"eyJ"))?;
    if !is_edge(text, begin) {
        return None;
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let end = begin + run(text, begin, is_part);
    let dots = text[begin..end].bytes().filter(|byte| *byte == b'.').count();
    (dots >= 2).then_some(("token", begin..end))
}

/// What follows `Bearer` or `Basic`, unless it is a word of a sentence or a parameter of a challenge.
fn bearer(text: &str, at: usize) -> Option<Found<'_>> {
    let rest = &text.as_bytes()[at..];
    let is = |scheme: &str| {
        rest.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    let scheme = ["bearer ", "basic ", "bearer%20"].into_iter().find(|scheme| is(scheme))?;
    let begin = at + scheme.len();
    let word = run(text, begin, |byte| byte.is_ascii_alphanumeric() || b"._~+/-".contains(&byte));
    let padding = run(text, begin + word, |byte| byte == b'=');
    let end = begin + word + padding;
    let is_parameter = padding == 1
        && text
            .as_bytes()
            .get(end)
            .is_some_and(|it| it.is_ascii_alphanumeric() || b"\"\\".contains(it));
    let value = &text[begin..begin + word];
    let is_sentence = word < 20 && (word < 6 || !value.bytes().any(|byte| byte.is_ascii_digit()));
    (is_edge(text, at) && !is_parameter && !is_sentence).then_some(("authorization", begin..end))
}

/// `https://user:password@host`.
fn user_info(text: &str, at: usize) -> Option<Found<'_>> {
    let is_part = |byte: &u8| byte.is_ascii_graphic() && !b"/\"'<>\\@".contains(byte);
    let length =
        text.as_bytes()[..at].iter().rev().take(LONGEST_USER).take_while(|it| is_part(it)).count();
    let begin = at - length;
    (length > 0 && text[..begin].ends_with("://")).then_some(("user", begin..at))
}

fn run(text: &str, from: usize, is_part: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[from..].iter().take_while(|byte| is_part(**byte)).count()
}

/// Whether a word begins here.
fn is_edge(text: &str, at: usize) -> bool {
    let before = text[..at].bytes().next_back();
    before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"_-+/".contains(&byte))
        // The letter of an escape in JSON.
        || matches!(&text.as_bytes()[..at], [.., b'\\', b'n' | b't' | b'r'])
}

const LONGEST_NAME: usize = 64;
const LONGEST_USER: usize = 1024;

const SCHEMES: &[&str] = &["basic", "bearer", "digest", "dpop", "negotiate", "token"];

/// With the fewest characters that follow. Each ends with a byte that tells a shape.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("rk_live_", 8),
    ("whsec_", 16),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 16),
    ("xoxa-", 8),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxr-", 8),
    ("xoxs-", 8),
    ("xapp-", 8),
    ("npm_", 24),
    ("hf_", 24),
    ("shpat_", 16),
    ("dop_v1_", 16),
    ("ya29.", 16),
    ("SG.", 20),
];
