//! What the server asks the client, by requests in one era and by results in the other.

use proofmark_sdk::core::{
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{Era, RequestMethod},
    types::{ElicitResult, ElicitValue},
};
use serde_json::json;

use crate::peer::{Peer, matrix, speaking, text};

#[tokio::test]
async fn the_model_is_asked_in_every_revision() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let result = client.call_tool("test_sampling", json!({"prompt": "2 + 2"})).await.unwrap();
        assert_eq!(text(&result), "LLM response: Four", "{way:?} {revision:?}");
    }
}

#[tokio::test]
async fn the_roots_are_asked_in_every_revision() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let result = client.call_tool("test_list_roots", ()).await.unwrap();
        assert_eq!(text(&result), "Roots: file:///work", "{way:?} {revision:?}");
    }
}

#[tokio::test]
async fn what_the_user_leaves_as_it_is_gets_its_default() {
    for (way, revision) in matrix() {
        let rules = revision.rules();
        let asked = rules.server_requests.contains(RequestMethod::ElicitationCreate)
            || rules.era == Era::Modern;
        if !asked {
            continue;
        }
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let result = client.call_tool("test_elicitation_sep1034_defaults", ()).await.unwrap();
        let said = text(&result);
        assert!(said.contains("action=accept"), "{way:?} {revision:?}: {said}");
        assert!(said.contains("\"verified\":true"), "{way:?} {revision:?}: {said}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_the_form_is_not_sent() {
    for (way, revision) in matrix() {
        let rules = revision.rules();
        if !rules.server_requests.contains(RequestMethod::ElicitationCreate)
            && rules.era == Era::Legacy
        {
            continue;
        }
        let peer = Peer::start(way).await;
        let builder = speaking(revision).forms(|_| async {
            let wrong = ElicitValue::Boolean(true);
            Ok(ElicitResult::accept([("email".to_owned(), wrong)].into()))
        });
        let client = builder.connect(peer.target()).await.unwrap();
        let outcome = client.call_tool("test_elicitation", json!({"message": "Who?"})).await;
        let told = match &outcome {
            Ok(result) => text(result).to_owned(),
            Err(error) => error.to_string(),
        };
        assert!(told.contains("does not fit the form"), "{way:?} {revision:?}: {told}");
    }
}

#[tokio::test]
async fn a_handler_that_says_no_is_heard() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let builder = speaking(revision).sampling(|_| async {
            Err(ErrorObject::new(ErrorCode::USER_REJECTED, "the user said no"))
        });
        let client = builder.connect(peer.target()).await.unwrap();
        let outcome = client.call_tool("test_sampling", json!({"prompt": "2 + 2"})).await;
        let told = match &outcome {
            Ok(result) => text(result).to_owned(),
            Err(error) => error.to_string(),
        };
        assert!(told.contains("the user said no"), "{way:?} {revision:?}: {told}");
    }
}
