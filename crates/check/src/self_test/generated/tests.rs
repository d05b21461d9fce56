//! Operators and their changes, without any peer.

use proofmark_converse::mutation::{Change, Context};
use proofmark_core::revision::{Era, Revision};
use proofmark_record::scenario::ScenarioName;
use serde_json::{Value, json};

use super::{
    specimen::{Kind, Specimen, kinds, members},
    variation::AtWork,
    *,
};

#[test]
fn the_same_seed_takes_the_same_sample_and_another_seed_another() {
    let take = |seed| {
        let selection = Selection { seed, sample: Some(5), only: Vec::new() };
        let trials = some().into_iter().map(|it| ((), Arc::new(it))).collect();
        let taken = sampled(trials, &selection).into_iter().map(|((), it)| it.label());
        taken.collect::<Vec<_>>()
    };
    assert_eq!(take(1).len(), 5);
    assert_eq!(take(1), take(1));
    assert_ne!(take(1), take(2));
}

#[test]
fn a_member_is_found_once_whichever_item_it_is_in() {
    let list = specimen(json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": [
        { "name": "a" }, { "name": "b", "title": "B" } ] } }));
    let specimens = [list.clone(), list];
    let found: Vec<String> =
        members(&specimens).iter().map(|it| specimen::general(&it.path)).collect();
    assert_eq!(
        found,
        [
            "/result",
            "/result/tools",
            "/result/tools/*",
            "/result/tools/*/name",
            "/result/tools/*/title"
        ]
    );
    assert_eq!(kinds(&specimens).len(), 1);
}

#[test]
fn a_change_is_made_once_and_only_to_what_is_meant() {
    let variation = some().into_iter().find(|it| it.operator == "version 1.0").unwrap();
    let at_work = AtWork::new(&Arc::new(variation));
    let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    assert_eq!(at_work.hear(&asked), None);
    let say = |message: Value| {
        let context = Context { method: None, params: &Value::Null };
        at_work.say(&context, &message.to_string())
    };
    assert_eq!(say(json!({ "jsonrpc": "2.0", "method": "notifications/progress" })), None);
    assert_eq!(say(json!({ "jsonrpc": "2.0", "id": 2, "result": {} })), None);
    let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
    let changed = json!({ "jsonrpc": "1.0", "id": 1, "result": {} });
    assert!(!at_work.is_done());
    assert_eq!(say(answer.clone()), Some(vec![changed.to_string()]));
    assert_eq!(say(answer), None);
    assert!(at_work.is_done());
}

#[test]
fn one_message_of_a_batch_is_changed_and_the_others_stay() {
    let variation = some().into_iter().find(|it| it.operator == "no id").unwrap();
    let at_work = AtWork::new(&Arc::new(variation));
    at_work.hear(&json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "id": 2, "method": "tools/list" }]));
    let batch = json!([{ "id": 1, "result": {} }, { "id": 2, "result": {} }]);
    let context = Context { method: None, params: &Value::Null };
    let said = at_work.say(&context, &batch.to_string()).unwrap();
    let said: Value = serde_json::from_str(&said[0]).unwrap();
    assert_eq!(said, json!([{ "id": 1, "result": {} }, { "result": {} }]));
}

#[test]
fn every_change_of_an_envelope_changes_it_and_names_a_law() {
    let answer = specimen(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    for variation in envelopes::illegal(std::slice::from_ref(&answer), &[&answer], setting()) {
        let variation::Edit::Says(says) = &variation.edit else { panic!("it says something") };
        let said = says(&answer.message);
        assert_ne!(said, [answer.message.to_string()], "{}", variation.operator);
        assert!(variation.is_illegal());
    }
}

fn some() -> Vec<Variation> {
    let answer = specimen(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    envelopes::illegal(std::slice::from_ref(&answer), &[&answer], setting())
}

fn specimen(message: Value) -> Specimen {
    let kind = Kind::Result("tools/list".to_owned());
    Specimen { scenario: ScenarioName::new("tour"), kind, message }
}

fn setting() -> Setting {
    let revision = Revision::newest(Era::Legacy);
    let (side, transport) = (Side::Server, Transport::Stdio);
    Setting { side, revision, transport, variant: Variant::Open }
}
