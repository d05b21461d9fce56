//! Code that CONTRIBUTING.md shows is the code that we have.
//!
//! A block says where it is from in the line that opens it: `rust path=crates/core/src/lib.rs` behind the backticks.

use super::file::File;
use super::{Finding, Located};

pub(super) fn check(files: &[File]) -> Vec<Located> {
    let Some(guide) = files.iter().find(|file| file.path == GUIDE) else { return Vec::new() };
    let mut findings = Vec::new();
    for block in blocks(&guide.text) {
        let reason = match files.iter().find(|file| file.path == block.path) {
            None => format!("there is no file {}", block.path),
            Some(file) if !shows(&file.text, &block.lines) => {
                format!("{} does not say this, word for word", block.path)
            }
            Some(_) => continue,
        };
        findings.push((guide.path.clone(), Finding { line: block.line, reason }));
    }
    findings
}

/// A block of code that says which file it is from.
struct Block<'a> {
    /// Where it begins, counted from one.
    line: usize,
    path: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let Some(words) = line.trim_start().strip_prefix(FENCE) else { continue };
        let inside = lines.by_ref().map(|(line, _)| line);
        let inside: Vec<_> = inside.take_while(|line| line.trim() != FENCE).collect();
        let mut words = words.split_whitespace();
        let path = words.find_map(|word| word.strip_prefix("path="));
        found.extend(path.map(|path| Block { line: number, path, lines: inside }));
    }
    found
}

/// Whether the lines follow each other in the text; how far all of them are indented does not matter.
fn shows(text: &str, lines: &[&str]) -> bool {
    let wanted = outdented(lines);
    let all: Vec<_> = text.lines().collect();
    !wanted.is_empty() && all.windows(wanted.len()).any(|some| outdented(some) == wanted)
}

fn outdented<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let common = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min();
    lines.iter().map(|line| line.get(common.unwrap_or(0)..).unwrap_or_default()).collect()
}

const GUIDE: &str = "CONTRIBUTING.md";
const FENCE: &str = "```";

#[cfg(test)]
mod tests {
    use super::super::complaints;
    use super::*;

    const PATH: &str = "crates/a/src/b.rs";

    #[test]
    fn code_that_the_file_has_is_fine() {
        let guide = "1. So:\n\n   ```rust path=crates/a/src/b.rs\n   fn b() {\n\n       c();\n   }\n   ```\n";
        assert!(found(guide, "mod a {\n    fn b() {\n\n        c();\n    }\n}\n").is_empty());
    }

    #[test]
    fn code_that_the_file_does_not_have_is_refused() {
        let guide = "So:\n```rust path=crates/a/src/b.rs\nfn b() {}\nfn c() {}\n```\n";
        let expected = ["CONTRIBUTING.md:2: crates/a/src/b.rs does not say this, word for word"];
        assert_eq!(found(guide, "fn b() {}\n\nfn c() {}\n"), expected);
        assert_eq!(found(guide, "fn b() {}\n    fn c() {}\n"), expected);
        assert_eq!(found("So:\n```rust path=crates/a/src/b.rs\n```\n", "fn b() {}\n"), expected);
    }

    #[test]
    fn a_file_that_does_not_exist_is_named() {
        let found = found("```rust path=crates/gone.rs\nfn b() {}\n```\n", "fn b() {}\n");
        assert_eq!(found, ["CONTRIBUTING.md:1: there is no file crates/gone.rs"]);
    }

    #[test]
    fn a_block_without_a_path_may_show_anything() {
        let guide = "```rust\nfn c() {}\n```\n```sh\nls\n```\n    indented\n";
        assert!(found(guide, "fn b() {}\n").is_empty());
    }

    fn found(guide: &str, source: &str) -> Vec<String> {
        complaints(check, &[(GUIDE, guide), (PATH, source)])
    }
}
