//! Whatever happens, in whatever order: nothing panics, and each call ends once.

use std::time::Duration;

use proofmark_core::{
    revision::{Era, RequestMethod, Revision},
    session::{
        client::{CallId, Preference},
        server::{self, Change},
    },
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::link::{Pair, offer, profile};

#[derive(Clone, Debug)]
enum Step {
    Advance(u16),
    Answer(Result<(), ()>),
    Call(&'static str),
    Cancel(u64),
    Change,
    Delay(u16),
    EndSubscriptions,
    Finish,
    Listen,
    LoseDown,
    LoseUp,
    Run,
    SayDown(usize),
    SayUp(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..2000_u16).prop_map(Step::Advance),
        1 => (59_000..=u16::MAX).prop_map(Step::Advance),
        3 => prop_oneof![Just(Ok(())), Just(Err(()))].prop_map(Step::Answer),
        6 => proptest::sample::select(TOOLS).prop_map(Step::Call),
        3 => (1..12_u64).prop_map(Step::Cancel),
        1 => Just(Step::Change),
        1 => (0..500_u16).prop_map(Step::Delay),
        1 => Just(Step::EndSubscriptions),
        2 => Just(Step::Finish),
        1 => Just(Step::Listen),
        1 => Just(Step::LoseDown),
        1 => Just(Step::LoseUp),
        4 => Just(Step::Run),
        1 => (0..8_usize).prop_map(Step::SayDown),
        1 => (0..6_usize).prop_map(Step::SayUp),
    ]
}

fn preference() -> impl Strategy<Value = Preference> {
    let legacy: Vec<_> = Revision::of(Era::Legacy).collect();
    prop_oneof![
        Just(Preference::Auto),
        Just(Preference::Modern),
        proptest::sample::select(legacy).prop_map(Preference::Legacy),
    ]
}

/// Messages that no well-behaved server sends.
fn strange_down(which: usize) -> Value {
    [
        json!({"jsonrpc": "2.0", "id": 3, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 4, "error": {"code": -32022, "message": "x"}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"resultType": "input_required"}}),
        json!({"jsonrpc": "2.0", "id": "s", "method": "roots/list"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}),
        json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": 3, "progress": -1}}),
        json!([{"jsonrpc": "2.0", "id": 5, "result": {}}, 7]),
        json!({"jsonrpc": "1.0", "id": 5, "result": 7, "error": 7}),
    ][which]
        .clone()
}

/// Messages that no well-behaved client sends.
fn strange_up(which: usize) -> Value {
    [
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!([{"jsonrpc": "2.0", "method": "notifications/cancelled"}, 7]),
        json!({"jsonrpc": "1.0", "id": "strange", "method": "ping"}),
        json!({"jsonrpc": "2.0", "method": "no/such"}),
    ][which]
        .clone()
}

fn take(pair: &mut Pair, step: &Step) {
    match step {
        Step::Advance(millis) => pair.advance(Duration::from_millis((*millis).into())),
        Step::Answer(outcome) => {
            let Some((ask, _)) = pair.asks.first() else { return };
            let error = proofmark_core::jsonrpc::ErrorObject::new(
                proofmark_core::jsonrpc::ErrorCode::USER_REJECTED,
                "no",
            );
            let outcome = outcome.map(|()| json!({"roots": []})).map_err(|()| error);
            pair.answer(*ask, outcome);
        }
        Step::Call(tool) => {
            pair.begin(RequestMethod::ToolsCall, &json!({"name": tool}));
        }
        Step::Cancel(call) => pair.cancel(CallId(*call)),
        Step::Change => pair.server_input(server::Input::Changed(Change::Tools)),
        Step::Delay(millis) => pair.delay = Duration::from_millis((*millis).into()),
        Step::EndSubscriptions => pair.server_input(server::Input::EndSubscriptions),
        Step::Finish => pair.finish_held(),
        Step::Listen => {
            let filter = json!({"notifications": {"toolsListChanged": true}});
            pair.begin(RequestMethod::SubscriptionsListen, &filter);
        }
        Step::LoseDown => pair.downward().lose += 1,
        Step::LoseUp => pair.upward().lose += 1,
        Step::Run => pair.run(),
        Step::SayDown(which) => pair.say_to_client(&strange_down(*which)),
        Step::SayUp(which) => pair.say_to_server(&strange_up(*which)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_call_ends_once_whatever_happens(
        preference in preference(),
        steps in proptest::collection::vec(step(), 0..60),
    ) {
        let mut profile = profile();
        profile.preference = preference;
        let mut pair = Pair::with(profile, offer());
        pair.start();
        for step in &steps {
            take(&mut pair, step);
        }
        pair.close();
    }

    #[test]
    fn a_fair_link_lets_every_call_end_without_being_cut(
        preference in preference(),
        tools in proptest::collection::vec(
            proptest::sample::select(&["echo", "progress", "again", "hold"][..]), 1..8),
    ) {
        let mut profile = profile();
        profile.preference = preference;
        let mut pair = Pair::with(profile, offer());
        pair.start();
        let calls: Vec<_> = tools.iter().map(|tool| pair.tool(tool)).collect();
        while !pair.script.held.is_empty() {
            pair.finish_held();
        }
        pair.advance(Duration::from_secs(30));
        for call in calls {
            prop_assert!(!pair.is_open(call));
        }
        prop_assert_eq!(pair.breaches(), Vec::<String>::new());
    }
}

const TOOLS: &[&str] =
    &["echo", "hold", "progress", "roots", "sampling", "form", "again", "forever"];
