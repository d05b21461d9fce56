//! Transports of other crates, such as WebSocket: whole messages, both ways, in order.

use std::{io, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::future::OptionFuture;
use proofmark_core::{
    jsonrpc::Limits,
    session::server::{Input, ServerSession},
};
use tokio::{
    task::consume_budget,
    time::{Instant, timeout},
};

use super::queue::{MessageQueue, Next, Overflow};
use crate::{
    caller::{Caller, Principal},
    server::{
        Server,
        conversation::{Conversation, MessageSink},
        handoff::{HandOff, Handlers},
    },
    store::SessionId,
};

/// The half of a connection that carries messages to the peer.
pub trait MessageSender: Send + 'static {
    /// Sends one message: JSON in UTF-8, without a line end. Done when the transport has taken it; the next one is sent after that. It
    /// is not dropped in the middle unless the conversation ends. An error ends the conversation.
    fn send(&mut self, message: Bytes) -> impl Future<Output = io::Result<()>> + Send;

    /// Closes the connection in good order, after the last message. The halves are dropped after that.
    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        async { Ok(()) }
    }
}

/// The half of a connection that brings messages from the peer.
pub trait MessageReceiver: Send + 'static {
    /// Waits for the next message; `None` when the peer has closed the connection. It is not dropped in the middle unless the conversation
    /// ends. An error ends the conversation.
    ///
    /// The bytes are those of one message, or what the peer sent in place of one, which it is told. What the transport has for itself, such
    /// as pings of WebSocket, is not given on.
    fn receive(&mut self) -> impl Future<Output = io::Result<Option<Bytes>>> + Send;
}

/// How a server behaves on a connection that carries whole messages.
#[derive(Clone, Debug)]
pub struct MessageSettings {
    /// Limits on each message. A transport should not hold more than `limits.bytes` of one in memory; a longer one that it gives on all
    /// the same is refused.
    pub limits: Limits,
    /// Messages, and bytes of them, that may wait to be sent before nothing more is received. Notifications beyond it are dropped.
    pub queue_messages: usize,
    pub queue_bytes: usize,
    /// How long the transport may take to send one message, and to close.
    pub write_stall: Duration,
    /// How long running requests have to finish after the last message was received.
    pub drain: Duration,
    /// Who the client is, where the transport has proved it. Without it, what the client begins belongs to this connection.
    pub caller: Option<Caller>,
}

impl Default for MessageSettings {
    fn default() -> Self {
        Self {
            limits: Limits { bytes: 16 * 1024 * 1024, ..Limits::default() },
            queue_messages: 256,
            queue_bytes: 1024 * 1024,
            write_stall: Duration::from_secs(30),
            drain: Duration::from_millis(1500),
            caller: None,
        }
    }
}

/// Serves one client over a transport of any kind, until the client has closed the connection, and then until what it asked for is
/// answered or the time for that is over.
///
/// The transport carries whole messages in both directions and keeps their order; the rest works as it does over standard input and
/// output: handshake, cancellation, progress, questions to the client, limits. An error means that the transport broke.
///
/// To shut down from here, let [`MessageReceiver::receive`] return `None`: what runs is still answered. Dropping the future ends
/// everything at once.
///
/// ```
/// use bytes::Bytes;
/// use proofmark_sdk::{
///     server::Server,
///     transport::{MessageReceiver, MessageSender, MessageSettings, serve_messages},
/// };
/// use std::io;
/// use tokio::sync::mpsc;
///
/// struct Outgoing(mpsc::Sender<Bytes>);
/// struct Incoming(mpsc::Receiver<Bytes>);
///
/// impl MessageSender for Outgoing {
///     async fn send(&mut self, message: Bytes) -> io::Result<()> {
///         self.0.send(message).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
///     }
/// }
///
/// impl MessageReceiver for Incoming {
///     async fn receive(&mut self) -> io::Result<Option<Bytes>> {
///         Ok(self.0.recv().await)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::builder("greeter", "1.0.0").build()?;
/// let (to_server, incoming) = mpsc::channel(8);
/// let (outgoing, mut from_server) = mpsc::channel(8);
/// to_server.send(Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)).await?;
/// drop(to_server);
/// serve_messages(&server, Outgoing(outgoing), Incoming(incoming), MessageSettings::default()).await?;
/// assert_eq!(from_server.recv().await.unwrap(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
/// # Ok(())
/// # }
/// ```
pub async fn serve_messages(
    server: &Server,
    sender: impl MessageSender,
    receiver: impl MessageReceiver,
    settings: MessageSettings,
) -> io::Result<()> {
    let owner = match &settings.caller {
        Some(caller) => caller.principal().clone(),
        None => Principal::Session(SessionId::random().map_err(io::Error::other)?),
    };
    let (messages, bytes) = (settings.queue_messages, settings.queue_bytes);
    let queue = MessageQueue::new(Arc::clone(server.offer()), messages, bytes, Overflow::Drops);
    let queue = Arc::new(queue);
    let session = ServerSession::new(Arc::clone(server.offer()));
    let conversation = Conversation::new(server.clone(), session, owner, queue.clone());
    server.register(&conversation);
    let connection =
        Connection { conversation, queue, settings: &settings, handlers: Handlers::default() };
    // A sender in which a message is stuck cannot close.
    let Some(mut sender) = connection.run(sender, receiver).await? else { return Ok(()) };
    timeout(settings.write_stall, sender.close()).await?
}

