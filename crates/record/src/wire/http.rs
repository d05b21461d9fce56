//! HTTP/1.1 by hand: one connection per exchange, so that whatever goes wrong belongs to one request.

mod body;
pub mod chunked;
mod event_frames;
pub mod event_stream;
mod head;

use std::{io, time::Duration};

pub use body::Body;
pub use event_frames::EventFrames;
pub(crate) use event_frames::border_of;
pub use head::{ResponseHead, parse_head, read_head, write_headers};
use tokio::{
    io::AsyncWriteExt,
    time::{Instant, timeout_at},
};

use super::{Url, stream::connect};
use crate::event::Headers;

/// What goes out. Nothing is added but `Content-Length`, if there is a body.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: &'static str,
    pub headers: Headers,
    pub body: Option<Vec<u8>>,
}

/// The head of an answer, and the rest still to be read.
pub struct Response {
    pub head: ResponseHead,
    pub body: Body,
}

/// Opens a connection, sends the request and reads the head of the answer.
pub async fn exchange(url: &Url, request: &Request, deadline: Instant) -> io::Result<Response> {
    let work = async {
        let mut stream = connect(url).await?;
        let mut bytes = format!("{} {} HTTP/1.1\r\n", request.method, url.path).into_bytes();
        write_headers(&mut bytes, &request.headers);
        if let Some(body) = &request.body {
            bytes.extend_from_slice(format!("content-length: {}\r\n", body.len()).as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(request.body.as_deref().unwrap_or_default());
        // A server may answer before it read everything; what it says counts more than the broken pipe.
        let written = stream.write_all(&bytes).await;
        let (start, headers, rest) = match read_head(&mut stream).await {
            Ok(head) => head,
            Err(error) => return Err(written.err().unwrap_or(error)),
        };
        let head = ResponseHead::parse(&start, headers)?;
        let body = Body::new(stream, &head, rest, request.method);
        Ok(Response { head, body })
    };
    timeout_at(deadline, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// How long a stream is watched after its response, to see whether it ends.
pub const LINGER: Duration = Duration::from_millis(150);
