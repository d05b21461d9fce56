//! `proofmark mock` in place of the server whose transcript it has.

use std::fs;

use super::{Place, steps::Serving};

#[test]
fn what_was_recorded_is_served_over_all_transports_in_both_eras() {
    let place = Place::new("mock");
    let program = env!("CARGO_BIN_EXE_proofmark");
    let heard = place.folder.join("heard.jsonl");
    let heard = heard.to_str().unwrap();
    let tap = [program, "tap", "--output", heard, "--", program, "everything", "--stdio"];
    let (code, said, told) =
        place.run(&[&["call", "greet", "name=Ada", "--"], &tap[..]].concat(), &[]);
    assert_eq!(code, Some(0), "{said}{told}");
    let serving = Serving::start(&["mock", heard, "--http", "127.0.0.1:0"]);
    let origin = &serving.origin;
    let servers = format!(
        "servers:\n  pipes: {{command: [{program}, mock, {heard}]}}\n  old: {{extends: pipes, revision: 2025-06-18}}\n  http: {{url: '{origin}/mcp'}}\n  http-old: {{url: '{origin}/mcp', revision: 2025-11-25}}\n  sse: {{url: '{origin}/sse', transport: sse}}\n"
    );
    let tests = "tests:\n  - {name: greets, servers: [pipes, old, http, http-old, sse], call: greet, arguments: {name: Ada}, expect: {text: 'Hello, Ada!'}}\n  - {name: nearest, servers: [pipes, http], call: greet, arguments: {name: Bob}, expect: {text: Ada}}\n  - {name: unknown, servers: [pipes, http], call: gret, expect: {error: -32602}}\n";
    fs::write(place.folder.join("proofmark.yaml"), format!("{servers}{tests}")).unwrap();
    let (code, said, _) = place.test(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("9 passed"), "{said}");
}

#[test]
fn what_a_mock_cannot_use_is_told() {
    let place = Place::new("mock-bad");
    let (code, _, told) = place.run(&["mock", "none.jsonl"], &[]);
    assert_eq!(code, Some(2));
    assert!(told.contains("none.jsonl cannot be read"), "{told}");
    fs::write(place.folder.join("m.yaml"), "answers:\n  - {cal: x, text: y}\n").unwrap();
    let (code, _, told) = place.run(&["mock", "m.yaml"], &[]);
    assert_eq!(code, Some(2));
    assert!(told.contains("m.yaml:2:6: an answer has no `cal`: did you mean `call`?"), "{told}");
    for words in
        [&["mock", "m.yaml", "--fault", "boom"][..], &["mock", "m.yaml", "--latency", "2s..1s"]]
    {
        assert_eq!(place.run(words, &[]).0, Some(2), "{words:?}");
    }
}
