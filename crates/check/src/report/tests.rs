use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use proofmark_core::revision::Revision;

mod machines;

use super::*;
use proofmark_converse::scenario::Scenario;
use proofmark_record::{
    event::{Border, Conversation, Event, EventKind, Frame},
    topic::Topic,
};

#[test]
fn a_run_that_observed_nothing_has_no_score() {
    let report = report(&[]);
    assert_eq!(report.score(), None);
    assert!(report.is_conformant(Strictness::Warnings));
}

#[test]
fn one_broken_rule_keeps_the_score_below_100() {
    let report = report(&["{\"jsonrpc\":\"1.0\",\"method\":\"notifications/a\"}"]);
    assert!(report.score().is_some_and(|score| score < 100));
    assert!(!report.is_conformant(Strictness::Failures));
}

#[test]
fn the_baseline_excuses_what_it_names_and_complains_of_what_is_not_broken() {
    let mut report = report(&["{\"jsonrpc\":\"1.0\",\"method\":\"notifications/a\"}"]);
    baseline::Baseline::parse("M001 we know").unwrap().apply(&mut report);
    assert!(report.is_conformant(Strictness::Failures));
    baseline::Baseline::parse("M016 gone by now").unwrap().apply(&mut report);
    assert_eq!(report.stale, ["M016"]);
    // Of HTTP, and of what was not observed, this run can say nothing.
    baseline::Baseline::parse("M165 elsewhere\nM108 unseen").unwrap().apply(&mut report);
    assert_eq!(report.stale, ["M016"]);
    assert!(!report.is_conformant(Strictness::Failures));
}

#[test]
fn a_baseline_is_renewed_with_what_is_broken_and_without_what_is_stale() {
    let mut report = broken_server();
    // Of HTTP this run can say nothing.
    let old = "M016 it greets\nM006 mended by now\nM165 elsewhere";
    let baseline = baseline::Baseline::parse(old).unwrap();
    baseline.apply(&mut report);
    let text = baseline.renewed(&report, Strictness::Failures).write();
    let ids: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(ids, ["M016", "M165", "M001"], "{text}");
    assert!(text.contains("M016 it greets\n"), "{text}");
    let text = baseline.renewed(&report, Strictness::Warnings).write();
    assert!(text.contains("\nM110 "), "{text}");
}

#[test]
fn strings_of_the_peer_are_harmless_in_every_format() {
    let report = report(&["\u{1b}[31m<script>alert(1)</script>"]);
    let formats = [
        pretty::write(&report, Strictness::Failures, pretty::Colours::Off),
        markdown::write(&report, Strictness::Failures),
        html::write(&report, Strictness::Failures),
        sarif::write(&report),
        junit::write(&report, Strictness::Failures).unwrap(),
        json::write(&report, Strictness::Failures),
        github::write(&report),
    ];
    for text in &formats {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    assert!(!formats[1].contains("<script>"));
    assert!(!formats[2].contains("<script>"));
    assert!(!formats[4].contains("<script>"));
}

#[test]
fn the_event_of_a_finding_is_its_number_in_the_whole_transcript() {
    let report = report(&["{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", "junk"]);
    let entry = report.entries.iter().find(|entry| entry.requirement.id == "M016").unwrap();
    assert_eq!((entry.status, entry.event), (Status::Fail, Some(1)));
}

fn report(lines: &[&str]) -> Report {
    let frame = |line: &&str| Frame::new(line.as_bytes(), Border::Line);
    let events = lines
        .iter()
        .map(|line| Event {
            at: Duration::ZERO,
            kind: EventKind::Received { exchange: 0, frame: frame(line) },
        })
        .collect();
    let evidence = Evidence {
        side: Side::Server,
        revision: Revision::V2025_11_25,
        transport: Transport::Stdio,
        conversations: vec![Conversation { scenario: Scenario::TOUR.label(), events }],
    };
    Report::new(Target { description: "<b>peer</b>".to_owned() }, evidence, &Options::default())
}

#[test]
fn every_format_looks_as_it_did() {
    let mut report = broken_server();
    let started = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    report.timing = Some(Timing { started, duration: Duration::from_millis(1_500) });
    baseline::Baseline::parse("M016 it greets\nM006 mended by now").unwrap().apply(&mut report);
    for (name, text) in [
        ("report.txt", pretty::write(&report, Strictness::Failures, pretty::Colours::Off)),
        ("report.github", github::write(&report)),
        ("report.html", html::write(&report, Strictness::Failures)),
        ("report.json", json::write(&report, Strictness::Failures)),
        ("report.md", markdown::write(&report, Strictness::Failures)),
        ("report.sarif", sarif::write(&report)),
        ("report.xml", junit::write(&report, Strictness::Failures).unwrap()),
    ] {
        golden(name, &text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    }
}

#[test]
fn what_a_peer_calls_itself_is_said_in_a_handshake_or_in_each_answer() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"a","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}}}}"#,
    ] {
        let peer = PeerInfo { name: "a".to_owned(), version: Some("1".to_owned()) };
        assert_eq!(report(&["junk", line]).peer(), Some(peer));
    }
    assert_eq!(report(&[r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]).peer(), None);
}

