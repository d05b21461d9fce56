//! Servers that are spoiled in one way each are found out, and a right one is not; files that people edit stay theirs.

mod spoiled;

use std::{
    collections::BTreeSet,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{plan::tools_of, *};
use crate::{
    Judging,
    file::{ClientAnswers, Reach, Server, Suite},
    outcome::{RunOutcome, TestOutcome, Verdict},
    run::{self, Options},
    snapshot::{Snapshots, Update},
};
use spoiled::{Spoiled, memory};

#[tokio::test]
async fn a_right_server_is_not_blamed() {
    let (outcome, properties) = tested(Spoiled::Nothing).await;
    assert_eq!(wrong(&outcome, &properties), Vec::<String>::new());
    assert!(outcome.count("passed") > 60, "{} passed", outcome.count("passed"));
    assert!(
        properties.iter().filter(|it| it.verdict == Verdict::Passed).count() >= 5,
        "{properties:#?}"
    );
}

#[tokio::test]
async fn each_keyword_that_is_not_checked_is_found_out() {
    for keyword in [
        "required",
        "type",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "enum",
        "const",
        "minItems",
        "maxItems",
        "uniqueItems",
        "additionalProperties",
        "dependentRequired",
        "minProperties",
        "anyOf",
    ] {
        let (outcome, properties) = tested(Spoiled::Keyword(keyword)).await;
        let wrong = wrong(&outcome, &properties);
        assert!(!wrong.is_empty(), "{keyword} is not checked, and was not found out");
        let named = wrong.iter().any(|it| it.contains(&format!("({keyword})")));
        assert!(named || keyword == "anyOf", "{keyword}: {wrong:?}");
    }
}

#[tokio::test]
async fn crashes_hangs_and_broken_promises_are_found_out() {
    for (spoiled, test, what) in [
        (Spoiled::CrashOnNull, "null instead of", "the connection was lost"),
        (Spoiled::HangOnDeep, "nested deeply", "did not answer in time"),
        (Spoiled::WrongOutput, "valid:", "does not fit the outputSchema"),
        (Spoiled::NoOutput, "valid:", "gave none"),
        (Spoiled::InternalError, "invalid:", "-32603"),
        (Spoiled::RefusesValid, "valid:", "fit the schema, and the server refused"),
        (Spoiled::Writes, "look: changes nothing", "read-only"),
        (Spoiled::Random, "look: gives the same twice", "two calls"),
        (Spoiled::NotIdempotent, "set: can be repeated", "idempotent"),
        (Spoiled::ListsTwice, "tools add up", "listed twice"),
    ] {
        let (outcome, properties) = tested(spoiled).await;
        let found = outcome.tests.iter().chain(&properties).any(|it| match &it.verdict {
            Verdict::Failed(failures) => {
                it.name.contains(test) && failures.iter().any(|failure| failure.what.contains(what))
            }
            _ => false,
        });
        assert!(found, "{spoiled:?}: {:?}", wrong(&outcome, &properties));
    }
}

#[tokio::test]
async fn a_failure_is_shrunk_to_what_matters() {
    let server = server(Spoiled::Keyword("maximum"));
    let tools = tools_of(&server).await.unwrap();
    let plan = plan(&tools, &policy());
    let planned = plan.tools.iter().find(|it| it.name == "look").unwrap();
    let case = planned.cases.cases.iter().find(|it| it.id.contains("(maximum)")).unwrap();
    let smallest = shrink(&server, &planned.tool, case).await;
    assert_eq!(smallest, json!({"id": "te", "limit": 101}), "{}", case.value);
}

#[tokio::test]
async fn only_tools_that_say_they_are_read_only_are_called_unless_named() {
    let tools = tools_of(&server(Spoiled::Nothing)).await.unwrap();
    let left_out = |policy: &Policy| -> Vec<String> {
        let plan = plan(&tools, policy);
        plan.tools.iter().filter(|it| it.left_out.is_some()).map(|it| it.name.clone()).collect()
    };
    assert_eq!(left_out(&Policy::default()), ["set"]);
    assert_eq!(left_out(&policy()), Vec::<String>::new());
    assert_eq!(left_out(&Policy { all: true, ..Policy::default() }), Vec::<String>::new());
}

#[test]
fn schemas_that_cannot_be_used_are_named_and_others_go_on() {
    let tool = |name: &str, schema: Value| json!({"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": true}});
    let recursive = json!({"type": "object", "properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}, "required": ["n"]});
    let endless = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"]});
    let contradiction = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 5, "maximum": 1}}, "required": ["n"]});
    let plan = plan(
        &[
            tool(
                "remote",
                json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/s.json"}}}),
            ),
            tool("recursive", recursive),
            tool("endless", endless),
            tool("contradiction", contradiction),
            tool(
                "explodes",
                json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "((((a{100}){100}){100}){100})"}}}),
            ),
            tool("fine", json!({"type": "object", "properties": {"a": {"type": "string"}}})),
        ],
        &Policy::default(),
    );
    let by_name = |name: &str| plan.tools.iter().find(|it| it.name == name).unwrap();
    assert!(by_name("remote").left_out.as_ref().unwrap().contains("cannot be used"));
    assert!(by_name("explodes").left_out.is_some());
    for name in ["recursive", "fine"] {
        let kinds = kinds(&by_name(name).cases);
        assert!(kinds.0 > 0 && kinds.1 > 0, "{name}: {kinds:?}");
    }
    assert_eq!(kinds(&by_name("contradiction").cases).0, 0);
}

