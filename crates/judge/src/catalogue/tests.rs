use std::collections::BTreeSet;

use proofmark_converse::{hosted::HostedScenario, scenario::Scenario};
use proofmark_record::{scenario::ScenarioName, side::Side};

use super::*;
use crate::requirement::{Observed, Party, only, since};

#[test]
fn an_id_names_one_requirement() {
    let ids: BTreeSet<_> = all().map(|requirement| requirement.id).collect();
    assert_eq!(ids.len(), all().count());
}

#[test]
fn an_id_begins_with_the_letter_of_the_level_it_was_given_at() {
    for requirement in all() {
        assert!(requirement.id.starts_with(['M', 'S', 'A']), "{}", requirement.id);
        assert!(requirement.id[1..].parse::<u16>().is_ok(), "{}", requirement.id);
    }
}

#[test]
fn whatever_is_observed_has_a_mutant() {
    for requirement in all() {
        for side in Side::ALL {
            let Some(check) = requirement.check(side) else { continue };
            assert!(!check.mutants.is_empty(), "{} cannot be shown to fail", requirement.id);
        }
    }
}

#[test]
fn a_requirement_ends_after_it_begins() {
    for requirement in all() {
        let Span { first, last } = requirement.span;
        assert!(last.is_none_or(|last| first <= last), "{}", requirement.id);
    }
}

#[test]
fn every_text_is_a_sentence() {
    for requirement in all() {
        assert!(
            requirement.text.ends_with('.') || requirement.text.ends_with(')'),
            "{}",
            requirement.id
        );
    }
}

#[test]
fn a_requirement_without_an_end_is_unread_in_what_came_after_the_catalogue() {
    for revision in Revision::ALL.iter().copied() {
        let newer = revision > READ_UNTIL;
        assert_eq!(is_unread(since(Revision::ALL[0]), revision), newer, "{revision}");
        assert!(!is_unread(only(Revision::ALL[0]), revision), "{revision}");
        assert!(!is_unread(since(revision), revision), "{revision}");
    }
    assert_eq!(unread_revisions().next().is_none(), Revision::ALL.last() == Some(&READ_UNTIL));
}

#[test]
fn a_breach_is_seen_in_scenarios_that_exist() {
    let with_authorization_servers = ["documents", "issuer", "tokens"];
    for requirement in all() {
        for check in Side::ALL.iter().filter_map(|side| requirement.check(*side)) {
            for name in check.seen.scenarios {
                let scenario = ScenarioName::new(*name);
                let known = Scenario::named(&scenario).is_some()
                    || HostedScenario::named(&scenario).is_some()
                    || with_authorization_servers.contains(name);
                assert!(known, "{} is seen in {name:?}", requirement.id);
            }
        }
    }
}

#[test]
fn a_judge_is_found_under_the_page_of_its_requirement() {
    for page in PAGES {
        let folder = page.name.replace(['/', '-'], "_");
        for requirement in page.requirements {
            for check in Side::ALL.iter().filter_map(|side| requirement.check(*side)) {
                let file = check.seen.file();
                let place = file.strip_prefix("crates/judge/src/pages/").unwrap_or(&file);
                let name = place.strip_suffix(".rs").unwrap_or(place);
                let page = name.split('/').next().unwrap_or(name);
                let shared = file.starts_with("crates/judge/src/common/");
                assert!(page == folder || shared, "{} is judged in {file}", requirement.id);
            }
        }
    }
}

#[test]
fn what_binds_both_sides_says_how_each_is_looked_at() {
    for requirement in all().filter(|it| it.party == Party::Both) {
        let each = !matches!(requirement.observed, Observed::By(_));
        assert!(each, "{} binds both: say it for each side", requirement.id);
    }
}