#[test]
fn a_verdict_is_a_word() {
    let verdict = |lines: &[&str]| report(lines).verdict(Strictness::Failures).as_str();
    assert_eq!(verdict(&[]), "not-observed");
    assert_eq!(verdict(&["junk"]), "broken");
    assert_eq!(verdict(&[r#"{"jsonrpc":"2.0","method":"notifications/a"}"#]), "conformant");
}

#[test]
fn warnings_fail_in_junit_only_where_they_count() {
    let report = broken_server();
    let failures =
        |strictness| junit::write(&report, strictness).unwrap().matches("<failure").count();
    assert_eq!(failures(Strictness::Warnings), failures(Strictness::Failures) + 1);
}

#[test]
fn a_warning_passes_in_junit_with_a_word_about_it() {
    let report = broken_server();
    let text = junit::write(&report, Strictness::Failures).unwrap();
    let (_, case) = text.split_once("name=\"M110").unwrap();
    let (case, _) = case.split_once("</testcase>").unwrap();
    assert!(case.contains("<system-out>warning: expected"), "{case}");
    assert!(!case.contains("<skipped"), "{case}");
}

#[test]
fn colours_are_used_only_if_wanted() {
    let report = broken_server();
    assert!(
        pretty::write(&report, Strictness::Failures, pretty::Colours::On)
            .contains("\u{1b}[31mFAIL\u{1b}[0m")
    );
    assert!(!pretty::write(&report, Strictness::Failures, pretty::Colours::Off).contains('\u{1b}'));
}

#[test]
fn no_secret_of_a_header_is_in_a_report() {
    let headers = vec![("authorization".to_owned(), "Bearer s3cret".to_owned())];
    let requested = EventKind::Requested {
        topic: Topic::UnknownMethod,
        exchange: 1,
        line: "POST /mcp".to_owned(),
        headers: headers.clone(),
    };
    let sent = r#"{"jsonrpc":"2.0","id":1,"method":"proofmark/no-such-method"}"#;
    let sent = Frame::new(sent, Border::Body);
    let events = [
        requested,
        EventKind::Sent { topic: Topic::UnknownMethod, exchange: 1, frame: sent },
        EventKind::Responded { exchange: 1, status: 500, headers },
    ];
    let report = report_of(Transport::Http, events.into_iter().collect(), &["M110"]);
    assert_eq!(report.count(Status::Warn), 1);
    let texts = [
        html::write(&report, Strictness::Failures),
        json::write(&report, Strictness::Failures),
        markdown::write(&report, Strictness::Failures),
    ];
    for text in texts {
        assert!(!text.contains("s3cret"), "{text}");
        assert!(text.contains("POST /mcp"), "{text}");
    }
}

#[test]
fn a_second_stream_may_be_refused_with_a_warning_and_the_first_may_not() {
    let open = |exchange, status: u16, kind: &str| {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        let line = "GET /mcp".to_owned();
        [
            EventKind::Requested { topic: Topic::OpenStream, exchange, line, headers: Vec::new() },
            EventKind::Responded { exchange, status, headers },
        ]
    };
    let (first, second) = (open(1, 200, "text/event-stream"), open(2, 409, "application/json"));
    let status =
        |events: Vec<EventKind>| report_of(Transport::Http, events, &["M025"]).entries[0].status;
    assert_eq!(status(first.clone().into()), Status::Pass);
    assert_eq!(status([first, second.clone()].concat()), Status::Warn);
    assert_eq!(status(second.into()), Status::Fail);
}

/// A server that prints junk with markup and escapes in it, and takes unknown methods for its own mistake.
fn broken_server() -> Report {
    let ask = r#"{"jsonrpc":"2.0","id":1,"method":"proofmark/no-such-method"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"`a` | <b>"}}"#;
    let junk = "\u{1b}[31m<script>alert(1)</script> | `x` ::error::y";
    let frame = |text: &str| Frame::new(text, Border::Line);
    let events = vec![
        EventKind::Connected("started a server".to_owned()),
        EventKind::Received { exchange: 0, frame: frame(junk) },
        EventKind::Sent { topic: Topic::UnknownMethod, exchange: 0, frame: frame(ask) },
        EventKind::Received { exchange: 0, frame: frame(answer) },
        EventKind::Received { exchange: 0, frame: frame(r#"{"jsonrpc":"1.0","method":"a"}"#) },
        EventKind::Stderr("<i>bye</i>".to_owned()),
        EventKind::Exited("exit status: 0".to_owned()),
    ];
    report_of(Transport::Stdio, events, &["M001", "M006", "M016", "M110", "S014", "M066"])
}

fn report_of(transport: Transport, events: Vec<EventKind>, only: &[&str]) -> Report {
    let events = events
        .into_iter()
        .zip(1..)
        .map(|(what, millis)| Event { at: Duration::from_millis(millis), kind: what })
        .collect();
    let evidence = Evidence {
        side: Side::Server,
        revision: Revision::V2025_11_25,
        transport,
        conversations: vec![Conversation { scenario: Scenario::TOUR.label(), events }],
    };
    let only = only.iter().map(|id| (*id).to_owned()).collect();
    let options = Options { only, ..Options::default() };
    Report::new(Target { description: "<b>peer</b> --a".to_owned() }, evidence, &options)
}

/// Compares with a file beside this one. `UPDATE_GOLDEN=1` writes it anew.
#[track_caller]
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{name} is not as {}; it is:\n{text}", path.display());
}
