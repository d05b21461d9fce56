//! A place to fetch keys from, on this machine, that can be told to misbehave.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Answers one request on each connection. The thread ends with the process.
pub(crate) struct KeyServer {
    origin: String,
    shared: Arc<Shared>,
}

struct Shared {
    requests: AtomicUsize,
    answers: Mutex<Vec<(String, Vec<u8>)>>,
}

impl KeyServer {
    /// Serves a document at `/jwks`.
    pub(crate) fn start(document: &[u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let shared =
            Arc::new(Shared { requests: AtomicUsize::new(0), answers: Mutex::new(Vec::new()) });
        let server = Self { origin, shared: shared.clone() };
        server.publish(document);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                shared.answer(connection.unwrap());
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        self.at("/jwks")
    }

    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    pub(crate) fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    pub(crate) fn publish(&self, document: &[u8]) {
        self.answer("/jwks", "200 OK", "content-type: application/json", document);
    }

    /// Closes every connection without a word from now on.
    pub(crate) fn go_down(&self) {
        self.shared.answers.lock().unwrap().clear();
    }

    pub(crate) fn answer(&self, path: &str, status: &str, header: &str, body: &[u8]) {
        let head = format!(
            "HTTP/1.1 {status}\r\n{header}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        let mut answers = self.shared.answers.lock().unwrap();
        answers.retain(|(known, _)| known != path);
        answers.push((path.to_owned(), [head.as_bytes(), body].concat()));
    }
}

impl Shared {
    fn answer(&self, mut connection: TcpStream) {
        let mut lines = BufReader::new(connection.try_clone().unwrap()).lines();
        let Some(Ok(first)) = lines.next() else { return };
        while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        self.requests.fetch_add(1, Ordering::SeqCst);
        let path = first.split(' ').nth(1).unwrap_or_default();
        let answer = self.answers.lock().unwrap().iter().find(|(known, _)| known == path).cloned();
        if let Some((_, bytes)) = answer {
            // The client may hang up in the middle of what it finds too long.
            let _ = connection.write_all(&bytes);
        }
    }
}
