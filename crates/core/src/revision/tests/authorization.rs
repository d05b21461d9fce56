//! Tokens: where they come from and who checks them.

use std::fmt::Debug;

use super::row;
use crate::revision::{
    AuthorizationRules,
    AuthorizationServerDiscovery::{Challenge, ChallengeOrWellKnown, ServerOrigin},
    ClientRegistration::{self, AskUser, Dynamic, MetadataDocument, PreRegistered},
    Level::{May, Must, Should, Unstated},
    MetadataForm::{self, DefaultEndpoints, OAuth, OAuthAtRoot, OpenIdAppended, OpenIdInserted},
    OfflineAccess,
    ServerRole::{Either, ResourceServer},
    TokenRotation::{PublicClients, Recommended},
};

#[test]
fn the_first_revision_has_no_authorization() {
    row(|rules| rules.authorization.is_some(), [false, true, true, true, true]);
}

#[test]
fn servers_became_resource_servers() {
    since(|rules| rules.server_role, [Either, ResourceServer, ResourceServer, ResourceServer]);
    since(|rules| rules.third_party_flow, [true, false, false, false]);
    since(|rules| rules.resource_metadata, [Unstated, Must, Must, Must]);
}

#[test]
fn the_authorization_server_is_found_by_challenge_or_at_a_well_known_place() {
    since(
        |rules| rules.discovery,
        [ServerOrigin, Challenge, ChallengeOrWellKnown, ChallengeOrWellKnown],
    );
    since(|rules| rules.challenge_required, [false, true, false, false]);
}

#[test]
fn metadata_is_asked_for_in_order() {
    let first: &[MetadataForm] = &[OAuthAtRoot, DefaultEndpoints];
    let openid: &[MetadataForm] = &[OAuth, OpenIdInserted, OpenIdAppended];
    since(|rules| rules.metadata, [first, &[OAuth], openid, openid]);
    since(|rules| rules.server_metadata, [Should, Must, Must, Must]);
    since(|rules| rules.issuer_checked, [false, false, false, true]);
}

#[test]
fn clients_register_in_order() {
    let first: &[ClientRegistration] = &[Dynamic, PreRegistered, AskUser];
    let documents: &[ClientRegistration] = &[PreRegistered, MetadataDocument, Dynamic, AskUser];
    since(|rules| rules.registration, [first, first, documents, documents]);
    since(|rules| rules.dynamic_registration, [Should, Should, May, May]);
    since(|rules| rules.dynamic_registration_deprecated, [false, false, false, true]);
    since(|rules| rules.metadata_documents, [Unstated, Unstated, Should, Should]);
    since(|rules| rules.application_type, [false, false, false, true]);
    since(|rules| rules.credentials_by_issuer, [false, false, false, true]);
}

#[test]
fn proof_keys_must_be_announced() {
    since(|rules| rules.pkce_announced, [false, false, true, true]);
}

#[test]
fn tokens_are_for_one_server() {
    since(|rules| rules.resource_indicator, [Unstated, Must, Must, Must]);
    since(|rules| rules.no_passthrough, [false, true, true, true]);
}

#[test]
fn the_issuer_of_a_response_is_checked_in_the_modern_era() {
    since(|rules| rules.iss_checked, [false, false, false, true]);
    since(|rules| rules.iss_sent, [Unstated, Unstated, Unstated, Should]);
}

#[test]
fn scopes_are_challenged_and_stepped_up() {
    since(|rules| rules.scope_in_challenge, [Unstated, Unstated, Should, Should]);
    since(|rules| rules.step_up, [Unstated, Unstated, Should, Should]);
    since(|rules| rules.step_up_keeps_scopes, [false, false, false, true]);
    since(|rules| rules.all_scopes_at_once, [Unstated, Unstated, Unstated, Should]);
}

#[test]
fn refresh_tokens_are_rotated() {
    since(|rules| rules.token_rotation, [Recommended, PublicClients, PublicClients, PublicClients]);
    let open = OfflineAccess::Unstated;
    since(|rules| rules.offline_access, [open, open, open, OfflineAccess::ClientsOnly]);
}

/// Asks every revision that has authorization.
#[track_caller]
fn since<T: PartialEq + Debug>(ask: impl Fn(AuthorizationRules) -> T, expected: [T; 4]) {
    let [second, third, fourth, fifth] = expected.map(Some);
    row(|rules| rules.authorization.map(&ask), [None, second, third, fourth, fifth]);
}
