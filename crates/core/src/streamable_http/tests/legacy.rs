use super::*;

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;

fn optional(sent: &Sent, session: SessionFact) -> Result<Admission, (u16, i64)> {
    numbers(sent.admit(session, &sessions(Sessions::Optional)))
}

fn required(sent: &Sent, session: SessionFact) -> Result<Admission, (u16, i64)> {
    numbers(sent.admit(session, &sessions(Sessions::Required)))
}

#[test]
fn initialize_wins_over_sessions_and_version_headers() {
    for session in [SessionFact::Absent, SessionFact::Unknown, live(V2025_06_18)] {
        for version in [None, Some("2025-06-18"), Some("2026-07-28"), Some("nonsense")] {
            let mut sent = post(INITIALIZE);
            if let Some(version) = version {
                sent = sent.with("mcp-protocol-version", version);
            }
            for policy in [Sessions::Off, Sessions::Optional, Sessions::Required] {
                let outcome = sent.admit(session, &sessions(policy));
                assert_eq!(numbers(outcome), answered(Conversation::Initialize));
            }
        }
    }
}

#[test]
fn where_legacy_is_not_served_initialize_learns_what_is() {
    let policy = only(&[V2026_07_28]);
    let outcome = |sent: Sent| sent.admit(SessionFact::Absent, &policy).unwrap_err();
    for (sent, code) in [
        (post(INITIALIZE), MISMATCH),
        (post(INITIALIZE).with("mcp-protocol-version", "2025-11-25"), UNSUPPORTED),
        (request("tools/list"), MISMATCH),
        (request("tools/list").with("mcp-protocol-version", "2025-11-25"), UNSUPPORTED),
    ] {
        let rejection = outcome(sent);
        assert_eq!(rejection.id, Some(7.into()));
        assert!(rejection.error.as_ref().unwrap().message.contains("2026-07-28"));
        assert_eq!(numbers::<()>(Err(rejection)), Err((400, code)));
    }
}

#[test]
fn a_live_session_decides_the_revision() {
    for revision in [V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25] {
        let session = live(revision);
        let list = request("tools/list");
        let legacy = Conversation::Legacy { revision };
        assert_eq!(required(&list, session), answered(legacy));
        assert_eq!(required(&notification("notifications/initialized"), session), accepted(legacy));
        assert_eq!(required(&response(), session), accepted(legacy));
        let agreeing = list.clone().with("mcp-protocol-version", revision.as_str());
        assert_eq!(required(&agreeing, session), answered(legacy));
        let other = list.with("mcp-protocol-version", "2025-03-26");
        assert_eq!(required(&other, session), answered(legacy));
    }
}

#[test]
fn a_version_header_that_is_not_served_is_refused_where_the_revision_has_that_header() {
    let sent = request("tools/list").with("mcp-protocol-version", "1999-01-01");
    assert_eq!(required(&sent, live(V2025_06_18)), Err((400, UNSUPPORTED)));
    assert_eq!(required(&sent, live(V2025_11_25)), Err((400, UNSUPPORTED)));
    let legacy = answered(Conversation::Legacy { revision: V2025_03_26 });
    assert_eq!(required(&sent, live(V2025_03_26)), legacy);
    let malformed = request("tools/list").with("mcp-protocol-version", "é");
    assert_eq!(numbers(malformed.admit_head()), Err((400, MISMATCH)));
}

#[test]
fn an_unknown_session_is_not_found() {
    for sent in [request("tools/list"), notification("notifications/initialized"), response()] {
        for version in ["2025-06-18", "2026-07-28", "nonsense"] {
            let sent = sent.clone().with("mcp-protocol-version", version);
            assert_eq!(required(&sent, SessionFact::Unknown), Err((404, INVALID_REQUEST)));
            assert_eq!(optional(&sent, SessionFact::Unknown), Err((404, INVALID_REQUEST)));
        }
    }
}

#[test]
fn without_sessions_a_mentioned_one_is_ignored() {
    let sessionless = answered(Conversation::Sessionless { revision: V2025_03_26 });
    for session in [SessionFact::Unknown, live(V2025_11_25)] {
        let outcome = request("tools/list").admit(session, &sessions(Sessions::Off));
        assert_eq!(numbers(outcome), sessionless);
    }
    let outcome = request("tools/list").admit(SessionFact::Unknown, &only(&[V2026_07_28]));
    assert_eq!(numbers(outcome), Err((400, MISMATCH)));
}

#[test]
fn a_missing_session_is_refused_where_one_is_required() {
    for sent in [request("tools/list"), notification("notifications/initialized"), response()] {
        assert_eq!(required(&sent, SessionFact::Absent), Err((400, INVALID_REQUEST)));
        let sent = sent.with("mcp-protocol-version", "2025-06-18");
        assert_eq!(required(&sent, SessionFact::Absent), Err((400, INVALID_REQUEST)));
    }
}

#[test]
fn without_a_session_the_header_decides() {
    let list = |version| request("tools/list").with("mcp-protocol-version", version);
    for revision in [V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25] {
        let sessionless = Conversation::Sessionless { revision };
        assert_eq!(optional(&list(revision.as_str()), SessionFact::Absent), answered(sessionless));
    }
    assert_eq!(optional(&list("2026-07-28"), SessionFact::Absent), Err((400, INVALID_PARAMS)));
    for unknown in ["1999-01-01", "2026-07-29", "", "latest"] {
        let rejection =
            list(unknown).admit(SessionFact::Absent, &sessions(Sessions::Optional)).unwrap_err();
        assert!(rejection.error.as_ref().unwrap().data.is_some());
        assert_eq!(numbers::<()>(Err(rejection)), Err((400, UNSUPPORTED)), "{unknown}");
    }
}

#[test]
fn with_nothing_a_revision_is_assumed_if_it_is_served() {
    let sessionless = Conversation::Sessionless { revision: V2025_03_26 };
    assert_eq!(optional(&request("tools/list"), SessionFact::Absent), answered(sessionless));
    let initialized = notification("notifications/initialized");
    assert_eq!(optional(&initialized, SessionFact::Absent), accepted(sessionless));
    assert_eq!(optional(&response(), SessionFact::Absent), accepted(sessionless));
    let outcome = request("tools/list").admit(SessionFact::Absent, &only(&[V2025_11_25]));
    assert_eq!(numbers(outcome), Err((400, MISMATCH)));
}

#[test]
fn methods_are_not_judged_here() {
    let legacy = answered(Conversation::Legacy { revision: V2025_06_18 });
    assert_eq!(required(&request("unknown/method"), live(V2025_06_18)), legacy);
}
