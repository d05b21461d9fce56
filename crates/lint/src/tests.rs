use serde_json::{Value, json};

use super::*;

/// What an example stands for: JSON, or what is too long to write down.
fn example(text: &str) -> Lists {
    let number = || text.rsplit(' ').next().unwrap().parse::<usize>().unwrap();
    let document = if text.starts_with("many tools: ") {
        let tools: Vec<_> = (0..number()).map(|at| json!({"name": format!("tool{at}")})).collect();
        json!({ "tools": tools })
    } else if text.starts_with("long description: ") {
        json!({"tools": [{"name": "a", "description": "x".repeat(number())}]})
    } else if text.starts_with("long instructions: ") {
        json!({"instructions": "x".repeat(number())})
    } else if text.starts_with("deep schema: ") {
        let nest = |inner, _| json!({"type": "object", "properties": {"a": inner}});
        let schema: Value = (0..number()).fold(json!({"type": "string"}), nest);
        json!({"tools": [{"name": "a", "inputSchema": schema}]})
    } else {
        serde_json::from_str(text).unwrap()
    };
    Lists::from_json(&document)
}

#[test]
fn each_rule_finds_what_its_example_shows_and_passes_the_other() {
    for rule in rules::all() {
        let found = |text: &str| (rule.check)(&example(text), &Settings::default()).len();
        assert!(found(rule.fails) > 0, "{} passes its failing example", rule.id);
        assert_eq!(found(rule.passes), 0, "{} fails its passing example", rule.id);
    }
}

#[test]
fn ids_and_names_are_there_once_and_in_order() {
    let ids: Vec<_> = rules::all().map(|rule| rule.id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    let mut names: Vec<_> = rules::all().map(|rule| rule.name).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn every_rule_has_a_source_and_a_fix() {
    for rule in rules::all() {
        assert!(!rule.sources.is_empty() && !rule.fix.is_empty(), "{}", rule.id);
        assert!(rule.sources.iter().all(|it| it.starts_with("https://")), "{}", rule.id);
    }
}

#[test]
fn rules_are_turned_off_and_up_by_id_name_and_class() {
    let lists = example(r#"{"tools": [{"name": "a.b"}]}"#);
    let ids = |settings: &Settings| {
        lint(&lists, settings)
            .findings
            .iter()
            .map(|it| (it.rule.id, it.severity))
            .collect::<Vec<_>>()
    };
    let mut settings = Settings::default();
    assert!(ids(&settings).contains(&("L001", Severity::Error)));
    assert!(ids(&settings).contains(&("L030", Severity::Warning)));
    settings.set("names", Level::Allow).unwrap();
    settings.set("tool-description-missing", Level::Deny).unwrap();
    settings.set("l043", Level::Allow).unwrap();
    assert_eq!(ids(&settings), [("L030", Severity::Error)]);
    assert_eq!(settings.set("nope", Level::Deny), Err(UnknownRule("nope".to_owned())));
}

#[test]
fn lists_that_are_no_lists_of_objects_break_nothing() {
    let odd = json!({"tools": [1, null, "a", [], {"name": 1, "inputSchema": true, "annotations": []}], "prompts": [{}], "resources": [7]});
    let outcome = lint(&Lists::from_json(&odd), &Settings::default());
    assert_eq!(outcome.subjects, 7);
}

#[test]
fn a_schema_that_is_nested_without_end_is_walked_only_so_far() {
    let deep = (0..100)
        .fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}));
    let lists = Lists::from_json(&json!({"tools": [{"name": "a", "inputSchema": deep}]}));
    let found = lint(&lists, &Settings::default());
    assert!(found.findings.iter().any(|it| it.rule.id == "L016"));
}

#[test]
fn tokens_are_counted_as_documented() {
    assert_eq!(tokens(""), 0);
    assert_eq!(tokens("abcd"), 1);
    assert_eq!(tokens("abcde"), 2);
    assert_eq!(tokens("日本"), 2);
    let lists = example(
        r#"{"instructions": "abcd", "tools": [{"name": "abcd", "description": "abcdefgh"}]}"#,
    );
    let cost = Cost::of(&lists);
    assert_eq!((cost.instructions, cost.all_tools(), cost.in_context()), (1, 3, 4));
}
