use super::*;
use crate::scenario::ScenarioName;

#[test]
fn a_body_is_a_message_if_it_calls_itself_json_or_json_rpc() {
    for (status, kind, body, expected) in [
        (200, "application/json; charset=utf-8", "{}", 1),
        (202, "text/plain", "Accepted", 0),
        (200, "text/html", "<p>", 0),
        (400, "text/html", "<p>", 0),
        (400, "text/plain", "{\"jsonrpc\":\"2.0\"}", 1),
    ] {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        let frame = Frame::new(body, Border::Body);
        let events = [
            EventKind::Responded { exchange: 1, status, headers },
            EventKind::Received { exchange: 1, frame },
        ];
        let events = events
            .into_iter()
            .map(|what| Event { at: Duration::ZERO, kind: what })
            .collect::<Vec<_>>();
        let evidence = Evidence {
            side: Side::Server,
            revision: Revision::V2025_11_25,
            transport: Transport::Http,
            conversations: vec![Conversation { scenario: ScenarioName::new("tour"), events }],
        };
        assert_eq!(evidence.frames().count(), expected, "{status} {kind}");
    }
}

#[test]
fn json_that_would_take_too_much_memory_is_not_parsed() {
    let many = format!("[{}0]", "0,".repeat(1_000_000));
    assert!(Frame::new(many, Border::Line).json.is_err());
    let long = format!("[\"{}\"]", "0,{\\\"".repeat(1_000_000));
    assert!(Frame::new(long, Border::Line).json.is_ok());
}
