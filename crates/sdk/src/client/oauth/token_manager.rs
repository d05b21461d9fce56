//! Keeps one client's token for one server: gets it, renews it, and remembers what was tried.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use proofmark_core::revision::Revision;
use tokio::net::lookup_host;
use url::{Host, Url};

use super::{
    AddressPolicy, Challenge, Fetch, Fetched, Grant, NotFetched, OAuth, OAuthError, Party, Zone,
    addresses::is_localhost,
    agent::Visit,
    discovery::{DiscoveryInput, DoneOrFetch},
    dpop::DpopKey,
    fetcher::Fetcher,
    flow::{Action, Event, Flow, FlowInput},
    refresh,
    settings::{GrantType, Settings},
    step_up::StepUpHistory,
};
use crate::auth::Scopes;

/// What an authorization changes. It holds no part of one that is under way, so that this ends with the client.
pub(super) struct TokenManager {
    oauth: OAuth,
    settings: Arc<Settings>,
    pub(super) server: Url,
    state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    /// Whether the store was asked.
    loaded: bool,
    pub(super) grant: Option<Arc<Grant>>,
    /// The grant's key, ready for use.
    pub(super) key: Option<DpopKey>,
    /// What the server wants to find in proofs.
    pub(super) nonce: Option<String>,
    pub(super) history: StepUpHistory,
    failure: Option<Arc<OAuthError>>,
}

/// What a client lacks.
pub(super) enum Need {
    Authorization { challenge: Challenge, revision: Option<Revision> },
    Renewal,
}

impl TokenManager {
    pub(super) fn new(oauth: OAuth, server: &str) -> Result<Self, OAuthError> {
        let mut server = Url::parse(server).map_err(|_| {
            OAuthError::Settings(format!("{server:?} is no address that tokens can be for"))
        })?;
        server.set_fragment(None);
        let settings = Arc::new(oauth.settings.clone());
        Ok(Self { oauth, settings, server, state: Mutex::default() })
    }

    pub(super) async fn load(&self) -> Result<(), OAuthError> {
        if self.lock().loaded {
            return Ok(());
        }
        let grant = self.oauth.store.grant(self.server.as_str()).await?;
        let mut state = self.lock();
        if !state.loaded {
            state.loaded = true;
            state.take(grant);
        }
        Ok(())
    }

    pub(super) async fn meet(self: Arc<Self>, need: Need) -> Result<(), Arc<OAuthError>> {
        {
            let state = self.lock();
            if let (Some(failure), false) = (&state.failure, state.history.is_hopeful()) {
                return Err(failure.clone());
            }
        }
        let outcome = match need {
            Need::Authorization { challenge, revision } => {
                self.authorize(challenge, revision).await
            }
            Need::Renewal => self.renew().await,
        };
        outcome.map_err(|error| {
            let error = Arc::new(error);
            // The network may be back the next time; others will not have changed their minds.
            if error.blame() != Party::World {
                let mut state = self.lock();
                state.history.issued();
                state.failure = Some(error.clone());
            }
            error
        })
    }

    async fn authorize(
        &self,
        challenge: Challenge,
        revision: Option<Revision>,
    ) -> Result<(), OAuthError> {
        let policy = self.policy().await;
        let (before, dpop) = {
            let state = self.lock();
            let scopes = state.grant.as_ref().map(|grant| grant.scopes.clone()).unwrap_or_default();
            (Scopes::granted(scopes.iter().map(String::as_str)), state.key.clone())
        };
        let known = self.settings.clients.iter().filter_map(|client| client.issuer.clone());
        let discovery_input = DiscoveryInput {
            server: self.server.clone(),
            policy: policy.clone(),
            challenge,
            revision,
            known: known.collect(),
        };
        let flow_input = FlowInput {
            settings: self.settings.clone(),
            discovery_input,
            before,
            dpop,
            entropy: Box::new(random),
        };
        let fetcher = Fetcher::new(policy);
        let (mut flow, mut action) = Flow::start(flow_input)?;
        let mut visit: Option<Box<dyn Visit>> = None;
        let grant = loop {
            let event = match action {
                Action::Done(grant) => break *grant,
                Action::Fetch(fetch) => Event::Fetched(get(&fetcher, fetch).await?),
                Action::Recall { issuer } => {
                    Event::Recalled(self.oauth.store.registration(&issuer).await?)
                }
                Action::Remember { issuer, registration } => {
                    self.oauth.store.keep_registration(&issuer, Some(registration)).await?;
                    Event::Remembered
                }
                Action::Assert { audience } => {
                    let source = self.oauth.assertions.as_ref();
                    let source = source.ok_or_else(|| lacking("vouches for the client"))?;
                    Event::Asserted(
                        source.assertion(audience).await.map_err(|error| person(&*error))?,
                    )
                }
                Action::Listen { preferred } => {
                    let agent = self.oauth.agent.as_ref();
                    let agent = agent.ok_or_else(|| lacking("can be sent anywhere"))?;
                    let preferred = preferred.and_then(|url| Url::parse(&url).ok());
                    let ready = agent.prepare(preferred).await.map_err(|error| person(&*error))?;
                    let redirect = ready.redirect().clone();
                    visit = Some(ready);
                    Event::Listening(redirect)
                }
                Action::Visit { url } => {
                    let ready = visit.take().ok_or_else(|| lacking("listens"))?;
                    Event::Answered(ready.visit(url).await.map_err(|error| person(&*error))?)
                }
            };
            action = flow.handle(now(), event)?;
        };
        tracing::debug!(issuer = %grant.issuer, "a token was issued");
        self.keep(grant).await
    }

