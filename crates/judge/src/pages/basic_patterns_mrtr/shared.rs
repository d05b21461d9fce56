//! What several judges of `basic/patterns/mrtr` use.

use crate::{
    common::{input_rounds::wants, shape::show},
    outcome::{Finding, Outcome, each},
};
use proofmark_record::{evidence::Evidence, meta::SERVER_INFO, topic::Topic};
use serde_json::{Value, json};

/// A state that should not be taken: anything but a complete result will do.
pub(super) fn refused_state(evidence: &Evidence, topic: Topic) -> Outcome {
    each(evidence.asked(topic), "no requestState was handed out", |asked| {
        let answer = asked.answer?;
        let taken = answer.result().is_some_and(|result| !wants(result));
        let failed = answer.result().is_some_and(|it| it.get("isError") == Some(&json!(true)));
        (taken && !failed).then(|| Finding::new("a refusal", show(answer.message), answer.place))
    })
}

/// As if all were well.
pub(super) fn done(message: &mut Value) {
    *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
        "resultType": "complete", "content": [], "_meta": { SERVER_INFO: { "name": "a", "version": "1" } } } });
}
