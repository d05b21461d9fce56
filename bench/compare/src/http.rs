//! Load over Streamable HTTP.

use std::{
    ffi::OsString,
    rc::Rc,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::LocalSet,
};

use crate::{
    Outcome,
    message::{self, Call, Era, FIRST_ID},
    process::Process,
    tally::Tally,
    work::{Cost, Work},
};

pub(crate) async fn load(
    work: &'static Work,
    command: &[OsString],
    time: Duration,
) -> Outcome<Cost> {
    let (process, port) = Process::listening(command, work.call.more_tools()).await?;
    open_sessions(port, work.idle).await?;
    let tally = Rc::new(Tally::default());
    let clients = LocalSet::new();
    for _ in 0..work.at_once {
        let mut client = Client::connect(port).await?;
        client.begin(work).await?;
        let tally = Rc::clone(&tally);
        clients.spawn_local(async move {
            if let Err(error) = client.keep_busy(work, &tally).await {
                eprintln!("a client gives up: {error}");
            }
        });
    }
    clients.run_until(process.watch(time, &tally)).await
}

/// Begins sessions that nobody uses.
pub(crate) async fn open_sessions(port: u16, count: usize) -> Outcome<()> {
    let mut client = Client::connect(port).await?;
    for _ in 0..count {
        client.initialize().await?;
    }
    Ok(())
}

/// A connection that is kept alive.
struct Client {
    stream: TcpStream,
    port: u16,
    session: Option<String>,
    answer: Vec<u8>,
}

impl Client {
    async fn connect(port: u16) -> Outcome<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, port, session: None, answer: Vec::with_capacity(CHUNK) })
    }

    /// The handshake where there is one, and a first request whose answer is looked at.
    async fn begin(&mut self, work: &Work) -> Outcome<()> {
        if work.era == Era::Legacy {
            self.initialize().await?;
        }
        let (body, _) = message::request(work.era, work.call);
        let request = self.post(&self.headers(work), &body);
        let answered = self.exchange(&request).await?;
        work.call.check(&answered.json(&self.answer))
    }

    /// Begins a session.
    async fn initialize(&mut self) -> Outcome<()> {
        let request = self.post("", message::initialize().as_bytes());
        let head = self.exchange(&request).await?.head(&self.answer);
        self.session = field(&head, "mcp-session-id");
        let headers = self.in_session(Era::Legacy);
        let request = self.post(&headers, message::INITIALIZED.as_bytes());
        self.exchange(&request).await?;
        Ok(())
    }

    async fn keep_busy(&mut self, work: &Work, tally: &Tally) -> Outcome<()> {
        let (body, id_at) = message::request(work.era, work.call);
        let mut request = self.post(&self.headers(work), &body);
        let id_at = request.len() - body.len() + id_at;
        for id in FIRST_ID + 1.. {
            message::put_id(&mut request, id_at, id);
            let asked = Instant::now();
            let extent = self.exchange(&request).await?;
            let took = asked.elapsed();
            if !message::has_id(&self.answer[extent.body..], id) {
                return Err("an answer to something else".into());
            }
            tally.add_after(took);
        }
        Ok(())
    }

    fn headers(&self, work: &Work) -> String {
        let mut headers = self.in_session(work.era);
        if work.era == Era::Modern {
            headers.extend(["Mcp-Method: ", work.call.method(), "\r\n"]);
            if matches!(work.call, Call::Echo(_)) {
                headers += "Mcp-Name: echo\r\n";
            }
        }
        headers
    }

    fn in_session(&self, era: Era) -> String {
        let mut headers = format!("MCP-Protocol-Version: {}\r\n", era.revision());
        if let Some(session) = &self.session {
            headers.extend(["Mcp-Session-Id: ", session, "\r\n"]);
        }
        headers
    }

    fn post(&self, headers: &str, body: &[u8]) -> Vec<u8> {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        [head.as_bytes(), body].concat()
    }

    /// Sends a request and reads all of its answer.
    async fn exchange(&mut self, request: &[u8]) -> Outcome<Extent> {
        self.stream.write_all(request).await?;
        self.answer.clear();
        let mut extent = None;
        loop {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err("it closed the connection".into());
            }
            if extent.is_none() {
                extent = Extent::of(&self.answer)?;
            }
            if let Some(extent) = &extent
                && extent.is_whole(&self.answer)
            {
                return Ok(*extent);
            }
        }
    }
}

/// Where an answer's body is.
#[derive(Clone, Copy)]
struct Extent {
    body: usize,
    /// `None` if it comes in chunks.
    length: Option<usize>,
    /// It is a stream of events, not the JSON itself.
    events: bool,
}

impl Extent {
    /// `None` while the head is not whole.
    fn of(answer: &[u8]) -> Outcome<Option<Self>> {
        let Some(end) = answer.windows(4).position(|part| part == b"\r\n\r\n") else {
            return Ok(None);
        };
        let head = String::from_utf8_lossy(&answer[..end]);
        if !head.starts_with("HTTP/1.1 20") {
            return Err(String::from_utf8_lossy(&answer[..answer.len().min(500)]).into());
        }
        let length = field(&head, "content-length").map(|length| length.parse()).transpose()?;
        let chunked = field(&head, "transfer-encoding").is_some();
        let events =
            field(&head, "content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        Ok(Some(Self { body: end + 4, length: length.or((!chunked).then_some(0)), events }))
    }

    fn is_whole(self, answer: &[u8]) -> bool {
        match self.length {
            Some(length) => answer.len() >= self.body + length,
            None => answer[self.body..].ends_with(b"0\r\n\r\n"),
        }
    }

    fn head(self, answer: &[u8]) -> String {
        String::from_utf8_lossy(&answer[..self.body]).into_owned()
    }

    /// The JSON of an answer: its body, or what its last event carries.
    fn json(self, answer: &[u8]) -> Vec<u8> {
        let text = match self.length {
            Some(_) => answer[self.body..].to_vec(),
            None => unchunked(&answer[self.body..]),
        };
        if !self.events {
            return text;
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        data.rfind(|data| !data.is_empty()).unwrap_or_default().as_bytes().to_vec()
    }
}

fn unchunked(mut chunks: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    while let Some(end) = chunks.windows(2).position(|part| part == b"\r\n") {
        let size = std::str::from_utf8(&chunks[..end]).ok();
        let Some(size) = size.and_then(|size| usize::from_str_radix(size, 16).ok()) else { break };
        let rest = &chunks[end + 2..];
        text.extend_from_slice(&rest[..size.min(rest.len())]);
        chunks = rest.get(size + 2..).unwrap_or_default();
    }
    text
}

fn field(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

const CHUNK: usize = 512 * 1024;
