//! A server that does exactly what a test wants, byte by byte.

use std::{
    future::Future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use proofmark_sdk::{
    client::{Client, ClientBuilder, ClientSettings},
    core::{
        revision::{Era, Revision},
        session::client::Preference,
    },
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: String,
    /// How many requests with the same verb came before, the handshake not counted.
    pub(crate) count: usize,
}

impl Asked {
    pub(crate) fn verb(&self) -> &str {
        self.head.split(' ').next().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// Ends when dropped.
pub(crate) struct Script {
    pub(crate) url: String,
    pub(crate) asked: Arc<Mutex<Vec<Asked>>>,
    _serving: JoinSet<()>,
}

impl Script {
    /// Shakes hands in the legacy era, with a session, and lets `act` do the rest. A connection is closed when `act` is done.
    pub(crate) async fn start<F, R>(act: F) -> Self
    where
        F: Fn(Asked, TcpStream) -> R + Clone + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = asked.clone();
        let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (act, heard, counts) = (act.clone(), heard.clone(), counts.clone());
                connections.spawn(async move {
                    let Some((mut request, mut stream)) = read(stream).await else { return };
                    heard.lock().unwrap().push(request.clone());
                    if let Some(answer) = handshake(&request) {
                        stream.write_all(answer.as_bytes()).await.unwrap();
                        return;
                    }
                    let count = &counts[usize::from(request.verb() == "GET")];
                    request.count = count.fetch_add(1, Ordering::SeqCst);
                    act(request, stream).await;
                });
            }
        });
        Self { url, asked, _serving: serving }
    }

    /// A client that has shaken hands with it.
    pub(crate) async fn connect(&self) -> Client {
        self.connect_with(|_| {}).await
    }

    pub(crate) async fn connect_with(&self, adjust: impl FnOnce(&mut ClientSettings)) -> Client {
        let mut settings = ClientSettings::default();
        settings.http.retry = Duration::from_millis(20);
        settings.http.give_up = Duration::from_millis(500);
        settings.session.patience = Duration::from_secs(5);
        adjust(&mut settings);
        builder().settings(settings).connect(&*self.url).await.unwrap()
    }
}

pub(crate) fn builder() -> ClientBuilder {
    let preference = Preference::Legacy(Revision::newest(Era::Legacy));
    Client::builder("test", "1").preference(preference)
}

/// An answer with a body, after which the connection is closed.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}

pub(crate) async fn write(mut stream: TcpStream, text: &str) {
    // The client may not want to hear it all.
    let _gone = stream.write_all(text.as_bytes()).await;
    let _gone = stream.shutdown().await;
}

async fn read(stream: TcpStream) -> Option<(Asked, TcpStream)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let head = head.replace("\r\n", "\n");
    let request = Asked { head, body: String::new(), count: 0 };
    let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.ok()?;
    let body = String::from_utf8(body).unwrap();
    Some((Asked { body, ..request }, reader.into_inner()))
}

fn handshake(request: &Asked) -> Option<String> {
    if request.body.contains("\"initialize\"") {
        let id = request.body.split("\"id\":").nth(1)?.split([',', '}']).next()?;
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"script","version":"1"}}}}}}"#
        );
        let headers = "content-type: application/json\r\nmcp-session-id: one\r\n";
        return Some(answer("200 OK", headers, &body));
    }
    if request.body.contains("notifications/") {
        return Some(answer("202 Accepted", "", ""));
    }
    if request.verb() == "DELETE" {
        return Some(answer("405 Method Not Allowed", "", ""));
    }
    None
}
