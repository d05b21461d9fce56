//! A listener for the one request that brings a browser back, on an address that only this machine reaches.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use url::Url;

/// Listens on a port of 127.0.0.1.
#[derive(Debug)]
pub(super) struct Loopback {
    listener: TcpListener,
    redirect: Url,
}

impl Loopback {
    /// `preferred` is an address that was listened on before; if its port is taken, another will do.
    pub(super) async fn bind(preferred: Option<&Url>) -> std::io::Result<Self> {
        let near = |url: &&Url| url.scheme() == "http" && url.host_str() == Some("127.0.0.1");
        let port = preferred.filter(near).and_then(Url::port).unwrap_or(0);
        let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Ok(listener) => listener,
            Err(_) if port != 0 => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?,
            Err(error) => return Err(error),
        };
        let SocketAddr::V4(address) = listener.local_addr()? else {
            return Err(std::io::Error::other("the listener has moved"));
        };
        let redirect = Url::parse(&format!("http://{address}{PATH}")).expect("this is an address");
        Ok(Self { listener, redirect })
    }

    pub(super) fn redirect(&self) -> &Url {
        &self.redirect
    }

    /// Waits for a request to the redirect address that has the right `state`. All others are told that they are wrong here, so that
    /// another page cannot end the visit.
    pub(super) async fn wait(self, state: &str) -> std::io::Result<String> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            // A browser that opens connections for later must not hold up the one that counts.
            if let Ok(Some(answer)) = timeout(PATIENCE, self.serve(stream, state)).await {
                return Ok(answer);
            }
        }
    }

    async fn serve(&self, mut stream: TcpStream, state: &str) -> Option<String> {
        let target = read_target(&mut stream).await?;
        let url = self.redirect.join(&target).ok();
        let ours = url.filter(|url| {
            url.origin() == self.redirect.origin()
                && url.path() == PATH
                && url.query_pairs().any(|(name, value)| name == "state" && value == state)
        });
        let page = if ours.is_some() { DONE } else { WRONG };
        // The browser may have gone; its word counts all the same.
        let _gone = stream.write_all(page.as_bytes()).await;
        let _gone = stream.shutdown().await;
        ours.map(|url| url.to_string())
    }
}

/// The target of a GET, once its head is there.
async fn read_target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 1024];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        head.extend_from_slice(&chunk[..read]);
        if head.len() > LARGEST_HEAD {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let target = head.lines().next()?.strip_prefix("GET ")?.strip_suffix(" HTTP/1.1")?;
    target.starts_with('/').then(|| target.to_owned())
}

const PATH: &str = "/callback";
const LARGEST_HEAD: usize = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);
/// Pages never repeat anything from a request.
const DONE: &str = "HTTP/1.1 200 OK
\
    Content-Type: text/html; charset=utf-8
\
    Content-Security-Policy: default-src 'none'
\
    Cache-Control: no-store
\
    Referrer-Policy: no-referrer
\
    Connection: close

\
    <!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Done</title>\
    <p>The authorization has reached the program that asked for it. This page can be closed now.</html>";
const WRONG: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

#[cfg(test)]
mod tests;
