//! For a terminal: rule by rule, with the places of each.

use std::fmt::Write;

use super::{message, place};
use crate::{Class, Finding, Outcome, Severity};

/// `painted` says whether there are colours; at most `most` places of a rule are listed.
pub fn write(target: &str, outcome: &Outcome, paint: Paint, most: usize) -> String {
    let mut text = String::new();
    let security = |finding: &&Finding| finding.rule.class == Class::Security;
    let hidden: Vec<_> = outcome.findings.iter().filter(security).collect();
    let others: Vec<_> = outcome.findings.iter().filter(|it| !security(it)).collect();
    if !hidden.is_empty() {
        text.push_str("Security: text that hides from people, or speaks to the model\n\n");
        groups(&mut text, &hidden, paint, most);
    }
    groups(&mut text, &others, paint, most);
    cost(&mut text, outcome);
    let counts = [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| format!("{} {}s", outcome.count(severity), severity.as_str()));
    let _ = writeln!(text, "{target}: {} in {} entries", counts.join(", "), outcome.subjects);
    text
}

/// Whether words are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Coloured,
}

fn groups(text: &mut String, findings: &[&Finding], paint: Paint, most: usize) {
    let mut rest = findings;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|it| it.rule.id == first.rule.id).count();
        let (group, behind) = rest.split_at(count);
        rest = behind;
        let (rule, severity) = (first.rule, first.severity);
        let head = painted(severity, paint);
        let _ = writeln!(text, "{head} {}  {}", rule.id, rule.summary);
        for finding in group.iter().take(most) {
            let _ = writeln!(text, "    {}: {}", place(finding), message(finding));
        }
        if count > most {
            let _ = writeln!(text, "    … and {} more (--all shows them)", count - most);
        }
        let _ = writeln!(text, "    fix: {}\n    see: {}\n", rule.fix, rule.sources[0]);
    }
}

fn cost(text: &mut String, outcome: &Outcome) {
    let cost = &outcome.cost;
    let _ = writeln!(
        text,
        "About {} tokens in front of every conversation: {} tools {}, instructions {}",
        cost.in_context(),
        cost.tools.len(),
        cost.all_tools(),
        cost.instructions
    );
    if cost.tools.len() > 1 {
        let name = |name: &str| proofmark_record::text::excerpt_of(name.as_bytes(), 40);
        let dearest =
            cost.tools.iter().take(3).map(|(tool, tokens)| format!("{} {tokens}", name(tool)));
        let _ = writeln!(text, "  the dearest: {}", dearest.collect::<Vec<_>>().join(", "));
    }
    text.push('\n');
}

fn painted(severity: Severity, paint: Paint) -> String {
    let (colour, word) = match severity {
        Severity::Error => ("\u{1b}[1;31m", "ERROR"),
        Severity::Warning => ("\u{1b}[1;33m", "WARN "),
        Severity::Note => ("\u{1b}[1;36m", "NOTE "),
    };
    match paint {
        Paint::Plain => word.to_owned(),
        Paint::Coloured => format!("{colour}{word}\u{1b}[0m"),
    }
}
