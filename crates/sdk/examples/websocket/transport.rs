//! WebSocket as a transport: one message per text frame.

use std::{io, time::Duration};

use bytes::Bytes;
use futures_util::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use proofmark_sdk::{
    core::jsonrpc::Limits,
    transport::{MessageReceiver, MessageSender},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async_with_config,
    tungstenite::{
        Error, Message, Utf8Bytes,
        error::ProtocolError,
        handshake::server::{ErrorResponse, Request, Response},
        http::{HeaderMap, HeaderValue, StatusCode, header},
        protocol::WebSocketConfig,
    },
};

pub(crate) struct Sender<S>(SplitSink<WebSocketStream<S>, Message>);

pub(crate) struct Receiver<S>(SplitStream<WebSocketStream<S>>);

/// The server's end of a new connection.
pub(crate) async fn accept(
    stream: TcpStream,
    limits: &Limits,
) -> io::Result<(Sender<TcpStream>, Receiver<TcpStream>)> {
    // Messages are small and waited for.
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(limits.bytes))
        .max_frame_size(Some(limits.bytes));
    let shaking_hands = accept_hdr_async_with_config(stream, admit, Some(config));
    let socket = timeout(HANDSHAKE, shaking_hands).await?.map_err(io::Error::other)?;
    Ok(halves(socket))
}

/// The halves of a connection, at either end.
pub(crate) fn halves<S>(socket: WebSocketStream<S>) -> (Sender<S>, Receiver<S>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (sink, stream) = socket.split();
    (Sender(sink), Receiver(stream))
}

impl<S> MessageSender for Sender<S>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    async fn send(&mut self, message: Bytes) -> io::Result<()> {
        let text = Utf8Bytes::try_from(message).map_err(io::Error::other)?;
        self.0.send(Message::Text(text)).await.map_err(io::Error::other)
    }

    async fn close(&mut self) -> io::Result<()> {
        match self.0.close().await {
            // The other side may have been faster.
            Ok(()) | Err(Error::ConnectionClosed | Error::AlreadyClosed) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

impl<S> MessageReceiver for Receiver<S>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    async fn receive(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            return match self.0.next().await {
                Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => {
                    Ok(Some(message.into_data()))
                }
                // Pings are answered by the library.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                None
                | Some(
                    Ok(Message::Close(_))
                    | Err(
                        Error::ConnectionClosed
                        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake),
                    ),
                ) => Ok(None),
                Some(Err(error)) => Err(io::Error::other(error)),
            };
        }
    }
}

/// Lets in clients that speak MCP and are no web pages.
#[expect(clippy::result_large_err, reason = "the library's own signature")]
fn admit(request: &Request, mut response: Response) -> Result<Response, ErrorResponse> {
    let refused = |status| {
        let mut refusal = ErrorResponse::new(None);
        *refusal.status_mut() = status;
        refusal
    };
    if request.headers().contains_key(header::ORIGIN) {
        return Err(refused(StatusCode::FORBIDDEN));
    }
    if !offers(request.headers(), SUBPROTOCOL) {
        return Err(refused(StatusCode::BAD_REQUEST));
    }
    let chosen = HeaderValue::from_static(SUBPROTOCOL);
    response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, chosen);
    Ok(response)
}

fn offers(headers: &HeaderMap, protocol: &str) -> bool {
    let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let mut offered = offered.filter_map(|value| value.to_str().ok()).flat_map(|it| it.split(','));
    offered.any(|it| it.trim() == protocol)
}

/// What both sides say they speak over the WebSocket.
pub(crate) const SUBPROTOCOL: &str = "mcp";
/// How long a client may take to open the WebSocket.
const HANDSHAKE: Duration = Duration::from_secs(10);
