//! The catalogue as pages to read: one for each page of the specification, and a table of contents.

use std::fmt::Write;

use super::PAGES;
use crate::requirement::{Check, Observed, Page, Requirement, Transports};
use proofmark_record::side::Side;
use proofmark_record::text::markdown;

/// File names with what belongs into them.
pub fn files() -> Vec<(String, String)> {
    let mut files: Vec<_> = PAGES.iter().map(|it| (file(it.name), page(it))).collect();
    files.push(("README.md".to_owned(), contents()));
    files
}

/// How each side that is bound is looked at.
pub fn looks(requirement: &Requirement) -> Vec<(Side, Observed)> {
    let bound = Side::ALL.into_iter().filter(|side| requirement.party.includes(*side));
    bound.map(|side| (side, requirement.observed_of(side))).collect()
}

fn file(page: &str) -> String {
    format!("{}.md", page.replace('/', "-"))
}

fn contents() -> String {
    let mut text = format!("# Requirements\n\n{GENERATED}\n\n{CONTENTS}\n\n");
    text.push_str("| page | requirements | observed |\n|---|---|---|\n");
    for Page { name, requirements, .. } in PAGES {
        let observed = requirements.iter().filter(|it| it.is_observed()).count();
        let _ =
            writeln!(text, "| [{name}]({}) | {} | {observed} |", file(name), requirements.len());
    }
    text
}

fn page(page: &Page) -> String {
    let mut text = format!("# {}\n\n{GENERATED}\n\n{}\n", page.name, page.why);
    for requirement in page.requirements {
        entry(&mut text, requirement);
    }
    text
}

fn entry(text: &mut String, it: &Requirement) {
    let span = match it.span.last {
        Some(last) if last == it.span.first => format!("in {last} only"),
        Some(last) => format!("from {} to {last}", it.span.first),
        None => format!("since {}", it.span.first),
    };
    let transport = match it.transports {
        Transports::Any => String::new(),
        other => format!(", over {}", other.as_str()),
    };
    let _ = writeln!(text, "\n## {}\n\n{}\n", it.id, markdown(it.text));
    let _ =
        writeln!(text, "- **{}** for: {}{transport}, {span}", it.level.as_str(), it.party.as_str());
    for link in it.links(it.newest()) {
        let _ = writeln!(text, "- Page: <{link}>");
    }
    let looks = looks(it);
    for (side, observed) in &looks {
        let of =
            if looks.len() > 1 { format!(" (of {})", side.with_article()) } else { String::new() };
        match observed {
            Observed::By(check) => check_of(text, *side, &of, check),
            Observed::Each { .. } | Observed::NotYet => {
                let _ = writeln!(text, "- Checked{of}: not yet");
            }
            Observed::Unobservable(why) => {
                let _ = writeln!(text, "- Checked{of}: cannot be, because {}", markdown(why));
            }
        }
    }
}

fn check_of(text: &mut String, side: Side, of: &str, check: &Check) {
    let _ = writeln!(text, "- Checked{of}: the checker {}", markdown(check.how));
    let _ = writeln!(text, "- Seen{of} in: {}", check.seen.conversations());
    let _ = writeln!(text, "- Judged{of} in: `{}`", check.seen.file());
    for mutant in check.mutants {
        let whom = side.with_article();
        let _ = writeln!(text, "- A violation{of}: {whom} that {}", markdown(mutant.name));
    }
    let _ = writeln!(text, "- Fix{of}: {}", markdown(check.fix));
}

const GENERATED: &str =
    "<!-- Made by `cargo xtask gen` from the catalogue in `crates/judge`. Do not edit. -->";
const CONTENTS: &str = "What the specification of MCP demands in its five revisions, in our own words, by the page that demands it. Ids are stable
names. `proofmark requirements ID` shows the same in a terminal.";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_requirement_is_on_one_page() {
        let files = files();
        let names: BTreeSet<_> = files.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), files.len());
        for requirement in super::super::all() {
            let heading = format!("\n## {}\n", requirement.id);
            let found = files.iter().filter(|(_, text)| text.contains(&heading)).count();
            assert_eq!(found, 1, "{}", requirement.id);
        }
    }
}
