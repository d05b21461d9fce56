use std::time::Duration;

use proofmark_core::revision::Revision;

use super::*;
use crate::{
    evidence::{Border, Conversation, Event, Frame, What},
    scenario::Scenario,
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
    assert!(!report.is_conformant(Strictness::Failures));
}

#[test]
fn strings_of_the_peer_are_harmless_in_every_format() {
    let report = report(&["\u{1b}[31m<script>alert(1)</script>"]);
    let formats = [
        pretty::write(&report, pretty::Colours::Off),
        markdown::write(&report),
        html::write(&report),
        sarif::write(&report),
        junit::write(&report, Strictness::Failures).unwrap(),
        json::write(&report),
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
            what: What::Received { exchange: 0, frame: frame(line) },
        })
        .collect();
    let evidence = Evidence {
        side: Side::Server,
        revision: Revision::V2025_11_25,
        transport: Transport::Stdio,
        conversations: vec![Conversation { scenario: Scenario::Tour, events }],
    };
    Report::new(Target { description: "<b>peer</b>".to_owned() }, evidence, &Options::default())
}
