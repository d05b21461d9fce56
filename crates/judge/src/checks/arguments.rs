//! Arguments that are not what was asked for.

use serde_json::{Value, json};

use super::{
    Check,
    claims::{error, to},
    shape::{show, undeclared},
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_record::{
    evidence::{Answer, Evidence},
    meta::SERVER_INFO,
    topic::Topic,
};

pub(crate) const M477: Check = Check {
    how: "calls a tool without the arguments that it requires",
    fix: "validate arguments against inputSchema before the tool runs",
    judge: |evidence| {
        called(evidence, |answer| {
            let result = answer.result();
            let served = result.is_some_and(|it| !is_error(it) && !wants(it));
            served.then(|| Finding::new("a refusal", show(answer.message), answer.place))
        })
    },
    mutants: &[to("runs without arguments", "wrong-arguments", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
            "resultType": "complete", "content": [], "_meta": { SERVER_INFO: {} } } });
    })],
};

pub(crate) const S252: Check = Check {
    how: "calls a tool without the arguments that it requires",
    fix: "answer with a result whose isError is true, so that the model can correct itself",
    judge: |evidence| {
        let outcome = called(evidence, |answer| {
            let expected = "a result with isError";
            let error = answer.error()?;
            Some(Finding::new(expected, show(error), answer.place))
        });
        // The schema lists wrong arguments among the errors of the protocol, too.
        super::shape::doubtful(outcome)
    },
    mutants: &[to("takes wrong arguments for a broken protocol", "wrong-arguments", |message| {
        *message = error(&message["id"], -32602);
    })],
};

pub(crate) const S233: Check = Check {
    how: "gets a prompt without the arguments that it requires",
    fix: "refuse a prompt whose required arguments are missing",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "prompts") {
            return outcome;
        }
        let outcome = each(evidence.asked(Topic::MissingArgument), "", |asked| {
            let answer = asked.answer?;
            answer.result().map(|_| Finding::new("an error", show(answer.message), answer.place))
        });
        none_applies(outcome, "no prompt requires arguments")
    },
    mutants: &[MAKES_UP_ARGUMENTS.also(&["S231"])],
};

fn called(evidence: &Evidence, judge: impl Fn(Answer<'_>) -> Option<Finding>) -> Outcome {
    if let Some(outcome) = undeclared(evidence, "tools") {
        return outcome;
    }
    let outcome = each(evidence.asked(Topic::WrongArguments), "", |asked| judge(asked.answer?));
    none_applies(outcome, "no tool that may be called requires arguments")
}

fn is_error(result: &Value) -> bool {
    result.get("isError") == Some(&Value::Bool(true))
}

fn wants(result: &Value) -> bool {
    result.get("resultType").is_some_and(|kind| kind == "input_required")
}

const MAKES_UP_ARGUMENTS: Mutant = Mutant::new(
    "makes up arguments of prompts",
    proofmark_converse::mutation::Mutation::Says(|context, message| {
        let missing = context.params.get("arguments") == Some(&json!({}));
        if context.method == Some("prompts/get") && missing {
            *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                "result": { "resultType": "complete", "messages": [] } });
        }
    }),
);
