//! What is asked for.

use serde_json::json;

use super::world::World;
use crate::auth::Scopes;

#[track_caller]
fn asked(world: &mut World) -> Option<String> {
    world.authorize().unwrap();
    world.visited().get("scope").cloned()
}

#[test]
fn the_challenge_decides_before_the_metadata() {
    let mut world = World::default();
    assert_eq!(asked(&mut world), None);
    world.resource_metadata()["scopes_supported"] = json!(["a", "b"]);
    assert_eq!(asked(&mut world).unwrap(), "a b");
    world.challenge.scopes = Some(Scopes::of(["c"]));
    assert_eq!(asked(&mut world).unwrap(), "c");
}

#[test]
fn what_was_asked_for_before_is_asked_for_again() {
    let mut world = World { before: Scopes::of(["a", "b"]), ..World::default() };
    world.challenge.scopes = Some(Scopes::of(["c", "a"]));
    assert_eq!(asked(&mut world).unwrap(), "a b c");
}

#[test]
fn own_wishes_are_added_to_a_challenge_and_replace_the_metadata() {
    let mut world = World::default();
    world.oauth = world.oauth.scopes(Scopes::of(["own"]));
    world.resource_metadata()["scopes_supported"] = json!(["a"]);
    assert_eq!(asked(&mut world).unwrap(), "own");
    world.challenge.scopes = Some(Scopes::of(["c"]));
    assert_eq!(asked(&mut world).unwrap(), "c own");
}

#[test]
fn offline_access_is_between_the_client_and_the_authorization_server() {
    let mut world = World::default();
    world.resource_metadata()["scopes_supported"] = json!(["a", "offline_access"]);
    assert_eq!(asked(&mut world).unwrap(), "a", "the authorization server does not list it");
    world.server_metadata()["scopes_supported"] = json!(["offline_access"]);
    assert_eq!(asked(&mut world).unwrap(), "a offline_access");
    world.oauth = world.oauth.only_online();
    assert_eq!(asked(&mut world).unwrap(), "a");
    let mut world = World::default();
    world.server_metadata()["scopes_supported"] = json!(["offline_access"]);
    assert_eq!(asked(&mut world), None, "alone it would mean that nothing else is wanted");
}
