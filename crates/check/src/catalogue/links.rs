//! Where to read what the specification says.

use proofmark_core::revision::Revision;

use super::Requirement;

impl Requirement {
    /// Addresses of the pages that say it, as they are in this revision, or in the nearest one that has them.
    pub fn links(&self, revision: Revision) -> Vec<String> {
        self.section.split(" ; ").filter_map(|place| link(place.trim(), revision)).collect()
    }

    /// The newest revision in which it is in force.
    pub fn newest(&self) -> Revision {
        self.span
            .last
            .unwrap_or_else(|| Revision::ALL.iter().copied().next_back().unwrap_or(self.span.first))
    }
}

fn link(place: &str, revision: Revision) -> Option<String> {
    let place = in_revision(place, revision);
    if let Some(page) = place.strip_prefix("docs/specification/") {
        return Some(format!("{SITE}/specification/{}", page.replacen(".mdx", "", 1)));
    }
    if let Some(page) = place.strip_prefix("docs/docs/") {
        return Some(format!("{SITE}/docs/{}", page.replacen(".mdx", "", 1)));
    }
    let file = place.split('#').next().unwrap_or(&place);
    (file.starts_with("schema/") || file.starts_with("seps/"))
        .then(|| format!("{REPOSITORY}/{file}"))
}

/// Puts one revision in the place of `{first..last}`.
fn in_revision(place: &str, wanted: Revision) -> String {
    let Some((before, rest)) = place.split_once('{') else { return place.to_owned() };
    let Some((range, after)) = rest.split_once('}') else { return place.to_owned() };
    let (first, last) = range.split_once("..").unwrap_or((range, range));
    let wanted = wanted.as_str();
    // Dates in this form are ordered as texts are.
    let chosen = if wanted < first {
        first
    } else if wanted > last {
        last
    } else {
        wanted
    };
    format!("{before}{chosen}{after}")
}

const SITE: &str = "https://modelcontextprotocol.io";
const REPOSITORY: &str = "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_linked_as_it_is_in_the_revision() {
        let page = "docs/specification/{2024-11-05..2025-06-18}/server/tools.mdx#tool";
        let expected = |date: &str| format!("{SITE}/specification/{date}/server/tools#tool");
        for (wanted, found) in [("2025-03-26", "2025-03-26"), ("2025-11-25", "2025-06-18")] {
            assert_eq!(link(page, wanted.parse().unwrap()), Some(expected(found)));
        }
        let schema = link("schema/{2024-11-05..2026-07-28}/schema.ts#Tool", Revision::ALL[0]);
        assert_eq!(schema, Some(format!("{REPOSITORY}/schema/2024-11-05/schema.ts")));
    }

    #[test]
    fn every_requirement_has_a_page_to_read() {
        for requirement in super::super::all() {
            assert!(!requirement.links(requirement.newest()).is_empty(), "{}", requirement.id);
        }
    }
}
