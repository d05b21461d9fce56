//! An authorization from challenge to token, without touching the world.
//!
//! A [`Flow`] says what it wants next ([`Action`]) and is told what came of it ([`Event`]), with the time; random bytes come from outside as
//! well. It decides everything that the specification has rules about, so that every rule, and every attack on one, can be tried without a
//! socket.

use std::sync::Arc;

use url::Url;

use super::{
    Entropy, Fetch, Fetched, Grant, OAuthError, Secret, Settings,
    authorize::{Ask, Pending},
    discovery::{Discovery, DiscoveryInput, DoneOrFetch, Found},
    dpop::{self, DpopKey},
    metadata::Pkce,
    registration::{self, Choice, Identity, Registration, Source},
    settings::GrantType,
    step_up,
    token::{Fields, TokenRequest, Tokens},
};
use crate::auth::Scopes;

/// What a flow wants.
#[derive(Debug)]
#[must_use]
pub(crate) enum Action {
    /// A token that says who asks, for this audience: [`Event::Asserted`].
    Assert { audience: String },
    /// The end.
    Done(Box<Grant>),
    /// [`Event::Fetched`].
    Fetch(Fetch),
    /// Be ready to hear of an authorization response, if possible at this address: [`Event::Listening`].
    Listen { preferred: Option<String> },
    /// What is kept about the client under this issuer: [`Event::Recalled`].
    Recall { issuer: String },
    /// Keep this about the client: [`Event::Remembered`].
    Remember { issuer: String, registration: Registration },
    /// Send the person there, and wait until they come back: [`Event::Answered`].
    Visit { url: Url },
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Event {
    /// The address that the person came back to.
    Answered(String),
    Asserted(Secret),
    Fetched(Fetched),
    /// The address that responses can be sent to.
    Listening(Url),
    Recalled(Option<Registration>),
    Remembered,
}

/// What a flow begins with.
pub(crate) struct FlowInput {
    pub(crate) settings: Arc<Settings>,
    pub(crate) discovery_input: DiscoveryInput,
    /// What was asked for before.
    pub(crate) before: Scopes,
    /// The key of earlier tokens.
    pub(crate) dpop: Option<DpopKey>,
    pub(crate) entropy: Box<dyn Entropy + Send>,
}

pub(crate) struct Flow {
    flow_input: FlowInput,
    step: Step,
}

enum Step {
    Discovering(Discovery),
    Recalling(Plan),
    Listening(Plan, Option<Registration>),
    Registering(Plan, Url),
    Remembering(Plan, Url, Identity),
    Visiting(Plan, Identity, Pending),
    Asserting(Plan, Identity),
    /// At the identity provider.
    Exchanging(Plan, Identity, TokenRequest),
    Redeeming(Plan, TokenRequest),
    Over,
}

/// What is known once the authorization server is found.
struct Plan {
    found: Found,
    scopes: Scopes,
    dpop: Option<DpopKey>,
    memory: Memory,
}

/// Whether what is kept about the client is to be believed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Good,
    /// The authorization server has forgotten the client.
    Bad,
}

impl Flow {
    pub(crate) fn start(flow_input: FlowInput) -> Result<(Self, Action), OAuthError> {
        let (discovery, fetch) = Discovery::start(flow_input.discovery_input.clone())?;
        Ok((Self { flow_input, step: Step::Discovering(discovery) }, Action::Fetch(fetch)))
    }

