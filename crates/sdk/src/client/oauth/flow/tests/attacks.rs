//! What others may try, and how far they get.

use serde_json::json;
use url::Url;

use super::world::{AS, Answer, RESOURCE_METADATA, World};
use crate::client::oauth::{Blocked, OAuthError, Party};

/// Fails, and says how many were sent to the authorization server and whether a token was asked for.
#[track_caller]
fn fail(world: &mut World) -> (OAuthError, usize, bool) {
    let error = world.authorize().unwrap_err();
    let asked = world.fetches.iter().any(|fetch| fetch.url.path() == "/token");
    (error, world.visits, asked)
}

#[test]
fn metadata_about_another_resource_is_not_believed() {
    for resource in [
        "https://evil.example/mcp",
        "https://mcp.example/other",
        "https://mcp.example/mc",
        "http://mcp.example/mcp",
        "https://mcp.example:444/mcp",
        "https://mcp.example/mcp#part",
        "nonsense",
    ] {
        let mut world = World::default();
        world.resource_metadata()["resource"] = json!(resource);
        let (error, visits, asked) = fail(&mut world);
        assert!(matches!(error, OAuthError::ResourceMismatch { .. }), "{resource}: {error}");
        assert_eq!(error.blame(), Party::ResourceServer);
        assert_eq!((visits, asked, world.fetches.len()), (0, false, 1));
    }
}

#[test]
fn metadata_about_a_place_that_contains_the_server_is_believed_word_for_word() {
    for resource in ["https://mcp.example", "https://mcp.example/", "https://MCP.example/mcp"] {
        let mut world = World::default();
        world.resource_metadata()["resource"] = json!(resource);
        world.authorize().unwrap();
        assert_eq!(world.visited()["resource"], resource);
        assert_eq!(world.form("/token")["resource"], resource);
    }
}

#[test]
fn metadata_of_another_issuer_is_not_acted_on() {
    for issuer in ["https://evil.example", "https://as.example/", "https://AS.example", ""] {
        let mut world = World::default();
        world.server_metadata()["issuer"] = json!(issuer);
        let (error, visits, asked) = fail(&mut world);
        assert!(matches!(error, OAuthError::IssuerMismatch { .. }), "{issuer}: {error}");
        assert_eq!((visits, asked, world.fetches.len()), (0, false, 2));
    }
}

#[test]
fn without_proof_keys_the_user_is_not_sent_anywhere() {
    for methods in [json!(null), json!([]), json!(["plain"])] {
        let mut world = World::default();
        world.server_metadata()["code_challenge_methods_supported"] = methods.clone();
        let (error, visits, _) = fail(&mut world);
        assert!(matches!(error, OAuthError::NoPkce(_)), "{methods}: {error}");
        assert_eq!(visits, 0);
    }
}

#[test]
fn a_response_of_another_server_brings_no_code() {
    let others: [Answer; 4] = [
        |query| drop(query.insert("iss".into(), "https://evil.example".into())),
        |query| drop(query.insert("iss".into(), "https://as.example/".into())),
        |query| drop(query.insert("iss".into(), "https://AS.example".into())),
        |query| drop(query.insert("iss".into(), String::new())),
    ];
    for answer in others {
        let mut world = World { answer, ..World::default() };
        let (error, _, asked) = fail(&mut world);
        assert!(matches!(error, OAuthError::IssMismatch { .. }), "{error}");
        assert!(!asked);
        // It counts even if it was not promised.
        world.server_metadata()["authorization_response_iss_parameter_supported"] = json!(false);
        let (error, _, asked) = fail(&mut world);
        assert!(matches!(error, OAuthError::IssMismatch { .. }), "{error}");
        assert!(!asked);
    }
}

#[test]
fn an_issuer_that_was_promised_is_missed() {
    let mut world = World { answer: |query| drop(query.remove("iss")), ..World::default() };
    let (error, _, asked) = fail(&mut world);
    assert!(matches!(error, OAuthError::IssMissing { expected } if expected == AS));
    assert!(!asked);
    world.server_metadata()["authorization_response_iss_parameter_supported"] = json!(false);
    assert!(world.authorize().is_ok(), "without a promise it is not");
}

#[test]
fn an_error_of_someone_else_is_not_repeated() {
    let answer: Answer = |query| {
        query.insert("iss".into(), "https://evil.example".into());
        query.insert("error".into(), "call this number".into());
        query.remove("code");
    };
    let mut world = World { answer, ..World::default() };
    let (error, ..) = fail(&mut world);
    assert!(!error.to_string().contains("number"), "{error}");
}

