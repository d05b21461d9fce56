//! Documents about clients, hosted on this machine for authorization servers that fetch such.

use std::{
    io,
    sync::{Mutex, PoisonError},
};

use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    time::{Duration, timeout},
};

use super::HttpClient;
use proofmark_record::{
    event::{EventKind, Headers},
    topic::Topic,
    wire::http::read_head,
};

/// Where documents lie, and who has read them.
pub struct DocumentHost {
    listener: TcpListener,
    base: String,
    /// Requests that are not recorded yet.
    read: Mutex<Vec<(String, Headers)>>,
}

impl DocumentHost {
    pub async fn bind() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base = format!("http://{}", listener.local_addr()?);
        Ok(Self { listener, base, read: Mutex::default() })
    }

    /// The id of the client that a document is about.
    pub fn id(&self, name: &str) -> String {
        format!("{}/{name}.json", self.base)
    }

    /// Where the clients want to be called back. It is never visited.
    pub fn redirect_uri(&self) -> String {
        format!("{}/callback", self.base)
    }

    /// Hands out documents for as long as it is polled.
    pub async fn listen(&self) {
        loop {
            let Ok((stream, _)) = self.listener.accept().await else { continue };
            // Who takes too long, or says nothing that is HTTP, gets nothing.
            let _ = timeout(PATIENCE, self.serve(stream)).await;
        }
    }

    /// Records the requests since the last time.
    pub fn record_requests(&self, http_client: &mut HttpClient) {
        let read = std::mem::take(&mut *self.read.lock().unwrap_or_else(PoisonError::into_inner));
        for (line, headers) in read {
            let exchange = http_client.number();
            http_client.note(EventKind::Requested {
                topic: Topic::DocumentFetch,
                exchange,
                line,
                headers,
            });
        }
    }

    fn remember(&self, line: String, headers: Headers) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() < MOST_READERS {
            read.push((line, headers));
        }
    }

    async fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        let (start, headers, _) = read_head(&mut stream).await?;
        let mut words = start.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let name = path.trim_start_matches('/').trim_end_matches(".json");
        self.remember(format!("{method} {path}"), headers);
        let inner = self.id(INNER);
        let (status, cache, body) = match self.document(name) {
            Some((cache, body)) => ("200 OK", cache, body),
            None if name == MOVED => ("302 Found", NO_STORE, String::new()),
            None => ("404 Not Found", NO_STORE, String::new()),
        };
        let location = if name == MOVED { format!("location: {inner}\r\n") } else { String::new() };
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncache-control: {cache}\r\n{location}content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        stream.shutdown().await
    }

    /// How long it may be kept, and what it says.
    fn document(&self, name: &str) -> Option<(&'static str, String)> {
        let mut document = json!({
            "client_id": self.id(name),
            "client_name": "proofmark",
            "redirect_uris": [self.redirect_uri()],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        });
        let cache = if name == KEPT { AN_HOUR } else { NO_STORE };
        match name {
            KEPT | FRESH => {}
            FOREIGN => document["client_id"] = Value::from(self.id(KEPT)),
            NAMELESS => drop(document.as_object_mut()?.remove("client_name")),
            THIN => drop(document.as_object_mut()?.remove("redirect_uris")),
            BROKEN => return Some((cache, format!("{document}}}"))),
            _ => return None,
        }
        Some((cache, document.to_string()))
    }
}

/// May be kept for an hour.
pub const KEPT: &str = "kept";
/// Must not be kept.
pub const FRESH: &str = "fresh";
/// Is about another client.
pub const FOREIGN: &str = "foreign";
/// Is no JSON.
pub const BROKEN: &str = "broken";
/// Names no redirect URI.
pub const THIN: &str = "thin";
/// Is not there, but leads to another.
pub const MOVED: &str = "moved";
/// Where it leads to: no client is known by it.
pub const INNER: &str = "inner";
/// Names no client.
pub const NAMELESS: &str = "nameless";

const AN_HOUR: &str = "max-age=3600";
const NO_STORE: &str = "no-store";
const PATIENCE: Duration = Duration::from_secs(5);
const MOST_READERS: usize = 256;
