//! A server without any transport, for tests.

use tokio::io::{DuplexStream, duplex, split};

use super::{LineSettings, serve_lines};
use crate::server::Server;

/// The client's end of a line transport that never leaves the process, and the future that serves the other end.
///
/// The future ends when the client's end is dropped. Run both together, for example with `tokio::join!`.
pub fn connect_in_memory(
    server: &Server,
) -> (DuplexStream, impl Future<Output = std::io::Result<()>> + use<>) {
    let (client, far) = duplex(CAPACITY);
    let server = server.clone();
    let serve = async move {
        let (reader, writer) = split(far);
        serve_lines(&server, reader, writer, LineSettings::default()).await
    };
    (client, serve)
}

const CAPACITY: usize = 64 * 1024;