#[test]
fn ids_of_cases_stay_when_another_part_of_the_schema_changes() {
    let schema = |extra: Value| json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}, "b": extra}, "required": ["a"]});
    let ids = |schema: &Value| -> BTreeSet<String> {
        let made = cases(schema, Limits::default()).unwrap();
        made.cases.into_iter().map(|case| case.id).filter(|id| id.contains("/a")).collect()
    };
    assert_eq!(
        ids(&schema(json!({"type": "string"}))),
        ids(&schema(json!({"type": "array", "minItems": 2})))
    );
}

#[test]
fn keywords_that_are_not_understood_are_named() {
    let made = cases(
        &json!({"type": "object", "properties": {"a": {"type": "string", "contentSchema": {}}}}),
        Limits::default(),
    )
    .unwrap();
    assert_eq!(made.not_understood.into_iter().collect::<Vec<_>>(), ["contentSchema"]);
}

#[tokio::test]
async fn a_file_is_made_again_without_touching_what_a_person_wrote() {
    let server = server(Spoiled::Nothing);
    let tools = tools_of(&server).await.unwrap();
    let policy = policy();
    let tests = plan(&tools, &policy).tests(&server, &policy);
    let written = json!({"command": ["x"]});
    let first = regenerate(None, ("s", &written), &tests, 7);
    assert_eq!((first.added, first.changed, first.removed, first.kept), (tests.len(), 0, 0, 0));
    let again = regenerate(Some(&first.text), ("s", &written), &tests, 7);
    assert_eq!(again.text, first.text);
    // A person writes a test, edits one and comments; the schema loses one case and changes another.
    let own = "  # mine\n  - name: own\n    server: s\n    call: look\n    arguments: {id: ab}\n";
    let edited = first.text.replacen("tests:\n", &format!("tests:\n{own}"), 1).replacen(
        "arguments: refused",
        "arguments: answered",
        1,
    );
    let fewer: Vec<_> = tests[..tests.len() - 1].to_vec();
    let merged = regenerate(Some(&edited), ("s", &written), &fewer, 7);
    assert_eq!((merged.added, merged.removed, merged.kept), (0, 1, 1));
    assert!(merged.text.contains(own), "{}", merged.text);
    assert!(merged.text.contains("arguments: answered"), "{}", merged.text);
    let path =
        std::env::temp_dir().join(format!("proofmark-generated-{}.yaml", std::process::id()));
    std::fs::write(&path, &merged.text).unwrap();
    let suite =
        crate::file::load(&path, &|_| None).unwrap_or_else(|why| panic!("{why}\n{}", merged.text));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(suite.tests.len(), fewer.len() + 1);
    for test in &fewer {
        let read = suite
            .tests
            .iter()
            .find(|it| it.name == test.name)
            .unwrap_or_else(|| panic!("{}", test.name));
        assert_eq!(read.steps[0].act, test.steps[0].act, "{}", test.name);
    }
}

fn kinds(cases: &Cases) -> (usize, usize) {
    let valid = cases.cases.iter().filter(|it| it.kind == CaseKind::Valid).count();
    (valid, cases.cases.iter().filter(|it| matches!(it.kind, CaseKind::Invalid { .. })).count())
}

fn policy() -> Policy {
    Policy { tools: ["set".to_owned()].into(), ..Policy::default() }
}

fn server(spoiled: Spoiled) -> Server {
    Server {
        name: "s".to_owned(),
        reach: Reach::Memory(memory(spoiled)),
        revision: None,
        timeout: Duration::from_millis(500),
        start_timeout: Duration::from_secs(5),
        client: ClientAnswers::default(),
        watch: Vec::new(),
    }
}

async fn tested(spoiled: Spoiled) -> (RunOutcome, Vec<TestOutcome>) {
    let server = server(spoiled);
    let tools = tools_of(&server).await.unwrap();
    let policy = policy();
    let plan = plan(&tools, &policy);
    let tests = plan.tests(&server, &policy);
    let suite =
        Suite { path: "x.yaml".into(), servers: [("s".to_owned(), server.clone())].into(), tests };
    let selected: Vec<_> = suite.tests.iter().collect();
    let snapshots = Snapshots::beside(Path::new("no-such-folder/x.yaml"), Update::Never);
    let options = Options {
        seed: 1,
        jobs: 1,
        fail_fast: false,
        judging: Judging::Off,
        lanes: 1,
        budget: None,
        snapshots: &snapshots,
        told: &|_| {},
    };
    let outcome = run::run(&suite, &selected, &options).await;
    let observed = Observation { tool: "look".to_owned(), arguments: json!({"id": "ab"}) };
    // A tool that is spoiled itself shows nothing of the others.
    let shown = !matches!(spoiled, Spoiled::Writes | Spoiled::Random);
    let until = Instant::now() + Duration::from_secs(600);
    let properties =
        properties(&server, &plan, shown.then_some(&observed), until, &|_| {}).await.unwrap();
    (outcome, properties)
}

fn wrong(outcome: &RunOutcome, properties: &[TestOutcome]) -> Vec<String> {
    let all = outcome.tests.iter().chain(properties);
    let failed = all.filter_map(|it| match &it.verdict {
        Verdict::Failed(failures) => Some(format!("{}: {:?}", it.name, failures)),
        _ => None,
    });
    failed.collect()
}
