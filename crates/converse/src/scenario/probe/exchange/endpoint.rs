//! Where a server of HTTP+SSE wants messages posted to.

use proofmark_record::event::{Border, Frame};
use serde_json::Value;

/// The URI that an event names. Where the event has another name, or has the URI inside of JSON, it is understood all the same.
pub(super) fn named(frame: &Frame) -> Option<String> {
    let text = String::from_utf8_lossy(&frame.bytes).trim().to_owned();
    let inside = match &frame.json {
        Ok(Value::String(uri)) => Some(uri.clone()),
        Ok(Value::Object(members)) => {
            let mut names = ["endpoint", "uri", "url"].iter();
            names.find_map(|name| members.get(*name)?.as_str()).map(str::to_owned)
        }
        _ => None,
    };
    let is_endpoint = matches!(&frame.border, Border::Event { name, .. } if name == "endpoint");
    let uri = inside.unwrap_or(text);
    let is_place = ["/", "?", "http://", "https://"].iter().any(|it| uri.starts_with(it));
    (is_place || (is_endpoint && frame.json.is_err() && !uri.is_empty())).then_some(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_is_found_in_what_was_meant_as_one() {
        for (name, data, expected) in [
            ("endpoint", "/messages?id=1", Some("/messages?id=1")),
            ("endpoint", "messages", Some("messages")),
            ("endpoint", "\"/messages\"", Some("/messages")),
            ("endpoint", "{\"uri\":\"/messages\"}", Some("/messages")),
            ("message", "http://localhost/messages", Some("http://localhost/messages")),
            ("message", "{\"jsonrpc\":\"2.0\"}", None),
            ("message", "hello", None),
            ("endpoint", "", None),
        ] {
            let border = Border::Event { name: name.to_owned(), id: None, retry: None };
            let frame = Frame::new(data, border);
            assert_eq!(named(&frame).as_deref(), expected, "{name} {data}");
        }
    }
}
