//! WebSocket as a transport of the client: one text frame for each message.

use std::io;

use bytes::Bytes;
use futures_util::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use proofmark_sdk::{
    client::ClientTransport,
    core::jsonrpc::Limits,
    transport::{MessageReceiver, MessageSender},
};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{
        Error, Message, Utf8Bytes, client::IntoClientRequest, error::ProtocolError,
        http::HeaderValue, protocol::WebSocketConfig,
    },
};

/// A server at a `ws` URL.
pub(crate) struct WebSocket {
    url: String,
}

impl WebSocket {
    pub(crate) fn new(url: impl Into<String>) -> Self {
        Self { url: url.into() }
    }
}

type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

impl ClientTransport for WebSocket {
    type Sender = Sender;
    type Receiver = Receiver;

    async fn connect(self, limits: Limits) -> io::Result<(Sender, Receiver)> {
        let mut request = self.url.into_client_request().map_err(io::Error::other)?;
        let protocol = HeaderValue::from_static(SUBPROTOCOL);
        request.headers_mut().insert("sec-websocket-protocol", protocol);
        let config = WebSocketConfig::default()
            .max_message_size(Some(limits.bytes))
            .max_frame_size(Some(limits.bytes));
        let connecting = connect_async_with_config(request, Some(config), true);
        let (stream, _) = connecting.await.map_err(io::Error::other)?;
        let (sender, receiver) = stream.split();
        Ok((Sender(sender), Receiver(receiver)))
    }
}

pub(crate) struct Sender(SplitSink<Stream, Message>);

impl MessageSender for Sender {
    async fn send(&mut self, message: Bytes) -> io::Result<()> {
        let text = Utf8Bytes::try_from(message).map_err(io::Error::other)?;
        self.0.send(Message::Text(text)).await.map_err(io::Error::other)
    }

    async fn close(&mut self) -> io::Result<()> {
        match self.0.close().await {
            // The server was faster.
            Ok(()) | Err(Error::ConnectionClosed) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

pub(crate) struct Receiver(SplitStream<Stream>);

impl MessageReceiver for Receiver {
    async fn receive(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            match self.0.next().await {
                None
                | Some(
                    Err(
                        Error::ConnectionClosed
                        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake),
                    )
                    | Ok(Message::Close(_)),
                ) => return Ok(None),
                Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => {
                    return Ok(Some(message.into_data()));
                }
                // Pings are answered by the library.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(io::Error::other(error)),
            }
        }
    }
}

/// What both sides say they speak over the WebSocket.
const SUBPROTOCOL: &str = "mcp";
