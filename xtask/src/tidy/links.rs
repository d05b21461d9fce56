//! Links between pages lead somewhere: to a file of the repository, and to a heading that it has.

use std::collections::BTreeSet;

use super::file::File;
use super::{Finding, Located};

pub(super) fn check(files: &[File]) -> Vec<Located> {
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let mut findings = Vec::new();
    for page in files.iter().filter(|file| is_page(&file.path)) {
        for (line, link) in links(&page.text) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let path = if path.is_empty() { page.path.clone() } else { joined(&page.path, path) };
            let folder = format!("{}/", path.trim_end_matches('/'));
            let reason = if let Some(target) = files.iter().find(|file| file.path == path) {
                if heading.is_empty() || !is_page(&path) || has_heading(&target.text, heading) {
                    continue;
                }
                format!("{path} has no heading for #{heading}")
            } else if paths
                .range(folder.as_str()..)
                .next()
                .is_some_and(|it| it.starts_with(&folder))
            {
                continue;
            } else {
                format!("there is no {path}")
            };
            findings.push((page.path.clone(), Finding { line, reason }));
        }
    }
    findings.extend(left_out(files));
    findings
}

/// Pages of the book that its table of contents does not name.
fn left_out(files: &[File]) -> Vec<Located> {
    let Some(summary) = files.iter().find(|file| file.path == SUMMARY) else { return Vec::new() };
    let named: BTreeSet<String> =
        links(&summary.text).into_iter().map(|(_, link)| joined(SUMMARY, link)).collect();
    let pages = files.iter().filter(|file| file.path.starts_with("docs/") && is_page(&file.path));
    let left_out = pages.filter(|file| file.path != SUMMARY && !named.contains(&file.path));
    left_out
        .map(|file| {
            let reason = format!("{SUMMARY} does not name this page");
            (file.path.clone(), Finding { line: 1, reason })
        })
        .collect()
}

const SUMMARY: &str = "docs/SUMMARY.md";

fn is_page(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end == "md")
}

/// The targets within the repository, with their lines, outside of code.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (line, number) in prose(text) {
        let mut code = false;
        let mut rest = line;
        while let Some(at) = rest.find(['`', ']']) {
            let behind = &rest[at + 1..];
            if rest.as_bytes()[at] == b'`' {
                code = !code;
            } else if let Some(link) = behind.strip_prefix('(').filter(|_| !code)
                && let Some((target, _)) = link.split_once(')')
            {
                let target = target.split_whitespace().next().unwrap_or_default();
                let elsewhere = target.contains("://") || target.starts_with("mailto:");
                if !elsewhere && !target.is_empty() {
                    found.push((number, target));
                }
            }
            rest = behind;
        }
    }
    found
}

/// Lines with their numbers, without blocks of code.
fn prose(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut code = false;
    text.lines().zip(1..).filter(move |(line, _)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// A relative link, seen from a page.
fn joined(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn has_heading(text: &str, wanted: &str) -> bool {
    let given = [format!("id=\"{wanted}\""), format!("name=\"{wanted}\"")];
    given.iter().any(|it| text.contains(it))
        || prose(text)
            .filter_map(|(line, _)| line.strip_prefix('#'))
            .any(|heading| slug(heading.trim_start_matches('#')) == wanted)
}

/// What code hosts and mdBook make of a heading.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|it| match it {
        ' ' => Some('-'),
        '-' | '_' => Some(it),
        it if it.is_alphanumeric() => Some(it.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_somewhere_are_fine() {
        let text =
            "[a](../README.md#two-words-m001) [b](other/) [c](#here)\n# Here\n[d](https://a/b)";
        assert_eq!(complaints(text), Vec::<String>::new());
        assert_eq!(complaints("`[a](no.md)`\n```\n[a](no.md)\n```"), Vec::<String>::new());
    }

    #[test]
    fn links_that_lead_nowhere_are_named_with_their_line() {
        assert_eq!(complaints("\n[a](no.md)"), ["docs/page.md:2: there is no docs/no.md"]);
        assert_eq!(
            complaints("[a](../README.md#three)"),
            ["docs/page.md:1: README.md has no heading for #three"]
        );
    }

    #[test]
    fn a_page_that_the_table_of_contents_leaves_out_is_named() {
        let files = [
            File::new("docs/SUMMARY.md", "- [A](a.md)\n".to_owned()),
            File::new("docs/a.md", String::new()),
            File::new("docs/more/b.md", String::new()),
        ];
        let [(path, finding)] = &check(&files)[..] else { panic!() };
        assert_eq!((path.as_str(), finding.line), ("docs/more/b.md", 1));
    }

    fn complaints(text: &str) -> Vec<String> {
        let files = [
            File::new("README.md", "# Title\n## Two words: `M001`\n".to_owned()),
            File::new("docs/other/a.md", String::new()),
            File::new("docs/page.md", text.to_owned()),
        ];
        check(&files).iter().map(|(path, finding)| format!("{path}:{finding}")).collect()
    }
}
