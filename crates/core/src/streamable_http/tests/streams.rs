use super::*;

fn get() -> Sent {
    verb(Method::GET)
}

fn outcome(
    sent: &Sent,
    session: SessionFact,
    policy: &Policy,
) -> Result<Option<String>, (u16, i64)> {
    sent.admit_head_by(policy).unwrap();
    let outcome = numbers(admit_get(&sent.head(), session, policy));
    outcome.map(|it| it.resume_after.map(|id| id.as_str().to_owned()))
}

#[test]
fn a_stream_is_opened_in_a_session() {
    let policy = Policy::default();
    assert_eq!(outcome(&get(), live(V2025_06_18), &policy), Ok(None));
    assert_eq!(outcome(&get(), SessionFact::Unknown, &policy), Err((404, INVALID_REQUEST)));
    assert_eq!(outcome(&get(), SessionFact::Absent, &policy), Err((400, INVALID_REQUEST)));
}

#[test]
fn a_client_without_a_session_is_told_that_there_is_no_stream() {
    let policy = sessions(Sessions::Optional);
    assert_eq!(outcome(&get(), SessionFact::Absent, &policy), Err((405, INVALID_REQUEST)));
}

#[test]
fn a_broken_stream_goes_on_after_the_last_event() {
    let policy = Policy::default();
    let resumed = |id: &str| outcome(&get().with("last-event-id", id), live(V2025_11_25), &policy);
    assert_eq!(resumed("s1-42"), Ok(Some("s1-42".to_owned())));
    assert_eq!(resumed(""), Ok(None));
    for bad in ["a b", "é", &"a".repeat(EventId::MAX_BYTES + 1)] {
        assert_eq!(resumed(bad), Err((400, INVALID_REQUEST)), "{bad}");
    }
    let twice = get().and("last-event-id", "a").and("last-event-id", "b");
    assert_eq!(outcome(&twice, live(V2025_11_25), &policy), Err((400, INVALID_REQUEST)));
}

#[test]
fn the_version_header_of_a_stream_is_one_that_is_served() {
    let policy = Policy::default();
    let sent = get().with("mcp-protocol-version", "nonsense");
    assert_eq!(outcome(&sent, live(V2025_11_25), &policy), Err((400, UNSUPPORTED)));
    assert_eq!(outcome(&sent, live(V2025_03_26), &policy), Ok(None));
    let sent = get().with("mcp-protocol-version", "2025-11-25");
    assert_eq!(outcome(&sent, live(V2025_11_25), &policy), Ok(None));
}

#[test]
fn a_session_is_ended_by_name() {
    let sent = verb(Method::DELETE);
    let delete =
        |session, sessions_| numbers(admit_delete(&sent.head(), session, &sessions(sessions_)));
    let ended = Ok(DeleteAdmission { revision: V2025_06_18 });
    assert_eq!(delete(live(V2025_06_18), Sessions::Required), ended);
    assert_eq!(delete(SessionFact::Unknown, Sessions::Required), Err((404, INVALID_REQUEST)));
    assert_eq!(delete(SessionFact::Absent, Sessions::Required), Err((400, INVALID_REQUEST)));
    assert_eq!(delete(SessionFact::Absent, Sessions::Optional), Err((400, INVALID_REQUEST)));
}
