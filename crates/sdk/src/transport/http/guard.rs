//! Which callers are let in, where the server demands a token.

use bytes::Bytes;
use http::{HeaderMap, request::Parts};
use proofmark_core::jsonrpc::Incoming;

use super::{HttpSettings, response::HttpResponse};
use crate::caller::Caller;

impl HttpSettings {
    /// Who sends a request, as a layer around the service says or a token proves; `None` where no proof is demanded.
    pub(super) async fn caller_of(&self, parts: &Parts) -> Result<Option<Caller>, HttpResponse> {
        if let Some(caller) = parts.extensions.get::<Caller>() {
            return Ok(Some(caller.clone()));
        }
        match &self.bearer {
            Some(bearer) => bearer.identify(&parts.headers).await.map(Some),
            None => self.identify(&parts.headers).await,
        }
    }

    pub(super) fn demands_tokens(&self) -> bool {
        self.bearer.is_some() || self.demands_access_tokens()
    }
}

#[cfg(not(feature = "oauth"))]
#[expect(
    clippy::result_large_err,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    clippy::unused_self,
    reason = "without OAuth no client is asked who it is"
)]
impl HttpSettings {
    pub(super) async fn identify(
        &self,
        _headers: &HeaderMap,
    ) -> Result<Option<Caller>, HttpResponse> {
        Ok(None)
    }

    pub(super) fn permit(
        &self,
        _caller: Option<&Caller>,
        _incoming: &Incoming<'_>,
    ) -> Result<(), HttpResponse> {
        Ok(())
    }

    pub(super) fn published(&self, _path: &str) -> Option<Bytes> {
        None
    }

    #[cfg(feature = "axum")]
    pub(super) fn published_paths(&self) -> Vec<String> {
        Vec::new()
    }

    pub(super) fn demands_access_tokens(&self) -> bool {
        false
    }
}

#[cfg(feature = "oauth")]
mod oauth {
    use http::header;
    use proofmark_core::jsonrpc::Message;
    use serde::Deserialize;

    use super::{Bytes, Caller, HeaderMap, HttpResponse, HttpSettings, Incoming};
    use crate::{
        auth::{Challenge, Operation},
        transport::http::response,
    };

    #[expect(clippy::result_large_err, reason = "the error is the answer, and is sent at once")]
    impl HttpSettings {
        /// Finds out who sends a request; `None` where no token is demanded.
        pub(in crate::transport::http) async fn identify(
            &self,
            headers: &HeaderMap,
        ) -> Result<Option<Caller>, HttpResponse> {
            let Some(authorization) = &self.authorization else { return Ok(None) };
            match authorization.check(headers).await {
                Ok(identity) => Ok(Some(identity.into())),
                Err(challenge) => Err(challenged(&challenge)),
            }
        }

        /// Whether the caller's scopes suffice for all that a body asks.
        pub(in crate::transport::http) fn permit(
            &self,
            caller: Option<&Caller>,
            incoming: &Incoming<'_>,
        ) -> Result<(), HttpResponse> {
            let (Some(authorization), Some(caller)) = (&self.authorization, caller) else {
                return Ok(());
            };
            let messages: Vec<&Message<'_>> = match incoming {
                Incoming::Message(message) => vec![message],
                Incoming::Batch(members) => members.iter().flatten().collect(),
            };
            for message in messages {
                let Message::Request(request) = message else { continue };
                let named: Named = request
                    .params
                    .as_ref()
                    .and_then(|params| serde_json::from_str(params.get()).ok())
                    .unwrap_or_default();
                let name = named.name.or(named.uri);
                let operation = Operation { method: &request.method, name: name.as_deref() };
                let permitted = authorization.check_scopes(caller.scopes(), &operation);
                permitted.map_err(|challenge| challenged(&challenge))?;
            }
            Ok(())
        }

        /// What every client may read: where tokens come from.
        pub(in crate::transport::http) fn published(&self, path: &str) -> Option<Bytes> {
            self.authorization.as_ref()?.metadata_response(path)
        }

        /// Where that is.
        #[cfg(feature = "axum")]
        pub(in crate::transport::http) fn published_paths(&self) -> Vec<String> {
            let authorization = self.authorization.as_ref();
            authorization.map_or_else(Vec::new, crate::auth::Authorization::metadata_paths)
        }

        pub(in crate::transport::http) fn demands_access_tokens(&self) -> bool {
            self.authorization.is_some()
        }
    }

    /// What a request is about, as far as it decides about scopes.
    #[derive(Default, Deserialize)]
    struct Named {
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        uri: Option<String>,
    }

    fn challenged(challenge: &Challenge) -> HttpResponse {
        let mut response = response::empty(challenge.status);
        if let Some(value) = &challenge.www_authenticate {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, value.clone());
        }
        response
    }
}
