//! Whole files, read: what is right, and what each mistake is told.

use std::{fs, path::PathBuf};

use serde_json::json;

use super::{Act, Outcome, Reach, SCHEMA, Suite, load};
use crate::{schema, yaml};

#[test]
fn a_file_with_everything_is_read_and_fits_the_published_schema() {
    let suite = read(EVERYTHING).unwrap();
    let names: Vec<&str> = suite.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["adds [small]", "adds [large]", "steps", "steps", "old"]);
    assert_eq!(suite.tests[2].server, "a");
    assert_eq!(suite.tests[3].server, "b");
    let Reach::Command { words, environment, .. } = &suite.servers["b"].reach else { panic!() };
    assert_eq!(words, &["node", "s.js"]);
    assert_eq!(environment.get("KEY").map(String::as_str), Some("fallback"));
    assert_eq!(environment.get("OWN").map(String::as_str), Some("1"));
    assert!(matches!(suite.tests[4].steps[0].act, Act::Read { .. }));
    assert!(matches!(
        suite.tests[4].steps[0].expect.outcome,
        Outcome::Error { code: Some(-32002), .. }
    ));
    let published = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(
        schema::violations(&published, &yaml::read(EVERYTHING).unwrap().value()),
        Vec::<String>::new()
    );
}

#[test]
fn the_examples_of_the_guide_are_read_and_fit_the_published_schema() {
    let guide = include_str!("../../../../docs/testing.md");
    let published = serde_json::from_str(SCHEMA).unwrap();
    let examples: Vec<&str> =
        guide.split("```yaml\n").skip(1).filter_map(|it| it.split("```").next()).collect();
    assert!(examples.len() >= 3, "{}", examples.len());
    for example in examples {
        if !example.contains("servers:") {
            continue;
        }
        let value = yaml::read(example).unwrap().value();
        assert_eq!(schema::violations(&published, &value), Vec::<String>::new(), "{example}");
        read(example).unwrap_or_else(|why| panic!("{why}\n{example}"));
    }
}

