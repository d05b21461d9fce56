//! All that is wrong with a value, for a model that is to do better: every place, and of a union the branch that was most likely meant.

use super::violation::{Cause, Violation, names_of};

/// The violations of a value that fits no branch of a union, from those of each branch.
///
/// A branch that only allows null is left out: it says nothing about what was written instead. Of the others the nearest is told: the one
/// whose kind and tags fit, and of those the one with the fewest violations. If none fits by kind or tag, all are told in short.
pub(super) fn nearest(path: &str, mut branches: Vec<Vec<Violation>>) -> Vec<Violation> {
    branches.retain(|branch| !matches!(&branch[..], [only] if allows_only_null(path, only)));
    let strangeness = |branch: &Vec<Violation>| {
        (branch.iter().filter(|violation| is_of_kind(path, violation)).count(), branch.len())
    };
    let best = (0..branches.len()).min_by_key(|&at| strangeness(&branches[at]));
    let Some(best) = best else { return Vec::new() };
    let other_kind = branches[best].iter().find(|violation| is_of_kind(path, violation));
    match other_kind {
        Some(other) if branches.len() > 1 => vec![summary(&other.instance_path, &branches)],
        _ => branches.swap_remove(best),
    }
}

/// One line for several violations: as many as are of use, each with its place.
pub(super) fn told(violations: &[Violation]) -> String {
    let shown: Vec<_> = violations.iter().take(TOLD).map(ToString::to_string).collect();
    let more = violations.len().saturating_sub(TOLD);
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    shown.join("; ") + &rest
}

/// What each branch expects where the value is of no kind that any of them has.
fn summary(path: &str, branches: &[Vec<Violation>]) -> Violation {
    let first =
        branches.iter().filter_map(|branch| branch.iter().find(|it| it.instance_path == path));
    let mut expected: Vec<_> =
        first.filter_map(|it| it.message.strip_prefix("expected ")).collect();
    let got =
        expected.first().and_then(|it| it.rsplit_once(", got ")).map(|(_, got)| got.to_owned());
    for one in &mut expected {
        *one = one.rsplit_once(", got ").map_or(*one, |(expected, _)| expected);
    }
    expected.dedup();
    let message = format!("expected {}, got {}", names_of(&expected), got.unwrap_or_default());
    Violation { instance_path: path.to_owned(), message, cause: Cause::Keyword("anyOf".into()) }
}

fn allows_only_null(path: &str, violation: &Violation) -> bool {
    violation.instance_path == path && violation.message.starts_with("expected null, got ")
}

/// Whether a violation says that another branch was meant: by the kind of the value, or by a tag in it.
fn is_of_kind(path: &str, violation: &Violation) -> bool {
    let Cause::Keyword(keyword) = &violation.cause else { return false };
    let Some(below) = violation.instance_path.strip_prefix(path) else { return false };
    match keyword.as_str() {
        "type" | "enum" => below.is_empty(),
        "const" => below.matches('/').count() <= 1,
        _ => false,
    }
}

/// Violations that are told.
const TOLD: usize = 8;

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use crate::schema::{Schema, SchemaLimits, schema_of};

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Order {
        item: String,
        count: u8,
        address: Option<Address>,
        colour: Option<Colour>,
        payment: Option<Payment>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Address {
        street: String,
        number: u16,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Blue,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Payment {
        Card { number: String, year: u16 },
        Cash { currency: String },
    }

    #[track_caller]
    fn said(order: serde_json::Value) -> String {
        let schema = schema_of::<Order>();
        let schema = Schema::compile_input(schema.as_str(), &SchemaLimits::default()).unwrap();
        schema.check_arguments(&order.to_string()).unwrap_err()
    }

    #[test]
    fn every_violation_is_told_with_its_place() {
        let said = said(json!({"count": "three"}));
        assert!(said.contains(r#"expected a property "item""#), "{said}");
        assert!(said.contains("/count: expected integer, got string"), "{said}");
    }

    #[test]
    fn an_optional_struct_is_explained_by_the_struct() {
        let said = said(json!({"item": "a", "count": 1, "address": {"street": 5}}));
        assert!(said.contains("/address/street: expected string, got integer"), "{said}");
        assert!(said.contains(r#"/address: expected a property "number""#), "{said}");
        assert!(!said.contains("null") && !said.contains("several schemas"), "{said}");
    }

    #[test]
    fn an_optional_enum_is_explained_by_its_variants() {
        let said = said(json!({"item": "a", "count": 1, "colour": "green"}));
        assert_eq!(said, r#"/colour: expected one of "red", "blue", got "green""#);
    }

    #[test]
    fn of_a_tagged_enum_the_variant_is_explained_whose_tag_was_given() {
        let paid = |payment| said(json!({"item": "a", "count": 1, "payment": payment}));
        let card = paid(json!({"kind": "card", "number": 7}));
        assert!(card.contains("/payment/number: expected string, got integer"), "{card}");
        assert!(card.contains(r#"expected a property "year""#), "{card}");
        assert!(!card.contains("currency"), "{card}");
        let other = paid(json!({"kind": "shells"}));
        assert_eq!(other, r#"/payment/kind: expected "card" or "cash", got "shells""#);
    }

    #[cfg(feature = "json-schema")]
    #[test]
    fn the_common_keywords_explain_as_all_of_them_do() {
        use crate::schema::{Plan, admission::Draft, full, plain};

        let document = serde_json::from_str(schema_of::<Order>().as_str()).unwrap();
        let plan = Plan { draft: Draft::Draft202012, patterns: 0 };
        let limits = SchemaLimits::default();
        let full = full::Validator::build(&document, &plan, &limits).unwrap();
        let plain = plain::Validator::build(&document, &plan, &limits).unwrap();
        for order in [
            json!({"count": "three", "colour": 1}),
            json!({"item": "a", "count": 1, "address": {"street": 5}}),
            json!({"item": "a", "count": 1, "address": 5, "payment": {"kind": "shells"}}),
            json!({"item": "a", "count": 300, "payment": {"kind": "cash", "currency": 1}}),
        ] {
            let sorted = |found: Vec<crate::schema::Violation>| {
                let mut found: Vec<_> = found.iter().map(ToString::to_string).collect();
                found.sort();
                found
            };
            assert_eq!(sorted(plain.explain_all(&order)), sorted(full.explain_all(&order)));
        }
    }
}