    /// Tells the flow what came of its last wish. `now` is in seconds since 1970.
    pub(crate) fn handle(&mut self, now: u64, event: Event) -> Result<Action, OAuthError> {
        match (std::mem::replace(&mut self.step, Step::Over), event) {
            (Step::Discovering(mut discovery), Event::Fetched(fetched)) => {
                match discovery.handle(&fetched)? {
                    DoneOrFetch::Done(found) => self.found(found, now),
                    DoneOrFetch::Fetch(fetch) => {
                        self.step = Step::Discovering(discovery);
                        Ok(Action::Fetch(*fetch))
                    }
                }
            }
            (Step::Recalling(plan), Event::Recalled(kept)) => {
                let preferred = kept.as_ref().and_then(|kept| kept.redirect_uri.clone());
                self.step = Step::Listening(plan, kept);
                Ok(Action::Listen { preferred })
            }
            (Step::Listening(plan, kept), Event::Listening(redirect)) => {
                self.listening(plan, kept, redirect, now)
            }
            (Step::Registering(plan, redirect), Event::Fetched(fetched)) => {
                let identity = registration::registered(&fetched, &plan.found.server, &redirect)?;
                let issuer = plan.found.server.issuer.clone();
                let registration = identity.registration.clone();
                self.step = Step::Remembering(plan, redirect, identity);
                Ok(Action::Remember { issuer, registration })
            }
            (Step::Remembering(plan, redirect, identity), Event::Remembered) => {
                self.visit(plan, identity, &redirect)
            }
            (Step::Visiting(plan, identity, pending), Event::Answered(answer)) => {
                let code = pending.finish(&answer)?;
                let fields = Fields::grant("authorization_code")
                    .with("code", code.text.expose())
                    .with("redirect_uri", code.redirect.as_str())
                    .with("code_verifier", code.verifier.expose())
                    .with_some("resource", plan.found.resource.as_deref());
                Ok(self.redeem(plan, identity, fields, now))
            }
            (Step::Asserting(plan, identity), Event::Asserted(assertion)) => {
                Ok(self.asserted(plan, identity, &assertion, now))
            }
            (Step::Exchanging(plan, identity, mut request), Event::Fetched(fetched)) => {
                match request.handle(&fetched, now, &mut *self.flow_input.entropy)? {
                    DoneOrFetch::Done(tokens) => self.exchanged(plan, identity, &tokens, now),
                    DoneOrFetch::Fetch(fetch) => {
                        self.step = Step::Exchanging(plan, identity, request);
                        Ok(Action::Fetch(*fetch))
                    }
                }
            }
            (Step::Redeeming(plan, mut request), Event::Fetched(fetched)) => {
                match request.handle(&fetched, now, &mut *self.flow_input.entropy) {
                    Ok(DoneOrFetch::Done(tokens)) => self.done(plan, &request, &tokens),
                    Ok(DoneOrFetch::Fetch(fetch)) => {
                        self.step = Step::Redeeming(plan, request);
                        Ok(Action::Fetch(*fetch))
                    }
                    Err(error) => self.refused(plan, &request, error),
                }
            }
            (_, event) => unreachable!("a flow is told what it asked for, not {event:?}"),
        }
    }

    fn found(&mut self, found: Found, now: u64) -> Result<Action, OAuthError> {
        let FlowInput { settings, discovery_input, before, dpop, .. } = &self.flow_input;
        let scopes = step_up::select(
            settings,
            &discovery_input.challenge,
            found.scopes.as_ref(),
            before,
            &found.server,
        );
        let offered = found.server.dpop_algorithms.iter().any(|name| name == dpop::ALGORITHM);
        let dpop =
            if found.dpop && offered { dpop.clone().or_else(DpopKey::generate) } else { None };
        let issuer = found.server.issuer.clone();
        let plan = Plan { found, scopes, dpop, memory: Memory::Good };
        match &settings.grant_type {
            GrantType::Code => {
                let announced = match plan.found.server.pkce {
                    Pkce::S256 => true,
                    Pkce::Unstated => !plan.found.rules.pkce_announced,
                    Pkce::Other => false,
                };
                if !announced {
                    return Err(OAuthError::NoPkce(issuer));
                }
                self.step = Step::Recalling(plan);
                Ok(Action::Recall { issuer })
            }
            GrantType::ClientCredentials => {
                let identity = self.known(&plan, now)?;
                let fields = Fields::grant("client_credentials")
                    .with_scopes(&plan.scopes)
                    .with_some("resource", plan.found.resource.as_deref());
                Ok(self.redeem(plan, identity, fields, now))
            }
            GrantType::Assertion | GrantType::Enterprise(_) => {
                let audience = match &settings.grant_type {
                    GrantType::Enterprise(provider) => provider.issuer.clone(),
                    _ => issuer,
                };
                let identity = self.known(&plan, now)?;
                self.step = Step::Asserting(plan, identity);
                Ok(Action::Assert { audience })
            }
        }
    }

    /// The client that needs no registration.
    fn known(&self, plan: &Plan, now: u64) -> Result<Identity, OAuthError> {
        match registration::choose(&self.flow_input.settings, &plan.found.server, None, None, now)?
        {
            Choice::Ready(identity) => Ok(identity),
            Choice::Register(_) => unreachable!("a client without a redirect is not registered"),
        }
    }

    fn listening(
        &mut self,
        plan: Plan,
        kept: Option<Registration>,
        redirect: Url,
        now: u64,
    ) -> Result<Action, OAuthError> {
        let kept = kept.filter(|_| plan.memory == Memory::Good);
        let settings = &self.flow_input.settings;
        match registration::choose(settings, &plan.found.server, kept, Some(&redirect), now)? {
            Choice::Ready(identity) => self.visit(plan, identity, &redirect),
            Choice::Register(fetch) => {
                self.step = Step::Registering(plan, redirect);
                Ok(Action::Fetch(fetch))
            }
        }
    }

