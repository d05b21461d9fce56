//! A client that writes its own HTTP, so that it can also write what is none.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{initialize, notification, soon};

/// A connection that sends any bytes.
pub(crate) struct Connection {
    stream: TcpStream,
    unread: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// One block of an event stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) data: Option<String>,
    pub(crate) retry: Option<String>,
    pub(crate) is_comment: bool,
}

/// An event stream that is being read.
pub(crate) struct Events {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    connection: Connection,
    text: Vec<u8>,
    /// The id of the last event that had one.
    pub(crate) last_id: Option<String>,
}

/// Who talks to one server, in at most one session.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) session: Option<String>,
    /// For `mcp-protocol-version`.
    pub(crate) version: Option<String>,
    /// For `authorization`, with its scheme.
    pub(crate) authorization: Option<String>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        let stream = soon(TcpStream::connect(address)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, unread: Vec::new() }
    }

    /// `false` if the server does not listen any more.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> bool {
        soon(self.stream.write_all(bytes)).await.is_ok()
    }

    /// Nothing more is sent.
    pub(crate) async fn finish_sending(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// `false` at the end.
    async fn read_more(&mut self) -> bool {
        let mut chunk = vec![0; 16 * 1024];
        match soon(self.stream.read(&mut chunk)).await {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.unread.extend_from_slice(&chunk[..count]);
                true
            }
        }
    }

    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\r\n") {
                let line: Vec<u8> = self.unread.drain(..end + 2).take(end).collect();
                return Some(String::from_utf8_lossy(&line).into_owned());
            }
            if !self.read_more().await {
                return None;
            }
        }
    }

    async fn exactly(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.unread.len() < count {
            if !self.read_more().await {
                return None;
            }
        }
        Some(self.unread.drain(..count).collect())
    }

    /// The next piece of a chunked body; `None` at its end, and if it breaks off.
    async fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = usize::from_str_radix(self.line().await?.trim(), 16).ok()?;
        let chunk = self.exactly(size).await?;
        self.line().await?;
        (size > 0).then_some(chunk)
    }

    /// The status and the headers; `None` if the server hung up instead.
    async fn head(&mut self) -> Option<(u16, Vec<(String, String)>)> {
        let status = self.line().await?.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let line = self.line().await?;
            let Some((name, value)) = line.split_once(':') else { return Some((status, headers)) };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// The whole next response; `None` if the server hung up instead.
    pub(crate) async fn response(&mut self) -> Option<Response> {
        let (status, headers) = self.head().await?;
        let mut response = Response { status, headers, body: Vec::new() };
        if response.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk().await {
                response.body.extend(chunk);
            }
        } else if let Some(length) = response.header("content-length") {
            response.body = self.exactly(length.parse().unwrap()).await?;
        }
        Some(response)
    }

    pub(crate) async fn events(mut self) -> Events {
        let (status, headers) = self.head().await.expect("a response");
        Events { status, headers, connection: self, text: Vec::new(), last_id: None }
    }

    /// Reads this many bytes, or all there are if there are fewer.
    pub(crate) async fn skip(&mut self, count: usize) {
        let _ = self.exactly(count).await;
    }

    /// Whether the server hangs up, and says nothing before.
    pub(crate) async fn is_closed(&mut self) -> bool {
        self.unread.is_empty() && !self.read_more().await
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Event {
    fn parse(block: &str) -> Self {
        let mut event = Self::default();
        for line in block.lines() {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
            match field {
                "" => event.is_comment = true,
                "id" => event.id = Some(value),
                "event" => event.name = Some(value),
                "data" => event.data = Some(value),
                "retry" => event.retry = Some(value),
                other => panic!("unknown field {other:?} in {block:?}"),
            }
        }
        event
    }

    /// The message; `None` if the event has none.
    pub(crate) fn message(&self) -> Option<Value> {
        let data = self.data.as_deref().filter(|data| !data.is_empty())?;
        Some(serde_json::from_str(data).unwrap())
    }
}

impl Events {
    /// The next block; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.text.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.text.drain(..end + 2).collect();
                let event = Event::parse(std::str::from_utf8(&block).unwrap());
                if let Some(id) = &event.id {
                    self.last_id = Some(id.clone());
                }
                return Some(event);
            }
            let chunk = self.connection.chunk().await?;
            self.text.extend(chunk);
        }
    }

    /// The next message, past everything that is none; `None` at the end of the stream.
    pub(crate) async fn message(&mut self) -> Option<Value> {
        loop {
            if let Some(message) = self.next().await?.message() {
                return Some(message);
            }
        }
    }

    /// All messages up to the end of the stream.
    pub(crate) async fn messages(&mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some(message) = self.message().await {
            all.push(message);
        }
        all
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, session: None, version: None, authorization: None }
    }

    /// A client in a session of this revision.
    pub(crate) async fn begin(&self, version: &str) -> Self {
        self.begin_with(&initialize(version)).await
    }

    /// A client in the session that this request begins.
    pub(crate) async fn begin_with(&self, initialize: &Value) -> Self {
        let response = self.post(initialize).await;
        assert_eq!(response.status, 200, "{response:?}");
        let agreed = response.json()["result"]["protocolVersion"].as_str().unwrap().to_owned();
        let session = response.header("mcp-session-id").expect("a session").to_owned();
        let client = Self { session: Some(session), version: Some(agreed), ..self.clone() };
        let initialized = notification("notifications/initialized", json!({}));
        let response = client.post(&initialized).await;
        assert_eq!((response.status, response.body.len()), (202, 0));
        client
    }

    /// The head of a request to `/mcp`, without its end.
    pub(crate) fn head(&self, method: &str) -> String {
        let mut head = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\n",
            self.address
        );
        for (name, value) in [
            ("Mcp-Session-Id", &self.session),
            ("Mcp-Protocol-Version", &self.version),
            ("Authorization", &self.authorization),
        ] {
            if let Some(value) = value {
                head.push_str(&[name, ": ", value, "\r\n"].concat());
            }
        }
        head
    }

    /// The bytes of a POST of these bytes.
    pub(crate) fn post_bytes(&self, extra: &str, body: &[u8]) -> Vec<u8> {
        let head = self.head("POST");
        let length = body.len();
        let mut bytes = format!(
            "{head}Content-Type: application/json\r\nContent-Length: {length}\r\n{extra}\r\n"
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }

    pub(crate) async fn raw(&self, bytes: &[u8]) -> Connection {
        let mut connection = Connection::open(self.address).await;
        connection.send(bytes).await;
        connection
    }

    /// What these bytes are answered with.
    pub(crate) async fn answer(&self, bytes: &[u8]) -> Response {
        self.raw(bytes).await.response().await.expect("a response")
    }

    pub(crate) async fn post(&self, message: &Value) -> Response {
        self.post_text(message.to_string().as_bytes()).await
    }

    pub(crate) async fn post_text(&self, body: &[u8]) -> Response {
        self.answer(&self.post_bytes("", body)).await
    }

    /// Posts a request of the modern era with the headers that it needs.
    pub(crate) fn modern_bytes(&self, message: &Value) -> Vec<u8> {
        let method = message["method"].as_str().unwrap();
        let mut extra =
            format!("Mcp-Method: {method}\r\nMcp-Protocol-Version: {}\r\n", super::MODERN);
        let params = &message["params"];
        let subject = params["name"].as_str();
        let subject =
            subject.or_else(|| params["uri"].as_str().filter(|_| method == "resources/read"));
        let subject = subject.or_else(|| params["taskId"].as_str());
        if let Some(name) = subject {
            extra.push_str(&["Mcp-Name: ", name, "\r\n"].concat());
        }
        self.post_bytes(&extra, message.to_string().as_bytes())
    }

    /// What a request of the modern era is answered with.
    pub(crate) async fn ask(&self, message: &Value) -> Response {
        self.answer(&self.modern_bytes(message)).await
    }

    /// A request of the modern era that is answered with an event stream.
    pub(crate) async fn ask_stream(&self, message: &Value) -> Events {
        self.raw(&self.modern_bytes(message)).await.events().await
    }

    /// Posts what is answered with an event stream.
    pub(crate) async fn stream(&self, message: &Value) -> Events {
        let bytes = self.post_bytes("", message.to_string().as_bytes());
        self.raw(&bytes).await.events().await
    }

    /// Opens the standalone stream, or resumes a stream.
    pub(crate) async fn listen(&self, last_event_id: Option<&str>) -> Events {
        let mut head = self.head("GET");
        if let Some(id) = last_event_id {
            head.push_str(&["Last-Event-ID: ", id, "\r\n"].concat());
        }
        self.raw(format!("{head}\r\n").as_bytes()).await.events().await
    }

    pub(crate) async fn bodiless(&self, method: &str, extra: &str) -> Response {
        self.answer(format!("{}{extra}\r\n", self.head(method)).as_bytes()).await
    }

    /// Opens an HTTP+SSE session and gives the address to post to.
    pub(crate) async fn open_sse(&self) -> (Events, String) {
        let request = format!("GET /sse HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        let mut events = self.raw(request.as_bytes()).await.events().await;
        assert_eq!(events.status, 200);
        let first = events.next().await.unwrap();
        assert_eq!(first.name.as_deref(), Some("endpoint"));
        (events, first.data.unwrap())
    }

    pub(crate) async fn post_to(&self, path: &str, message: &Value) -> Response {
        let body = message.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.answer(request.as_bytes()).await
    }
}
