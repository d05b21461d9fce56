//! Takes secrets out of what is about to be written down.

mod members;
mod names;
mod shapes;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use members::{members, secret_member};
use names::Name;
use proofmark_core::json::{write_string, write_string_unless};
use shapes::{Reading, has_shape, shapes};

use crate::pkce::challenge_of;
use crate::{
    event::{EventKind, Frame, Headers},
    form, text,
};

/// Leaves everything but secrets as it is.
pub fn redact(what: &mut EventKind) {
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
pub fn redact_with(what: &mut EventKind, cover: &mut Cover<'_>) {
    match what {
        EventKind::Sent { frame, .. } | EventKind::Received { frame, .. } => frame_of(frame, cover),
        EventKind::Requested { line, headers, .. } => {
            replace(line, Reading::Data, cover);
            headers_of(headers, cover);
        }
        EventKind::Responded { headers, .. } => headers_of(headers, cover),
        EventKind::Stderr(text)
        | EventKind::Connected(text)
        | EventKind::Exited(text)
        | EventKind::Broken { why: text, .. } => replace(text, Reading::Words, cover),
        EventKind::Ended { .. }
        | EventKind::Left { .. }
        | EventKind::Silence(_)
        | EventKind::Flooded { .. } => {}
    }
}

/// Whether what has this name is a secret, in whatever spelling.
pub(crate) fn is_secret_name(name: &str) -> bool {
    Name::new(name.as_bytes()).is_some_and(|name| name.is_secret())
}

/// A command line, a line of a log, or an address, fit to be written down.
pub fn redact_words(text: &str) -> Cow<'_, str> {
    both(text, Reading::Words, &mut anonymous)
}

/// A program and its arguments, each of which may have spaces, fit to be written down, and quoted as a shell wants it.
pub fn redact_command(command: &[String]) -> String {
    let mut covers = false;
    let words = command.iter().map(|word| {
        if std::mem::take(&mut covers) {
            return REDACTED.to_owned();
        }
        covers = word.starts_with('-')
            && !word.contains(['=', ' '])
            && Name::new(word.as_bytes()).is_some_and(|name| name.is_secret());
        text::quoted(&redact_words(word))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A text that may have a query in it, fit to be shown.
pub fn redact_query(text: &str) -> Cow<'_, str> {
    shapes(text, Reading::Data, &mut anonymous)
}

/// Appends a message, a body or a line as a JSON string, without its secrets.
pub(super) fn write_redacted(out: &mut Vec<u8>, text: &str) {
    // Nearly all messages have none.
    let may_be_secret = |rest: &[u8]| secret_member(rest).is_some();
    if has_shape(text) || !write_string_unless(out, text, may_be_secret) {
        write_string(out, &data(text, &mut anonymous));
    }
}

fn replace(text: &mut String, reading: Reading, cover: &mut Cover<'_>) {
    if let Cow::Owned(clean) = both(text, reading, cover) {
        *text = clean;
    }
}

fn headers_of(headers: &mut Headers, cover: &mut Cover<'_>) {
    for (name, value) in headers {
        if Name::new(name.as_bytes()).is_some_and(|name| name.is_secret()) {
            // The scheme is no secret, and requirements are about it.
            *value = match value.split_once(' ') {
                Some((scheme, value)) if name.ends_with("authorization") => {
                    format!("{scheme} {}", cover(Secret { name, value }))
                }
                _ => cover(Secret { name, value }),
            };
        } else if let Cow::Owned(clean) = data(value, cover) {
            *value = clean;
        }
    }
}

fn frame_of(frame: &mut Frame, cover: &mut Cover<'_>) {
    let Ok(text) = std::str::from_utf8(&frame.bytes) else { return };
    if let Cow::Owned(clean) = data(text, cover) {
        *frame = Frame::new(clean, frame.border.clone());
    }
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

fn data<'t>(text: &'t str, cover: &mut Cover<'_>) -> Cow<'t, str> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    both(text, if is_json { Reading::Json } else { Reading::Data }, cover)
}

fn both<'t>(text: &'t str, reading: Reading, cover: &mut Cover<'_>) -> Cow<'t, str> {
    match members(text, cover) {
        Cow::Borrowed(text) => shapes(text, reading, cover),
        Cow::Owned(clean) => Cow::Owned(shapes(&clean, reading, cover).into_owned()),
    }
}

pub const REDACTED: &str = "redacted";
/// What a cover begins with that tells equal secrets from different ones.
pub const COVERED: &str = "redacted-";
/// What stands before the hash of a verifier of PKCE.
pub const DIGEST: &str = "redacted-s256-";
const VERIFIER: &str = "code_verifier";
