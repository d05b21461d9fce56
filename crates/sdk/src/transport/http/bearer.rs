//! Tokens that a function of the user's knows, without OAuth.

use std::{fmt, sync::Arc};

use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::response::{self, HttpResponse};
use crate::{BoxFuture, caller::Caller};

/// Knows callers by their bearer tokens. A request without a token, or with one that is not known, is answered with 401.
///
/// ```
/// use proofmark_sdk::{caller::Caller, transport::http::{Bearer, HttpSettings}};
///
/// let bearer = Bearer::new(async |token: String| {
///     (token == "secret").then(|| Caller::named("ada").with_scopes(["notes:read"]))
/// });
/// let settings = HttpSettings { bearer: Some(bearer), ..HttpSettings::default() };
/// # drop(settings);
/// ```
#[derive(Clone)]
pub struct Bearer(Arc<Verify>);

type Verify = dyn Fn(String) -> BoxFuture<'static, Option<Caller>> + Send + Sync;

impl Bearer {
    /// `verify` tells who a token stands for; `None` if it stands for no caller. It should compare secrets in constant time.
    pub fn new<F, Fut>(verify: F) -> Self
    where
        F: FnOnce(String) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Option<Caller>> + Send + 'static,
    {
        Self(Arc::new(move |token| Box::pin(verify.clone()(token))))
    }

    /// Who sends a request.
    #[expect(clippy::result_large_err, reason = "the error is the answer, and is sent at once")]
    pub(super) async fn identify(&self, headers: &HeaderMap) -> Result<Caller, HttpResponse> {
        let Some(token) = token(headers) else { return Err(refused("Bearer")) };
        let caller = self.0(token.to_owned()).await;
        caller.ok_or_else(|| refused("Bearer error=\"invalid_token\""))
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bearer").finish_non_exhaustive()
    }
}

/// The token of a request that has exactly one.
fn token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim_matches(' ');
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn refused(challenge: &'static str) -> HttpResponse {
    let mut response = response::empty(StatusCode::UNAUTHORIZED);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    response
}
