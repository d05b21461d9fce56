use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::*;
use crate::selection::Filter;

#[test]
fn a_server_takes_over_what_its_group_and_the_defaults_say() {
    let fleet = read(WHOLE).unwrap();
    let one = &fleet.members["one"];
    assert_eq!(one.owner.as_deref(), Some("ann"));
    assert_eq!(one.tags, ["core"]);
    assert_eq!(one.stage.as_deref(), Some("drafted"));
    assert_eq!(one.held_to.min_score, Some(80));
    assert_eq!(one.held_to.revisions, [Wanted::Newest]);
    assert_eq!(one.limits.time, Duration::from_secs(60));
    let two = &fleet.members["two"];
    assert_eq!(two.owner.as_deref(), Some("bob"));
    let transports: Vec<_> = two.routes.iter().map(|it| it.transport).collect();
    assert_eq!(transports, [Transport::Stdio, Transport::Sse]);
    assert!(two.routes[1].start.is_some());
    assert_eq!(two.held_to.revisions.len(), 2);
}

#[test]
fn filters_choose_by_name_owner_stage_and_tag() {
    let fleet = read(WHOLE).unwrap();
    for (filter, expected) in [
        ("one", "one"),
        ("*", "one two"),
        ("tag:core", "one"),
        ("!tag:core", "two"),
        ("owner:b*", "two"),
        ("stage:drafted & !name:two", "one"),
        ("owner:", ""),
    ] {
        let filter: Filter = filter.parse().unwrap();
        let found: Vec<&str> = fleet
            .members
            .values()
            .filter(|it| filter.chooses(it))
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(found.join(" "), expected, "{}", filter.as_str());
    }
}

#[test]
fn mistakes_have_their_place() {
    for (text, expected) in [
        ("servers: {}", "the file has no `servers`"),
        ("servrs: {}", "1:1: the file has no `servrs`: did you mean `servers`?"),
        ("servers:\n  a:\n    comand: x", "3:5: the server a has no `comand`"),
        ("servers:\n  a: {command: x, min_score: 101}", "2:30: a score is a number from 0 to 100"),
        (
            "servers:\n  a: {command: x, stage: done}",
            "2:26: there is no stage done: the file has no",
        ),
        (
            "stages: [build, tested]\nservers:\n  a: {command: x, stage: buil}",
            "did you mean `build`?",
        ),
        ("servers:\n  a: {command: x, revisions: [2020-01-01]}", "2:30: there is no revision"),
        ("servers:\n  a: {command: x, transports: [http]}", "not reached over http"),
        ("servers:\n  a: {command: x, transports: [smoke]}", "no transport"),
        ("servers:\n  a: {command: x, group: g}", "2:26: there is no group g"),
        ("servers:\n  a: {command: x, baseline: none.txt}", "cannot be used"),
        ("servers:\n  a: {command: x, tests: none.yaml}", "there is no test file none.yaml"),
        ("servers:\n  a: {command: x, requirements: none}", "is no frozen set"),
        ("servers:\n  a: {url: 'http://h:{port}x/mcp'}", "is no port"),
        ("servers:\n  a: {url: 'http://h/mcp', start: {}}", "`start` needs a `command`"),
        ("servers:\n  a: {command: x, http: {}}", "`http` needs a `url`"),
        ("servers:\n  a: {command: x, calls: {t: 1}}", "the arguments of a tool"),
        ("servers:\n  a: {command: x, limits: {tim: 1}}", "did you mean `time`?"),
        ("servers: {a: {owner: ann}}", "needs a `command` or a `url`"),
        ("defaults: {command: x}\nservers: {a: {command: x}}", "`defaults` has no `command`"),
        ("groups: {g: {group: h}}\nservers: {a: {command: x}}", "the group g has no `group`"),
        ("stages: [a, a]\nservers: {a: {command: x}}", "two stages named a"),
        ("stages: [{name: a, gates: {perfect: true}}]\nservers: {a: {command: x}}", "no `perfect`"),
        ("include: none.yaml", "cannot be included"),
        ("servers: {\"a\\nb\": {command: x}}", "the name of a server is one line"),
    ] {
        let mistakes = read(text).unwrap_err();
        assert!(mistakes.contains(expected), "{text}\n{mistakes}\nexpected: {expected}");
    }
}

fn read(text: &str) -> Result<Fleet, String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("proofmark-fleet-{}-{number}.yaml", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::write(&path, text).unwrap();
    let fleet = Fleet::load(&path, &|_| None).map_err(|it| it.to_string());
    fs::remove_file(&path).unwrap();
    fleet
}

const WHOLE: &str = r#"
defaults: {stage: drafted, min_score: 80, limits: {time: 1m}}
groups:
  ours: {owner: ann, tags: [core]}
stages:
  - drafted
  - {name: conformant, gates: {conformant: true, min_score: 90, steady: 3, tests: true}}
servers:
  one: {command: one, group: ours}
  two:
    command: two
    owner: bob
    revisions: [2025-11-25, newest, 2025-11-25]
    http: {url: "http://127.0.0.1:1/mcp"}
    sse: {url: "http://127.0.0.1:{port}/sse", start: {command: two --sse, env: {PORT: "{port}"}}}
    transports: [stdio, sse]
"#;
