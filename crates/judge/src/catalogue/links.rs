//! Where to read what the specification says.

use proofmark_core::revision::Revision;

use super::Requirement;

impl Requirement {
    /// Addresses of the pages that say it in this revision; if there are none, of those that say it in others.
    pub fn links(&self, revision: Revision) -> Vec<String> {
        let places = || self.section.split(" ; ").map(str::trim);
        let link = |place: &str| link(place, revision);
        let here: Vec<_> =
            places().filter(|place| is_of(place, revision)).filter_map(link).collect();
        if here.is_empty() { places().filter_map(link).collect() } else { here }
    }

    /// The newest revision in which it is in force.
    pub fn newest(&self) -> Revision {
        self.span
            .last
            .unwrap_or_else(|| Revision::ALL.iter().copied().next_back().unwrap_or(self.span.first))
    }
}

/// Whether a place exists in this revision, or in no particular one.
fn is_of(place: &str, revision: Revision) -> bool {
    if let Some((range, _)) = place.split_once('{').and_then(|(_, rest)| rest.split_once('}')) {
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        return (first..=last).contains(&revision.as_str());
    }
    let mut dates = place.split('/').filter(|word| word.parse::<Revision>().is_ok());
    dates.all(|date| date == revision.as_str())
}

fn link(place: &str, revision: Revision) -> Option<String> {
    let place = in_revision(place, revision);
    // The site has no endings, and a folder's index is the folder.
    let site = |kind: &str, page: &str| {
        let page = page.replacen(".mdx", "", 1).replacen("/index", "", 1);
        Some(format!("{SITE}/{kind}/{page}"))
    };
    if let Some(page) = place.strip_prefix("docs/specification/") {
        return site("specification", page);
    }
    if let Some(page) = place.strip_prefix("docs/docs/") {
        return site("docs", page);
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
        let index = link("docs/specification/2025-11-25/basic/index.mdx#a", Revision::ALL[0]);
        assert_eq!(index, Some(format!("{SITE}/specification/2025-11-25/basic#a")));
        let schema = link("schema/{2024-11-05..2026-07-28}/schema.ts#Tool", Revision::ALL[0]);
        assert_eq!(schema, Some(format!("{REPOSITORY}/schema/2024-11-05/schema.ts")));
    }

    #[test]
    fn pages_of_other_revisions_are_left_out_where_there_is_one() {
        let places = ["docs/specification/2024-11-05/a.mdx", "docs/{2025-03-26..2025-11-25}/b.mdx"];
        let of = |date: &str| places.map(|place| is_of(place, date.parse().unwrap()));
        assert_eq!(of("2024-11-05"), [true, false]);
        assert_eq!(of("2025-06-18"), [false, true]);
        assert!(is_of("seps/1-a.md", Revision::ALL[0]));
    }

    #[test]
    fn every_requirement_has_a_page_to_read() {
        for requirement in super::super::all() {
            assert!(!requirement.links(requirement.newest()).is_empty(), "{}", requirement.id);
        }
    }
}
