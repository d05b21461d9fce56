//! What several judges of `client/sampling` use.

use crate::requirement::seen_in;
use crate::{
    common::{client::remove, client_inputs::malformed},
    mutant::Mutant,
    outcome::Outcome,
    requirement::Check,
};
use proofmark_converse::mutation::Mutation;
use serde_json::{Value, json};

/// Becomes an answer of a model.
pub(super) fn sampled(message: &mut Value) {
    remove(message, "error");
    message["result"] = json!({ "role": "assistant", "model": "none", "stopReason": "endTurn",
        "content": { "type": "text", "text": "as you wish" } });
}

/// What a model said, block by block.
pub(super) fn blocks(result: &Value) -> impl Iterator<Item = &Value> {
    let content = result.get("content");
    let several = content.and_then(Value::as_array).into_iter().flatten();
    several.chain(content.filter(|it| it.is_object()))
}

pub(super) const S200_CHECK: Check = Check {
    how: "asks for sampling that cannot succeed",
    seen: seen_in(&["hosted ask"]),
    fix: "answer sampling that fails with an error",
    judge: |evidence| {
        if !evidence.capability("/sampling") {
            return Outcome::NotApplicable("the client does not declare sampling".to_owned());
        }
        malformed(evidence, |answer| answer.error().is_some(), "an error")
    },
    mutants: &[Mutant::new(
        "calls a failure a result",
        Mutation::Says(|_, message| {
            if message["id"] == "wrong-params" {
                sampled(message);
            }
        }),
    )
    .also(&["M111", "S200", "S205"])],
};

pub(super) const NOT_ASKED: &str = "the client could not be asked";
