//! The seam for transports of other crates, such as WebSocket: what a client needs of one.

use std::{fmt, io, sync::Arc};

use proofmark_core::jsonrpc::Limits;
use tokio_util::sync::CancellationToken;

use super::{engine::Engine, messages};
use crate::{
    BoxFuture,
    transport::{MessageReceiver, MessageSender},
};

/// A way to a server that carries whole messages in both directions and keeps their order.
///
/// [`Target::custom`](super::Target::custom) takes one. Negotiation, cancellation, progress, requests of the server and timeouts are the
/// client's part, and work as they do over standard input and output.
///
/// ```
/// use bytes::Bytes;
/// use proofmark_sdk::{
///     client::{ClientTransport, Target},
///     core::jsonrpc::Limits,
///     transport::{MessageReceiver, MessageSender},
/// };
/// use std::io;
/// use tokio::sync::mpsc;
///
/// /// Two channels in memory.
/// struct Channels(mpsc::Sender<Bytes>, mpsc::Receiver<Bytes>);
///
/// struct Sender(mpsc::Sender<Bytes>);
/// struct Receiver(mpsc::Receiver<Bytes>);
///
/// impl ClientTransport for Channels {
///     type Sender = Sender;
///     type Receiver = Receiver;
///
///     async fn connect(self, _: Limits) -> io::Result<(Sender, Receiver)> {
///         Ok((Sender(self.0), Receiver(self.1)))
///     }
/// }
///
/// impl MessageSender for Sender {
///     async fn send(&mut self, message: Bytes) -> io::Result<()> {
///         self.0.send(message).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
///     }
/// }
///
/// impl MessageReceiver for Receiver {
///     async fn receive(&mut self) -> io::Result<Option<Bytes>> {
///         Ok(self.0.recv().await)
///     }
/// }
///
/// # let (sender, _) = mpsc::channel(8);
/// # let (_, receiver) = mpsc::channel(8);
/// let target = Target::custom(Channels(sender, receiver));
/// ```
pub trait ClientTransport: Send + 'static {
    type Sender: MessageSender;
    type Receiver: MessageReceiver;

    /// Opens the connection. The client gives up after its patience ([`ClientBuilder::patience`](super::ClientBuilder::patience)).
    ///
    /// A transport should not keep more than `limits.bytes` of one message in memory. A longer one that it gives to the client all the same
    /// is thrown away there. A message that is not taken within [`ChildSettings::write_stall`](super::ChildSettings::write_stall) ends the
    /// conversation, and the connection has [`ChildSettings::close_grace`](super::ChildSettings::close_grace) to close.
    fn connect(
        self,
        limits: Limits,
    ) -> impl Future<Output = io::Result<(Self::Sender, Self::Receiver)>> + Send;
}

/// A [`ClientTransport`] of any type.
pub struct CustomTransport(Box<dyn Conversation>);

impl CustomTransport {
    pub(super) fn new(transport: impl ClientTransport) -> Self {
        Self(Box::new(transport))
    }

    pub(super) async fn run(self, engine: &Arc<Engine>, closing: &CancellationToken) {
        self.0.run(engine, closing).await;
    }
}

impl fmt::Debug for CustomTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomTransport").finish_non_exhaustive()
    }
}

/// A whole conversation behind one pointer, so that no message is boxed for the sake of the transport's type.
trait Conversation: Send {
    fn run<'a>(
        self: Box<Self>,
        engine: &'a Arc<Engine>,
        closing: &'a CancellationToken,
    ) -> BoxFuture<'a, ()>;
}

impl<T: ClientTransport> Conversation for T {
    fn run<'a>(
        self: Box<Self>,
        engine: &'a Arc<Engine>,
        closing: &'a CancellationToken,
    ) -> BoxFuture<'a, ()> {
        Box::pin(messages::run(engine, *self, closing))
    }
}
