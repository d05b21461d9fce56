//! A client that opens a connection for every request.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::{Value, json};

/// One session.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    pub(crate) session: String,
}

/// What came back, read as far as its headers.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    body: BufReader<Body>,
    /// The id of the last event.
    pub(crate) last: Option<String>,
}

/// The body of a response, whole or in chunks.
enum Body {
    Chunked { stream: BufReader<TcpStream>, left: usize },
    Plain(io::Take<BufReader<TcpStream>>),
}

impl Client {
    /// Shakes hands.
    pub(crate) fn begin(address: SocketAddr) -> io::Result<Self> {
        let mut client = Self { address, session: String::new() };
        let params = json!({
            "protocolVersion": VERSION,
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = client.post(&request("init", "initialize", &params))?;
        let none = || bad(&format!("no session: {}", answer.status));
        let session = answer.header("mcp-session-id").ok_or_else(none)?;
        session.clone_into(&mut client.session);
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let answer = client.post(&ready)?;
        if answer.status == 202 { Ok(client) } else { Err(bad("the handshake is refused")) }
    }

    /// The same session by another way.
    pub(crate) fn at(&self, address: SocketAddr) -> Self {
        Self { address, ..self.clone() }
    }

    pub(crate) fn post(&self, message: &Value) -> io::Result<Answer> {
        self.send("POST", "", &message.to_string())
    }

    /// Comes back for the rest of a stream.
    pub(crate) fn resume(&self, last: &str) -> io::Result<Answer> {
        self.send("GET", &format!("Last-Event-ID: {last}\r\n"), "")
    }

    pub(crate) fn delete(&self) -> io::Result<Answer> {
        self.send("DELETE", "", "")
    }

    /// A request of the modern era, which belongs to no session.
    pub(crate) fn discover(address: SocketAddr) -> io::Result<Answer> {
        let client = Self { address, session: String::new() };
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let headers = format!("Mcp-Method: server/discover\r\nMCP-Protocol-Version: {MODERN}\r\n");
        let discover = request("d", "server/discover", &json!({ "_meta": meta }));
        client.send("POST", &headers, &discover.to_string())
    }

    /// What a page beside the endpoint answers.
    pub(crate) fn page(address: SocketAddr, path: &str) -> io::Result<u16> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
        Answer::read(stream).map(|answer| answer.status)
    }

    fn send(&self, method: &str, extra: &str, body: &str) -> io::Result<Answer> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let session = if self.session.is_empty() {
            String::new()
        } else {
            format!("Mcp-Session-Id: {}\r\nMCP-Protocol-Version: {VERSION}\r\n", self.session)
        };
        let (address, length) = (self.address, body.len());
        write!(
            stream,
            "{method} /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{session}{extra}\r\n{body}"
        )?;
        Answer::read(stream)
    }
}

impl Answer {
    fn read(stream: TcpStream) -> io::Result<Self> {
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| bad("no status"))?;
        let chunked = header(&head, "transfer-encoding").is_some();
        let length = header(&head, "content-length").and_then(|length| length.parse().ok());
        let body = if chunked {
            Body::Chunked { stream, left: 0 }
        } else {
            Body::Plain(stream.take(length.unwrap_or_default()))
        };
        Ok(Self { status, head, body: BufReader::new(body), last: None })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// The next message: of an event stream, or the only one. `None` at the end.
    pub(crate) fn message(&mut self) -> io::Result<Option<Value>> {
        if self.header("content-type") != Some("text/event-stream") {
            let mut text = String::new();
            self.body.read_to_string(&mut text)?;
            return Ok(serde_json::from_str(&text).ok());
        }
        let mut data = String::new();
        loop {
            let mut line = String::new();
            if self.body.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let line = line.trim_end();
            if let Some(id) = line.strip_prefix("id:") {
                self.last = Some(id.trim().to_owned());
            } else if let Some(text) = line.strip_prefix("data:") {
                data.push_str(text.trim());
            } else if line.is_empty() && !data.is_empty() {
                return serde_json::from_str(&data).map(Some).map_err(io::Error::from);
            }
        }
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Chunked { stream, left } => {
                if *left == 0 {
                    let mut size = String::new();
                    stream.read_line(&mut size)?;
                    if size.trim().is_empty() {
                        size.clear();
                        stream.read_line(&mut size)?;
                    }
                    // A stream that breaks off has no last chunk.
                    if size.is_empty() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    *left = usize::from_str_radix(size.trim(), 16).map_err(|_| bad("a chunk"))?;
                }
                let most = buffer.len().min(*left);
                let read = stream.read(&mut buffer[..most])?;
                if read == 0 && *left > 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                *left -= read;
                Ok(read)
            }
        }
    }
}

pub(crate) fn request(id: &str, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    let mut named = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
    named.next().map(|(_, value)| value.trim())
}

fn bad(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

const VERSION: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
/// Longer than a server is taken to be alive after its last sign of life.
const PATIENCE: Duration = Duration::from_secs(60);
