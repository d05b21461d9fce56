//! Each envelope with another id, the id as another type, no id, two outcomes, another version; sent twice, unasked, or to a notification.

use proofmark_core::revision::Era;
use serde_json::{Value, json};

use super::{
    laws::{self, Law},
    specimen::{Kind, Specimen},
    variation::{Class, Edit, Reach, Target, Variation},
};
use crate::self_test::setting::Setting;

type Spoil = fn(&mut Value);
type Make = fn() -> Value;

/// Every change of every kind of envelope.
pub(super) fn illegal(
    specimens: &[Specimen],
    kinds: &[&Specimen],
    setting: Setting,
) -> Vec<Variation> {
    let mut all = Vec::new();
    for specimen in kinds {
        if let Some(id) = used_before(specimens, specimen, setting) {
            let says = move |message: &Value| {
                let mut message = message.clone();
                set(&mut message, "id", id.clone());
                vec![message.to_string()]
            };
            let edit = Edit::Says(Box::new(says));
            all.push(variation(specimen, setting, "an id used before", laws::FRESH_ID, edit));
        }
        let of_kind: &[(&'static str, Law, Spoil)] = match specimen.kind {
            Kind::Error | Kind::Result(_) => RESPONSES,
            Kind::Notification(_) => NOTIFICATIONS,
            Kind::Request(_) => REQUESTS,
        };
        for (operator, law, spoil) in EVERYTHING.iter().chain(of_kind) {
            let says = |message: &Value| {
                let mut message = message.clone();
                spoil(&mut message);
                vec![message.to_string()]
            };
            all.push(variation(specimen, setting, operator, *law, Edit::Says(Box::new(says))));
        }
        // An error without the id of a request answers nothing.
        let answers = specimen.message.get("id").is_some_and(|id| !id.is_null());
        if specimen.kind.is_response() && answers {
            let twice = |message: &Value| vec![message.to_string(); 2];
            let says = Edit::Says(Box::new(twice));
            all.push(variation(specimen, setting, "sent twice", laws::ONE_ANSWER, says));
            let unasked = |message: &Value| {
                let mut other = message.clone();
                other["id"] = json!("proofmark-never-asked");
                vec![message.to_string(), other.to_string()]
            };
            let says = Edit::Says(Box::new(unasked));
            all.push(variation(specimen, setting, "and one unasked", laws::ONE_ANSWER, says));
        }
    }
    all
}

/// The id of an earlier request of the same conversation. Modern requests have no session to be unique in.
fn used_before(specimens: &[Specimen], specimen: &Specimen, setting: Setting) -> Option<Value> {
    let Kind::Request(_) = specimen.kind else { return None };
    (setting.revision.era() == Era::Legacy).then_some(())?;
    let requests = specimens
        .iter()
        .filter(|it| it.scenario == specimen.scenario && matches!(it.kind, Kind::Request(_)));
    let id = requests.map(|it| &it.message["id"]).next()?;
    (*id != specimen.message["id"]).then(|| id.clone())
}

/// Answers to what is no request: `heard` are the notifications that the peer is sent.
pub(super) fn to_notifications(heard: &[Specimen], setting: Setting) -> Vec<Variation> {
    let mut all = Vec::new();
    for specimen in heard {
        let Kind::Notification(_) = specimen.kind else { continue };
        let answers: [(&'static str, Make); 2] = [
            ("answered with a result", || json!({ "jsonrpc": "2.0", "id": null, "result": {} })),
            ("answered with an error", || {
                let error = json!({ "code": -32600, "message": "no" });
                json!({ "jsonrpc": "2.0", "id": null, "error": error })
            }),
        ];
        for (operator, answer) in answers {
            let says = move |_: &Value| vec![answer().to_string()];
            let law = laws::NOTIFICATION_UNANSWERED;
            let edit = Edit::Beside(Box::new(says));
            all.push(variation(specimen, setting, operator, law, edit));
        }
    }
    all
}

fn variation(
    specimen: &Specimen,
    setting: Setting,
    operator: &'static str,
    law: Law,
    edit: Edit,
) -> Variation {
    Variation {
        class: Class::Envelopes,
        operator,
        place: specimen.kind.to_string(),
        verdict: law.broken(),
        setting,
        scenario: Some(specimen.scenario.clone()),
        target: Target { reach: Reach::Once, ..Target::kind(&specimen.kind) },
        edit,
    }
}

fn set(message: &mut Value, name: &str, value: Value) {
    if let Value::Object(members) = message {
        members.insert(name.to_owned(), value);
    }
}

fn remove(message: &mut Value, name: &str) {
    if let Value::Object(members) = message {
        members.remove(name);
    }
}

/// The id in a form that only looks the same.
fn as_another_type(message: &mut Value) {
    let other = match &message["id"] {
        Value::String(text) => match text.parse::<i64>() {
            Ok(number) => json!(number),
            Err(_) => json!([text]),
        },
        other => json!(other.to_string()),
    };
    set(message, "id", other);
}

const EVERYTHING: &[(&str, Law, Spoil)] = &[
    ("version 1.0", laws::VERSION, |it| set(it, "jsonrpc", json!("1.0"))),
    ("version a number", laws::VERSION, |it| set(it, "jsonrpc", json!(2.0))),
    ("version null", laws::VERSION, |it| set(it, "jsonrpc", Value::Null)),
    ("no version", laws::VERSION, |it| remove(it, "jsonrpc")),
];

const RESPONSES: &[(&str, Law, Spoil)] = &[
    ("another id", laws::SAME_ID, |it| set(it, "id", json!("proofmark-another"))),
    ("id of another type", laws::SAME_ID, as_another_type),
    ("no id", laws::SAME_ID, |it| remove(it, "id")),
    ("id null", laws::SAME_ID, |it| set(it, "id", Value::Null)),
    ("id in a list", laws::SAME_ID, |it| {
        let id = json!([it["id"]]);
        set(it, "id", id);
    }),
    ("result and error", laws::ONE_OUTCOME, |it| {
        if it.get("error").is_some() {
            set(it, "result", json!({}));
        } else {
            set(it, "error", json!({ "code": -32603, "message": "and yet" }));
        }
    }),
    ("neither result nor error", laws::ONE_OUTCOME, |it| {
        remove(it, "result");
        remove(it, "error");
    }),
    ("error null beside the result, or result null", laws::ONE_OUTCOME, |it| {
        let name = if it.get("error").is_some() { "result" } else { "error" };
        set(it, name, Value::Null);
    }),
    ("with a method", laws::ONE_OUTCOME, |it| set(it, "method", json!("proofmark/method"))),
];

const NOTIFICATIONS: &[(&str, Law, Spoil)] = &[
    ("with an id", laws::NOTIFICATION_WITHOUT_ID, |it| set(it, "id", json!("proofmark-own-id"))),
    ("with an id that is null", laws::NOTIFICATION_WITHOUT_ID, |it| set(it, "id", Value::Null)),
    ("method a number", laws::METHOD, |it| set(it, "method", json!(7))),
    ("method null", laws::METHOD, |it| set(it, "method", Value::Null)),
    ("no method", laws::METHOD, |it| remove(it, "method")),
    ("params an array", laws::PARAMS, |it| set(it, "params", json!([1]))),
    ("params a string", laws::PARAMS, |it| set(it, "params", json!("some other text"))),
    ("params null", laws::PARAMS, |it| set(it, "params", Value::Null)),
];

const REQUESTS: &[(&str, Law, Spoil)] = &[
    ("id null", laws::REQUEST_ID, |it| set(it, "id", Value::Null)),
    ("id a fraction", laws::REQUEST_ID, |it| set(it, "id", json!(1.5))),
    ("id a boolean", laws::REQUEST_ID, |it| set(it, "id", json!(true))),
    ("id an object", laws::REQUEST_ID, |it| set(it, "id", json!({ "id": 1 }))),
    ("id an array", laws::REQUEST_ID, |it| set(it, "id", json!([1]))),
    ("method a number", laws::METHOD, |it| set(it, "method", json!(7))),
    ("no method", laws::METHOD, |it| remove(it, "method")),
    ("params an array", laws::PARAMS, |it| set(it, "params", json!([1]))),
    ("params a string", laws::PARAMS, |it| set(it, "params", json!("some other text"))),
    ("params null", laws::PARAMS, |it| set(it, "params", Value::Null)),
];
