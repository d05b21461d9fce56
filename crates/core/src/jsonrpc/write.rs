//! Messages written straight into the buffer that goes to the wire.
//!
//! Each function appends one message. Where a payload can fail to encode (its `Serialize` says so), the buffer is left as it was.

use serde::Serialize;

use super::{ErrorObject, Id};
use crate::json::{RawRef, write_string};

pub fn request<P: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    id: &Id<'_>,
    method: &str,
    params: &P,
) -> serde_json::Result<()> {
    whole(out, |out| {
        begin_request(out, id, method);
        member(out, b",\"params\":", params)
    })
}

pub fn notification<P: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    method: &str,
    params: &P,
) -> serde_json::Result<()> {
    whole(out, |out| {
        begin_notification(out, method);
        member(out, b",\"params\":", params)
    })
}

pub fn response<R: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    id: &Id<'_>,
    result: &R,
) -> serde_json::Result<()> {
    whole(out, |out| {
        begin_response(out, id);
        member(out, b",\"result\":", result)
    })
}

/// A response whose result is written by a function; it must write one JSON value.
pub fn response_with(
    out: &mut Vec<u8>,
    id: &Id<'_>,
    result: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    whole(out, |out| {
        begin_response(out, id);
        out.extend_from_slice(b",\"result\":");
        result(out)?;
        out.push(b'}');
        Ok(())
    })
}

/// An object that begins with members that are encoded already: `prefix` is an object without its closing brace.
///
/// What `value` writes must be an object, and have none of those members itself.
pub fn prefixed_object(
    out: &mut Vec<u8>,
    prefix: &[u8],
    value: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    out.extend_from_slice(prefix);
    let at = out.len();
    value(out)?;
    // The value's own opening brace makes way for a comma, or for nothing where it has no members.
    if out[at..] == *b"{}" {
        out.truncate(at);
        out.push(b'}');
    } else {
        out[at] = b',';
    }
    Ok(())
}

/// A request whose params are JSON already.
pub fn raw_request(out: &mut Vec<u8>, id: &Id<'_>, method: &str, params: Option<RawRef<'_>>) {
    begin_request(out, id, method);
    raw_member(out, b",\"params\":", params);
}

/// A notification whose params are JSON already.
pub fn raw_notification(out: &mut Vec<u8>, method: &str, params: Option<RawRef<'_>>) {
    begin_notification(out, method);
    raw_member(out, b",\"params\":", params);
}

/// A response whose result is JSON already.
pub fn raw_response(out: &mut Vec<u8>, id: &Id<'_>, result: RawRef<'_>) {
    begin_response(out, id);
    raw_member(out, b",\"result\":", Some(result));
}

/// An error response; without an id when the id of what is refused could not be read.
pub fn error(out: &mut Vec<u8>, id: Option<&Id<'_>>, error: &ErrorObject) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
    if let Some(id) = id {
        out.extend_from_slice(b",\"id\":");
        id.write(out);
    }
    member(out, b",\"error\":", error).expect("a number, a string and raw JSON always encode");
}

fn begin_request(out: &mut Vec<u8>, id: &Id<'_>, method: &str) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    id.write(out);
    out.extend_from_slice(b",\"method\":");
    string(out, method);
}

fn begin_notification(out: &mut Vec<u8>, method: &str) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":");
    string(out, method);
}

fn begin_response(out: &mut Vec<u8>, id: &Id<'_>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    id.write(out);
}

/// The last member of a message, and the brace that ends it.
fn member<T: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    key: &[u8],
    value: &T,
) -> serde_json::Result<()> {
    out.extend_from_slice(key);
    serde_json::to_writer(&mut *out, value)?;
    out.push(b'}');
    Ok(())
}

fn raw_member(out: &mut Vec<u8>, key: &[u8], value: Option<RawRef<'_>>) {
    if let Some(value) = value {
        out.extend_from_slice(key);
        out.extend_from_slice(value.get().as_bytes());
    }
    out.push(b'}');
}

fn string(out: &mut Vec<u8>, text: &str) {
    write_string(out, text);
}

/// Appends all of what `write` writes, or nothing.
fn whole(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    let before = out.len();
    write(out).inspect_err(|_| out.truncate(before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Raw;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_kind_has_its_members_in_order() {
        let id = Id::from(7);
        assert_eq!(
            written(|out| request(out, &id, "ping", &[(); 0]).unwrap()),
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#
        );
        assert_eq!(
            written(|out| raw_request(out, &id, "ping", None)),
            r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#
        );
        assert_eq!(
            written(|out| raw_notification(out, "a\"b", None)),
            r#"{"jsonrpc":"2.0","method":"a\"b"}"#
        );
        assert_eq!(
            written(|out| response(out, &id, &1).unwrap()),
            r#"{"jsonrpc":"2.0","id":7,"result":1}"#
        );
    }

    #[test]
    fn an_error_without_id_has_no_id_member() {
        let refused = ErrorObject::new(super::super::ErrorCode::PARSE_ERROR, "no")
            .with_data(Raw::new(&1).unwrap());
        assert_eq!(
            written(|out| error(out, None, &refused)),
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no","data":1}}"#
        );
    }

    #[test]
    fn a_prefix_and_a_value_make_one_object() {
        let some = std::collections::BTreeMap::from([("b", 2)]);
        assert_eq!(
            written(|out| prefixed_object(out, br#"{"a":1"#, |out| serde_json::to_writer(
                out, &some
            ))
            .unwrap()),
            r#"{"a":1,"b":2}"#
        );
        let none = std::collections::BTreeMap::<&str, i32>::new();
        assert_eq!(
            written(|out| prefixed_object(out, br#"{"a":1"#, |out| serde_json::to_writer(
                out, &none
            ))
            .unwrap()),
            r#"{"a":1}"#
        );
    }

    #[test]
    fn a_payload_that_does_not_encode_leaves_no_trace() {
        let mut out = b"before".to_vec();
        let bad = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert!(response(&mut out, &Id::from(1), &bad).is_err());
        assert_eq!(out, b"before");
    }
}
