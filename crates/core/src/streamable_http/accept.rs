//! What a client accepts as an answer.

use http::{HeaderMap, header};

pub(super) const JSON: &str = "application/json";
pub(super) const EVENT_STREAM: &str = "text/event-stream";
/// All that we ever answer with, as nearly every client spells it.
const BOTH: &str = "application/json, text/event-stream";

/// Whether `Accept` takes all of these media types. Without the header, anything is accepted.
///
/// Of the ranges that cover a type the most specific one decides, and a weight of zero means no.
pub(super) fn accepts(headers: &HeaderMap, types: &[&str]) -> bool {
    let mut values = headers.get_all(header::ACCEPT).iter();
    match (values.next(), values.next()) {
        (None, _) => return true,
        (Some(only), None) if only == BOTH || lists_plainly(only.as_bytes(), types) => return true,
        _ => {}
    }
    types.iter().all(|media_type| {
        ranges(headers)
            .filter_map(|range| Some((specificity(range.0, media_type)?, range.1)))
            .max_by_key(|(specificity, weight)| (*specificity, *weight))
            .is_some_and(|(_, weight)| weight == Weight::Some)
    })
}

/// Whether a value names each of the types, and has nothing but names: what nearly every client sends.
fn lists_plainly(value: &[u8], types: &[&str]) -> bool {
    !value.iter().any(|byte| matches!(byte, b';' | b'"'))
        && types.iter().all(|media_type| {
            value
                .split(|byte| *byte == b',')
                .any(|name| name.trim_ascii().eq_ignore_ascii_case(media_type.as_bytes()))
        })
}

/// How precisely a range covers a type, if it does.
fn specificity(range: &str, media_type: &str) -> Option<u8> {
    if range == "*/*" {
        return Some(0);
    }
    if range.eq_ignore_ascii_case(media_type) {
        return Some(2);
    }
    let (kind, _) = media_type.split_once('/')?;
    let (range, rest) = range.split_once('/')?;
    (rest == "*" && range.eq_ignore_ascii_case(kind)).then_some(1)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Zero,
    Some,
}

/// Every media range of every `Accept`, with its weight. Parameters other than the weight do not narrow what we send.
fn ranges(headers: &HeaderMap) -> impl Iterator<Item = (&str, Weight)> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| split(value, ',')).map(|range| {
        let mut parts = split(range, ';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = if parts.any(is_zero_weight) { Weight::Zero } else { Weight::Some };
        (name, weight)
    })
}

/// `q=0`, `q=0.`, `q=0.000`; a weight that is no number is not a refusal.
fn is_zero_weight(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return false };
    let value = value.trim();
    name.trim().eq_ignore_ascii_case("q")
        && value.starts_with('0')
        && value.bytes().all(|byte| matches!(byte, b'0' | b'.'))
}

/// Splits outside of quoted strings.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let mut escaped = false;
    text.split(move |at: char| {
        let here = at == separator && !quoted;
        match at {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        here
    })
}
