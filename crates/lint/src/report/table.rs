//! The rules themselves.

use std::fmt::Write;

use crate::{RULES, Rule};

/// All rules, a line for each.
pub fn overview() -> String {
    let mut text = String::new();
    for rule in RULES.into_iter().flatten() {
        let (severity, class) = (rule.severity.as_str(), rule.class.as_str());
        let _ = writeln!(text, "{}  {severity:7}  {class:12}  {}", rule.id, rule.summary);
    }
    text
}

/// All that there is to say about one.
pub fn page(rule: &Rule) -> String {
    format!(
        "{} {} ({}, {})\n\n{}.\n\nWhy: {}\nFix: {}\n\nFails:   {}\nPasses:  {}\n\nSources:\n  {}\n",
        rule.id,
        rule.name,
        rule.severity.as_str(),
        rule.class.as_str(),
        rule.summary,
        rule.reason,
        rule.fix,
        rule.fails,
        rule.passes,
        rule.sources.join("\n  ")
    )
}

/// The table of a page in Markdown.
pub fn markdown() -> String {
    let mut text =
        "| id | name | severity | class | what | fix |\n|---|---|---|---|---|---|\n".to_owned();
    for rule in RULES.into_iter().flatten() {
        let source = |it: &&str| format!("[source]({it})");
        let sources = rule.sources.iter().map(|it| source(&it)).collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {}; {sources} |",
            rule.id,
            rule.name,
            rule.severity.as_str(),
            rule.class.as_str(),
            rule.summary,
            rule.fix
        );
    }
    text
}
