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
