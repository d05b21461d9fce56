//! The fields of spans and events, as they are documented.

use std::{
    fmt::{Debug, Write as _},
    sync::{Arc, Mutex},
};

use http::Request;
use http_body_util::Empty;
use proofmark_sdk::{
    client::Client,
    server::Server,
    transport::http::{Bearer, HttpApp, HttpSettings},
};
use tower_service::Service;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::set_default,
};

/// Hears everything that is traced.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<String>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _fits = write!(self.0, "{field}={value:?} ");
    }
}

impl Subscriber for Listener {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Fields(&mut self.0.lock().unwrap()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn a_request_is_traced_with_its_tool_its_caller_and_its_outcome() {
    let listener = Listener::default();
    let _guard = set_default(listener.clone());
    let server = Server::builder("s", "1")
        .tool("fails", "", async || Err::<(), _>("a secret reason"))
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    assert!(client.call_tool("fails", ()).await.unwrap().is_error.unwrap());
    let heard = listener.0.lock().unwrap().clone();
    for field in [
        "method=\"tools/call\"",
        "name=\"fails\"",
        "revision=\"2026-07-28\"",
        "principal=",
        "outcome=\"tool error\"",
    ] {
        assert!(heard.contains(field), "{field}: {heard}");
    }
    assert!(!heard.contains("secret"), "{heard}");
}

#[tokio::test]
async fn a_refused_http_request_leaves_a_trace() {
    let listener = Listener::default();
    let _guard = set_default(listener.clone());
    let bearer = Bearer::new(async |_: String| None);
    let settings = HttpSettings { bearer: Some(bearer), ..HttpSettings::default() };
    let server = Server::builder("s", "1").tool("a", "", async || "").build().unwrap();
    let request = Request::post("/mcp")
        .header("host", "127.0.0.1")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Empty::<bytes::Bytes>::new())
        .unwrap();
    let response = HttpApp::new(server, settings).call(request).await.unwrap();
    assert_eq!(response.status(), 401);
    let heard = listener.0.lock().unwrap().clone();
    assert!(heard.contains("method=POST status=401"), "{heard}");
}
