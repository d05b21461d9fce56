use super::*;
use crate::json::Raw;

#[test]
fn every_status_of_every_revision_is_a_status_code() {
    for revision in Revision::ALL {
        let status = format!("{:?}", revision.rules().http.status);
        for code in status.split("code: ").skip(1) {
            let code: u16 = code.split(',').next().unwrap().parse().unwrap();
            assert!((200..500).contains(&code), "{revision}: {code}");
        }
    }
}

#[test]
fn answers_have_the_status_that_the_revision_gives_their_error() {
    for (error, legacy, modern) in [
        (None, 200, 200),
        (Some(ErrorCode::INTERNAL_ERROR), 200, 200),
        (Some(ErrorCode::INVALID_PARAMS), 200, 200),
        (Some(ErrorCode::METHOD_NOT_FOUND), 200, 404),
        (Some(ErrorCode::MISSING_CLIENT_CAPABILITY), 400, 400),
        (Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION), 400, 400),
        (Some(ErrorCode::HEADER_MISMATCH), 400, 400),
    ] {
        assert_eq!(answer_status(V2025_11_25, error), legacy, "{error:?}");
        assert_eq!(answer_status(V2026_07_28, error), modern, "{error:?}");
    }
}

#[test]
fn each_situation_has_its_status_in_each_legacy_revision() {
    let policy = Policy::default();
    for revision in [V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25] {
        let name = revision.as_str();
        let status = |sent: &Sent, session| {
            let outcome = sent.clone().with("mcp-protocol-version", name).admit(session, &policy);
            match outcome {
                Ok(Admission { reply: Reply::Accepted(status), .. }) => status.as_u16(),
                Ok(Admission { reply: Reply::Answer, .. }) => {
                    answer_status(revision, None).as_u16()
                }
                Err(rejection) => rejection.status.as_u16(),
            }
        };
        let (live, gone, none) = (live(revision), SessionFact::Unknown, SessionFact::Absent);
        let list = request("tools/list");
        let initialized = notification("notifications/initialized");
        for (situation, status, expected) in [
            ("request answered", status(&list, live), 200),
            ("notification accepted", status(&initialized, live), 202),
            ("response accepted", status(&response(), live), 202),
            ("session missing", status(&list, none), 400),
            ("notification without session", status(&initialized, none), 400),
            ("session terminated", status(&list, gone), 404),
            ("notification in a terminated session", status(&initialized, gone), 404),
            ("bad origin", status(&list.clone().with("origin", "http://evil.test"), live), 403),
            ("accept unacceptable", status(&list.clone().with("accept", "text/html"), live), 406),
            (
                "wrong content type",
                status(&list.clone().with("content-type", "text/plain"), live),
                415,
            ),
            ("broken JSON", status(&post("{"), live), 400),
        ] {
            assert_eq!(status, expected, "{situation} in {name}");
        }
    }
}

#[test]
fn bodies_that_are_no_message_are_refused_under_their_id() {
    for (body, status, code, id) in [
        ("", 400, -32700, None),
        ("{", 400, -32700, None),
        ("7", 400, -32600, None),
        (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, 400, -32600, None),
        (r#"{"jsonrpc":"1.0","id":7,"method":"a"}"#, 400, -32600, Some(7.into())),
    ] {
        let rejection = post(body).admit(live(V2025_11_25), &Policy::default()).unwrap_err();
        assert_eq!(rejection.id, id, "{body}");
        assert_eq!(numbers::<()>(Err(rejection)), Err((status, code)), "{body}");
    }
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(Limits::default().bytes));
    let outcome = post(&long).admit(live(V2025_11_25), &Policy::default());
    assert_eq!(numbers(outcome), Err((413, INVALID_REQUEST)));
}

#[test]
fn a_refusal_is_written_as_an_error_response() {
    let mut rejection = Rejection::method_not_found(V2026_07_28, "a");
    assert_eq!(
        String::from_utf8(rejection.body()).unwrap(),
        r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"no such method: a"}}"#
    );
    rejection = rejection.to(&"x".into());
    rejection.error = rejection.error.map(|error| error.with_data(Raw::new(&1).unwrap()));
    assert_eq!(
        String::from_utf8(rejection.body()).unwrap(),
        r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no such method: a","data":1}}"#
    );
    rejection.error = None;
    assert_eq!(rejection.body(), b"");
}
