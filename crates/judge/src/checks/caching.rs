//! How long, and for whom, results may be kept.

use serde_json::{Value, json};

use super::{
    Check,
    results::result,
    shape::{lacks, show},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_record::{
    evidence::{Answer, Evidence, Place},
    topic::Topic,
};

pub(crate) const M499: Check = Check {
    how: "looks at every result of server/discover",
    fix: HINT,
    judge: |evidence| hinted(evidence, "server/discover"),
    mutants: &[unhinted("does not say how long a discovery lasts", |context, result| {
        drop_hint(context.method == Some("server/discover"), result);
    })
    .also(&["M150"])],
};

pub(crate) const M500: Check = Check {
    how: "looks at every result of tools/list",
    fix: HINT,
    judge: |evidence| hinted(evidence, "tools/list"),
    mutants: &[unhinted("does not say how long a list of tools lasts", |context, result| {
        drop_hint(context.method == Some("tools/list"), result);
    })],
};

pub(crate) const M501: Check = Check {
    how: "looks at every result of prompts/list",
    fix: HINT,
    judge: |evidence| hinted(evidence, "prompts/list"),
    mutants: &[unhinted("does not say how long a list of prompts lasts", |context, result| {
        drop_hint(context.method == Some("prompts/list"), result);
    })],
};

pub(crate) const M502: Check = Check {
    how: "looks at every result of resources/list",
    fix: HINT,
    judge: |evidence| hinted(evidence, "resources/list"),
    mutants: &[unhinted("does not say how long a list of resources lasts", |context, result| {
        drop_hint(context.method == Some("resources/list"), result);
    })],
};

pub(crate) const M503: Check = Check {
    how: "looks at every result of resources/templates/list",
    fix: HINT,
    judge: |evidence| hinted(evidence, "resources/templates/list"),
    mutants: &[unhinted("does not say how long a list of templates lasts", |context, result| {
        drop_hint(context.method == Some("resources/templates/list"), result);
    })],
};

pub(crate) const M504: Check = Check {
    how: "looks at every result of resources/read",
    fix: HINT,
    judge: |evidence| hinted(evidence, "resources/read"),
    mutants: &[unhinted("does not say how long contents last", |context, result| {
        drop_hint(context.method == Some("resources/read"), result);
    })],
};

pub(crate) const M505: Check = Check {
    how: "looks at ttlMs of every result",
    fix: "give ttlMs in whole milliseconds, at least 0",
    judge: |evidence| {
        each(hints(evidence, "ttlMs"), "no result has ttlMs", |(place, ttl)| {
            ttl.as_u64()
                .is_none()
                .then(|| Finding::new("an integer of at least 0", show(ttl), place))
        })
    },
    mutants: &[
        unhinted("lets its results expire before they are made", |context, result| {
            if context.method == Some("prompts/list") {
                result["ttlMs"] = json!(-1);
            }
        }),
        unhinted("counts in parts of milliseconds", |context, result| {
            if context.method == Some("prompts/list") {
                result["ttlMs"] = json!(1.5);
            }
        }),
    ],
};

pub(crate) const M506: Check = Check {
    how: "looks at cacheScope of every result",
    fix: "say public or private in cacheScope",
    judge: |evidence| {
        each(hints(evidence, "cacheScope"), "no result has cacheScope", |(place, scope)| {
            let right = scope == "public" || scope == "private";
            (!right).then(|| Finding::new("public or private", show(scope), place))
        })
    },
    mutants: &[unhinted("has a scope of its own", |context, result| {
        if context.method == Some("prompts/list") {
            result["cacheScope"] = json!("everyone");
        }
    })],
};

pub(crate) const M512: Check = Check {
    how: "compares cacheScope of all results for one list",
    fix: "give all pages of a list the same cacheScope",
    judge: |evidence| {
        let lists = evidence.asked_all().filter(|asked| {
            matches!(asked.topic, Topic::List | Topic::ListAgain) && asked.answer.is_some()
        });
        let lists: Vec<_> = lists
            .filter_map(|asked| {
                let answer = asked.answer?;
                Some((asked.method, answer.place, answer.result()?.get("cacheScope")?))
            })
            .collect();
        each(
            lists.iter().enumerate(),
            "no list has cacheScope",
            |(index, (method, place, scope))| {
                let first = lists[..index].iter().find(|(it, ..)| it == method)?;
                (first.2 != *scope).then(|| {
                    Finding::new(format!("{} as before", show(first.2)), show(scope), *place)
                })
            },
        )
    },
    mutants: &[unhinted("changes its mind about who may keep a list", |context, result| {
        let again = context.params["_meta"][proofmark_record::meta::CAPABILITIES] == json!({});
        if context.method == Some("prompts/list") && again {
            result["cacheScope"] = json!("private");
        }
    })],
};

/// Complete results say how long and for whom.
fn hinted(evidence: &Evidence, method: &str) -> Outcome {
    let complete = |(_, result): &(Answer<'_>, &Value)| {
        result.get("resultType").is_none_or(|kind| kind == "complete")
    };
    let outcome = each(evidence.results(method).filter(complete), "", |(answer, result)| {
        lacks(answer.place, result, "ttlMs", "a number", Value::is_number)
            .or_else(|| lacks(answer.place, result, "cacheScope", "a string", Value::is_string))
    });
    super::tools::none_applies(outcome, &format!("there was no result of {method}"))
}

fn hints<'e>(evidence: &'e Evidence, member: &str) -> impl Iterator<Item = (Place, &'e Value)> {
    evidence.heard().filter_map(move |heard| {
        // How long a task is kept is another matter.
        let result = heard.message.get("result").filter(|it| it.get("taskId").is_none())?;
        Some((heard.place, result.get(member)?))
    })
}

fn drop_hint(is_it: bool, result: &mut Value) {
    if is_it && let Some(result) = result.as_object_mut() {
        result.remove("ttlMs");
    }
}

const fn unhinted(
    name: &'static str,
    says: fn(&proofmark_converse::mutation::Context<'_>, &mut Value),
) -> Mutant {
    result(name, says)
}

const HINT: &str = "give ttlMs and cacheScope with every complete result";
