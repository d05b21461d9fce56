use super::*;

const REQUEST: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;
const NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
const RESPONSE: &str = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
const ERROR: &str = r#"{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"no"}}"#;

fn batch(members: &[&str]) -> Sent {
    post(&format!("[{}]", members.join(",")))
}

fn in_session(members: &[&str], revision: Revision) -> Result<Admission, (u16, i64)> {
    numbers(batch(members).admit(live(revision), &Policy::default()))
}

#[test]
fn a_batch_is_served_in_a_revision_that_has_them() {
    let legacy = Conversation::Legacy { revision: V2025_03_26 };
    assert_eq!(in_session(&[REQUEST, NOTIFICATION], V2025_03_26), answered(legacy));
    assert_eq!(in_session(&[NOTIFICATION, NOTIFICATION], V2025_03_26), accepted(legacy));
    assert_eq!(in_session(&[RESPONSE, ERROR], V2025_03_26), accepted(legacy));
    assert_eq!(in_session(&[NOTIFICATION, "7"], V2025_03_26), answered(legacy));
}

#[test]
fn a_batch_is_refused_in_every_other_revision() {
    for revision in [V2024_11_05, V2025_06_18, V2025_11_25] {
        assert_eq!(in_session(&[REQUEST], revision), Err((400, INVALID_REQUEST)));
    }
}

#[test]
fn responses_travel_apart() {
    for members in [[REQUEST, RESPONSE], [RESPONSE, NOTIFICATION], [ERROR, REQUEST]] {
        assert_eq!(in_session(&members, V2025_03_26), Err((400, INVALID_REQUEST)));
    }
}

#[test]
fn initialize_travels_alone() {
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    for members in [&[initialize][..], &[REQUEST, initialize]] {
        assert_eq!(in_session(members, V2025_03_26), Err((400, INVALID_REQUEST)));
        let outcome = batch(members).admit(SessionFact::Absent, &sessions(Sessions::Optional));
        assert_eq!(numbers(outcome), Err((400, INVALID_REQUEST)));
    }
}

#[test]
fn without_a_session_the_assumed_revision_has_batches() {
    let policy = sessions(Sessions::Optional);
    let sessionless = Conversation::Sessionless { revision: V2025_03_26 };
    let outcome = |sent: &Sent, session| numbers(sent.admit(session, &policy));
    let sent = batch(&[REQUEST]);
    assert_eq!(outcome(&sent, SessionFact::Absent), answered(sessionless));
    assert_eq!(outcome(&sent, SessionFact::Unknown), Err((404, INVALID_REQUEST)));
    for version in ["2025-06-18", "2026-07-28", "nonsense"] {
        let sent = batch(&[REQUEST]).with("mcp-protocol-version", version);
        assert_eq!(outcome(&sent, SessionFact::Absent), Err((400, INVALID_REQUEST)), "{version}");
    }
    let required = batch(&[REQUEST]).admit(SessionFact::Absent, &Policy::default());
    assert_eq!(numbers(required), Err((400, INVALID_REQUEST)));
    let modern = batch(&[REQUEST]).admit(SessionFact::Unknown, &only(&[V2026_07_28]));
    assert_eq!(numbers(modern), Err((400, INVALID_REQUEST)));
}

#[test]
fn a_batch_that_is_none_or_too_long_is_refused() {
    for members in [&[][..], &[REQUEST; 33]] {
        assert_eq!(in_session(members, V2025_03_26), Err((400, INVALID_REQUEST)));
    }
}
