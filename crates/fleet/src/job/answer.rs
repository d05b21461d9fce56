//! From the document of a job to an outcome.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    inventory::HeldTo,
    outcome::{Counts, Found, Kind, Outcome, Severity, Subject, TestCounts, Verdict},
};

/// Reads what a job said. It may be anything, if the job was killed.
pub fn read(text: &str, held_to: &HeldTo) -> Outcome {
    let Ok(document) = serde_json::from_str::<Value>(text) else {
        let why = "the job ended without an answer".to_owned();
        return Outcome::failed(Verdict::Exceeded, why);
    };
    let words = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(why) = words("exceeded") {
        return Outcome::failed(Verdict::Exceeded, why);
    }
    if let Some(why) = words("unreachable") {
        // The first lines say it; what follows is the traffic.
        let lines: Vec<&str> = why.lines().map(str::trim).take(2).collect();
        return Outcome::failed(Verdict::Unreachable, lines.join("; "));
    }
    let mut outcome = check(&document["check"], held_to);
    for tests in document["tests"].as_array().into_iter().flatten() {
        add_tests(&mut outcome, tests);
    }
    if outcome.tests.failed > 0 {
        outcome.verdict = Verdict::Broken;
    }
    outcome.interface = document.get("interface").cloned();
    if let Value::Object(mut whole) = document {
        whole.remove("interface");
        outcome.report = Value::Object(whole).to_string();
    }
    outcome
}

fn check(report: &Value, held_to: &HeldTo) -> Outcome {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let number = |value: &Value| value.as_u64().and_then(|it| u32::try_from(it).ok());
    let verdict = match report["verdict"].as_str() {
        Some("broken") => Verdict::Broken,
        Some("conformant") => Verdict::Conformant,
        _ => Verdict::NotObserved,
    };
    let count = |name: &str| number(&report["summary"][name]).unwrap_or_default();
    let counts = Counts {
        pass: count("pass"),
        fail: count("fail"),
        warn: count("warn"),
        skip: count("skip"),
        untestable: count("untestable"),
        excused: count("excused"),
    };
    let (mut found, mut unseen) = (Vec::new(), Vec::new());
    for entry in report["requirements"].as_array().into_iter().flatten() {
        let Some(id) = text(&entry["id"]) else { continue };
        let subject = Subject { kind: Kind::Requirement, id };
        let severity = match entry["status"].as_str() {
            Some("fail") => Severity::Fail,
            Some("warn") => Severity::Warn,
            Some("untestable") => {
                unseen.push(subject);
                continue;
            }
            _ => continue,
        };
        let finding = &entry["finding"];
        found.push(Found {
            subject,
            severity,
            expected: text(&finding["expected"]).unwrap_or_default(),
            actual: text(&finding["actual"]).unwrap_or_default(),
        });
    }
    let why = text(&report["brokenOff"]).or_else(|| {
        let stale: Vec<&str> =
            report["stale"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let ids = stale.join(" ");
        (!stale.is_empty()).then(|| format!("the baseline excuses what is not broken: {ids}"))
    });
    Outcome {
        verdict,
        score: number(&report["score"]),
        counts,
        observed: (
            number(&report["observed"]["requirements"]).unwrap_or_default(),
            number(&report["observed"]["applicable"]).unwrap_or_default(),
        ),
        tests: TestCounts::default(),
        revision: text(&report["revision"]),
        peer_name: text(&report["peer"]["name"]),
        peer_version: text(&report["peer"]["version"]),
        comparable: comparable(report, held_to),
        found,
        unseen,
        why,
        interface: None,
        report: String::new(),
    }
}

/// Revision, transport, requirement set, options and version of the program, as one number.
fn comparable(report: &Value, held_to: &HeldTo) -> i64 {
    let HeldTo { requirements, skip, calls, strict, .. } = held_to;
    let basis = format!(
        "{} {} {} {requirements:?} {skip:?} {calls:?} {strict}",
        report["proofmark"], report["revision"], report["transport"]
    );
    let digest = Sha256::digest(basis.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}

fn add_tests(outcome: &mut Outcome, tests: &Value) {
    let file = tests["file"].as_str().unwrap_or_default();
    let subject = |name: &str| Subject { kind: Kind::Test, id: format!("{file} › {name}") };
    if let Some(wrong) = tests["wrong"].as_str() {
        outcome.tests.failed += 1;
        outcome.found.push(Found {
            subject: subject("the file"),
            severity: Severity::Fail,
            expected: "tests of this server".to_owned(),
            actual: wrong.to_owned(),
        });
        return;
    }
    for test in tests["report"]["tests"].as_array().into_iter().flatten() {
        let name = test["name"].as_str().unwrap_or_default();
        match test["status"].as_str() {
            Some("passed") => outcome.tests.passed += 1,
            Some("failed") => {
                outcome.tests.failed += 1;
                let failures = test["failures"].as_array().into_iter().flatten();
                let what: Vec<&str> = failures.filter_map(|it| it["what"].as_str()).collect();
                outcome.found.push(Found {
                    subject: subject(name),
                    severity: Severity::Fail,
                    expected: "the test passes".to_owned(),
                    actual: what.join("; "),
                });
            }
            _ => outcome.unseen.push(subject(name)),
        }
    }
}