struct Connection<'a> {
    conversation: Arc<Conversation>,
    queue: Arc<MessageQueue>,
    settings: &'a MessageSettings,
    handlers: Handlers,
}

impl Connection<'_> {
    /// Runs the conversation to its end, and gives back the sender unless a message is stuck in it.
    async fn run<S: MessageSender>(
        mut self,
        sender: S,
        receiver: impl MessageReceiver,
    ) -> io::Result<Option<S>> {
        let sink: Arc<dyn MessageSink> = self.queue.clone();
        let mut idle = Some(sender);
        // Both go on from one turn to the next, so that a transport need not bear to be interrupted.
        let mut sending = pin!(OptionFuture::from(None));
        let mut receiving = pin!(receive(receiver));
        let mut ends_at: Option<Instant> = None;
        loop {
            if let Some(sender) = idle.take() {
                match self.queue.next() {
                    Next::Message(message) => {
                        self.queue.advance();
                        let stall = self.settings.write_stall;
                        sending.set(Some(send(sender, message.json, stall)).into());
                    }
                    // All messages share one connection, which does not end for one request.
                    Next::Closed | Next::Empty | Next::Paused => idle = Some(sender),
                }
            }
            if ends_at.is_some() && idle.is_some() && self.handlers.is_empty() {
                return Ok(idle);
            }
            let deadline = self.conversation.next_deadline();
            let reading = ends_at.is_none() && self.queue.has_room();
            tokio::select! {
                biased;
                Some((sender, sent)) = sending.as_mut(), if idle.is_none() => {
                    sending.set(None.into());
                    sent?;
                    idle = Some(sender);
                }
                () = self.handlers.step(&self.conversation, deadline, ends_at) => {
                    if ends_at.is_some_and(|end| end <= Instant::now()) {
                        return Ok(idle);
                    }
                }
                (receiver, next) = receiving.as_mut(), if reading => {
                    if let Some(bytes) = next? {
                        let (conversation, caller) =
                            (&self.conversation, self.settings.caller.as_ref());
                        HandOff { conversation, sink: &sink, caller, headers: None }
                            .receive_bytes(&bytes, &self.settings.limits, |it| self.handlers.push(it));
                        receiving.set(receive(receiver));
                        // A client that always has more to say leaves others their turn.
                        consume_budget().await;
                    } else {
                        self.conversation.feed(Input::InputEnded, None);
                        ends_at = Some(Instant::now() + self.settings.drain);
                    }
                }
                () = self.queue.filled(), if idle.is_some() => {}
            }
        }
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.conversation.close();
    }
}

async fn send<S: MessageSender>(
    mut sender: S,
    message: Bytes,
    stall: Duration,
) -> (S, io::Result<()>) {
    let sent = timeout(stall, sender.send(message)).await;
    (sender, sent.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())))
}

async fn receive<R: MessageReceiver>(mut receiver: R) -> (R, io::Result<Option<Bytes>>) {
    let next = receiver.receive().await;
    (receiver, next)
}
