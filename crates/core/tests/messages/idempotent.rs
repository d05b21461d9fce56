//! Fitting what is already fitted changes nothing, whichever members it has.

use proofmark_core::{
    fit::Fit,
    revision::Revision,
    types::{
        CallToolResult, ClientCapabilities, CompleteResult, CreateMessageParams,
        CreateMessageResult, ElicitParams, ElicitResult, GetPromptResult, Implementation,
        InputRequiredResult, Prompt, ReadResourceResult, Resource, ServerCapabilities, Tool,
    },
};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::values;

#[test]
fn no_value_is_too_broken_to_be_checked_before_members_are_left_out() {
    let mut never = std::iter::repeat(false);
    assert!(EVERY.iter().all(|check| check(&mut never)));
}

proptest! {
    #[test]
    fn fitting_twice_is_fitting_once(coins in proptest::collection::vec(proptest::bool::weighted(0.1), 1..500)) {
        let mut coins = coins.into_iter().cycle();
        for check in EVERY {
            check(&mut coins);
        }
    }
}

/// Takes members out where a coin says so; whether a value was left to check.
type Check = fn(&mut dyn Iterator<Item = bool>) -> bool;

const EVERY: &[Check] = &[
    |coins| check::<CallToolResult>(values::tool_result(), coins),
    |coins| check::<CallToolResult>(json!({"content": [], "structuredContent": [1]}), coins),
    |coins| check::<ClientCapabilities>(values::client_capabilities(), coins),
    |coins| check::<CompleteResult>(values::completion(), coins),
    |coins| check::<CreateMessageParams>(values::conversation(), coins),
    |coins| check::<CreateMessageResult>(values::said(), coins),
    |coins| check::<ElicitParams>(values::choices(), coins),
    |coins| check::<ElicitParams>(values::form(), coins),
    |coins| check::<ElicitParams>(values::url(), coins),
    |coins| check::<ElicitResult>(values::filled_form(), coins),
    |coins| check::<GetPromptResult>(values::prompt_messages(), coins),
    |coins| check::<Implementation>(values::implementation(), coins),
    |coins| check::<InputRequiredResult>(values::input_required(), coins),
    |coins| check::<Prompt>(values::prompt(), coins),
    |coins| check::<ReadResourceResult>(values::contents(), coins),
    |coins| check::<Resource>(values::resource(), coins),
    |coins| check::<ServerCapabilities>(values::server_capabilities(), coins),
    |coins| check::<Tool>(values::tool(), coins),
];

fn check<T>(mut value: Value, coins: &mut dyn Iterator<Item = bool>) -> bool
where
    T: Fit + DeserializeOwned + Clone + PartialEq + std::fmt::Debug,
{
    prune(&mut value, coins);
    let Ok(value) = serde_json::from_str::<T>(&value.to_string()) else { return false };
    for revision in Revision::ALL {
        let mut once = value.clone();
        once.fit(revision.rules());
        let mut twice = once.clone();
        twice.fit(revision.rules());
        assert_eq!(once, twice, "{revision}");
    }
    true
}

fn prune(value: &mut Value, coins: &mut dyn Iterator<Item = bool>) {
    match value {
        Value::Object(members) => {
            members.retain(|_, _| !coins.next().unwrap_or_default());
            members.values_mut().for_each(|member| prune(member, coins));
        }
        Value::Array(members) => members.iter_mut().for_each(|member| prune(member, coins)),
        _ => {}
    }
}
