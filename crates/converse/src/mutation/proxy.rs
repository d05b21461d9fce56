//! A changed HTTP server: a proxy between the checker and the reference server.

use std::{fmt::Write, io, sync::Arc};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{Duration, Instant},
};

use super::{Change, HttpContext, Mutation, Mutator, Reply};
use proofmark_record::{
    event::{Border, Frame, Headers, header},
    wire::{
        Url,
        http::{EventFrames, Request, exchange, read_head, write_headers},
    },
};

/// A listener on a port of its own that passes everything on to another server, and changes it.
pub struct Proxy {
    listener: TcpListener,
    upstream: Url,
    mutation: Mutation,
    change: Option<Arc<dyn Change>>,
}

impl Proxy {
    pub async fn bind(upstream: Url, mutation: Mutation) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        Ok(Self { listener, upstream, mutation, change: None })
    }

    /// With a change that was made for the occasion.
    pub fn with_change(self, change: Arc<dyn Change>) -> Self {
        Self { change: Some(change), ..self }
    }

    /// Where the changed server is.
    pub fn url(&self) -> io::Result<Url> {
        Ok(Url { port: self.listener.local_addr()?.port(), ..self.upstream.clone() })
    }

    /// Serves until it is dropped.
    pub async fn run(self) {
        let own = self.url().map(Arc::new);
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                Ok((stream, _)) = self.listener.accept() => {
                    let (upstream, mutation) = (self.upstream.clone(), self.mutation);
                    let change = self.change.clone();
                    let Ok(own) = own.as_ref().map(Arc::clone) else { return };
                    connections.spawn(async move {
                        // A checker that goes away ends its connection.
                        let _ = serve(stream, upstream, &own, mutation, change).await;
                    });
                }
            }
        }
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "one exchange from its head to its end, whose parts share everything"
)]
async fn serve(
    mut client: TcpStream,
    upstream: Url,
    own: &Url,
    mutation: Mutation,
    change: Option<Arc<dyn Change>>,
) -> io::Result<()> {
    let (start, headers, mut body) = read_head(&mut client).await?;
    let length =
        header(&headers, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while body.len() < length {
        if client.read_buf(&mut body).await? == 0 {
            return Ok(());
        }
    }
    let mut words = start.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let path = words.next().unwrap_or("/").to_owned();
    let text = String::from_utf8_lossy(&body).into_owned();
    let mut mutator = match &change {
        Some(change) => Mutator::changed(Arc::clone(change)),
        None => Mutator::new(mutation),
    };
    if let Some(answers) = mutator.hear(&text) {
        let mut reply = Reply::default();
        match answers.first() {
            Some(answer) => reply.replace(200, "application/json", answer),
            None => reply.replace(202, "text/plain", ""),
        }
        return write_whole(&mut client, &reply, &[]).await;
    }
    let message = serde_json::from_str(&text).unwrap_or(Value::Null);
    let context = HttpContext {
        method: &method,
        path: &path,
        headers: &headers,
        message: &message,
        body: &text,
    };
    if let Mutation::Answers(answer) = mutation
        && let Some(reply) = answer(&context)
    {
        return write_whole(&mut client, &reply, &[]).await;
    }
    if mutator.hangs(&message) {
        gone(&client).await;
        return Ok(());
    }
    let response = {
        // A request that names the proxy means the server behind it.
        let own_body = |body: Vec<u8>| match String::from_utf8(body) {
            Ok(text) => renamed(&text, own, &upstream).into_bytes(),
            Err(other) => other.into_bytes(),
        };
        let request = Request {
            method: known(&method),
            headers: trusted(forwarded(&headers, &upstream), mutation, &context),
            body: (length > 0).then(|| own_body(body)),
        };
        let url = Url { path: renamed(&path, own, &upstream), ..upstream.clone() };
        let answered = exchange(&url, &request, Instant::now() + PATIENCE);
        match while_there(&client, mutation, answered).await {
            Some(response) => response?,
            None => return Ok(()),
        }
    };
    // A reference leads to the proxy, not to the server behind it.
    let own_name = |text: &str| renamed(text, &upstream, own);
    let headers = response.head.headers.iter().map(|(name, value)| (name.clone(), own_name(value)));
    let mut reply = Reply { status: response.head.status, headers: headers.collect(), body: None };
    match mutation {
        Mutation::Http(http) => http(&context, &mut reply),
        Mutation::Status { id, status } if message["id"] == id => reply.status = status,
        _ => {}
    }
    if let Some(change) = &change {
        change.http(&context, &mut reply);
    }
    let is_stream = header(&response.head.headers, "content-type")
        .is_some_and(|kind| kind.starts_with("text/event-stream"));
    if is_stream && reply.body.is_none() {
        let mut events = EventFrames::new(response.body);
        write_head(&mut client, &reply, "transfer-encoding: chunked\r\n").await?;
        loop {
            let Some(frame) = while_there(&client, mutation, events.next()).await else {
                return Ok(());
            };
            let Some(frame) = frame? else { break };
            let mut text = encode(&frame, &mutator, &upstream, own);
            if let Mutation::Event(event) = mutation {
                text = event(&context, &text);
            }
            if let Some(change) = &change {
                text = change.event(&context, text);
            }
            if !text.is_empty() {
                let chunk = format!("{:x}\r\n{text}\r\n", text.len());
                client.write_all(chunk.as_bytes()).await?;
            }
        }
        let lingers = mutator.lingers() || change.as_ref().is_some_and(|it| it.lingers());
        if lingers && method == "POST" {
            // Until the checker has had enough.
            while client.read_buf(&mut Vec::new()).await? > 0 {}
        }
        return client.write_all(b"0\r\n\r\n").await;
    }
    if reply.body.is_some() {
        return write_whole(&mut client, &reply, &[]).await;
    }
    let mut body = response.body;
    let whole = body.all(Instant::now() + PATIENCE).await?;
    let whole = match std::str::from_utf8(&whole) {
        Ok(text) if !text.is_empty() => mutator.say(&own_name(text)).concat().into_bytes(),
        _ => whole,
    };
    write_whole(&mut client, &reply, &whole).await
}

/// Without an Origin that is to be trusted.
fn trusted(mut headers: Headers, mutation: Mutation, context: &HttpContext<'_>) -> Headers {
    if let (Mutation::Trusts(is_it), Some(origin)) = (mutation, context.header("origin"))
        && is_it(context, origin)
    {
        headers.retain(|(name, _)| name != "origin");
    }
    headers
}

/// `None` if the client went away first, unless that is not to be noticed.
async fn while_there<T>(
    client: &TcpStream,
    mutation: Mutation,
    work: impl Future<Output = T>,
) -> Option<T> {
    if let Mutation::Deaf = mutation {
        return Some(work.await);
    }
    tokio::select! {
        biased;
        done = work => Some(done),
        () = gone(client) => None,
    }
}

/// Waits until the client closes the connection. It says nothing more until then.
async fn gone(client: &TcpStream) {
    while !matches!(client.peek(&mut [0]).await, Ok(0) | Err(_)) {
        std::future::pending::<()>().await;
    }
}

/// The event as it leaves. Where to post to is the proxy, not the server behind it.
fn encode(frame: &Frame, mutator: &Mutator, upstream: &Url, own: &Url) -> String {
    let Border::Event { name, id, retry } = &frame.border else { return String::new() };
    let text = String::from_utf8_lossy(&frame.bytes).into_owned();
    let text = text.replace(&upstream.authority(), &own.authority());
    let texts = if text.is_empty() { vec![text] } else { mutator.say(&text) };
    let mut written = String::new();
    for text in texts {
        let _ = writeln!(written, "event: {name}");
        if let Some(id) = id {
            let _ = writeln!(written, "id: {id}");
        }
        if let Some(retry) = retry {
            let _ = writeln!(written, "retry: {}", retry.as_millis());
        }
        for line in text.split('\n') {
            let _ = writeln!(written, "data: {line}");
        }
        written.push('\n');
    }
    written
}

/// With the name of another host, also where it stands in a query.
fn renamed(text: &str, from: &Url, to: &Url) -> String {
    let encoded = |url: &Url| url.authority().replace(':', "%3A");
    text.replace(&from.authority(), &to.authority()).replace(&encoded(from), &encoded(to))
}

async fn write_whole(client: &mut TcpStream, reply: &Reply, body: &[u8]) -> io::Result<()> {
    let body = reply.body.as_deref().unwrap_or(body);
    write_head(client, reply, &format!("content-length: {}\r\n", body.len())).await?;
    client.write_all(body).await
}

async fn write_head(client: &mut TcpStream, reply: &Reply, length: &str) -> io::Result<()> {
    let mut bytes = format!("HTTP/1.1 {} Mutated\r\n", reply.status).into_bytes();
    let kept: Headers = reply
        .headers
        .iter()
        .filter(|(name, _)| {
            !["content-length", "transfer-encoding", "connection"].contains(&name.as_str())
        })
        .cloned()
        .collect();
    write_headers(&mut bytes, &kept);
    bytes.extend_from_slice(length.as_bytes());
    bytes.extend_from_slice(b"connection: close\r\n\r\n");
    client.write_all(&bytes).await
}

fn forwarded(headers: &Headers, upstream: &Url) -> Headers {
    let mut headers = headers.clone();
    headers.retain(|(name, _)| name != "content-length" && name != "host");
    headers.push(("host".to_owned(), upstream.authority()));
    headers
}

/// The methods that the checker uses.
fn known(method: &str) -> &'static str {
    match method {
        "GET" => "GET",
        "DELETE" => "DELETE",
        _ => "POST",
    }
}

const PATIENCE: Duration = Duration::from_secs(60);
