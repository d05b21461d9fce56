//! What a client says about its body.

use http::{HeaderMap, StatusCode, header};

use super::{Rejection, accept::JSON, rejection::code};
use crate::revision::Revision;

/// Only JSON: every other type could be sent by a web page without asking its browser.
pub(super) fn check_type(headers: &HeaderMap, revision: Revision) -> Result<(), Rejection> {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let is_json = match (values.next(), values.next()) {
        (Some(value), None) if value == JSON => true,
        (Some(value), None) => value.to_str().is_ok_and(|text| {
            let essence = text.split(';').next().unwrap_or_default();
            essence.trim().eq_ignore_ascii_case(JSON)
        }),
        _ => false,
    };
    if is_json {
        return Ok(());
    }
    let status = code(revision.rules().http.status.wrong_content_type);
    Err(Rejection::invalid(status, format_args!("the body must be {JSON}"))
        .with(header::ACCEPT, JSON))
}

/// A declared length counts before the first byte of the body does.
pub(super) fn check_length(headers: &HeaderMap, limit: u64) -> Result<(), Rejection> {
    for value in headers.get_all(header::CONTENT_LENGTH) {
        let digits = value.to_str().ok().filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(digits) = digits.filter(|it| !it.is_empty()) else {
            let why = "`Content-Length` is not a number";
            return Err(Rejection::invalid(StatusCode::BAD_REQUEST, why));
        };
        // Digits that are no `u64` are too many.
        if digits.parse().is_ok_and(|length: u64| length <= limit) {
            continue;
        }
        let why = format_args!("the body is longer than {limit} bytes");
        return Err(Rejection::invalid(StatusCode::PAYLOAD_TOO_LARGE, why));
    }
    Ok(())
}
