//! Why there is each dependency, and what the core may use.

use super::Finding;
use super::file::File;
use super::manifest::{Dependency, Kind, dependencies};

pub(super) fn check(file: &File) -> Vec<Finding> {
    if file.name() != "Cargo.toml" {
        return Vec::new();
    }
    let is_core = is_manifest_of("proofmark-core", &file.text);
    let mut findings = Vec::new();
    for dependency in dependencies(&file.text) {
        let reasons = [unexplained(&dependency), not_pure(&dependency).filter(|_| is_core)];
        let line = dependency.line;
        findings.extend(reasons.into_iter().flatten().map(|reason| Finding { line, reason }));
    }
    findings
}

/// A dependency that is not ours and not explained in the workspace's table.
fn unexplained(dependency: &Dependency) -> Option<String> {
    if dependency.has_reason || dependency.has_path() || dependency.is_inherited() {
        return None;
    }
    Some(format!("say in a comment on the same line why we need {}", dependency.package()))
}

fn not_pure(dependency: &Dependency) -> Option<String> {
    let package = dependency.package();
    if dependency.kind == Kind::Dev || ALLOWED_IN_CORE.contains(&package) {
        return None;
    }
    Some(format!("{package} is not among the few crates that the core may use"))
}

fn is_manifest_of(package: &str, text: &str) -> bool {
    text.lines().any(|line| line.trim_end() == format!("name = \"{package}\""))
}

/// None of them does I/O, tells the time or rolls dice.
const ALLOWED_IN_CORE: [&str; 10] = [
    "base64",
    "bytes",
    "hmac",
    "http",
    "memchr",
    "serde",
    "serde_json",
    "sha2",
    "thiserror",
    "wide",
];

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_dependency_without_a_reason_is_refused() {
        assert_eq!(found("[workspace.dependencies]\nbytes = \"1\" # frames\nhex = \"1\""), [3]);
        assert_eq!(found("[dependencies]\nhex = { version = \"1\" }"), [2]);
        assert_eq!(found("[dependencies]\n# above is not beside\nhex = \"1\" #"), [3]);
    }

    #[test]
    fn our_own_crates_and_inherited_ones_need_no_reason() {
        assert!(found("[workspace.dependencies]\na = { path = \"crates/a\" }").is_empty());
        assert!(found("[dependencies]\nbytes.workspace = true").is_empty());
        assert!(found("[dependencies]\nbytes = { workspace = true }").is_empty());
    }

    #[test]
    fn the_core_may_not_use_other_crates() {
        let text = "[dependencies]\nserde.workspace = true\ntokio.workspace = true";
        assert_eq!(found(&format!("{CORE}{text}")), [5]);
        let text = "[build-dependencies]\ncc.workspace = true";
        assert_eq!(found(&format!("{CORE}{text}")), [4]);
    }

    #[test]
    fn the_core_may_test_with_anything() {
        let text = "[dependencies]\nmemchr.workspace = true\n[dev-dependencies]\nproptest.workspace = true";
        assert!(found(&format!("{CORE}{text}")).is_empty());
    }

    const CORE: &str = "[package]\nname = \"proofmark-core\"\n";

    fn found(text: &str) -> Vec<usize> {
        lines(check, "crates/a/Cargo.toml", text)
    }
}
