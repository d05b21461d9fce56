//! Arguments that are repeated in headers: what has none, what is no header, and numbers.

use serde_json::{Value, json};

use super::{
    Check,
    mirroring::{UNMARKED, accepted, all_marks, marked, of, passes, refuses},
    shape::show,
    tools::none_applies,
};
use crate::outcome::{Finding, each};
use proofmark_record::topic::Topic;

pub(crate) const M203: Check = Check {
    how: "looks at the numbers in the schema of every marked integer",
    fix: "keep marked integers between -(2^53-1) and 2^53-1",
    judge: |evidence| {
        let integers = all_marks(evidence).into_iter().filter(|(_, (_, property, _))| {
            property.get("type").and_then(Value::as_str) == Some("integer")
        });
        let outcome = each(integers, "", |(place, (_, property, _))| {
            let named = ["const", "default", "maximum", "minimum"].map(|it| property.get(it));
            let listed = ["enum", "examples"].map(|it| property.get(it).and_then(Value::as_array));
            let listed = listed.into_iter().flatten().flatten();
            let odd = named.into_iter().flatten().chain(listed).find(|it| is_unsafe(it))?;
            Some(Finding::new("a number that every reader has exactly", show(odd), place))
        });
        none_applies(outcome, "no tool has a marked integer")
    },
    mutants: &[marked("has a marked number that not every reader has", |property| {
        *property = json!({ "type": "integer", "x-mcp-header": "Region",
            "maximum": 9_007_199_254_740_992_u64 });
    })],
};

pub(crate) const M213: Check = Check {
    how: "calls with null for a marked argument, and without the argument, and sends no header",
    fix: "expect no header where the argument is null or absent",
    judge: |evidence| {
        let outcome = each(of(evidence, Topic::AbsentParam, ABSENT), "", |asked| {
            let answer = asked.answer?;
            (answer.code() == Some(-32020)).then(|| {
                let expected = "no complaint about headers";
                Finding::new(expected, show(answer.message), answer.place)
            })
        });
        none_applies(outcome, UNMARKED)
    },
    mutants: &[
        refuses("wants a header for what is not there", "absent-param"),
        refuses("wants a header for null", "null-param"),
    ],
};

pub(crate) const M216: Check = Check {
    how: "sends a marked argument with other letters than ASCII, and its header not encoded",
    fix: "reject what a header must not contain",
    judge: |evidence| {
        let outcome = each(of(evidence, Topic::BadHeader, &["raw-param"]), "", |asked| {
            let status = evidence.exchange_of(&asked).and_then(|exchange| exchange.status);
            let taken = asked.answer.is_some_and(|answer| answer.result().is_some());
            let expected = "a rejection with status 400";
            (status != Some(400) || taken).then(|| {
                let said = asked.answer.map_or_else(String::new, |it| show(it.message));
                let status = status.map_or_else(|| "no status".to_owned(), |it| it.to_string());
                Finding::new(expected, format!("{status} {said}"), asked.place)
            })
        });
        none_applies(outcome, UNMARKED)
    },
    mutants: &[passes("takes any letters in a header", "raw-param")],
};

pub(crate) const S090: Check = Check {
    how: "repeats a marked integer with a decimal point",
    fix: "compare integers by their value: 42.0 is 42",
    judge: |evidence| {
        none_applies(
            accepted(evidence, &["decimal-param"]),
            "no tool that was called has a marked integer",
        )
    },
    mutants: &[refuses("compares numbers by their letters", "decimal-param")],
};

/// Whether readers that have fractions only cannot have it exactly.
fn is_unsafe(value: &Value) -> bool {
    match (value.as_i64(), value.as_u64()) {
        (Some(number), _) => number.unsigned_abs() > LARGEST,
        (None, Some(number)) => number > LARGEST,
        (None, None) => value.as_f64().is_some_and(|number| number.abs() > 9_007_199_254_740_991.0),
    }
}

const LARGEST: u64 = 9_007_199_254_740_991;
const ABSENT: &[&str] = &["absent-param", "null-param"];
