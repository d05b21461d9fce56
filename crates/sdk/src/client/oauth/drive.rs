//! Puts tokens on requests, and has one authorization at a time for all who wait for it.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{FutureExt as _, future::Shared};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use proofmark_core::revision::Revision;
use url::Url;

use super::{
    Challenge, Grant, OAuth, OAuthError,
    dpop::{self, Proven},
    refresh,
    token::TokenKind,
    token_manager::{Need, TokenManager, now, random},
};
use crate::{
    BoxFuture,
    client::http::{Attempt, Authorizer, Shown, Step, Unauthorized, Verdict},
};

/// The tokens of one client for one server.
pub(crate) struct Driver {
    token_manager: Arc<TokenManager>,
    running: Mutex<Option<Running>>,
}

/// An authorization or a renewal. It goes on where it was left when the request that waited for it is gone and another comes.
type Running = Shared<BoxFuture<'static, Result<(), Arc<OAuthError>>>>;

impl Driver {
    pub(crate) fn new(oauth: OAuth, server: &str) -> Result<Self, OAuthError> {
        let token_manager = Arc::new(TokenManager::new(oauth, server)?);
        Ok(Self { token_manager, running: Mutex::default() })
    }

    /// Waits for what is under way, or begins it.
    async fn meet(&self, need: Need) -> Result<(), Arc<OAuthError>> {
        let running = {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            match running.clone().filter(|running| running.peek().is_none()) {
                Some(running) => running,
                None => {
                    running.insert(self.token_manager.clone().meet(need).boxed().shared()).clone()
                }
            }
        };
        running.await
    }
}

/// A response that a token might have made a better one.
struct Refusal<'a> {
    status: StatusCode,
    challenge: Challenge,
    nonce: Option<String>,
    shown: Option<&'a Shown>,
}

impl Driver {
    async fn answer(
        &self,
        attempt: &mut Attempt,
        refusal: Refusal<'_>,
        revision: Option<Revision>,
    ) -> Result<Verdict, Arc<OAuthError>> {
        let Refusal { status, challenge, nonce, shown } = refusal;
        let held = self.token_manager.lock().grant.clone();
        let current = held.as_ref().map(|grant| grant.access_token.expose());
        let stale = shown.map(|shown| &*shown.0) != current;
        if stale && attempt.once(Step::Stale) {
            return Ok(Verdict::Again);
        }
        if status == StatusCode::FORBIDDEN {
            let wants_more = challenge.error.as_deref() == Some("insufficient_scope");
            if !wants_more || shown.is_none() {
                return Ok(Verdict::Final);
            }
            self.token_manager.lock().history.step_up(&challenge)?;
        } else {
            let wants_nonce = challenge.error.as_deref() == Some(dpop::USE_NONCE);
            if wants_nonce && nonce.is_some() && attempt.once(Step::Nonce) {
                return Ok(Verdict::Again);
            }
            let renewable = held.is_some_and(|grant| grant.refresh_token.is_some());
            if renewable && attempt.once(Step::Renewal) {
                self.meet(Need::Renewal).await?;
                return Ok(Verdict::Again);
            }
            if !attempt.once(Step::Authorization) {
                return Err(Arc::new(OAuthError::Refused { description: challenge.error }));
            }
        }
        self.meet(Need::Authorization { challenge, revision }).await?;
        Ok(Verdict::Again)
    }
}

impl Authorizer for Driver {
    fn sign<'a>(
        self: Arc<Self>,
        method: &'a Method,
        uri: &'a http::Uri,
        headers: &'a mut HeaderMap,
    ) -> BoxFuture<'a, Result<Option<Shown>, Unauthorized>> {
        Box::pin(async move {
            let refused = |error: OAuthError| -> Unauthorized { Arc::new(error) };
            self.token_manager.load().await.map_err(refused)?;
            let due =
                |grant: &Arc<Grant>| grant.refresh_token.is_some() && refresh::is_due(grant, now());
            let is_due = self.token_manager.lock().grant.as_ref().is_some_and(due);
            if is_due && let Err(error) = self.meet(Need::Renewal).await {
                // The server has the last word on whether the old one is still good.
                tracing::debug!(%error, "a token could not be renewed in time");
            }
            let url = Url::parse(&uri.to_string()).ok();
            let Some(url) = url.filter(|url| url.origin() == self.token_manager.server.origin())
            else {
                return Ok(None);
            };
            let state = self.token_manager.lock();
            let Some(grant) = &state.grant else { return Ok(None) };
            let scheme = match grant.kind {
                TokenKind::Bearer => "Bearer",
                TokenKind::Dpop => "DPoP",
            };
            let token = grant.access_token.expose();
            let Ok(mut value) = HeaderValue::try_from(format!("{scheme} {token}")) else {
                return Ok(None);
            };
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
            headers.remove(dpop::DPOP);
            if let (TokenKind::Dpop, Some(key)) = (grant.kind, &state.key) {
                let request = Proven {
                    method,
                    url: &url,
                    token: Some(&grant.access_token),
                    nonce: state.nonce.as_deref(),
                    now: now(),
                };
                headers.insert(dpop::DPOP, key.proof(&request, &mut random));
            }
            Ok(Some(Shown(token.to_owned())))
        })
    }

    fn judge<'a>(
        self: Arc<Self>,
        attempt: &'a mut Attempt,
        shown: Option<&'a Shown>,
        status: StatusCode,
        headers: &'a HeaderMap,
        revision: Option<Revision>,
    ) -> BoxFuture<'a, Result<Verdict, Unauthorized>> {
        Box::pin(async move {
            let nonce = dpop::nonce(headers);
            if nonce.is_some() {
                self.token_manager.lock().nonce.clone_from(&nonce);
            }
            if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
                if shown.is_some() {
                    self.token_manager.lock().history.accepted();
                }
                return Ok(Verdict::Final);
            }
            let refusal = Refusal { status, challenge: Challenge::read(headers), nonce, shown };
            self.answer(attempt, refusal, revision).await.map_err(|error| error as Unauthorized)
        })
    }

    fn context(&self) -> String {
        self.token_manager
            .lock()
            .grant
            .as_ref()
            .map(|grant| grant.lineage.clone())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
