//! What every result and every error of the modern era is like.

use serde_json::{Value, json};

use super::{Check, capabilities::UNDECLARED, shape::show};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    evidence::{Evidence, Heard, Place},
    meta::SERVER_INFO,
    topic::Topic,
};

pub(crate) const M096: Check = Check {
    how: "looks at every result",
    fix: "say in resultType what kind of result it is: complete, if it is one",
    judge: |evidence| {
        each(results(evidence), NO_RESULT, |(heard, result)| {
            let typed = result.get("resultType").is_some_and(Value::is_string);
            (!typed).then(|| Finding::new("a resultType", show(result), heard.place))
        })
    },
    mutants: &[result("does not say what kind of result it is", |context, result| {
        if context.method == Some("completion/complete") {
            result.as_object_mut().map(|result| result.remove("resultType"));
        }
    })],
};

pub(crate) const M097: Check = Check {
    how: "compares the type of every result with what the server advertises",
    fix: "use complete and input_required, and others only with the extension that defines them",
    judge: |evidence| {
        if evidence.declared().is_none() {
            return Outcome::Unobserved(UNDECLARED.to_owned());
        }
        let tasks = evidence.capability("/extensions/io.modelcontextprotocol~1tasks");
        each(results(evidence), NO_RESULT, |(heard, result)| {
            let kind = result.get("resultType")?.as_str()?;
            let known = ["complete", "input_required"].contains(&kind) || (tasks && kind == "task");
            (!known).then(|| {
                Finding::new("complete or input_required", show(&json!(kind)), heard.place)
            })
        })
    },
    mutants: &[result("has a kind of result of its own", |context, result| {
        if context.method == Some("completion/complete") {
            result["resultType"] = json!("finished");
        }
    })],
};

pub(crate) const S045: Check = Check {
    how: "looks at _meta of every result",
    fix: "put io.modelcontextprotocol/serverInfo into _meta of every result",
    judge: |evidence| {
        each(results(evidence), NO_RESULT, |(heard, result)| {
            let named = result["_meta"].get(SERVER_INFO).is_some_and(Value::is_object);
            (!named).then(|| Finding::new(SERVER_INFO, show(result), heard.place))
        })
    },
    mutants: &[result("does not say who gives a result", |context, result| {
        if context.method == Some("completion/complete") {
            result.as_object_mut().map(|result| result.remove("_meta"));
        }
    })],
};

pub(crate) const M102: Check = Check {
    how: "looks at the code of every error",
    fix: "leave the codes -32020 to -32099 to the specification",
    judge: |evidence| {
        codes(evidence, "no code of the specification's that it did not define", |code| {
            (-32099..=-32020).contains(&code) && !DEFINED.contains(&code)
        })
    },
    mutants: &[refuses("takes a code that is the specification's", |error| {
        error["code"] = json!(-32050);
    })],
};

pub(crate) const M103: Check = Check {
    how: "looks at the code of every error",
    fix: "answer an unknown resource with -32602",
    judge: |evidence| codes(evidence, "no -32002", |code| code == -32002),
    mutants: &[refuses("still has a code for unknown resources", |error| {
        error["code"] = json!(-32002);
    })],
};

pub(crate) const M104: Check = Check {
    how: "looks at the code of every error",
    fix: "ask for what you need with input_required",
    judge: |evidence| codes(evidence, "no -32042", |code| code == -32042),
    mutants: &[refuses("still has a code for elicitations", |error| error["code"] = json!(-32042))
        .also(&["M102", "M110"])],
};

pub(crate) const S032: Check = Check {
    how: "looks at the code of every error",
    fix: "use codes of your own outside of -32768 to -32000",
    judge: |evidence| {
        codes(evidence, "no code between -32019 and -32000", |code| {
            // Those who come from the handshake era may still have this one, which is judged by itself.
            (-32019..=-32000).contains(&code) && code != -32002
        })
    },
    mutants: &[refuses("uses a code without a meaning", |error| error["code"] = json!(-32000))
        .also(&["M110", "S034"])],
};

pub(crate) const S034: Check = Check {
    how: "looks at the code of every error",
    fix: "use codes of your own outside of -32768 to -32000",
    judge: |evidence| {
        codes(evidence, "no code of its own between -32768 and -32000", |code| {
            let reserved = (-32768..=-32000).contains(&code) && !(-32099..=-32020).contains(&code);
            reserved && ![-32700, -32600, -32601, -32602, -32603, -32002].contains(&code)
        })
    },
    mutants: &[refuses("has a code of its own among JSON-RPC's", |error| {
        error["code"] = json!(-32150);
    })],
};

fn results(evidence: &Evidence) -> impl Iterator<Item = (Heard<'_>, &Value)> {
    // Whoever speaks as in an earlier revision is answered so.
    let earlier: Vec<Place> =
        evidence.asked(Topic::OlderInitialize).filter_map(|it| Some(it.answer?.place)).collect();
    evidence.heard().filter_map(move |heard| {
        let result = heard.message.get("result")?;
        (!earlier.contains(&heard.place)).then_some((heard, result))
    })
}

fn codes(evidence: &Evidence, expected: &str, is_wrong: fn(i64) -> bool) -> Outcome {
    let errors = evidence
        .heard()
        .filter_map(|heard| Some((heard, heard.message.get("error")?.get("code")?.as_i64()?)));
    each(errors, "the server sent no error", |(heard, code)| {
        is_wrong(code).then(|| Finding::new(expected, code.to_string(), heard.place))
    })
}

/// Changes results. What is changed is a function of the request.
pub(super) const fn result(name: &'static str, says: fn(&Context<'_>, &mut Value)) -> Mutant {
    // A function pointer cannot be wrapped in a closure that is one itself.
    Mutant::new(name, Mutation::Result(says))
}

/// Changes the error for a method that does not exist.
const fn refuses(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (context.method == Some("proofmark/no-such-method")).then_some(())?;
        message.get_mut("error")
    }
    Mutant::new(name, Mutation::Part { of, change }).also(&["M110"])
}

/// Codes that the specification gives a meaning in its own range.
const DEFINED: [i64; 3] = [-32020, -32021, -32022];
const NO_RESULT: &str = "the server sent no result";