#[test]
fn the_published_schema_refuses_what_the_reader_refuses() {
    let published = serde_json::from_str(SCHEMA).unwrap();
    for text in [
        "tests: []",
        "servers: {a: {command: x}}\ntests: [{name: t}]",
        "servers: {a: {comand: x}}",
        "servers: {a: {command: x}}\ntests: [{name: t, call: x, read: y}]",
        "servers: {a: {command: x}}\ntests: [{name: t, call: x, skip: true}]",
        "servers: {a: {command: x}}\ntests: [{name: t, call: x, expect: {at: {/a: {regx: y}}}}]",
    ] {
        assert!(read(text).is_err(), "{text}");
        assert!(
            !schema::violations(&published, &yaml::read(text).unwrap().value()).is_empty(),
            "{text}"
        );
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of mistakes")]
fn every_mistake_is_told_with_its_place_and_what_would_be_right() {
    for (text, expected) in [
        ("servers: [", "2:1: this is no YAML"),
        ("a: 1\nservers: {}", "1:1: the file has no `a`"),
        ("serverz: {}", "1:1: the file has no `serverz`: did you mean `servers`?"),
        ("tests: []", "1:1: the file has no `servers`"),
        ("servers: {a: {}}", "1:14: the server a needs a `command` or a `url`"),
        (
            "servers: {a: {comand: x}}",
            "1:15: the server a has no `comand`: did you mean `command`?",
        ),
        ("servers: {a: {command: x, url: 'http://b'}}", "has a command and a URL"),
        ("servers: {a: {command: ''}}", "1:24: the command is empty"),
        ("servers: {a: {url: example.com}}", "it has to begin with http:// or https://"),
        ("servers: {a: {command: x, headers: {}}}", "`headers` is for servers with a `url`"),
        (
            "servers: {a: {command: x, revision: 2020-01-01}}",
            "there is no revision 2020-01-01; there are 2024-11-05",
        ),
        ("servers: {a: {url: 'http://b', transport: pigeon}}", "there is no transport pigeon"),
        (
            "servers: {a: {url: 'http://b', token_env: PROOFMARK_NO_SUCH}}",
            "there is no token in the environment variable",
        ),
        ("servers: {a: {extends: b}}", "there is no server b"),
        ("servers: {a: {extends: b}, b: {extends: a}}", "extends itself"),
        (
            "servers: {a: {command: x, env: {K: '${PROOFMARK_NO_SUCH}'}}}",
            "1:36: the environment variable PROOFMARK_NO_SUCH is not set",
        ),
        ("extends: no-such.yaml\nservers: {a: {command: x}}", "cannot be read"),
        (
            "servers: {a: {command: x}, b: {command: y}}\ntests:\n  - name: t\n    call: x",
            "3:5: the test \"t\" has no `server`",
        ),
        (
            "servers: {abc: {command: x}}\ntests:\n  - {name: t, server: abd, call: x}",
            "did you mean `abc`?",
        ),
        (
            &test("call: x\n    name: t\n    read: y"),
            "a step does one thing, and this does call and read",
        ),
        (&test("name: t"), "does nothing"),
        (&test("call: x"), "a test needs a `name`"),
        (&test("{name: t, call: x, expct: {}}"), "a test has no `expct`: did you mean `expect`?"),
        (&test("{name: t, call: x, skip: true}"), "`skip` wants the reason"),
        (&test("{name: t, call: x, retries: -1}"), "a whole number from 0 on"),
        (&test("{name: t, call: x, timeout: soon}"), "a time such as 500ms, 5s or 2m"),
        (&test("{name: t, call: x, connection: mine}"), "own or shared"),
        (&test("{name: t, list: toolz}"), "there is no list of toolz"),
        (&test("{name: t, read: 'a:b', task: true}"), "`task` belongs to `call`, not to `read`"),
        (&test("{name: t, complete: {argument: a}}"), "names a `prompt` or a `resource`"),
        (&test("{name: t, call: x, arguments: {a: '{{b}}'}}"), "there is no value named b"),
        (&test("{name: t, call: x, arguments: {a: '{{b'}}"), "`{{` without `}}`"),
        (
            &test("{name: t, call: x, cases: [{a: 1}, {b: 1}]}"),
            "this case has b, name, and the first one has a, name",
        ),
        (&test("{name: t, call: x, capture: {a: b}}"), "b is no JSON Pointer"),
        (&test("{name: t, call: x, expect: {at: {a: 1}}}"), "a is no JSON Pointer"),
        (&test("{name: t, call: x, expect: {at: {/a: {regx: b}}}}"), "did you mean `regex`?"),
        (
            &test("{name: t, call: x, expect: {at: {/a: {regex: '('}}}}"),
            "this is no regular expression",
        ),
        (
            &test(
                "{name: t, call: x, expect: {at: {/a: {regex: '((((a{100}){100}){100}){100})'}}}}",
            ),
            "this is no regular expression",
        ),
        (
            &test("{name: t, call: x, expect: {at: {/a: {min: 2, max: 1}}}}"),
            "no number is at least 2 and at most 1",
        ),
        (
            &test("{name: t, call: x, expect: {at: {/a: {length: {min: 2, max: 1}}}}}"),
            "nothing is at least 2 and at most 1 long",
        ),
        (&test("{name: t, call: x, expect: {at: {/a: {type: text}}}}"), "there is no type text"),
        (&test("{name: t, call: x, expect: {schema: {type: 5}}}"), "the schema cannot be used"),
        (
            &test("{name: t, call: x, expect: {schema: {$ref: 'https://example.com/s.json'}}}"),
            "the schema cannot be used",
        ),
        (&test("{name: t, call: x, expect: {schema: no-such.json}}"), "cannot be read"),
        (&test("{name: t, call: x, expect: {redact: []}}"), "`redact` is for snapshots"),
        (
            &test("{name: t, call: x, expect: {snapshot: true, redact: [{type: x}]}}"),
            "there is no type x",
        ),
        (
            &test("{name: t, call: x, expect: {is_error: maybe}}"),
            "`is_error` is true, false or any",
        ),
        (&test("{name: t, call: x, expect: {error: bad}}"), "a code such as -32602"),
        (
            &test("{name: t, call: x, client: {elicitation: yes please}}"),
            "accept, decline or cancel",
        ),
        (&test("{name: t, call: x}\n  - {name: t, call: y}"), "there are two tests named \"t\""),
    ] {
        let mistakes = read(text).map(|_| ()).unwrap_err();
        assert!(mistakes.contains(expected), "{text}\n{mistakes}\nexpected: {expected}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let told = read("servers: {a: {comand: x}}\ntests: [{nme: t}, {name: u, cal: x}]")
        .map(|_| ())
        .unwrap_err();
    for part in ["comand", "nme", "cal"] {
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn servers_and_defaults_of_another_file_are_taken_over() {
    let folder = std::env::temp_dir().join(format!("proofmark-extends-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("base.yaml"),
        "servers: {a: {command: one}, b: {command: two}}\ndefaults: {server: b, retries: 3}",
    )
    .unwrap();
    fs::write(
        folder.join("own.yaml"),
        "extends: base.yaml\nservers: {a: {command: mine}}\ntests: [{name: t, call: x}]",
    )
    .unwrap();
    fs::write(folder.join("loop.yaml"), "extends: loop.yaml\nservers: {a: {command: mine}}")
        .unwrap();
    let suite = load(&folder.join("own.yaml"), &|_| None).unwrap();
    let words = |name: &str| match &suite.servers[name].reach {
        Reach::Command { words, .. } => words[0].clone(),
        _ => panic!(),
    };
    assert_eq!((words("a"), words("b")), ("mine".into(), "two".into()));
    assert_eq!((suite.tests[0].server.as_str(), suite.tests[0].retries), ("b", 3));
    assert!(
        load(&folder.join("loop.yaml"), &|_| None)
            .unwrap_err()
            .to_string()
            .contains("extends itself")
    );
    assert!(
        load(&folder.join("none.yaml"), &|_| None)
            .unwrap_err()
            .to_string()
            .contains("cannot be read")
    );
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn values_of_a_row_are_filled_in_with_their_types() {
    let suite = read(EVERYTHING).unwrap();
    assert_eq!(suite.tests[1].values.get("sum"), Some(&json!(300)));
}

fn test(body: &str) -> String {
    format!("servers: {{a: {{command: x}}}}\ntests:\n  - {body}")
}

fn read(text: &str) -> Result<Suite, String> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path: PathBuf =
        std::env::temp_dir().join(format!("proofmark-file-{}-{number}.yaml", std::process::id()));
    fs::write(&path, text).unwrap();
    let loaded = load(&path, &|_| None).map_err(|mistakes| mistakes.to_string());
    fs::remove_file(&path).unwrap();
    loaded
}

const EVERYTHING: &str = r#"
servers:
  a:
    command: node s.js
    env: {KEY: "${KEY:-fallback}"}
    cwd: .
    timeout: 5s
    start_timeout: 1m
    client: {roots: ["file:///tmp"], sampling: hello}
  b: {extends: a, env: {OWN: "1"}, revision: 2025-11-25}
  c: {url: "https://example.com/mcp", headers: {X-A: b}, transport: http}
defaults: {server: a, timeout: 10s, retries: 1, redact: [{type: uuid}]}
tests:
  - name: adds
    tags: [quick, sums]
    cases:
      - {name: small, a: 1, b: 2, sum: 3}
      - {name: large, a: 100, b: 200, sum: 300}
    call: add
    arguments: {a: "{{a}}", b: "{{b}}"}
    expect:
      at:
        /structuredContent/sum: {equals: "{{sum}}", type: integer, min: 0}
        /content: {length: {min: 1}}
      text: {regex: '\d+', contains: "{{sum}}", not: {equals: ""}}
      schema: {type: object}
      within: 500ms
  - name: steps
    servers: [a, b]
    connection: own
    only: false
    skip: false
    client: {elicitation: [{action: accept, content: {x: 1}}, decline]}
    setup: [{log_level: debug}]
    steps:
      - {name: first, list: tools, expect: {names: {contains: [add]}}, capture: {tool: /tools/0/name}}
      - {call: "{{tool}}", arguments: {}, task: true, expect_error: true}
      - {call: slow, cancel_after: 100ms}
      - {prompt: p, arguments: {x: y}, expect: {snapshot: true, redact: [/a, {regex: b, with: c}]}}
      - {complete: {prompt: p, argument: x, value: a}, expect: {names: {one_of: [[a]]}}}
      - {subscribe: "x:y"}
      - {wait: resources/updated, params: {uri: "x:y"}, within: 2s}
      - {unsubscribe: "x:y"}
      - {ping: true}
      - {call: log, expect: {is_error: any, notifications: [message, {method: progress, params: {progress: 1}}]}}
    teardown: [{call: clean}]
  - {name: old, server: c, read: "x:z", expect: {error: {code: -32002, message: not}}}
"#;
