//! Batches, which one revision accepts and the others do not.

use super::*;

fn accepting() -> Bench {
    Bench::agreed(legacy_where(|rules| rules.batches.accepted()), &json!({}))
}

#[test]
fn only_one_revision_accepts_a_batch() {
    for revision in Revision::of(Era::Legacy) {
        let mut bench = Bench::agreed(revision.as_str(), &json!({}));
        let seen = bench.receive(&json!([legacy(1, "ping", &json!({}))]));
        if revision.rules().batches.accepted() {
            assert_eq!(seen.only()[0]["id"], 1);
        } else {
            assert_eq!((seen.code(), seen.statuses[0]), (-32600, 400), "{revision}");
        }
    }
}

#[test]
fn a_batch_before_initialize_is_refused() {
    let mut bench = Bench::new();
    assert_eq!(bench.receive(&json!([legacy(1, "ping", &json!({}))])).code(), -32600);
}

#[test]
fn initialize_is_never_part_of_a_batch() {
    let mut bench = accepting();
    let seen = bench.receive(&json!([initialize(newest_legacy(), &json!({}))]));
    assert_eq!(seen.only()[0]["error"]["code"], -32600);
}

#[test]
fn the_answers_to_a_batch_come_together_when_the_last_is_there() {
    let mut bench = accepting();
    let seen = bench.receive(&json!([call(1), legacy(2, "ping", &json!({})), call(3)]));
    assert_eq!(seen.events, ["dispatch 1", "dispatch 3"]);
    assert!(seen.sent.is_empty());
    assert!(bench.finish(3).is_nothing());
    let seen = bench.finish(1);
    let ids: Vec<_> = seen.only().as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, [json!(2), json!(3), json!(1)]);
}

#[test]
fn a_batch_of_notifications_is_not_answered() {
    let mut bench = accepting();
    assert!(bench.receive(&json!([cancel(1), cancel(2)])).is_nothing());
}

#[test]
fn a_member_that_is_no_message_does_not_spoil_the_others() {
    let mut bench = accepting();
    let seen = bench.receive(&json!([7, legacy(1, "ping", &json!({}))]));
    let answers = seen.only().as_array().unwrap().clone();
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert_eq!(answers[1]["result"], json!({}));
}

#[test]
fn a_cancelled_member_is_missing_from_the_answers() {
    let mut bench = accepting();
    bench.receive(&json!([call(1), call(2)]));
    assert!(bench.finish(1).is_nothing());
    let seen = bench.receive(&cancel(2));
    assert_eq!(seen.only().as_array().unwrap().len(), 1);
    assert_eq!(seen.only()[0]["id"], 1);
}

#[test]
fn a_batch_whose_members_are_all_cancelled_is_not_answered() {
    let mut bench = accepting();
    bench.receive(&json!([call(1)]));
    assert_eq!(bench.receive(&cancel(1)).sent, [] as [Value; 0]);
}
