//! Finding the authorization server of an MCP server, one document after the other.
//!
//! The challenge's URL is asked first, otherwise the well-known places: the one with the server's path, then the root. The authorization
//! server's own metadata may lie in three places, asked in the order of the newest revision, which contains that of the older ones. Where
//! a server publishes nothing at all, the oldest revision with authorization has an answer: the authorization server is the MCP server's
//! own origin, with endpoints that need no metadata. That leads nowhere but to the server itself; in the modern era it is not done.

use std::collections::VecDeque;

use http::StatusCode;
use proofmark_core::revision::{
    AuthorizationRules, AuthorizationServerDiscovery, Era, MetadataForm, Revision,
};
use url::Url;

use super::{
    AddressPolicy, AuthorizationServer, Challenge, Fetch, Fetched, OAuthError, Party,
    fetch::REDIRECTS,
    metadata::{Issuer, ResourceMetadata},
};
use crate::auth::Scopes;

/// What discovery is about.
#[derive(Clone, Debug)]
pub(crate) struct DiscoveryInput {
    pub(crate) server: Url,
    pub(crate) policy: AddressPolicy,
    pub(crate) challenge: Challenge,
    /// What the conversation speaks, if that is known already.
    pub(crate) revision: Option<Revision>,
    /// Issuers that the client is known to, which are preferred where the server names several.
    pub(crate) known: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) server: AuthorizationServer,
    /// The server's name for itself, byte for byte, to be named in every request for a token; `None` where the revision has no such thing.
    pub(crate) resource: Option<String>,
    pub(crate) scopes: Option<Scopes>,
    /// The server wants tokens that are bound to a key.
    pub(crate) dpop: bool,
    pub(crate) rules: &'static AuthorizationRules,
}

#[derive(Debug)]
pub(crate) struct Discovery {
    input: DiscoveryInput,
    looking_for: LookingFor,
    /// What is being fetched now, and how often it has been redirected.
    at: Url,
    redirects: usize,
}

#[derive(Debug)]
pub(crate) enum DoneOrFetch<T> {
    Done(T),
    Fetch(Box<Fetch>),
}

#[derive(Debug)]
enum LookingFor {
    Resource {
        /// Places that are still to be asked; empty if the challenge named the only one.
        others: VecDeque<Url>,
        given: Given,
    },
    Server {
        /// `None` for the MCP server's own origin.
        resource: Option<ResourceMetadata>,
        issuer: String,
        others: VecDeque<Url>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    ByChallenge,
    ByGuess,
}

impl Discovery {
    pub(crate) fn start(input: DiscoveryInput) -> Result<(Self, Fetch), OAuthError> {
        let (mut others, given) = match &input.challenge.resource_metadata {
            Some(text) => {
                let blocked = |why| OAuthError::Blocked { url: text.clone(), why };
                (VecDeque::from([input.policy.check(text).map_err(blocked)?]), Given::ByChallenge)
            }
            None => (resource_places(&input.server), Given::ByGuess),
        };
        let at = others.pop_front().expect("there is always the root");
        let fetch = Fetch::get(at.clone());
        let looking_for = LookingFor::Resource { others, given };
        Ok((Self { input, looking_for, at, redirects: 0 }, fetch))
    }

    pub(crate) fn handle(&mut self, fetched: &Fetched) -> Result<DoneOrFetch<Found>, OAuthError> {
        let redirect = fetched
            .redirect(&self.at, &self.input.policy)
            .map_err(|why| OAuthError::Blocked { url: self.at.to_string(), why })?;
        if let Some(target) = redirect {
            if self.redirects == REDIRECTS {
                let why = super::Blocked::Redirects;
                return Err(OAuthError::Blocked { url: target.to_string(), why });
            }
            self.redirects += 1;
            self.at = target.clone();
            return Ok(DoneOrFetch::Fetch(Box::new(self.get(target))));
        }
        match &mut self.looking_for {
            LookingFor::Resource { others, given } => {
                let is_there = fetched.status == StatusCode::OK
                    && (*given == Given::ByChallenge
                        || AuthorizationServer::is_document(&fetched.body));
                if is_there {
                    let metadata =
                        ResourceMetadata::read(&fetched.body, &self.at, &self.input.server)?;
                    return self.found_resource(metadata);
                }
                match (others.pop_front(), *given) {
                    (Some(next), _) => Ok(self.fetch(next)),
                    (None, Given::ByGuess) => self.fall_back(),
                    (None, Given::ByChallenge) => Err(OAuthError::Metadata {
                        party: Party::ResourceServer,
                        url: self.at.to_string(),
                        why: format!("status {}", fetched.status.as_u16()),
                    }),
                }
            }
            LookingFor::Server { resource, issuer, others } => {
                if fetched.status == StatusCode::OK
                    && AuthorizationServer::is_document(&fetched.body)
                {
                    let expected = match resource {
                        Some(_) => Issuer::Named(issuer),
                        None => Issuer::Own(&self.input.server),
                    };
                    let server = AuthorizationServer::read(
                        &fetched.body,
                        &self.at,
                        expected,
                        &self.input.policy,
                    )?;
                    return Ok(DoneOrFetch::Done(self.found(server)));
                }
                match (others.pop_front(), &resource) {
                    (Some(next), _) => Ok(self.fetch(next)),
                    (None, None) => {
                        let server = AuthorizationServer::unpublished(&self.input.server);
                        Ok(DoneOrFetch::Done(self.found(server)))
                    }
                    (None, Some(_)) => Err(OAuthError::NoMetadata(format!(
                        "the authorization server {issuer} publishes none"
                    ))),
                }
            }
        }
    }

