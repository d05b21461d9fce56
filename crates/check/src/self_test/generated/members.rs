//! Each member at each path dropped, null, of each other type, renamed, emptied, out of range, out of enum, of the wrong format.

use serde_json::{Value, json};

use super::{
    oracle::Oracle,
    specimen::{Member, Step, at_mut, general},
    variation::{Class, Edit, Target, Variation, Verdict},
};
use crate::self_test::setting::Setting;

/// Every change of every member that the oracle calls illegal.
pub(super) fn illegal(members: &[Member<'_>], setting: Setting, oracle: &Oracle) -> Vec<Variation> {
    let mut all = Vec::new();
    for member in members {
        for (operator, spoil) in operators(member) {
            let mut spoiled = member.of.message.clone();
            spoil.apply(&member.path, &mut spoiled);
            let verdict = oracle.departure(&member.of.kind, &member.of.message, &spoiled);
            if let Some(verdict) = verdict {
                all.push(variation(member, setting, operator, spoil, verdict));
            }
        }
    }
    all
}

pub(super) fn variation(
    member: &Member<'_>,
    setting: Setting,
    operator: &'static str,
    spoil: Spoil,
    verdict: Verdict,
) -> Variation {
    let path = member.path.clone();
    let among = member.among.as_ref().map(|it| format!(" of {it}")).unwrap_or_default();
    let place = format!("{} {}{among}", member.of.kind, general(&path));
    let says = move |message: &Value| {
        let mut message = message.clone();
        spoil.apply(&path, &mut message);
        vec![message.to_string()]
    };
    Variation {
        class: Class::Members,
        operator,
        place,
        verdict,
        setting,
        scenario: Some(member.of.scenario.clone()),
        target: Target::member(member),
        edit: Edit::Says(Box::new(says)),
    }
}

/// What becomes of one member.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Spoil {
    Drop,
    Rename(String),
    Set(Value),
    /// A member of the object that stands here.
    Add(String, Value),
}

impl Spoil {
    pub(super) fn apply(&self, path: &[Step], message: &mut Value) {
        let Some((last, above)) = path.split_last() else { return };
        match (self, last) {
            (Self::Set(value), _) => {
                if let Some(place) = at_mut(path, message) {
                    *place = value.clone();
                }
            }
            (Self::Add(name, value), _) => {
                if let Some(Value::Object(members)) = at_mut(path, message) {
                    members.insert(name.clone(), value.clone());
                }
            }
            (Self::Drop, Step::Key(key)) => {
                if let Some(Value::Object(members)) = at_mut(above, message) {
                    members.remove(key);
                }
            }
            (Self::Rename(to), Step::Key(key)) => {
                if let Some(Value::Object(members)) = at_mut(above, message)
                    && let Some(value) = members.remove(key)
                {
                    members.insert(to.clone(), value);
                }
            }
            // An item has no name, and a list without it is another list of the same kind.
            (Self::Drop | Self::Rename(_), Step::Item(_)) => {}
        }
    }
}

fn operators(member: &Member<'_>) -> Vec<(&'static str, Spoil)> {
    let mut all = Vec::new();
    if let Some(Step::Key(key)) = member.path.last() {
        all.push(("dropped", Spoil::Drop));
        all.push(("renamed", Spoil::Rename(renamed(key))));
    }
    let others = [
        ("null", Value::Null),
        ("a boolean", json!(true)),
        ("a number", json!(7)),
        ("a string", json!("some other text")),
        ("an array", json!([])),
        ("an object", json!({})),
    ];
    let own = member.value;
    let differs = |value: &Value| std::mem::discriminant(value) != std::mem::discriminant(own);
    all.extend(
        others
            .into_iter()
            .filter(|(_, value)| differs(value))
            .map(|(name, it)| (name, Spoil::Set(it))),
    );
    let set = |value: Value| Spoil::Set(value);
    match own {
        Value::String(_) => {
            all.push(("emptied", set(json!(""))));
            all.push(("out of enum, or of the wrong format", set(json!("pr%%f mark \u{7}"))));
        }
        Value::Number(_) => {
            all.push(("below range", set(json!(-1000.0))));
            all.push(("above range", set(json!(1e30))));
            all.push(("a fraction", set(json!(0.5))));
        }
        Value::Array(items) => {
            if !items.is_empty() {
                all.push(("emptied", set(json!([]))));
            }
            let strange = |first: Value| {
                let mut items = items.clone();
                items.insert(0, first);
                set(Value::Array(items))
            };
            all.push(("with an item that is null", strange(Value::Null)));
            all.push(("with an item that is a number", strange(json!(7))));
            all.push(("with an item that is an empty object", strange(json!({}))));
        }
        Value::Object(members) if !members.is_empty() => all.push(("emptied", set(json!({})))),
        _ => {}
    }
    all
}

/// As a program would have it that writes names in another way.
fn renamed(key: &str) -> String {
    let mut snake = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    if snake == key { format!("{key}_") } else { snake }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_dropped_renamed_and_replaced_where_it_stands() {
        let path = [Step::Key("result".into()), Step::Item(1), Step::Key("mimeType".into())];
        let message = json!({ "result": [{}, { "mimeType": "a/b", "name": 1 }] });
        let spoiled = |spoil: Spoil| {
            let mut message = message.clone();
            spoil.apply(&path, &mut message);
            message["result"][1].clone()
        };
        assert_eq!(spoiled(Spoil::Drop), json!({ "name": 1 }));
        assert_eq!(
            spoiled(Spoil::Rename(renamed("mimeType"))),
            json!({ "name": 1, "mime_type": "a/b" })
        );
        assert_eq!(spoiled(Spoil::Set(json!(7))), json!({ "name": 1, "mimeType": 7 }));
    }

    #[test]
    fn every_other_type_is_tried_and_its_own_is_not() {
        let of = super::super::specimen::Specimen {
            scenario: proofmark_record::scenario::ScenarioName::new("tour"),
            kind: super::super::specimen::Kind::Error,
            message: Value::Null,
        };
        let value = json!("text");
        let member =
            Member { of: &of, path: vec![Step::Key("a".into())], value: &value, among: None };
        let names: Vec<_> = operators(&member).into_iter().map(|(name, _)| name).collect();
        for name in ["dropped", "renamed", "null", "a number", "a boolean", "an array", "an object"]
        {
            assert!(names.contains(&name), "{name}");
        }
        assert!(!names.contains(&"a string"));
    }
}
