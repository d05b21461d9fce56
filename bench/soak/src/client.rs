//! One connection of a client that can break off anywhere.

use std::{io, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// A connection. Dropping it is how a client breaks off.
pub(crate) struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
}

/// The head of a response.
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    length: Option<usize>,
}

impl Client {
    pub(crate) async fn connect(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, unread: Vec::new() })
    }

    /// Sends a request and reads the head of its response. `headers` are whole lines.
    pub(crate) async fn send(&mut self, verb: &str, headers: &str, body: &str) -> io::Result<Head> {
        let request = format!(
            "{verb} /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await?;
        let text = self.until("\r\n\r\n").await?;
        let field = |name: &str| {
            text.lines().find_map(|line| {
                let (key, value) = line.split_once(": ")?;
                key.eq_ignore_ascii_case(name).then(|| value.to_owned())
            })
        };
        Ok(Head {
            status: text.get(9..12).and_then(|code| code.parse().ok()).unwrap_or_default(),
            session: field("mcp-session-id"),
            length: field("content-length").and_then(|length| length.parse().ok()),
        })
    }

    /// The rest of a response that is one body or a stream that ends.
    pub(crate) async fn body(&mut self, head: &Head) -> io::Result<String> {
        let Some(length) = head.length else { return self.until("\r\n0\r\n\r\n").await };
        while self.unread.len() < length {
            self.more().await?;
        }
        Ok(self.take(length))
    }

    /// What is read up to and with this text.
    pub(crate) async fn until(&mut self, text: &str) -> io::Result<String> {
        loop {
            let found = self.unread.windows(text.len()).position(|part| part == text.as_bytes());
            if let Some(at) = found {
                return Ok(self.take(at + text.len()));
            }
            self.more().await?;
        }
    }

    async fn more(&mut self) -> io::Result<()> {
        match timeout(PATIENCE, self.stream.read_buf(&mut self.unread)).await?? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    fn take(&mut self, length: usize) -> String {
        let rest = self.unread.split_off(length);
        let taken = std::mem::replace(&mut self.unread, rest);
        String::from_utf8_lossy(&taken).into_owned()
    }
}

/// Long, because other work on the machine is no fault of the server.
const PATIENCE: Duration = Duration::from_secs(60);
