mod host;
mod listener;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use tokio::sync::Notify;
use url::Url;

use crate::client::{
    Client, ClientBuilder, Error, Lost,
    oauth::{CallbackError, CredentialStore, MemoryStore, OAuth, OAuthError},
};
use host::{Host, Policy};

/// A user who says yes at once, and how often they were asked.
fn agreeable() -> (OAuth, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let visit = move |url: Url| {
        count.fetch_add(1, Ordering::SeqCst);
        async move { Ok(host::back(&url)) }
    };
    (OAuth::callback(Url::parse(host::REDIRECT).unwrap(), visit), asked)
}

fn builder(oauth: OAuth) -> ClientBuilder {
    Client::builder("test", "1").authorization(oauth)
}

#[track_caller]
fn unauthorized(error: &Error) -> String {
    let Error::Lost(lost) = error else { panic!("{error}") };
    let Lost::Unauthorized(why) = &**lost else { panic!("{error}") };
    assert!(why.downcast_ref::<OAuthError>().is_some());
    why.to_string()
}

#[tokio::test]
async fn one_authorization_serves_all_who_wait_for_it() {
    let host = Host::start(Policy { open: &["initialize"], ..Policy::default() }).await;
    let (oauth, asked) = agreeable();
    let client = builder(oauth).connect(&*host.url()).await.unwrap();
    let calls = (0..8).map(|_| async { client.ping().fresh().await });
    for outcome in join_all(calls).await {
        outcome.unwrap();
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert_eq!(host.seen("POST /token"), 1);
    client.close().await;
}

#[tokio::test]
async fn a_token_that_runs_out_is_renewed_and_each_refresh_token_is_used_once() {
    let host = Host::start(Policy { lifetime: 1, ..Policy::default() }).await;
    let (oauth, asked) = agreeable();
    let client = builder(oauth).connect(&*host.url()).await.unwrap();
    for _ in 0..3 {
        client.ping().await.unwrap();
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let used = host.refreshed();
    assert!(used.len() >= 3, "{used:?}");
    let mut unique = used.clone();
    unique.dedup();
    assert_eq!(unique, used);
    client.close().await;
}

#[tokio::test]
async fn a_refused_refresh_token_leads_to_a_person_and_not_in_a_circle() {
    let host = Host::start(Policy { renews: false, ..Policy::default() }).await;
    let (oauth, asked) = agreeable();
    let client = builder(oauth).connect(&*host.url()).await.unwrap();
    host.revoke();
    client.ping().await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!(host.refreshed().len(), 1);
    client.close().await;
}

#[tokio::test]
async fn tokens_are_kept_for_the_next_time() {
    let host = Host::start(Policy::default()).await;
    let store = Arc::new(MemoryStore::default());
    let (oauth, asked) = agreeable();
    let oauth = OAuth { store: store.clone(), ..oauth };
    for _ in 0..2 {
        let client = builder(oauth.clone()).connect(&*host.url()).await.unwrap();
        client.close().await;
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert!(store.grant(&host.url()).await.unwrap().is_some());
    assert!(store.registration(&host.origin()).await.unwrap().is_some());
}

#[tokio::test]
async fn a_server_that_refuses_every_token_is_given_up() {
    let host = Host::start(Policy { accepts: false, ..Policy::default() }).await;
    let (oauth, asked) = agreeable();
    let error = builder(oauth).connect(&*host.url()).await.err().unwrap();
    assert!(unauthorized(&error).contains("refuses a token that was issued for it just now"));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_server_that_always_wants_more_is_given_up() {
    let host = Host::start(Policy { satisfied: false, ..Policy::default() }).await;
    let (oauth, asked) = agreeable();
    let error = builder(oauth).connect(&*host.url()).await.err().unwrap();
    assert!(unauthorized(&error).contains("still wants more scopes"));
    assert!(asked.load(Ordering::SeqCst) <= 3);
}

#[tokio::test]
async fn a_token_is_not_carried_to_another_origin() {
    let elsewhere = Host::start(Policy::default()).await;
    let host = Host::start(Policy { sends_away: Some(elsewhere.url()), ..Policy::default() }).await;
    let (oauth, _) = agreeable();
    let error = builder(oauth).connect(&*host.url()).await.err().unwrap();
    assert!(error.to_string().contains("another origin"), "{error}");
    assert_eq!(elsewhere.requests(), 0);
}

#[tokio::test]
async fn a_person_may_take_longer_than_a_call() {
    let host = Host::start(Policy { open: &["initialize"], ..Policy::default() }).await;
    let visit = |url: Url| async move {
        tokio::time::sleep(Duration::from_secs(4)).await;
        Ok(host::back(&url))
    };
    let oauth = OAuth::callback(Url::parse(host::REDIRECT).unwrap(), visit);
    let patience = Duration::from_secs(3);
    let client = builder(oauth).patience(patience).connect(&*host.url()).await.unwrap();
    client.ping().await.unwrap();
    client.close().await;
}

#[tokio::test]
async fn an_authorization_ends_with_the_client() {
    let host = Host::start(Policy { open: &["initialize"], ..Policy::default() }).await;
    let (asked, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (ask, end) = (asked.clone(), ended.clone());
    let visit = move |_: Url| {
        let guard = OnDrop(end.clone());
        ask.notify_one();
        async move {
            let _guard = guard;
            std::future::pending::<Result<String, CallbackError>>().await
        }
    };
    let oauth = OAuth::callback(Url::parse(host::REDIRECT).unwrap(), visit);
    let client = builder(oauth).connect(&*host.url()).await.unwrap();
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.ping().await });
    asked.notified().await;
    client.close().await;
    assert!(call.await.unwrap().is_err());
    drop(client);
    ended.notified().await;
}

#[tokio::test]
async fn a_closed_client_does_not_ask_for_permission_to_leave() {
    let host = Host::start(Policy::default()).await;
    let (oauth, asked) = agreeable();
    let client = builder(oauth).connect(&*host.url()).await.unwrap();
    host.revoke();
    client.close().await;
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn no_log_line_has_a_token_in_it() {
    // Listeners of other tests that begin or end at the same moment may keep a line from this one.
    let mut heard = String::new();
    for _ in 0..5 {
        heard = renewing().await;
        if heard.contains("a token was renewed") {
            break;
        }
    }
    assert!(heard.contains("a token was renewed"), "{heard}");
    for secret in ["access-", "refresh-1", "refresh-2", "code_verifier"] {
        assert!(!heard.contains(secret), "{secret} in {heard}");
    }
}

/// What is logged while a token is renewed.
async fn renewing() -> String {
    let heard = listener::Listener::default();
    let _listening = tracing::subscriber::set_default(heard.clone());
    let host = Host::start(Policy { lifetime: 1, ..Policy::default() }).await;
    let (oauth, _) = agreeable();
    let client = builder(oauth).connect(&*host.url()).await.unwrap();
    client.ping().await.unwrap();
    host.revoke();
    client.ping().await.unwrap();
    client.close().await;
    heard.heard()
}
