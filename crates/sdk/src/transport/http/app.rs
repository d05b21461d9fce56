//! All of a server over HTTP as one `tower` service, for routers of other crates.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body::Body;
use tower_service::Service;

use super::{HttpBody, HttpSettings, McpService, pages::Pages, response, serve::answer_path};
use crate::server::Server;

/// Everything that a server has over HTTP: the endpoint, the two paths of HTTP+SSE, where tokens come from, and whether it is well. The paths are
/// those of [`HttpSettings`]; others are not found. Cheap to clone.
///
/// A `tower` service with bodies of any kind, so that axum takes it as it is, and with it what the endpoint alone
/// ([`McpService`]) leaves to others: the metadata of the protected resource, which every client may read, and `/sse`.
///
/// With the feature `axum`, `HttpApp::into_router` has a route for each of its paths, to be merged with yours:
///
/// ```
/// # #[cfg(feature = "axum")] {
/// use axum::{Router, routing::get};
/// use proofmark_sdk::{server::Server, transport::http::{HttpApp, HttpSettings}};
///
/// # let server = Server::builder("s", "1").build().unwrap();
/// let mcp = HttpApp::new(server, HttpSettings::default());
/// let app: Router = Router::new().route("/", get(async || "home")).merge(mcp.into_router());
/// # }
/// ```
///
/// Without it, the service is the fallback of a router: `Router::new().fallback_service(mcp)`.
///
/// Where a layer of yours knows who the client is, it puts a [`Caller`](crate::caller::Caller) into the extensions of the request:
///
/// ```
/// use proofmark_sdk::caller::Caller;
///
/// fn known<B>(mut request: http::Request<B>) -> http::Request<B> {
///     request.extensions_mut().insert(Caller::named("ada").with_scopes(["notes:read"]));
///     request
/// }
/// # assert!(known(http::Request::new(())).extensions().get::<Caller>().is_some());
/// ```
#[derive(Clone)]
pub struct HttpApp {
    service: McpService,
    health: Option<String>,
}

impl HttpApp {
    pub fn new(server: Server, settings: HttpSettings) -> Self {
        Self { service: McpService::new(server, settings), health: Some(HEALTH.to_owned()) }
    }

    /// The path that answers 204 as long as requests are answered at all; `None` for none. Without it, `/health`.
    pub fn health(mut self, path: Option<&str>) -> Self {
        self.health = path.map(str::to_owned);
        self
    }

    /// A route for each of the paths, for an application of which the server is a part.
    #[cfg(feature = "axum")]
    pub fn into_router<S: Clone + Send + Sync + 'static>(self) -> axum::Router<S> {
        let settings = &self.service.endpoint.settings;
        let HttpSettings { path, sse_path, message_path, .. } = settings;
        let paths = [path, sse_path, message_path].map(String::clone);
        let published = settings.published_paths();
        let mut all: Vec<String> =
            paths.into_iter().chain(published).chain(self.health.clone()).collect();
        all.sort_unstable();
        all.dedup();
        let router = axum::Router::new();
        all.iter().fold(router, |router, path| router.route_service(path, self.clone()))
    }

    /// The endpoint, for example to shut it down.
    pub fn service(&self) -> &McpService {
        &self.service
    }
}

impl<B> Service<Request<B>> for HttpApp
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = http::Response<HttpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if self.health.as_deref() == Some(request.uri().path()) {
            return Box::pin(std::future::ready(Ok(response::empty(StatusCode::NO_CONTENT))));
        }
        let service = self.service.clone();
        Box::pin(async move { Ok(answer_path(service, &Pages::default(), request).await) })
    }
}

const HEALTH: &str = "/health";

#[cfg(test)]
mod tests;
