//! Where the messages of a session go.

use proofmark_core::session::server::Transmit;

/// Takes the messages of a session for one client, one response or one stream. Never waits.
pub(crate) trait MessageSink: Send + Sync {
    fn put(&self, transmit: Transmit);

    /// Ends the connection that carries the messages, but not the request; the client comes back for the rest.
    fn pause(&self) {}
}
