//! Conversations that are taken up by another session.

use super::*;
use crate::types::LoggingLevel;

#[test]
fn what_was_agreed_is_agreed_in_the_session_that_takes_it_up() {
    let mut bench = Bench::agreed("2025-06-18", &json!({"elicitation": {}}));
    let level = json!({"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "error"}});
    bench.receive(&level);
    let watch = json!({"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": {"uri": "test://a"}});
    bench.receive(&watch);
    bench.finish(2);
    let agreement = bench.session.agreement().unwrap();
    assert_eq!(agreement.revision.as_str(), "2025-06-18");
    assert_eq!(agreement.phase, Phase::Ready);
    assert_eq!(agreement.level, Some(LoggingLevel::Error));
    assert_eq!(agreement.watched, ["test://a"]);
    let resumed = ServerSession::resumed(bench.offer.clone(), agreement.clone());
    assert_eq!(resumed.agreement(), Some(agreement));
    assert_eq!(resumed.negotiated(), bench.session.negotiated());
    let mut elsewhere = Bench { session: resumed, offer: bench.offer.clone(), now: bench.now };
    let again = elsewhere.receive(&initialize("2025-06-18", &json!({})));
    assert_eq!(again.code(), -32600);
    let updated = elsewhere.input(Input::Changed(Change::Resource { uri: "test://a".into() }));
    assert_eq!(updated.only()["method"], "notifications/resources/updated");
}

#[test]
fn the_count_of_changes_grows_with_what_was_agreed_and_with_nothing_else() {
    let mut bench = Bench::agreed("2025-11-25", &json!({}));
    let mut last = bench.session.agreement_changes();
    let mut changed = |bench: &Bench| {
        let before = std::mem::replace(&mut last, bench.session.agreement_changes());
        before != last
    };
    bench.receive(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    bench.receive(
        &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "a"}}),
    );
    bench.finish(2);
    assert!(!changed(&bench));
    let uri = json!({"uri": "test://a"});
    for (id, method, params) in [
        (3, "logging/setLevel", &json!({"level": "debug"})),
        (4, "resources/subscribe", &uri),
        (5, "resources/unsubscribe", &uri),
    ] {
        bench.receive(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        bench.finish(id);
        assert!(changed(&bench), "{method}");
    }
    let agreement = bench.session.agreement().unwrap();
    bench.session.adopt(agreement);
    assert!(!changed(&bench));
}
