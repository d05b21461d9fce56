//! The fast path and the full validator on the same schemas and values.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::schema::{Schema, SchemaLimits};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const TYPES: [&str; 7] = ["string", "boolean", "null", "array", "object", "number", "integer"];

/// A plain schema, of an object and a few levels deep.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        prop::sample::select(&TYPES[..]).prop_map(|name| json!({ "type": name })),
        prop::sample::subsequence(&TYPES[..], 1..4).prop_map(|names| json!({ "type": names })),
    ];
    let nested = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            objects(inner),
        ]
    });
    objects(nested)
}

fn objects(parts: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> + Clone {
    let properties = prop::collection::btree_map(prop::sample::select(&NAMES[..]), parts, 0..4);
    (properties, any::<[bool; 4]>(), any::<bool>()).prop_map(|(properties, required, closed)| {
        let named = properties.keys().zip(required).filter(|(_, is_required)| *is_required);
        let required: Vec<_> = named.map(|(name, _)| *name).collect();
        let mut schema =
            json!({ "type": "object", "properties": properties, "required": required });
        if closed {
            schema["additionalProperties"] = false.into();
        }
        schema
    })
}

/// The text of a value that may fit, spelt in one of several ways.
fn texts() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(&[
        "null",
        "true",
        "1",
        "-0",
        "1.0",
        "1.5",
        "1e2",
        "1e999",
        "18446744073709551616",
        "\"\"",
        "\"x\"",
        "\"\\u0061\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud800\"",
        "[]",
        "{}",
    ])
    .prop_map(str::to_owned);
    let nested = leaf.prop_recursive(3, 16, 4, |inner| {
        let array = prop::collection::vec(inner.clone(), 0..3)
            .prop_map(|items| format!("[{}]", items.join(" ,")));
        prop_oneof![array, members(inner)]
    });
    (members(nested), prop::sample::select(&["", " ", "\n", "x", "{}"]))
        .prop_map(|(object, rest)| format!("{object}{rest}"))
}

/// An object, in which a name may come twice.
fn members(values: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let name = prop::sample::select(&["\"a\"", "\"b\"", "\"c\"", "\"\\u0064\"", "\"e\""]);
    let member = (name, values).prop_map(|(name, value)| format!("{name}: {value}"));
    prop::collection::vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(",")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_the_fast_path_admits_the_validator_admits_and_decodes_alike(
        schema in schemas(),
        text in texts(),
    ) {
        let schema = Schema::compile(&schema.to_string(), &SchemaLimits::default()).unwrap();
        prop_assert!(schema.0.fast.is_some());
        let full = schema.validate_json(&text);
        prop_assert_eq!(schema.check_json(&text).is_ok(), full.is_ok());
        if let Some(decoded) = schema.decode_fast::<BTreeMap<String, Value>>(&text) {
            prop_assert!(full.is_ok(), "decoded, though {:?}", full);
            prop_assert_eq!(decoded, serde_json::from_str::<BTreeMap<_, _>>(&text).unwrap());
        }
    }
}

/// Without this the comparison above might be one of nothing.
#[test]
fn a_good_part_of_the_values_takes_the_fast_path() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let (mut fast, mut refused) = (0, 0);
    for _ in 0..1000 {
        let schema = schemas().new_tree(&mut runner).unwrap().current();
        let text = texts().new_tree(&mut runner).unwrap().current();
        let schema = Schema::compile(&schema.to_string(), &SchemaLimits::default()).unwrap();
        if schema.decode_fast::<BTreeMap<String, Value>>(&text).is_some() {
            fast += 1;
        } else if schema.validate_json(&text).is_err() {
            refused += 1;
        }
    }
    assert!(fast > 30 && refused > 300, "{fast} took the fast path, {refused} were refused");
}
