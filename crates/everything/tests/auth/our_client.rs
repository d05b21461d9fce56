//! Our client and our authorization server: it is let in, and goes away from one that breaks a promise.

use bytes::Bytes;
use http_body_util::Empty;
use hyper_util::{client::legacy::Client as HttpClient, rt::TokioExecutor};
use proofmark_everything::auth::{Documents, Iss, Offer, Pkce, Rotation, State, Variant};
use proofmark_sdk::{
    client::{
        Client, Error, Lost,
        oauth::{CallbackError, OAuth, OAuthError, Url},
    },
    core::{
        revision::{Era, Revision},
        session::client::Preference,
    },
};

use super::serving::Place;

/// Whether the client says the right thing.
type Rule = fn(&OAuthError) -> bool;

/// Connects and calls; gives what the client has to say about it.
async fn visit(variant: Variant, era: Era) -> Result<(), Error> {
    let place = Place::start(variant).await;
    let redirect = Url::parse("http://127.0.0.1:9/callback").unwrap();
    let preference = match era {
        Era::Legacy => Preference::Legacy(Revision::newest(Era::Legacy)),
        Era::Modern => Preference::Modern,
    };
    let client = Client::builder("test", "1")
        .preference(preference)
        .authorization(OAuth::callback(redirect, agree))
        .connect(&*format!("{}/mcp", place.origin()))
        .await?;
    client.call_tool("test_simple_text", ()).await?;
    client.close().await;
    Ok(())
}

/// Goes where a person is sent, and says where they are sent back to.
async fn agree(url: Url) -> Result<String, CallbackError> {
    let client = HttpClient::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    let response = client.get(url.as_str().parse()?).await?;
    let location = response.headers().get("location").ok_or("nobody is sent back")?;
    Ok(location.to_str()?.to_owned())
}

#[tokio::test]
async fn it_is_let_in_by_servers_that_differ_as_they_may() {
    let right = Variant::default;
    for variant in [
        right(),
        Variant { documents: Documents::OAuth, ..right() },
        Variant { documents: Documents::OpenId, ..right() },
        Variant { documents: Documents::OpenIdBelow, ..right() },
        Variant { iss: Iss::Absent, ..right() },
        Variant { client_documents: Offer::NotMade, ..right() },
        Variant { rotation: Rotation::Never, ..right() },
        Variant { rotation: Rotation::NoRefresh, ..right() },
    ] {
        for era in [Era::Legacy, Era::Modern] {
            let name = format!("{variant:?} {era:?}");
            visit(variant.clone(), era).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[tokio::test]
async fn it_goes_away_from_servers_that_break_a_promise() {
    let right = Variant::default;
    let other = || "https://evil.example".to_owned();
    let cases: [(Variant, Rule); 10] = [
        (Variant { issuer_in_metadata: Some(other()), ..right() }, |error| {
            matches!(error, OAuthError::IssuerMismatch { .. })
        }),
        (Variant { documents: Documents::None, ..right() }, |error| {
            matches!(error, OAuthError::NoMetadata(_))
        }),
        (Variant { pkce: Pkce::PlainOnly, ..right() }, |error| {
            matches!(error, OAuthError::NoPkce(_))
        }),
        (Variant { pkce: Pkce::Unmentioned, ..right() }, |error| {
            matches!(error, OAuthError::NoPkce(_))
        }),
        (Variant { iss: Iss::Forgotten, ..right() }, |error| {
            matches!(error, OAuthError::IssMissing { .. })
        }),
        (Variant { iss: Iss::Other(other()), ..right() }, |error| {
            matches!(error, OAuthError::IssMismatch { .. })
        }),
        (Variant { state: State::Absent, ..right() }, |error| {
            matches!(error, OAuthError::StateMismatch)
        }),
        (Variant { state: State::Other("x".into()), ..right() }, |error| {
            matches!(error, OAuthError::StateMismatch)
        }),
        (Variant { registration: Offer::NotMade, ..right() }, |error| {
            matches!(error, OAuthError::NotRegistered { .. })
        }),
        (Variant { audience: Some(other()), ..right() }, |error| {
            matches!(error, OAuthError::Refused { .. })
        }),
    ];
    for (variant, is_right) in cases {
        let error = visit(variant.clone(), Era::Modern).await.unwrap_err();
        let Error::Lost(lost) = &error else { panic!("{variant:?}: {error}") };
        let Lost::Unauthorized(why) = &**lost else { panic!("{variant:?}: {error}") };
        let why = why.downcast_ref::<OAuthError>().unwrap();
        assert!(is_right(why), "{variant:?}: {why}");
    }
}
