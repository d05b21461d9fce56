//! Negotiates each revision of the protocol in memory, and prints what changed from each to the next.
//!
//! What changed comes out of the tables of rules themselves, so a rule that is added there appears here without being named.

#![expect(clippy::print_stdout, reason = "an example is for a person at a terminal")]

mod negotiate;

use proofmark_core::revision::{Era, Revision, Rules};

use self::negotiate::negotiate;

fn main() {
    let legacy: Vec<Revision> = Revision::of(Era::Legacy).collect();
    let servers = [
        ("every revision", Revision::ALL),
        ("legacy ones", &legacy),
        ("the oldest", &Revision::ALL[..1]),
    ];
    println!("A client that wants … agrees, with a server that speaks … on … after … messages:");
    println!();
    for revision in Revision::ALL {
        for (speaks, offered) in servers {
            match negotiate(*revision, offered) {
                Some((server, messages)) => {
                    println!("  {revision}  {speaks:14}  {}  {messages}", server.revision);
                }
                None => println!("  {revision}  {speaks:14}  nothing"),
            }
        }
    }
    println!();
    for pair in Revision::ALL.windows(2) {
        let changes = changes(pair[0].rules(), pair[1].rules());
        let width = changes.iter().map(|change| change.rule.len()).max().unwrap_or_default();
        println!("{} -> {}", pair[0], pair[1]);
        for Change { rule, what } in changes {
            let mut label = rule.as_str();
            for line in what {
                println!("  {label:width$}  {line}");
                label = "";
            }
        }
        println!();
    }
}

/// One rule that two revisions answer differently.
struct Change {
    rule: String,
    /// One line for each thing that came or went, or a single one with both answers.
    what: Vec<String>,
}

fn changes(before: &Rules, after: &Rules) -> Vec<Change> {
    let (before, after) = (answers(before), answers(after));
    let find = |answers: &[(String, String)], rule: &str| {
        answers.iter().find(|(known, _)| known == rule).map(|(_, answer)| answer.clone())
    };
    let gone = before.iter().filter(|(rule, _)| find(&after, rule).is_none());
    let rules = after.iter().chain(gone).map(|(rule, _)| rule);
    rules
        .filter(|rule| !matches!(rule.as_str(), "revision" | "name"))
        .filter_map(|rule| {
            let (old, new) = (find(&before, rule), find(&after, rule));
            (old != new).then(|| Change {
                rule: rule.replace('_', " "),
                what: compare(old.as_deref(), new.as_deref()),
            })
        })
        .collect()
}

/// Every rule as a path through the table, with its answer.
fn answers(rules: &Rules) -> Vec<(String, String)> {
    let mut found = Vec::new();
    flatten("", &format!("{rules:?}"), &mut found);
    found
}

fn flatten(path: &str, answer: &str, found: &mut Vec<(String, String)>) {
    let inside = wrapped("Some(", answer, ")").unwrap_or(answer);
    let Some((_, fields)) =
        inside.split_once(" { ").filter(|(name, _)| TABLES.iter().any(|end| name.ends_with(end)))
    else {
        found.push((path.to_owned(), inside.to_owned()));
        return;
    };
    if !path.is_empty() && inside != answer {
        found.push((path.to_owned(), "Some".to_owned()));
    }
    for field in split(fields.strip_suffix(" }").unwrap_or(fields)) {
        let Some((field, answer)) = field.split_once(": ") else { continue };
        let separator = if path.is_empty() { "" } else { "." };
        flatten(&format!("{path}{separator}{field}"), answer, found);
    }
}

fn compare(old: Option<&str>, new: Option<&str>) -> Vec<String> {
    let (old, new) = match (old, new) {
        (Some("None"), Some("Some")) => return vec!["new".to_owned()],
        (Some("Some"), Some("None")) => return vec!["gone".to_owned()],
        (Some(old), Some(new)) => (old, new),
        // The line above says that the whole table is new or gone; a plain no would only lengthen it.
        (None, Some("false" | "Unstated")) | (_, None) => return Vec::new(),
        (None, Some(new)) => return vec![plain(new)],
    };
    if let (Some(old), Some(new)) = (members(old), members(new)) {
        let came = new.iter().filter(|member| !old.contains(member));
        let went = old.iter().filter(|member| !new.contains(member));
        let lines: Vec<_> = came
            .map(|member| format!("+ {}", plain(member)))
            .chain(went.map(|member| format!("- {}", plain(member))))
            .collect();
        if !lines.is_empty() {
            return lines;
        }
    }
    vec![format!("{} -> {}", plain(old), plain(new))]
}

/// The members of a set or a list.
fn members(answer: &str) -> Option<Vec<&str>> {
    let inside = wrapped("{", answer, "}").or_else(|| wrapped("[", answer, "]"))?;
    Some(split(inside))
}

/// Cuts at the commas that stand outside all brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// An answer in fewer signs.
fn plain(answer: &str) -> String {
    let answer = wrapped("ErrorCode(", answer, ")").unwrap_or(answer);
    if let Some(members) = members(answer) {
        return members.into_iter().map(plain).collect::<Vec<_>>().join(", ");
    }
    match answer {
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        _ => answer.replace('"', ""),
    }
}

fn wrapped<'a>(open: &str, text: &'a str, close: &str) -> Option<&'a str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// How the names of those types end that are tables themselves; any other answer is shown whole.
const TABLES: &[&str] = &["Fields", "Rules", "Statuses"];
