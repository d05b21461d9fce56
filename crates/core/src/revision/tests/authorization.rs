//! Tokens: where they come from and who checks them.

use std::fmt::Debug;

use super::history;
use crate::revision::{
    AuthorizationRules,
    AuthorizationServerDiscovery::{Challenge, ChallengeOrWellKnown, ServerOrigin},
    Level::{Should, Unstated},
    MetadataForm::{DefaultEndpoints, OAuth, OAuthAtRoot, OpenIdAppended, OpenIdInserted},
    Revision::{self, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28},
};

#[test]
fn the_first_revision_has_no_authorization() {
    history(|rules| rules.authorization.is_some(), false, [(V2025_03_26, true)]);
}

#[test]
fn the_authorization_server_is_found_by_challenge_or_at_a_well_known_place() {
    since_there_is_any(
        |rules| rules.discovery,
        ServerOrigin,
        [(V2025_06_18, Challenge), (V2025_11_25, ChallengeOrWellKnown)],
    );
}

#[test]
fn metadata_is_asked_for_in_order() {
    since_there_is_any(
        |rules| rules.metadata.to_vec(),
        vec![OAuthAtRoot, DefaultEndpoints],
        [(V2025_06_18, vec![OAuth]), (V2025_11_25, vec![OAuth, OpenIdInserted, OpenIdAppended])],
    );
    since_there_is_any(|rules| rules.issuer_checked, false, [(V2026_07_28, true)]);
}

#[test]
fn clients_may_publish_a_document_about_themselves() {
    since_there_is_any(|rules| rules.metadata_documents, Unstated, [(V2025_11_25, Should)]);
}

#[test]
fn registrations_name_their_kind_and_belong_to_an_issuer() {
    since_there_is_any(|rules| rules.application_type, false, [(V2026_07_28, true)]);
    since_there_is_any(|rules| rules.credentials_by_issuer, false, [(V2026_07_28, true)]);
}

#[test]
fn proof_keys_must_be_announced() {
    since_there_is_any(|rules| rules.pkce_announced, false, [(V2025_11_25, true)]);
}

#[test]
fn the_issuer_of_a_response_is_checked_in_the_modern_era() {
    since_there_is_any(|rules| rules.iss_checked, false, [(V2026_07_28, true)]);
}

#[test]
fn scopes_are_stepped_up() {
    since_there_is_any(|rules| rules.step_up, Unstated, [(V2025_11_25, Should)]);
}

/// As [`history`], from the first revision that has authorization.
#[track_caller]
fn since_there_is_any<T: PartialEq + Debug + Clone>(
    ask: impl Fn(AuthorizationRules) -> T,
    first: T,
    changes: impl IntoIterator<Item = (Revision, T)>,
) {
    let later = changes.into_iter().map(|(since, answer)| (since, Some(answer)));
    let answers: Vec<_> = std::iter::once((V2025_03_26, Some(first))).chain(later).collect();
    history(|rules| rules.authorization.map(&ask), None, answers);
}