    fn found_resource(
        &mut self,
        metadata: ResourceMetadata,
    ) -> Result<DoneOrFetch<Found>, OAuthError> {
        let known = |issuer: &&String| self.input.known.contains(issuer);
        let servers = &metadata.authorization_servers;
        let issuer =
            servers.iter().find(known).or_else(|| servers.first()).cloned().unwrap_or_default();
        let blocked = |why| OAuthError::Blocked { url: issuer.clone(), why };
        let url = self.input.policy.check(&issuer).map_err(blocked)?;
        let mut others = server_places(&url);
        let first = others.pop_front().expect("there is always a first form");
        self.looking_for = LookingFor::Server { resource: Some(metadata), issuer, others };
        Ok(self.fetch(first))
    }

    /// The server says nothing about its tokens: its own origin may be where they come from.
    fn fall_back(&mut self) -> Result<DoneOrFetch<Found>, OAuthError> {
        if self.input.revision.is_some_and(|revision| revision.era() == Era::Modern) {
            let why = format!("{} publishes none", self.input.server);
            return Err(OAuthError::NoMetadata(why));
        }
        let mut first = self.input.server.clone();
        first.set_query(None);
        first.set_path(OAUTH);
        self.looking_for =
            LookingFor::Server { resource: None, issuer: String::new(), others: VecDeque::new() };
        Ok(self.fetch(first))
    }

    fn fetch(&mut self, url: Url) -> DoneOrFetch<Found> {
        self.redirects = 0;
        self.at = url.clone();
        DoneOrFetch::Fetch(Box::new(self.get(url)))
    }

    /// A server that may be its own authorization server is told which revision is spoken, so that it can answer accordingly.
    fn get(&self, url: Url) -> Fetch {
        let fetch = Fetch::get(url);
        match (&self.looking_for, self.input.revision.or_else(|| without_metadata().map(|it| it.0)))
        {
            (LookingFor::Server { resource: None, .. }, Some(revision)) => fetch.speaking(revision),
            _ => fetch,
        }
    }

    fn found(&self, server: AuthorizationServer) -> Found {
        let LookingFor::Server { resource, .. } = &self.looking_for else {
            unreachable!("the server is looked for last")
        };
        let metadata = resource.as_ref();
        Found {
            server,
            resource: metadata.map(|metadata| metadata.resource.clone()),
            scopes: metadata.and_then(ResourceMetadata::scopes),
            dpop: self.input.challenge.dpop || metadata.is_some_and(ResourceMetadata::wants_dpop),
            rules: match metadata {
                Some(_) => rules_of(self.input.revision),
                None => rules_without_metadata(),
            },
        }
    }
}

/// The rules of a revision; while it is not known, those of the newest, which are the strictest.
fn rules_of(revision: Option<Revision>) -> &'static AuthorizationRules {
    let newest = || Revision::ALL.iter().rev().find_map(|it| it.rules().authorization.as_ref());
    let own = revision.and_then(|revision| revision.rules().authorization.as_ref());
    own.or_else(newest).expect("the newest revision has authorization")
}

fn rules_without_metadata() -> &'static AuthorizationRules {
    without_metadata().map_or_else(|| rules_of(None), |(_, rules)| rules)
}

/// The revision in which a server need not publish metadata.
fn without_metadata() -> Option<(Revision, &'static AuthorizationRules)> {
    let mut all =
        Revision::ALL.iter().filter_map(|it| Some((*it, it.rules().authorization.as_ref()?)));
    all.find(|(_, rules)| rules.discovery == AuthorizationServerDiscovery::ServerOrigin)
}

/// The well-known places of a server's metadata: with its path, then at the root.
fn resource_places(server: &Url) -> VecDeque<Url> {
    let at = |path: &str| {
        let mut url = server.clone();
        url.set_query(None);
        url.set_fragment(None);
        url.set_path(&format!("{RESOURCE}{path}"));
        url
    };
    match server.path() {
        "/" => VecDeque::from([at("")]),
        path => VecDeque::from([at(path), at("")]),
    }
}

/// The places of an authorization server's metadata.
fn server_places(issuer: &Url) -> VecDeque<Url> {
    let path = issuer.path().trim_end_matches('/');
    let at = |path: String| {
        let mut url = issuer.clone();
        url.set_query(None);
        url.set_fragment(None);
        url.set_path(&path);
        url
    };
    let mut places = VecDeque::new();
    for form in rules_of(None).metadata {
        let place = match form {
            MetadataForm::DefaultEndpoints => continue,
            MetadataForm::OAuth => format!("{OAUTH}{path}"),
            MetadataForm::OAuthAtRoot => OAUTH.to_owned(),
            MetadataForm::OpenIdInserted => format!("{OPEN_ID}{path}"),
            MetadataForm::OpenIdAppended => format!("{path}{OPEN_ID}"),
        };
        let place = at(place);
        if !places.contains(&place) {
            places.push_back(place);
        }
    }
    places
}

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const OAUTH: &str = "/.well-known/oauth-authorization-server";
const OPEN_ID: &str = "/.well-known/openid-configuration";

#[cfg(test)]
mod tests;
