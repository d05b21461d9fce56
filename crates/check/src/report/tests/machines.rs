//! What code hosts and CI systems demand of SARIF and `JUnit`, beyond what the formats say.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

#[test]
fn sarif_is_what_code_hosts_take() {
    for text in [sarif::write(&broken_server()), sarif::write_all(&all())] {
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["version"], "2.1.0");
        let runs = document["runs"].as_array().unwrap();
        let ids: BTreeSet<_> =
            runs.iter().map(|it| it["automationDetails"]["id"].as_str()).collect();
        assert_eq!(ids.len(), runs.len(), "each run has a category of its own");
        runs.iter().for_each(hold_to_rules_of_code_hosts);
    }
}

/// The limits are those of GitHub's code scanning.
#[track_caller]
fn hold_to_rules_of_code_hosts(run: &Value) {
    let driver = &run["tool"]["driver"];
    assert!(driver["informationUri"].as_str().unwrap().starts_with("https://"));
    let rules = driver["rules"].as_array().unwrap();
    let ids: BTreeSet<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len(), "a rule is listed once");
    for rule in rules {
        for part in ["shortDescription", "fullDescription", "help"] {
            let text = rule[part]["text"].as_str().unwrap();
            assert!(!text.is_empty() && text.chars().count() <= 1024, "{part}: {text}");
        }
        assert!(
            ["error", "warning"].contains(&rule["defaultConfiguration"]["level"].as_str().unwrap())
        );
    }
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty() && results.len() <= 25_000);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.contains([':', ' ', '<', '\\']) && !uri.starts_with('/'), "{uri}");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(!result["partialFingerprints"].as_object().unwrap().is_empty());
    }
}

#[test]
fn junit_is_what_jenkins_takes() {
    for text in [
        junit::write(&broken_server(), Strictness::Failures).unwrap(),
        junit::write_all(&all(), Strictness::Warnings).unwrap(),
    ] {
        let (_, rest) = text.split_once("<testsuites ").unwrap();
        let suites: Vec<&str> = rest.split("<testsuite ").skip(1).collect();
        let names: BTreeSet<_> = suites.iter().map(|it| attribute(it, "name")).collect();
        assert_eq!(names.len(), suites.len(), "a suite has a name of its own");
        let (mut tests, mut failures) = (0, 0);
        for suite in suites {
            let cases: Vec<&str> = suite.split("<testcase ").skip(1).collect();
            assert_eq!(attribute(suite, "tests"), cases.len().to_string());
            let failed = cases.iter().filter(|it| it.contains("<failure")).count();
            assert_eq!(attribute(suite, "failures"), failed.to_string());
            let skipped = cases.iter().filter(|it| it.contains("<skipped")).count();
            assert_eq!(attribute(suite, "skipped"), skipped.to_string());
            for case in &cases {
                assert!(
                    !attribute(case, "name").is_empty() && !attribute(case, "classname").is_empty()
                );
                let seconds: f64 = attribute(case, "time").parse().unwrap();
                assert!(seconds >= 0.0);
                let outcomes =
                    ["<failure", "<error", "<skipped"].map(|it| case.matches(it).count());
                assert!(outcomes.iter().sum::<usize>() <= 1, "{case}");
            }
            tests += cases.len();
            failures += failed;
        }
        assert_eq!(attribute(rest, "tests"), tests.to_string());
        assert_eq!(attribute(rest, "failures"), failures.to_string());
        // XML 1.0 has no other control characters.
        assert!(!text.chars().any(|it| it.is_control() && !['\n', '\r', '\t'].contains(&it)));
    }
}

fn all() -> AllRevisions {
    let mut newer = broken_server();
    newer.revision = Revision::V2026_07_28;
    let reports = vec![newer, broken_server()];
    AllRevisions { reports, not_spoken: vec![Revision::V2024_11_05], unreachable: Vec::new() }
}

/// Of the element that the text begins with.
#[track_caller]
fn attribute<'t>(element: &'t str, name: &str) -> &'t str {
    let (head, _) = element.split_once('>').unwrap();
    let (_, value) =
        head.split_once(&format!("{name}=\"")).unwrap_or_else(|| panic!("no {name}: {head}"));
    value.split('"').next().unwrap()
}

#[test]
fn all_revisions_are_one_report_with_the_worst_verdict() {
    let all = all();
    assert_eq!(all.verdict(Strictness::Failures), Verdict::Broken);
    let text = pretty::write_all(&all, Strictness::Failures, pretty::Colours::Off);
    let rows: Vec<&str> = text.lines().rev().take(3).collect();
    assert!(rows[0].starts_with("2024-11-05  not spoken"), "{text}");
    assert!(rows[1].starts_with("2025-11-25  broken"), "{text}");
    assert!(rows[2].starts_with("2026-07-28  broken") && rows[2].ends_with("M001 M016"), "{text}");
    let page = html::write_all(&all, Strictness::Failures);
    let ids: Vec<&str> =
        page.split(" id=\"").skip(1).filter_map(|it| it.split('"').next()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "ids of a page differ");
    for link in page.split("href=\"#").skip(1).filter_map(|it| it.split('"').next()) {
        assert!(ids.contains(&link), "{link}");
    }
}

#[test]
fn what_a_baseline_excuses_in_one_revision_is_not_stale_in_another() {
    let mut all = all();
    // In the older revision the server does this right.
    let entry = all.reports[1].entries.iter_mut().find(|it| it.requirement.id == "M016").unwrap();
    (entry.outcome, entry.status) = (Outcome::Kept, Status::Pass);
    all.excuse(&baseline::Baseline::parse("M016 it greets\nM001 known\nM006 mended").unwrap());
    assert!(all.reports.iter().all(|it| it.stale == ["M006"]), "{:?}", all.reports[1].stale);
}
