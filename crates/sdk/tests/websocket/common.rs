//! A server over WebSocket, and a client that can say anything to it.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{SinkExt, StreamExt};
use proofmark_sdk::{
    core::types::{ElicitAction, ElicitFormParams, ElicitParams},
    server::{Context, Error, NoArguments, Server},
    transport::{MessageSettings, serve_messages},
};
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{self, Message, client::IntoClientRequest, http::HeaderValue},
};

use crate::transport::{SUBPROTOCOL, accept};

/// One connection and what serves it.
pub(crate) struct Client {
    pub(crate) socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(crate) serving: JoinHandle<io::Result<()>>,
    /// Handlers of `slow` whose futures are gone.
    pub(crate) stopped: Arc<AtomicUsize>,
}

impl Client {
    pub(crate) async fn connect(settings: MessageSettings) -> Self {
        let header = ("sec-websocket-protocol", HeaderValue::from_static(SUBPROTOCOL));
        Self::try_connect(settings, [header]).await.unwrap()
    }

    pub(crate) async fn try_connect(
        settings: MessageSettings,
        headers: impl IntoIterator<Item = (&'static str, HeaderValue)>,
    ) -> Result<Self, tungstenite::Error> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/", listener.local_addr().unwrap());
        let stopped = Arc::default();
        let server = server(&stopped);
        let serving = tokio::spawn(async move {
            let (stream, _) = listener.accept().await?;
            let (sender, receiver) = accept(stream, &settings.limits).await?;
            serve_messages(&server, sender, receiver, settings).await
        });
        let mut request = url.into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(name, value);
        }
        let (socket, _) = soon(connect_async(request)).await?;
        Ok(Self { socket, serving, stopped })
    }

    /// Connects and shakes hands.
    pub(crate) async fn begin() -> Self {
        Self::begin_with(MessageSettings::default()).await
    }

    pub(crate) async fn begin_with(settings: MessageSettings) -> Self {
        let mut client = Self::connect(settings).await;
        let info = json!({ "name": "test", "version": "1" });
        let answer = client
            .ask(&request(
                "init",
                "initialize",
                json!({ "protocolVersion": LEGACY, "capabilities": { "elicitation": {} }, "clientInfo": info }),
            ))
            .await;
        assert_eq!(answer["result"]["protocolVersion"], LEGACY, "{answer}");
        client.send(&notification("notifications/initialized", json!({}))).await;
        client
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_frame(Message::text(message.to_string())).await;
    }

    pub(crate) async fn send_frame(&mut self, frame: Message) {
        soon(self.socket.send(frame)).await.unwrap();
    }

    /// The next message; `None` when the server closes.
    pub(crate) async fn message(&mut self) -> Option<Value> {
        match soon(self.socket.next()).await?.unwrap() {
            Message::Text(text) => Some(serde_json::from_str(&text).unwrap()),
            Message::Close(_) => None,
            other => panic!("{other:?}"),
        }
    }

    /// The next message, which is the answer to this.
    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        let answer = self.message().await.expect("an answer");
        assert_eq!(answer["id"], message["id"], "{answer}");
        answer
    }

    pub(crate) async fn until_stopped(&self, count: usize) {
        soon(async {
            while self.stopped.load(Ordering::SeqCst) < count {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await;
    }
}

/// - `add` is done at once;
/// - `steps` reports progress, and is not done at once;
/// - `asks` asks the user;
/// - `slow` never ends by itself;
/// - `long` gives a long answer.
fn server(stopped: &Arc<AtomicUsize>) -> Server {
    let stopped = Arc::clone(stopped);
    Server::builder("websocket", "1")
        .tool("add", "", async |_: Context, NoArguments {}| "added")
        .tool("steps", "", async |context: Context, NoArguments {}| {
            for step in 1..=3 {
                tokio::time::sleep(Duration::from_millis(1)).await;
                context.progress(f64::from(step), Some(3.0), None);
            }
            "all steps"
        })
        .tool("asks", "", asks)
        .tool("slow", "", move |_: Context, NoArguments {}| {
            let counted = Counted(Arc::clone(&stopped));
            async move {
                let _counted = counted;
                std::future::pending::<&str>().await
            }
        })
        .tool("long", "", async |_: Context, NoArguments {}| "a".repeat(LONG))
        .build()
        .unwrap()
}

async fn asks(context: Context, _: NoArguments) -> Result<String, Error> {
    let form = ElicitFormParams { message: "well?".into(), ..ElicitFormParams::default() };
    let answer = context.named("well").elicit(ElicitParams::Form(form)).await?;
    Ok(if answer.action == ElicitAction::Accept { "accepted" } else { "not accepted" }.to_owned())
}

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(crate) fn call(id: impl Into<Value>, tool: &str) -> Value {
    let meta = json!({ "progressToken": "p" });
    request(id, "tools/call", json!({ "name": tool, "arguments": {}, "_meta": meta }))
}

/// The text of a tool's answer.
#[track_caller]
pub(crate) fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{message}"))
}

/// Waits for what must happen soon.
#[track_caller]
pub(crate) fn soon<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let caller = std::panic::Location::caller();
    async move {
        let output = tokio::time::timeout(Duration::from_secs(60), future).await;
        output.unwrap_or_else(|_| panic!("waited too long at {caller}"))
    }
}

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const LONG: usize = 100_000;
