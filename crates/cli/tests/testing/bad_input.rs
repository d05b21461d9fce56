//! What is wrong gets a clear message, and the other tests go on.

use std::fs;

use super::Place;

#[test]
fn files_that_make_no_sense_are_told_with_place_and_remedy() {
    let place = Place::new("bad-files");
    let server = env!("CARGO_BIN_EXE_proofmark");
    let own = format!("servers: {{own: {{command: [{server}, everything, --stdio]}}}}\n");
    for (text, part) in [
        ("servers: [".to_owned(), "this is no YAML"),
        (format!("{own}tests:\n  - {{name: t, cal: x}}"), "did you mean `call`?"),
        (format!("{own}tets: []"), "did you mean `tests`?"),
        ("tests:\n  - {name: t, call: x}".to_owned(), "the file has no `servers`"),
        (format!("{own}tests:\n  - {{name: t, server: other, call: x}}"), "other"),
        ("servers: {own: {}}".to_owned(), "needs a `command` or a `url`"),
        (
            format!("{own}tests:\n  - {{name: t, call: x, expect: {{text: {{regex: '('}}}}}}"),
            "regular expression",
        ),
        (
            format!(
                "{own}tests:\n  - {{name: t, call: x, expect: {{text: {{regex: '((((a{{100}}){{100}}){{100}}){{100}})'}}}}}}"
            ),
            "regular expression",
        ),
        (
            format!(
                "{own}tests:\n  - {{name: t, call: x, expect: {{schema: {{$ref: 'https://example.com/s.json'}}}}}}"
            ),
            "schema",
        ),
        (
            format!(
                "{own}tests:\n  - {{name: t, call: x, arguments: {{a: '${{NO_SUCH_VARIABLE}}'}}}}"
            ),
            "NO_SUCH_VARIABLE",
        ),
        (
            format!("{own}tests:\n  - {{name: t, call: x, expect: {{at: {{no-pointer: 1}}}}}}"),
            "pointer",
        ),
    ] {
        fs::write(place.folder.join("proofmark.yaml"), &text).unwrap();
        let (code, _, told) = place.test(&[]);
        assert_eq!(code, Some(2), "{text}\n{told}");
        assert!(
            told.to_lowercase().contains(&part.to_lowercase()),
            "{part} is not in:\n{told}\n{text}"
        );
        assert!(told.contains("proofmark.yaml:"), "{told}");
    }
    fs::remove_file(place.folder.join("proofmark.yaml")).unwrap();
    assert_eq!(place.test(&[]).0, Some(2));
}

#[test]
fn a_tool_that_vanished_and_lists_that_change_fail_their_tests_only() {
    let place = Place::new("vanished");
    place.file("tests:\n  - {name: gone, call: no_such_tool}\n  - {name: gone too, call: no_such_tool, expect: {arguments: refused}}\n  - {name: changes, steps: [{call: test_trigger_tool_change}, {list: tools, expect: {names: {contains: [test_simple_text]}}}]}\n  - {name: good, call: test_simple_text}\n");
    let (code, said, _) = place.test(&["--judge", "off"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("2 passed, 2 failed"), "{said}");
    assert!(said.contains("the server has no tool no_such_tool"), "{said}");
}

#[cfg(unix)]
#[test]
fn servers_that_flood_or_hang_in_the_middle_fail_their_tests_and_are_started_again() {
    let place = Place::new("middle");
    let server = env!("CARGO_BIN_EXE_proofmark");
    // After the third line of the client one floods its output, and one says nothing any more.
    let floods = format!("(sed -u 3q | {server} everything --stdio; yes)");
    let hangs = format!("(sed -u 3q; sleep 100) | {server} everything --stdio");
    let more = format!(
        "  floods: {{command: [sh, -c, '{floods}'], timeout: 2s}}\n  hangs: {{command: [sh, -c, '{hangs}'], timeout: 1s}}\n"
    );
    let tests = ["t0", "t1", "t2"].map(|name| {
        format!("  - {{name: {name}, servers: [own, floods, hangs], call: test_simple_text}}\n")
    });
    place.file_with(&more, &format!("tests:\n{}", tests.concat()));
    let (code, said, _) = place.test(&["--judge", "off", "--format", "json"]);
    assert_eq!(code, Some(1), "{said}");
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    let count = |server: &str, verdict: &str| {
        let tests = report["tests"].as_array().unwrap().iter();
        tests.filter(|it| it["server"] == server && it["status"] == verdict).count()
    };
    assert_eq!(count("own", "passed"), 3, "{said}");
    for server in ["floods", "hangs"] {
        assert!(count(server, "failed") >= 1, "{server}: {said}");
    }
}
