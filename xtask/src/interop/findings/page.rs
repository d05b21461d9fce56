//! What was found about one peer, to be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::peers::Peer;
use super::{Judged, read};

pub(super) fn write(peer: &Peer, version: &str, judged: &[Judged], root: &Path) -> String {
    let by = judged.first().and_then(|it| it.report["proofmark"].as_str()).unwrap_or_default();
    let mut text = format!("# {} {version}\n\n{GENERATED}\n\n{} ", peer.title, peer.about);
    let _ = writeln!(text, "Judged by proofmark {by}.\n");
    text.push_str(
        "| transport | revision | score | pass | fail | warn |\n|---|---|---|---|---|---|\n",
    );
    for it in judged {
        let summary = &it.report["summary"];
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            it.transport,
            it.revision,
            it.report["score"],
            summary["pass"],
            summary["fail"],
            summary["warn"]
        );
    }
    for (status, title) in [("fail", "Broken"), ("warn", "Warnings")] {
        let found = gather(judged, status);
        if found.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n## {title}");
        for finding in found.values() {
            entry(&mut text, peer, finding, root);
        }
    }
    text
}

pub(super) fn contents(peers: &[Peer]) -> String {
    let mut text = format!("# Findings\n\n{GENERATED}\n\n{CONTENTS}\n\n");
    for peer in peers {
        let _ = writeln!(text, "- [{}]({}.md): {}", peer.title, peer.file, peer.about);
    }
    text
}

/// The ids of all that was broken.
pub(super) fn broken(judged: &[Judged]) -> BTreeSet<&str> {
    gather(judged, "fail").into_keys().collect()
}

/// One requirement that was broken, wherever that was.
struct Found<'f> {
    requirement: &'f Value,
    /// Revisions by transport.
    places: BTreeMap<&'static str, Vec<&'static str>>,
}

/// In the order of the ids.
fn gather<'f>(judged: &'f [Judged], status: &str) -> BTreeMap<&'f str, Found<'f>> {
    let mut found: BTreeMap<&str, Found<'_>> = BTreeMap::new();
    for it in judged {
        for requirement in it.report["requirements"].as_array().into_iter().flatten() {
            let Some(id) = requirement["id"].as_str() else { continue };
            if requirement["status"] != status {
                continue;
            }
            let new = || Found { requirement, places: BTreeMap::new() };
            let entry = found.entry(id).or_insert_with(new);
            // The newest revision proves it best.
            entry.requirement = requirement;
            entry.places.entry(it.transport).or_default().push(it.revision);
        }
    }
    found
}

fn entry(text: &mut String, peer: &Peer, found: &Found<'_>, root: &Path) {
    let it = found.requirement;
    let word = |member: &Value| clean(member.as_str().unwrap_or_default(), root);
    let finding = &it["finding"];
    let _ = writeln!(text, "\n### {}: {}\n", word(&it["id"]), escape(&word(&it["text"])));
    for (transport, revisions) in &found.places {
        let _ = writeln!(text, "- over {transport} in {}", revisions.join(", "));
    }
    let _ = writeln!(text, "- {} on <{}>", word(&it["level"]), word(&it["links"][0]));
    let _ = writeln!(text, "- expected: {}", escape(&word(&finding["expected"])));
    let actual = cut(&word(&finding["actual"]), SHORT);
    let _ = writeln!(text, "- actual: {}", escape(&actual));
    let _ = writeln!(text, "- fix: {}", escape(&word(&finding["fix"])));
    if let Some(because) = it["id"].as_str().and_then(|id| read::because(peer.file, id)) {
        let _ = writeln!(text, "- why it is real: {}", escape(because));
    }
    text.push_str("\n```text\n");
    for line in finding["proof"].as_array().into_iter().flatten() {
        let _ = writeln!(text, "{}", cut(&word(line), LONGEST));
    }
    text.push_str("```\n");
}

/// Without what is different on every machine and in every run.
fn clean(text: &str, root: &Path) -> String {
    let text = text.replace(&*root.to_string_lossy(), "…");
    let text = without(&text, "127.0.0.1:", |c| c.is_ascii_digit());
    let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let marks = ["mcp-session-id: ", "sessionId=", "session_id="];
    marks.iter().fold(text, |text, mark| without(&text, mark, is_id))
}

/// Puts `…` in the place of what follows each mark.
fn without(text: &str, mark: &str, is_part: impl Fn(char) -> bool + Copy) -> String {
    let mut clean = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(mark) {
        clean.push_str(before);
        clean.push_str(mark);
        clean.push('…');
        rest = after.trim_start_matches(is_part);
    }
    clean + rest
}

/// At most so many characters, and a mark where there were more.
fn cut(text: &str, longest: usize) -> String {
    let cut: String = text.chars().take(longest).collect();
    if cut.len() < text.len() { cut + "…" } else { cut }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_")
}

const LONGEST: usize = 700;
const SHORT: usize = 200;
const GENERATED: &str = "<!-- Made by `cargo xtask findings`. Do not edit. -->";
const CONTENTS: &str = "What the checker found about servers and clients that others wrote: each finding with the bytes that prove it (`→` what the checker
sent, `←` what came), the requirement, and the page that says it. What MUST be and is not is broken; a warning is about what SHOULD
be, or about a MUST that the specification does not say clearly enough to insist on. Every finding was read against the page it names.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_left_out() {
        let text = "POST http://127.0.0.1:4711/mcp (mcp-session-id: a-1; b: c) by /x/y/z";
        let expected = "POST http://127.0.0.1:…/mcp (mcp-session-id: …; b: c) by …/z";
        assert_eq!(clean(text, Path::new("/x/y")), expected);
    }
}