    fn visit(
        &mut self,
        plan: Plan,
        identity: Identity,
        redirect: &Url,
    ) -> Result<Action, OAuthError> {
        let server = &plan.found.server;
        let endpoint = server.authorization_endpoint.as_ref().ok_or_else(|| {
            let why = "it has no authorization endpoint".to_owned();
            OAuthError::TokenUnusable { issuer: server.issuer.clone(), why }
        })?;
        let ask = Ask {
            server,
            endpoint,
            client: &identity.registration.client_id,
            redirect,
            scopes: &plan.scopes,
            resource: plan.found.resource.as_deref(),
        };
        let (pending, url) = Pending::begin(&ask, &mut *self.flow_input.entropy);
        self.step = Step::Visiting(plan, identity, pending);
        Ok(Action::Visit { url })
    }

    fn asserted(&mut self, plan: Plan, identity: Identity, assertion: &Secret, now: u64) -> Action {
        let GrantType::Enterprise(provider) = &self.flow_input.settings.grant_type else {
            return self.present(plan, identity, assertion, now);
        };
        let resource = plan
            .found
            .resource
            .as_deref()
            .unwrap_or(self.flow_input.discovery_input.server.as_str());
        let fields = Fields::grant(TOKEN_EXCHANGE)
            .with("requested_token_type", ID_JAG)
            .with("audience", plan.found.server.issuer.as_str())
            .with("resource", resource)
            .with("subject_token", assertion.expose())
            .with("subject_token_type", ID_TOKEN)
            .with_scopes(&plan.scopes);
        let endpoint = provider.token_endpoint.clone();
        let client = provider.identity();
        let request = TokenRequest::new(endpoint, provider.issuer.clone(), client, fields, None);
        let fetch = request.fetch(now, &mut *self.flow_input.entropy);
        self.step = Step::Exchanging(plan, identity, request);
        Action::Fetch(fetch)
    }

    /// The identity provider has answered.
    fn exchanged(
        &mut self,
        plan: Plan,
        identity: Identity,
        tokens: &Tokens,
        now: u64,
    ) -> Result<Action, OAuthError> {
        if tokens.issued.as_deref() != Some(ID_JAG) {
            let why = "it is not the assertion that was asked for".to_owned();
            let GrantType::Enterprise(provider) = &self.flow_input.settings.grant_type else {
                unreachable!("tokens are exchanged with a provider")
            };
            return Err(OAuthError::TokenUnusable { issuer: provider.issuer.clone(), why });
        }
        Ok(self.present(plan, identity, &tokens.access, now))
    }

    /// Shows an assertion to the authorization server.
    fn present(&mut self, plan: Plan, identity: Identity, assertion: &Secret, now: u64) -> Action {
        let fields = Fields::grant(JWT_BEARER)
            .with("assertion", assertion.expose())
            .with_scopes(&plan.scopes)
            .with_some("resource", plan.found.resource.as_deref());
        self.redeem(plan, identity, fields, now)
    }

    fn redeem(&mut self, plan: Plan, client: Identity, fields: Fields, now: u64) -> Action {
        let server = &plan.found.server;
        let request = TokenRequest::new(
            server.token_endpoint.clone(),
            server.issuer.clone(),
            client,
            fields,
            plan.dpop.clone(),
        );
        let fetch = request.fetch(now, &mut *self.flow_input.entropy);
        self.step = Step::Redeeming(plan, request);
        Action::Fetch(fetch)
    }

    /// A client that was registered some time ago may have been forgotten; then it registers again, once.
    fn refused(
        &mut self,
        plan: Plan,
        request: &TokenRequest,
        error: OAuthError,
    ) -> Result<Action, OAuthError> {
        let forgotten =
            matches!(&error, OAuthError::TokenRefused { error, .. } if error == INVALID_CLIENT);
        if !forgotten || request.client.source != Source::Recalled || plan.memory == Memory::Bad {
            return Err(error);
        }
        self.step = Step::Listening(Plan { memory: Memory::Bad, ..plan }, None);
        Ok(Action::Listen { preferred: request.client.registration.redirect_uri.clone() })
    }

    fn done(
        &mut self,
        plan: Plan,
        request: &TokenRequest,
        tokens: &Tokens,
    ) -> Result<Action, OAuthError> {
        let issuer = plan.found.server.issuer;
        let kind = tokens.usable(&issuer, plan.dpop.as_ref())?;
        let lineage = super::assertion::token(&mut *self.flow_input.entropy);
        Ok(Action::Done(Box::new(Grant {
            kind,
            access_token: tokens.access.clone(),
            refresh_token: tokens.refresh.clone(),
            expires_at: tokens.expires_at,
            token_endpoint: plan.found.server.token_endpoint.to_string(),
            client_id: request.client.registration.client_id.clone(),
            authentication: request.client.registration.authentication,
            resource: plan.found.resource,
            scopes: plan.scopes.iter().map(str::to_owned).collect(),
            dpop_key: plan.dpop.map(|key| key.kept().clone()),
            issuer,
            lineage,
        })))
    }
}

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const INVALID_CLIENT: &str = "invalid_client";

#[cfg(test)]
mod tests;