    /// Renews the token, unless someone else who shares the store has done so.
    async fn renew(&self) -> Result<(), OAuthError> {
        let Some(held) = self.lock().grant.clone() else { return Ok(()) };
        let kept = self.oauth.store.grant(self.server.as_str()).await?;
        if let Some(kept) = kept
            .filter(|kept| kept.access_token != held.access_token && !refresh::is_due(kept, now()))
        {
            self.lock().take(Some(kept));
            return Ok(());
        }
        let registration = self.oauth.store.registration(&held.issuer).await?;
        let Some(mut request) = refresh::request(&held, &self.settings, registration) else {
            return self.forget_refresh(&held).await;
        };
        let fetcher = Fetcher::new(self.policy().await);
        let mut fetch = request.fetch(now(), &mut random);
        loop {
            let response = get(&fetcher, fetch).await?;
            match request.handle(&response, now(), &mut random) {
                Ok(DoneOrFetch::Fetch(again)) => fetch = *again,
                Ok(DoneOrFetch::Done(tokens)) => {
                    tracing::debug!(issuer = %held.issuer, "a token was renewed");
                    return self.keep(refresh::renewed(&held, tokens)?).await;
                }
                // A server that refuses a refresh token will not change its mind: the next challenge begins anew.
                Err(error @ OAuthError::TokenRefused { .. }) => {
                    tracing::debug!(%error, "a token could not be renewed");
                    return self.forget_refresh(&held).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn keep(&self, grant: Grant) -> Result<(), OAuthError> {
        self.oauth.store.keep_grant(self.server.as_str(), Some(grant.clone())).await?;
        let mut state = self.lock();
        state.take(Some(grant));
        state.history.issued();
        state.failure = None;
        Ok(())
    }

    async fn forget_refresh(&self, held: &Grant) -> Result<(), OAuthError> {
        let grant = Grant { refresh_token: None, ..held.clone() };
        self.oauth.store.keep_grant(self.server.as_str(), Some(grant.clone())).await?;
        self.lock().take(Some(grant));
        Ok(())
    }

    /// What the server may have this client fetch depends on where the server is.
    async fn policy(&self) -> AddressPolicy {
        let zone = match self.server.host() {
            Some(Host::Ipv4(address)) => Zone::of(address.into()),
            Some(Host::Ipv6(address)) => Zone::of(address.into()),
            Some(Host::Domain(name)) if is_localhost(name) => Zone::Loopback,
            Some(Host::Domain(name)) => match lookup_host((name, 0)).await {
                Ok(addresses) => Zone::closest(addresses.map(|address| address.ip())),
                Err(_) => Zone::Public,
            },
            None => Zone::Public,
        };
        let mut policy = AddressPolicy::new(self.server.clone(), zone);
        if let GrantType::Enterprise(provider) = &self.settings.grant_type {
            policy.choose(provider.token_endpoint.clone());
        }
        policy
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, grant: Option<Grant>) {
        let key = |grant: &Grant| DpopKey::restore(grant.dpop_key.as_ref()?);
        self.key = grant.as_ref().and_then(key);
        self.grant = grant.map(Arc::new);
    }
}

async fn get(fetcher: &Fetcher, fetch: Fetch) -> Result<Fetched, OAuthError> {
    let mut url = fetch.url.clone();
    url.set_query(None);
    tracing::debug!(method = %fetch.method, %url, "fetch");
    fetcher.fetch(fetch).await.map_err(|why| match why {
        NotFetched::Blocked(why) => OAuthError::Blocked { url: url.to_string(), why },
        why => OAuthError::Unreachable { url: url.to_string(), why },
    })
}

fn person(error: &dyn std::error::Error) -> OAuthError {
    OAuthError::Person(error.to_string())
}

fn lacking(does: &str) -> OAuthError {
    OAuthError::Settings(format!("nobody {does}"))
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

pub(super) fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    bytes
}
