use std::{
    collections::{BTreeMap, BTreeSet},
    net::Ipv4Addr,
};

use proptest::prelude::*;
use serde_json::{Value, json, value::RawValue};

use super::*;
use crate::json::Raw;

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Unit,
    Newtype(Vec<u8>),
    Tuple(i8, Option<char>),
    Struct { a: u64, b: &'static str },
    Empty {},
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Newtype(&'static str);

#[derive(Serialize)]
struct Tuple(f32, f64);

#[derive(Serialize)]
struct Everything {
    kinds: Vec<Kind>,
    unit: Unit,
    newtype: Newtype,
    tuple: (Tuple, i128, u128, bool),
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<u8>,
    null: Option<u8>,
    #[serde(rename = "a \"key\"")]
    renamed: (),
    shown: Ipv4Addr,
    raw: Box<RawValue>,
    ours: [Raw; 2],
}

#[track_caller]
fn compare<T: Serialize + ?Sized>(value: &T) {
    let mut out = b"before".to_vec();
    let written = write_value(&mut out, value);
    match serde_json::to_string(value) {
        Ok(expected) => {
            written.unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), format!("before{expected}"));
        }
        Err(error) => assert_eq!(written.unwrap_err().to_string(), error.to_string()),
    }
}

#[test]
fn every_kind_of_value_is_written_as_serde_json_writes_it() {
    let raw = || RawValue::from_string(r#"{ "a" : [1.0, "\u0041"] }"#.into()).unwrap();
    compare(&Everything {
        kinds: vec![
            Kind::Unit,
            Kind::Newtype(vec![1, 2]),
            Kind::Tuple(-1, Some('"')),
            Kind::Struct { a: u64::MAX, b: "\n" },
            Kind::Empty {},
        ],
        unit: Unit,
        newtype: Newtype("é\u{1}\\"),
        tuple: (Tuple(f32::NAN, 1e300), i128::MIN, u128::MAX, true),
        absent: None,
        null: None,
        renamed: (),
        shown: Ipv4Addr::LOCALHOST,
        raw: raw(),
        ours: [Raw::from(&*raw()), Raw::from(Raw::from(&*raw()).borrowed())],
    });
    compare(&Vec::<()>::new());
    compare(&BTreeMap::<String, u8>::new());
    compare("text");
    compare(&None::<u8>);
}

#[test]
fn every_kind_of_key_is_written_or_refused_as_serde_json_does_it() {
    compare(&BTreeMap::from([("a", 1), ("b\"", 2), ("", 3)]));
    compare(&BTreeMap::from([(1_u8, BTreeMap::from([(-1_i64, 2)]))]));
    compare(&BTreeMap::from([('a', true), ('"', false)]));
    compare(&BTreeMap::from([(true, 1), (false, 2)]));
    compare(&BTreeMap::from([(Some("a"), 1)]));
    compare(&BTreeMap::from([(Kind::Unit, 1)]));
    compare(&BTreeMap::from([(None::<&str>, 1)]));
    compare(&BTreeMap::from([(Kind::Newtype(Vec::new()), 1)]));
    compare(&BTreeMap::from([((1, 2), 3)]));
    compare(&BTreeMap::from([(BTreeSet::from([1]), 3)]));
}

proptest! {
    #[test]
    fn every_tree_is_written_as_serde_json_writes_it(tree in tree()) {
        compare(&tree);
    }
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}
