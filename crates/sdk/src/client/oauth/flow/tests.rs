mod attacks;
mod grants;
mod registering;
mod scoping;
mod world;

use serde_json::json;
use url::Url;

use super::super::{OAuthError, TokenKind};
use world::{AS, SERVER, World};

#[test]
fn a_challenge_leads_to_a_token() {
    let mut world = World::default();
    let grant = world.authorize().unwrap();
    assert_eq!(
        world.fetched(),
        [
            "GET https://mcp.example/.well-known/oauth-protected-resource/mcp",
            "GET https://as.example/.well-known/oauth-authorization-server",
            "POST https://as.example/register",
            "POST https://as.example/token",
        ]
    );
    assert_eq!(grant.access_token.expose(), "access-1");
    assert_eq!(grant.refresh_token.unwrap().expose(), "refresh-1");
    assert_eq!(grant.kind, TokenKind::Bearer);
    assert_eq!(grant.issuer, AS);
    assert_eq!(grant.expires_at, Some(world::NOW + 3600));
}

#[test]
fn the_code_is_asked_for_and_redeemed_with_one_proof_key_and_one_resource() {
    let mut world = World::default();
    world.authorize().unwrap();
    let asked = world.visited();
    let redeemed = world.form("/token");
    assert_eq!(asked["code_challenge_method"], "S256");
    assert_eq!(asked["code_challenge"], world::s256(&redeemed["code_verifier"]));
    assert_eq!(asked["resource"], SERVER);
    assert_eq!(redeemed["resource"], SERVER);
    assert_eq!(redeemed["redirect_uri"], asked["redirect_uri"]);
    assert_eq!(redeemed["code"], "code");
    assert_eq!(redeemed["client_id"], "dynamic");
    assert!(asked["state"].len() >= 32);
}

#[test]
fn two_authorizations_share_neither_state_nor_key() {
    let mut world = World::default();
    world.authorize().unwrap();
    let first = world.visited();
    world.authorize().unwrap();
    let second = world.visited();
    assert_ne!(first["state"], second["state"]);
    assert_ne!(first["code_challenge"], second["code_challenge"]);
}

#[test]
fn the_challenge_says_where_the_metadata_is() {
    let mut world = World::default();
    world.challenge.resource_metadata = Some("https://mcp.example/custom.json".into());
    let metadata = world.documents.remove(world::RESOURCE_METADATA).unwrap();
    world.documents.insert("https://mcp.example/custom.json".into(), metadata);
    world.authorize().unwrap();
    assert_eq!(world.fetched()[0], "GET https://mcp.example/custom.json");
}

#[test]
fn a_legacy_server_without_metadata_is_its_own_authorization_server() {
    let mut world = World::default();
    world.documents.clear();
    let grant = world.authorize().unwrap();
    assert_eq!(
        world.fetched(),
        [
            "GET https://mcp.example/.well-known/oauth-protected-resource/mcp",
            "GET https://mcp.example/.well-known/oauth-protected-resource",
            "GET https://mcp.example/.well-known/oauth-authorization-server",
            "POST https://mcp.example/register",
            "POST https://mcp.example/token",
        ]
    );
    assert!(!world.visited().contains_key("resource"), "that revision has no such parameter");
    assert_eq!(grant.issuer, "https://mcp.example");
}

#[test]
fn a_page_for_everything_is_no_metadata() {
    let mut world = World::default();
    world.documents.clear();
    world.page = Some("<html>welcome</html>");
    let grant = world.authorize().unwrap();
    assert_eq!(grant.issuer, "https://mcp.example");
}

#[test]
fn a_modern_server_without_metadata_is_told_apart_from_one_that_needs_none() {
    use proofmark_core::revision::{Era, Revision};

    let mut world = World::default();
    world.documents.clear();
    world.revision = Some(Revision::newest(Era::Modern));
    assert!(matches!(world.authorize(), Err(OAuthError::NoMetadata(_))));
    assert_eq!(world.visits, 0);
}

#[test]
fn an_authorization_server_that_knows_the_client_is_preferred() {
    let mut world = World::default();
    world.resource_metadata()["authorization_servers"] = json!(["https://other.example", AS]);
    world.known = vec![AS.to_owned()];
    assert_eq!(world.authorize().unwrap().issuer, AS);
}

#[test]
fn nothing_that_a_flow_says_shows_a_secret() {
    let mut world = World::default();
    let grant = world.authorize().unwrap();
    let said = format!("{grant:?} {:?} {:?}", world.actions, world.fetches);
    for secret in ["access-1", "refresh-1", "code_verifier", "the-secret"] {
        assert!(!said.contains(secret), "{secret} in {said}");
    }
    assert!(said.contains("as.example/token"));
}

#[test]
fn redirects_within_an_origin_are_followed_a_few_times() {
    let mut world = World::default();
    let to = |path: &str| Url::parse("https://mcp.example").unwrap().join(path).unwrap();
    world.redirects.insert(world::RESOURCE_METADATA.into(), to("/a"));
    world.redirects.insert("https://mcp.example/a".into(), to("/b"));
    let metadata = world.documents.remove(world::RESOURCE_METADATA).unwrap();
    world.documents.insert("https://mcp.example/b".into(), metadata);
    world.authorize().unwrap();
    world.redirects.insert("https://mcp.example/b".into(), to("/a"));
    assert!(matches!(world.authorize(), Err(OAuthError::Blocked { .. })), "round and round");
}
