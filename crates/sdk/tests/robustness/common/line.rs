//! A client on a pipe that never leaves the process.

use std::io;

use proofmark_sdk::{
    server::Server,
    transport::{LineSettings, serve_lines},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split},
    task::JoinHandle,
};

use super::{initialize, notification, soon};

/// Writes any bytes and reads lines.
pub(crate) struct LineClient {
    pub(crate) reader: BufReader<ReadHalf<DuplexStream>>,
    /// Both of the client's halves must go for the pipe to close; this one is taken to end the input.
    writer: Option<WriteHalf<DuplexStream>>,
    pub(crate) serving: JoinHandle<io::Result<()>>,
}

impl LineClient {
    pub(crate) fn connect(server: &Server, settings: LineSettings) -> Self {
        let (client, far) = tokio::io::duplex(64 * 1024);
        let server = server.clone();
        let serving = tokio::spawn(async move {
            let (reader, writer) = split(far);
            serve_lines(&server, reader, writer, settings).await
        });
        let (reader, writer) = split(client);
        Self { reader: BufReader::new(reader), writer: Some(writer), serving }
    }

    /// Connects and shakes hands.
    pub(crate) async fn begin(server: &Server, version: &str) -> Self {
        let mut client = Self::connect(server, LineSettings::default());
        client.send(&initialize(version)).await;
        assert_eq!(client.message().await["id"], "init");
        client.send(&notification("notifications/initialized", json!({}))).await;
        client
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &[u8]) {
        self.send_bytes(&[line, b"\n"].concat()).await;
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        let writer = self.writer.as_mut().expect("the input has not ended");
        soon(writer.write_all(bytes)).await.unwrap();
    }

    /// Nothing more is sent, but what comes is still read.
    pub(crate) async fn end_input(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            writer.shutdown().await.unwrap();
        }
    }

    /// The next message; a panic at the end.
    pub(crate) async fn message(&mut self) -> Value {
        self.try_message().await.expect("a message")
    }

    /// The next message; `None` at the end.
    pub(crate) async fn try_message(&mut self) -> Option<Value> {
        let mut line = String::new();
        let count = soon(self.reader.read_line(&mut line)).await.unwrap();
        (count > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// The answer to this request, past everything else.
    pub(crate) async fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        loop {
            let message = self.message().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.answer(message["id"].clone()).await
    }

    /// Whether the server still answers.
    pub(crate) async fn assert_alive(&mut self) {
        let answer = self.ask(&super::request("alive", "ping", json!({}))).await;
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
}
