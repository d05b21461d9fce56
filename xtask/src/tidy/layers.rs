//! Which of our crates a crate may look at: only those below it.

use super::Finding;
use super::file::File;
use super::manifest::dependencies;

pub(super) fn check(file: &File) -> Vec<Finding> {
    let in_crates = file.path.starts_with("crates/") || file.path.starts_with("xtask/");
    if !in_crates || file.name() != "Cargo.toml" {
        return Vec::new();
    }
    let Some(package) = package(&file.text) else { return Vec::new() };
    let Some((_, below)) = LAYERS.iter().find(|(name, _)| *name == package) else {
        let reason =
            format!("{package} has no row in the table of layers (xtask/src/tidy/layers.rs)");
        return vec![Finding { line: 1, reason }];
    };
    let ours = |name: &str| LAYERS.iter().any(|(layer, _)| *layer == name);
    dependencies(&file.text)
        .iter()
        .filter(|found| ours(found.package()) && !below.contains(&found.package()))
        .map(|found| {
            let reason = format!("{package} may not look at {}: {}", found.package(), seen(below));
            Finding { line: found.line, reason }
        })
        .collect()
}

fn package(manifest: &str) -> Option<&str> {
    let line = manifest.lines().find(|line| line.starts_with("name = "))?;
    line.split('"').nth(1)
}

fn seen(below: &[&str]) -> String {
    if below.is_empty() {
        "it sees none of ours".into()
    } else {
        format!("it sees {}", below.join(", "))
    }
}

/// Each crate, and what it may look at, from the bottom up. The checker judges the SDK and must not share its mistakes, so that it
/// never looks at it, in tests either.
const LAYERS: [(&str, &[&str]); 18] = [
    (CORE, &[]),
    (CLIENTS, &[]),
    (WEB, &[]),
    (MACROS, &[]),
    (SDK, &[MACROS, CORE]),
    (EVERYTHING, &[SDK, CORE]),
    (REDIS, &[SDK, CORE]),
    (RECORD, &[CORE]),
    (LINT, &[RECORD, CORE]),
    (CONVERSE, &[RECORD, CORE]),
    (JUDGE, &[CONVERSE, RECORD, CORE]),
    (CHECK, &[JUDGE, CONVERSE, RECORD, CORE]),
    (TEST, &[CHECK, SDK, CORE]),
    (FLEET, &[TEST, CHECK, CLIENTS, CORE]),
    (DASHBOARD, &[FLEET, CHECK, WEB]),
    (INSPECT, &[WEB, TEST, CHECK, CLIENTS, SDK, CORE, EVERYTHING]),
    (
        "proofmark",
        &[DASHBOARD, FLEET, INSPECT, WEB, TEST, CHECK, EVERYTHING, REDIS, CLIENTS, LINT, SDK, CORE],
    ),
    ("xtask", &[]),
];

const CHECK: &str = "proofmark-check";
const CLIENTS: &str = "proofmark-clients";
const CONVERSE: &str = "proofmark-converse";
const CORE: &str = "proofmark-core";
const DASHBOARD: &str = "proofmark-dashboard";
const EVERYTHING: &str = "proofmark-everything";
const FLEET: &str = "proofmark-fleet";
const INSPECT: &str = "proofmark-inspect";
const JUDGE: &str = "proofmark-judge";
const LINT: &str = "proofmark-lint";
const MACROS: &str = "proofmark-macros";
const RECORD: &str = "proofmark-record";
const REDIS: &str = "proofmark-redis";
const SDK: &str = "proofmark-sdk";
const TEST: &str = "proofmark-test";
const WEB: &str = "proofmark-web";

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_crate_may_look_at_those_below() {
        for (package, below) in LAYERS {
            for dependency in below {
                assert!(found(package, "dependencies", dependency).is_empty(), "{package}");
            }
        }
    }

    #[test]
    fn a_crate_may_not_look_up() {
        for (lower, upper) in [
            (CORE, SDK),
            (SDK, "proofmark-everything"),
            (RECORD, CONVERSE),
            (CONVERSE, JUDGE),
            (JUDGE, "proofmark-check"),
            ("proofmark-check", "proofmark"),
            ("proofmark-check", TEST),
            (TEST, "proofmark"),
            (TEST, FLEET),
            (FLEET, "proofmark"),
            (FLEET, DASHBOARD),
            (WEB, DASHBOARD),
            ("proofmark-everything", RECORD),
            ("xtask", CORE),
        ] {
            assert_eq!(found(lower, "dependencies", upper), [4], "{lower}");
        }
    }

    #[test]
    fn the_checker_may_not_use_the_sdk_in_any_way() {
        for layer in ["proofmark-check", JUDGE, CONVERSE, RECORD] {
            for table in ["dependencies", "dev-dependencies", "target.'cfg(unix)'.dependencies"] {
                assert_eq!(found(layer, table, SDK), [4], "{layer}, {table}");
            }
        }
        let renamed = "[package]\nname = \"proofmark-check\"\n[dependencies]\n\
                       sdk = { path = \"../sdk\", package = \"proofmark-sdk\" }";
        assert_eq!(lines(check, "crates/check/Cargo.toml", renamed), [4]);
    }

    #[test]
    fn the_crates_of_others_are_not_ours_to_order() {
        assert!(found(RECORD, "dependencies", "tokio").is_empty());
    }

    #[test]
    fn a_crate_without_a_row_is_refused() {
        assert_eq!(found("proofmark-new", "dependencies", "tokio"), [1]);
    }

    #[test]
    fn other_workspaces_are_not_read() {
        let text = "[package]\nname = \"bench-tap\"\n[dependencies]\nproofmark-sdk = \"1\"";
        assert!(lines(check, "bench/tap/Cargo.toml", text).is_empty());
    }

    fn found(package: &str, table: &str, dependency: &str) -> Vec<usize> {
        let text =
            format!("[package]\nname = \"{package}\"\n[{table}]\n{dependency}.workspace = true");
        lines(check, "crates/a/Cargo.toml", &text)
    }
}
