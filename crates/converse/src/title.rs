//! What a reader of a report is told that a conversation was about.

use crate::{
    hosted::HostedScenario,
    scenario::{AuthorizationScenario, Scenario},
};
use proofmark_record::scenario::ScenarioName;

/// `None` for a conversation that no scenario of this program held.
pub fn title(name: &ScenarioName) -> Option<&'static str> {
    if *name == ScenarioName::OVERHEARD {
        return Some("between two strangers");
    }
    let with_authorization_server = || AuthorizationScenario::named(name).map(|it| it.title);
    let with_client = || HostedScenario::named(name).map(|it| it.title);
    Scenario::named(name).map(|it| it.title).or_else(with_authorization_server).or_else(with_client)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proofmark_core::revision::{Era, Revision};

    use super::*;

    #[test]
    fn every_scenario_is_found_by_the_name_of_its_conversations() {
        for scenario in Scenario::ALL {
            for version in scenario.versions(Revision::newest(Era::Legacy)) {
                assert_eq!(title(&scenario.label_for(version)), Some(scenario.title));
            }
        }
        for scenario in AuthorizationScenario::ALL {
            assert_eq!(title(&scenario.label()), Some(scenario.title));
        }
        for scenario in HostedScenario::all() {
            assert_eq!(HostedScenario::named(&scenario.label()), Some(scenario));
        }
        assert_eq!(title(&ScenarioName::new("version 1")), None);
        assert_eq!(title(&ScenarioName::new("behave")), None);
    }

    #[test]
    fn no_two_hosted_scenarios_have_one_name() {
        let names: Vec<String> =
            HostedScenario::all().map(|it| it.label().as_str().to_owned()).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