#[test]
fn a_person_who_says_no_is_heard() {
    let answer: Answer = |query| {
        query.insert("error".into(), "access_denied".into());
        query.insert("error_description".into(), "not\ntoday".into());
    };
    let mut world = World { answer, ..World::default() };
    let (error, _, asked) = fail(&mut world);
    let said = "the authorization server refused: access_denied (not today)";
    assert_eq!(error.to_string(), said);
    assert_eq!(error.blame(), Party::Person);
    assert!(!asked);
}

#[test]
fn a_response_to_another_request_is_not_taken() {
    let others: [Answer; 2] = [
        |query| drop(query.insert("state".into(), "guess".into())),
        |query| drop(query.remove("state")),
    ];
    for answer in others {
        let mut world = World { answer, ..World::default() };
        let (error, _, asked) = fail(&mut world);
        assert!(matches!(error, OAuthError::StateMismatch), "{error}");
        assert!(!asked);
    }
}

#[test]
fn a_public_server_cannot_have_its_clients_fetch_from_their_own_network() {
    for inside in [
        "http://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/",
        "https://localhost/",
        "http://mcp.example.com/",
        "file:///etc/passwd",
    ] {
        let mut world = World::default();
        world.challenge.resource_metadata = Some(inside.into());
        let (error, ..) = fail(&mut world);
        assert!(matches!(error, OAuthError::Blocked { .. }), "{inside}: {error}");
        assert!(world.fetches.is_empty(), "{inside}");

        let mut world = World::default();
        world.resource_metadata()["authorization_servers"] = json!([inside]);
        assert!(matches!(fail(&mut world).0, OAuthError::Blocked { .. }), "{inside}");
        assert_eq!(world.fetches.len(), 1, "{inside}");

        for endpoint in ["authorization_endpoint", "token_endpoint", "registration_endpoint"] {
            let mut world = World::default();
            world.server_metadata()[endpoint] = json!(inside);
            let (error, visits, asked) = fail(&mut world);
            assert!(matches!(error, OAuthError::Blocked { .. }), "{endpoint} {inside}: {error}");
            assert_eq!((visits, asked), (0, false), "{endpoint} {inside}");
        }
    }
}

#[test]
fn the_user_is_not_sent_to_a_page_that_is_a_program() {
    let mut world = World::default();
    world.server_metadata()["authorization_endpoint"] = json!("javascript:alert(1)");
    assert!(matches!(fail(&mut world).0, OAuthError::Blocked { .. }));
    assert_eq!(world.visits, 0);
}

#[test]
fn a_redirect_to_another_origin_is_not_followed() {
    for target in ["https://evil.example/", "http://mcp.example/x", "https://127.0.0.1/"] {
        let mut world = World::default();
        world.redirects.insert(RESOURCE_METADATA.into(), Url::parse(target).unwrap());
        let (error, ..) = fail(&mut world);
        assert!(matches!(error, OAuthError::Blocked { .. }), "{target}: {error}");
        assert_eq!(world.fetches.len(), 1, "{target}");
    }
    let mut world = World::default();
    let target = Url::parse("https://evil.example/").unwrap();
    world.redirects.insert(RESOURCE_METADATA.into(), target);
    let OAuthError::Blocked { why, .. } = fail(&mut world).0 else { panic!("followed") };
    assert_eq!(why, Blocked::Redirect);
}

#[test]
fn a_token_endpoint_that_redirects_is_refused() {
    let mut world = World::default();
    world.answers.insert("/token", vec![(307, json!({}))]);
    let (error, ..) = fail(&mut world);
    assert!(matches!(error, OAuthError::TokenRefused { .. }), "{error}");
    assert_eq!(world.fetches.len(), 4);
}

#[test]
fn what_the_token_endpoint_says_is_read_with_care() {
    for (answer, why) in [
        (json!({"access_token": "a\nb: c", "token_type": "bearer"}), "no header can carry"),
        (json!({"access_token": "canary"}), "not a token response"),
        (json!({"access_token": "canary", "token_type": "mac"}), "of the kind \"mac\""),
        (json!({"access_token": "canary", "token_type": "DPoP"}), "of the kind \"DPoP\""),
        (json!("canary"), "not a token response"),
    ] {
        let mut world = World::default();
        world.answers.insert("/token", vec![(200, answer)]);
        let (error, ..) = fail(&mut world);
        let said = error.to_string();
        assert!(said.contains(why), "{said}");
        assert!(!said.contains("canary"), "{said}");
    }
}
