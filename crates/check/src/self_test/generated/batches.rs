//! Each batch emptied, shortened, reordered, with answers to notifications.

use serde_json::{Value, json};

use super::{
    laws::{self, Law},
    variation::{Class, Edit, Target, Variation, Verdict},
};
use crate::self_test::setting::Setting;
use proofmark_record::{event::EventKind, evidence::Evidence};

type Spoil = fn(&mut Vec<Value>);

pub(super) fn all(evidence: &Evidence, setting: Setting) -> Vec<Variation> {
    let batched = evidence.conversations.iter().find(|conversation| {
        conversation.events.iter().any(|event| match &event.kind {
            EventKind::Received { frame, .. } => {
                matches!(&frame.json, Ok(Value::Array(items)) if items.len() > 1)
            }
            _ => false,
        })
    });
    let Some(conversation) = batched else { return Vec::new() };
    let illegal = ILLEGAL.iter().map(|(operator, law, spoil)| (*operator, law.broken(), *spoil));
    let legal = LEGAL.iter().map(|(operator, spoil)| (*operator, Verdict::Legal, *spoil));
    let made = illegal.chain(legal).map(|(operator, verdict, spoil)| {
        let says = move |batch: &Value| {
            let mut items = batch.as_array().cloned().unwrap_or_default();
            spoil(&mut items);
            vec![Value::Array(items).to_string()]
        };
        Variation {
            class: Class::Batches,
            operator,
            place: "batch".to_owned(),
            verdict,
            setting,
            scenario: Some(conversation.scenario.clone()),
            target: Target::default(),
            edit: Edit::Says(Box::new(says)),
        }
    });
    made.collect()
}

const ILLEGAL: &[(&str, Law, Spoil)] = &[
    ("emptied", laws::BATCH_NOT_EMPTY, Vec::clear),
    ("without its first", laws::BATCH_ANSWERED, |items| {
        items.remove(0);
    }),
    ("without its last", laws::BATCH_ANSWERED, |items| {
        items.pop();
    }),
    ("with its first twice", laws::ONE_ANSWER, |items| items.insert(0, items[0].clone())),
    ("with an answer to nothing", laws::ONE_ANSWER, |items| {
        items.push(json!({ "jsonrpc": "2.0", "id": "proofmark-never-asked", "result": {} }));
    }),
    ("with an answer to a notification", laws::NOTIFICATION_UNANSWERED, |items| {
        items.push(json!({ "jsonrpc": "2.0", "id": null, "result": {} }));
    }),
    ("with a number inside", laws::ONLY_MESSAGES, |items| items.push(json!(7))),
    ("with a batch inside", laws::ONLY_MESSAGES, |items| {
        let inner = Value::Array(items.clone());
        *items = vec![inner];
    }),
];

const LEGAL: &[(&str, Spoil)] = &[("in another order", |items| items.reverse())];
