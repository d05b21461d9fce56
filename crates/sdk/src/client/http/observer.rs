//! Shows what goes over HTTP to those who want to see it: inspectors, recorders.

use std::{
    fmt,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode, request, response};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

/// Hears every exchange of a client with its server. What it does must not take long, because the exchange waits for it.
///
/// Tokens are among the headers: what is written down or shown has to leave them out.
pub trait HttpObserver: Send + Sync + 'static {
    /// A request is sent. Exchanges have numbers of their own, from one on.
    fn requested(&self, exchange: u32, head: &request::Parts, body: &Bytes);

    /// The head of the response came.
    fn responded(&self, exchange: u32, status: StatusCode, headers: &HeaderMap);

    /// Some of the response's body came.
    fn received(&self, exchange: u32, bytes: &[u8]);

    fn ended(&self, exchange: u32, ending: HttpEnding<'_>);
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpEnding<'e> {
    /// No response came, or it broke off.
    Broken(&'e str),
    Complete,
    /// The client had enough before it was over.
    Left,
}

/// An [`HttpObserver`] that settings can hold. Clones share it, and the numbers of its exchanges.
#[derive(Clone)]
pub struct Observer {
    observer: Arc<dyn HttpObserver>,
    next: Arc<AtomicU32>,
}

impl Observer {
    pub fn new(observer: impl HttpObserver) -> Self {
        Self { observer: Arc::new(observer), next: Arc::new(AtomicU32::new(1)) }
    }

    pub(super) fn request(&self, head: &request::Parts, body: &Bytes) -> Observed {
        let exchange = self.next.fetch_add(1, Ordering::Relaxed);
        self.observer.requested(exchange, head, body);
        Observed { observer: self.observer.clone(), exchange, over: false }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// One exchange that is observed.
pub(super) struct Observed {
    observer: Arc<dyn HttpObserver>,
    exchange: u32,
    over: bool,
}

impl Observed {
    pub(super) fn respond(&self, head: &response::Parts) {
        self.observer.responded(self.exchange, head.status, &head.headers);
    }

    pub(super) fn end(&mut self, ending: HttpEnding<'_>) {
        if !std::mem::replace(&mut self.over, true) {
            self.observer.ended(self.exchange, ending);
        }
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        self.end(HttpEnding::Left);
    }
}

/// The body of a response, which an observer may see on its way.
pub(super) struct Received {
    body: Incoming,
    observed: Option<Observed>,
}

impl Received {
    pub(super) fn new(response: Response<Incoming>, observed: Option<Observed>) -> Response<Self> {
        let (head, body) = response.into_parts();
        if let Some(observed) = &observed {
            observed.respond(&head);
        }
        let mut received = Self { body, observed };
        received.look_for_end();
        Response::from_parts(head, received)
    }

    /// Readers stop where a body says that nothing follows.
    fn look_for_end(&mut self) {
        if let Some(observed) = self.observed.as_mut().filter(|_| self.body.is_end_stream()) {
            observed.end(HttpEnding::Complete);
        }
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(observed) = &mut self.observed {
            match &frame {
                None => observed.end(HttpEnding::Complete),
                Some(Err(error)) => observed.end(HttpEnding::Broken(&error.to_string())),
                Some(Ok(frame)) => {
                    if let Some(data) = frame.data_ref() {
                        observed.observer.received(observed.exchange, data);
                    }
                    self.look_for_end();
                }
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
