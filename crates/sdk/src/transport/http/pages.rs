//! What a server on a port of its own answers beside MCP.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Body;
use proofmark_core::streamable_http::{Head, admit_host};

use super::{
    HttpBody,
    response::{self, HttpResponse},
    service::Endpoint,
};
use crate::BoxFuture;

/// Nothing by default: such paths are not found.
#[derive(Clone, Default)]
pub(super) struct Pages(Option<Arc<Answering>>);

type Answering = dyn Fn(Request<Bytes>) -> BoxFuture<'static, Response<Bytes>> + Send + Sync;

impl Pages {
    pub(super) fn new(
        answer: impl Fn(Request<Bytes>) -> BoxFuture<'static, Response<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(answer)))
    }

    pub(super) async fn answer<B>(&self, endpoint: &Endpoint, request: Request<B>) -> HttpResponse
    where
        B: Body<Data = Bytes> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let Some(pages) = &self.0 else { return response::empty(StatusCode::NOT_FOUND) };
        if let Err(refused) = endpoint.admit_host(&request) {
            return refused;
        }
        let (parts, body) = request.into_parts();
        let (body, _share) = match endpoint.read(body).await {
            Ok(read) => read,
            Err(refused) => return refused,
        };
        pages(Request::from_parts(parts, body)).await.map(HttpBody::full)
    }
}

impl Endpoint {
    /// Whether a request beside MCP is addressed to this server, by a page that may talk to it.
    #[expect(clippy::result_large_err, reason = "the error is the answer, and is sent at once")]
    pub(super) fn admit_host<B>(&self, request: &Request<B>) -> Result<(), HttpResponse> {
        let head =
            Head { method: request.method(), uri: request.uri(), headers: request.headers() };
        admit_host(&head, &self.policy).map_err(|rejected| response::rejection(&rejected))
    }
}

#[cfg(test)]
mod tests {
    use http::header;
    use http_body_util::{BodyExt, Full};

    use super::super::{HttpSettings, McpService};
    use super::*;
    use crate::server::Server;

    #[tokio::test]
    async fn what_lies_beside_the_endpoint_sees_the_whole_body() {
        let (status, body) = asked("127.0.0.1:1", "hello").await;
        assert_eq!((status, &*body), (StatusCode::OK, "hello".as_bytes()));
    }

    #[tokio::test]
    async fn a_page_that_reaches_the_server_by_a_name_of_its_own_gets_nothing() {
        let (status, body) = asked("evil.example", "hello").await;
        assert_eq!(status, StatusCode::FORBIDDEN);
        assert!(!body.windows(5).any(|part| part == b"hello"));
    }

    #[tokio::test]
    async fn a_body_beyond_the_limit_is_not_passed_on() {
        let (status, _) = asked("127.0.0.1:1", &"a".repeat(1025)).await;
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    }

    async fn asked(host: &str, body: &str) -> (StatusCode, Bytes) {
        let server = Server::builder("test", "1").build().unwrap();
        let mut settings = HttpSettings::default();
        settings.limits.bytes = 1024;
        let service = McpService::new(server, settings);
        let echo = Pages::new(|request| Box::pin(async { Response::new(request.into_body()) }));
        let request = Request::post("/echo")
            .header(header::HOST, host)
            .body(Full::new(Bytes::copy_from_slice(body.as_bytes())))
            .unwrap();
        let answer = echo.answer(&service.endpoint, request).await;
        let status = answer.status();
        (status, answer.into_body().collect().await.unwrap().to_bytes())
    }
}
