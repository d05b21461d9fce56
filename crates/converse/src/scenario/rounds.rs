//! Requests that need more than one round, with answers that are wrong in every way.

use serde_json::{Value, json};

use super::{
    Probe, Scenario,
    modern::{responses, retried, wants_input},
};
use proofmark_record::{meta::CAPABILITIES, topic::Topic};

impl Scenario {
    pub const ROUNDS: Self = Self {
        name: "rounds",
        title: "requests of several rounds",
        applies: |here| here.is_modern() && !here.calls.asking.is_empty(),
        needs_tour: true,
        talk: |talk| Box::pin(rounds(&mut talk.probe, &talk.calls.asking)),
        ..Self::USUAL
    };
}

async fn rounds(probe: &mut Probe, asking: &[Value]) {
    let Some((params, result)) = stateful(probe, asking).await else { return };
    let client_kind = probe.settings().client_kind;
    let right = retried(&params, &result, client_kind);
    let state = result.get("requestState").and_then(Value::as_str).map(str::to_owned);

    if let Some(state) = &state {
        let mut tampered = right.clone();
        tampered["requestState"] = json!(tamper(state));
        ask(probe, Topic::TamperedState, "tampered-state", tampered).await;
        if let Some(other) = asking.iter().find(|other| other["name"] != params["name"]) {
            // All that the other request wants is there, so that nothing but the state is wrong.
            let wanted = probe.ask(Topic::Call, "tools/call", Some(other.clone())).await;
            let wanted =
                wanted.as_ref().and_then(|it| it.get("result")).filter(|it| wants_input(it));
            let mut foreign = retried(other, wanted.unwrap_or(&result), client_kind);
            foreign["requestState"] = json!(state);
            ask(probe, Topic::ForeignState, "foreign-state", foreign).await;
        }
    }
    let mut bare = params.clone();
    bare["_meta"] = json!({ CAPABILITIES: {} });
    ask(probe, Topic::BareCall, "bare-in-between", bare).await;
    if responses(&result, client_kind).is_empty() {
        return;
    }
    let mut missing = right.clone();
    missing["inputResponses"] = json!({});
    ask(probe, Topic::MissingResponses, "missing-responses", missing).await;
    let mut malformed = right.clone();
    for response in malformed["inputResponses"].as_object_mut().into_iter().flatten() {
        *response.1 = json!("neither an answer nor an object");
    }
    ask(probe, Topic::MalformedResponses, "malformed-responses", malformed).await;
    let mut unexpected = right;
    unexpected["inputResponses"]["proofmark-unasked"] = json!({ "action": "decline" });
    ask(probe, Topic::UnexpectedResponse, "unexpected-response", unexpected).await;
}

async fn ask(probe: &mut Probe, topic: Topic, id: &str, params: Value) {
    probe.ask_as(topic, json!(id), "tools/call", Some(params)).await;
}

/// The first of these calls that asks for something and hands out a state, or else the first that asks.
pub(super) async fn stateful(probe: &mut Probe, asking: &[Value]) -> Option<(Value, Value)> {
    let mut first = None;
    for params in asking.iter().take(MOST_TRIED) {
        let message = probe.ask(Topic::Call, "tools/call", Some(params.clone())).await?;
        let Some(result) = message.get("result").filter(|it| wants_input(it)) else { continue };
        let found = (params.clone(), result.clone());
        if result.get("requestState").is_some() {
            return Some(found);
        }
        first.get_or_insert(found);
    }
    first
}

/// Another character in the middle, so that nothing but the content differs.
fn tamper(state: &str) -> String {
    let middle = state.chars().count() / 2;
    let other = |c: char| if c == 'A' { 'B' } else { 'A' };
    state.chars().enumerate().map(|(at, c)| if at == middle { other(c) } else { c }).collect()
}

const MOST_TRIED: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tampered_state_differs_in_one_character() {
        assert_eq!(tamper("abc"), "aAc");
        assert_eq!(tamper("A"), "B");
        assert_eq!(tamper(""), "");
    }
}
