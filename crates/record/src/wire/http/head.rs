//! The lines before a body.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::event::Headers;

#[derive(Clone, Debug)]
pub struct ResponseHead {
    pub status: u16,
    pub headers: Headers,
}

impl ResponseHead {
    pub fn parse(start: &str, headers: Headers) -> io::Result<Self> {
        let mut words = start.split(' ');
        let version = words.next().unwrap_or_default();
        let status = words.next().and_then(|status| status.parse().ok());
        match status {
            Some(status) if version.starts_with("HTTP/1.") => Ok(Self { status, headers }),
            _ => Err(invalid(format!("no HTTP/1.1 status line: {start:?}"))),
        }
    }
}

/// Reads up to the blank line: the first line, the headers, and what was read of the body.
pub async fn read_head(
    stream: &mut (impl AsyncRead + Unpin),
) -> io::Result<(String, Headers, Vec<u8>)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MOST_HEAD {
            return Err(invalid("the head of the message does not end".to_owned()));
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            let why = if bytes.is_empty() {
                "the connection was closed without an answer".to_owned()
            } else {
                "the connection was closed within the head".to_owned()
            };
            return Err(invalid(why));
        }
    };
    let rest = bytes.split_off(end + 4);
    let (start, headers) = parse_head(&bytes[..end])?;
    Ok((start, headers, rest))
}

/// The first line and the headers, without the blank line.
pub fn parse_head(bytes: &[u8]) -> io::Result<(String, Headers)> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split("\r\n");
    let start = lines.next().unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            return Err(invalid(format!("no header: {line:?}")));
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok((start, headers))
}

pub fn write_headers(bytes: &mut Vec<u8>, headers: &[(String, String)]) {
    for (name, value) in headers {
        bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
}

fn invalid(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

const MOST_HEAD: usize = 64 * 1024;
