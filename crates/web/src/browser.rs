//! A browser for tests, as far as a site can tell: it keeps the cookie, and sends what browsers send, or what an attacker would.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// One tab of a browser. Requests block the thread that makes them.
#[derive(Clone, Debug)]
pub struct Browser {
    pub address: SocketAddr,
    /// As in `Cookie`.
    pub cookie: Option<String>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// With names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    /// # Panics
    /// If the body is no JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Browser {
    /// Without a cookie yet.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, cookie: None }
    }

    /// Follows the link that a site printed, and keeps the cookie.
    ///
    /// # Panics
    /// If the link opens nothing.
    #[track_caller]
    pub fn open(link: &str) -> Self {
        let rest = link.strip_prefix("http://").expect("a link");
        let (address, path) = rest.split_once('/').expect("a path");
        let mut browser = Self::new(address.parse().expect("an address"));
        let answer = browser.get(&format!("/{path}"));
        assert_eq!((answer.status, answer.header("location")), (303, Some("/")), "{answer:?}");
        let cookie = answer.header("set-cookie").expect("a cookie");
        browser.cookie = cookie.split(';').next().map(str::to_owned);
        browser
    }

    /// As a page of the site, or a person who types the address.
    pub fn get(&self, path: &str) -> Answer {
        let host = self.address.to_string();
        self.send("GET", path, &[("host", &host), ("sec-fetch-site", "same-origin")], "")
    }

    /// As a page of the site that changes something.
    pub fn post(&self, path: &str, body: &serde_json::Value) -> Answer {
        let host = self.address.to_string();
        let origin = format!("http://{host}");
        let headers = [
            ("host", host.as_str()),
            ("origin", &origin),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
            (crate::guard::CHANGE_HEADER, "1"),
        ];
        self.send("POST", path, &headers, &body.to_string())
    }

    /// Anything, with the cookie if there is one.
    ///
    /// # Panics
    /// If nothing comes back.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("the site listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        if let Some(cookie) = &self.cookie {
            request.extend(["cookie: ", cookie, "\r\n"]);
        }
        request += "\r\n";
        request += body;
        stream.write_all(request.as_bytes()).expect("the site reads");
        let mut bytes = Vec::new();
        stream.take(MOST).read_to_end(&mut bytes).expect("the site answers");
        parse(&bytes)
    }
}

#[track_caller]
fn parse(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.lines();
    let status =
        lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|it| it.parse().ok());
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let is_chunked =
        headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if is_chunked { unchunked(body) } else { body.to_owned() };
    Answer { status: status.expect("a status"), headers, body }
}

fn unchunked(mut text: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = text.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size, 16) else { break };
        let Some(piece) = rest.get(..size) else { break };
        whole += piece;
        text = rest.get(size + 2..).unwrap_or_default();
        if size == 0 {
            break;
        }
    }
    whole
}

const PATIENCE: Duration = Duration::from_secs(60);
const MOST: u64 = 64 * 1024 * 1024;
