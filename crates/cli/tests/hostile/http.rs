//! HTTP servers made of one function each, on a port of their own.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

/// Serves until the test ends.
pub(super) struct Server {
    address: SocketAddr,
}

impl Server {
    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(super) fn silent() -> Self {
        Self::new(|stream, _| wait(stream))
    }

    pub(super) fn hangs_up() -> Self {
        Self::new(|_, _| {})
    }

    pub(super) fn endless_body() -> Self {
        Self::new(|stream, _| {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1073741824\r\n\r\n";
            repeat(stream, head, "                                ");
        })
    }

    pub(super) fn endless_events() -> Self {
        let event = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/a\"}\n\n";
        Self::new(move |stream, _| repeat(stream, STREAM, event))
    }

    pub(super) fn endless_event() -> Self {
        Self::new(|stream, _| repeat(stream, STREAM, "data: aaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"))
    }

    pub(super) fn endless_comments() -> Self {
        Self::new(|stream, _| repeat(stream, STREAM, ": still here\n\n"))
    }

    pub(super) fn endless_head() -> Self {
        Self::new(|stream, _| repeat(stream, "HTTP/1.1 200 OK\r\n", "x-a: b\r\n"))
    }

    pub(super) fn endless_chunk_size() -> Self {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
        Self::new(move |stream, _| repeat(stream, head, "0000000000000000"))
    }

    /// Answers 401 without this header, in lower case, and with it never.
    pub(super) fn wants(header: &'static str) -> Self {
        Self::new(move |mut stream, head| {
            if head.to_ascii_lowercase().contains(header) {
                return wait(stream);
            }
            let refusal = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n";
            let _ = stream.write_all(refusal.as_bytes());
        })
    }

    pub(super) fn redirects(to: &'static str) -> Self {
        Self::new(move |mut stream, _| {
            let head = format!(
                "HTTP/1.1 307 Temporary Redirect\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes());
        })
    }

    fn new(serve: impl Fn(TcpStream, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let serve = Arc::new(serve);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serve = Arc::clone(&serve);
                thread::spawn(move || {
                    if let Some(head) = read_request(&stream) {
                        serve(stream, head);
                    }
                });
            }
        });
        Self { address }
    }
}

/// All of the request, so that hanging up is no reset. Gives the head.
fn read_request(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(head)
}

/// Until the client goes away.
fn wait(mut stream: TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(300)));
    let _ = stream.read(&mut [0]);
}

fn repeat(mut stream: TcpStream, head: &str, part: &str) {
    let many = part.repeat(1000);
    if stream.write_all(head.as_bytes()).is_ok() {
        while stream.write_all(many.as_bytes()).is_ok() {}
    }
}

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
