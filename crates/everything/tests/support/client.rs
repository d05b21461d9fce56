//! A client that speaks lines of JSON, answers what it is asked, and remembers what it hears.

use std::time::Duration;

use proofmark_everything::{Options, server};
use proofmark_sdk::{
    core::revision::{Era, Revision},
    transport::connect_in_memory,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
    time::timeout,
};

/// The revisions of the era in which a conversation begins with `initialize`.
pub(crate) fn revisions() -> impl Iterator<Item = Revision> {
    Revision::of(Era::Legacy)
}

pub(crate) struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    next_id: u64,
    /// Results for what the server asks, by method.
    pub(crate) answers: Value,
    /// Requests and notifications of the server, oldest first.
    pub(crate) heard: Vec<Value>,
    /// What `initialize` was answered with.
    pub(crate) welcome: Value,
    _serving: JoinHandle<std::io::Result<()>>,
}

impl Client {
    /// A client that can be asked for everything.
    pub(crate) async fn connect(revision: Revision) -> Self {
        let capabilities = json!({"sampling": {}, "elicitation": {}, "roots": {}});
        Self::connect_with(revision, &capabilities, Options::default()).await
    }

    pub(crate) async fn connect_with(
        revision: Revision,
        capabilities: &Value,
        options: Options,
    ) -> Self {
        let (stream, serving) = connect_in_memory(&server(options).unwrap());
        let serving = tokio::spawn(serving);
        let (reader, writer) = tokio::io::split(stream);
        let mut client = Self {
            lines: BufReader::new(reader).lines(),
            writer,
            next_id: 0,
            answers: json!({}),
            heard: Vec::new(),
            welcome: Value::Null,
            _serving: serving,
        };
        let params = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"}
        });
        client.welcome = client.request("initialize", params).await;
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    /// The result of a request.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let response = self.respond(method, params).await;
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    /// The error that a request is answered with.
    pub(crate) async fn refusal(&mut self, method: &str, params: Value) -> Value {
        let response = self.respond(method, params).await;
        assert!(response.get("result").is_none(), "{method}: {response}");
        response["error"].clone()
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The one text that a tool answers with.
    pub(crate) async fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
        only_text(&result)
    }

    /// The params of what was heard of a method.
    pub(crate) fn heard(&self, method: &str) -> Vec<&Value> {
        let of_method = self.heard.iter().filter(|message| message["method"] == method);
        of_method.map(|message| &message["params"]).collect()
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// The next message, whatever it is.
    pub(crate) async fn receive(&mut self) -> Value {
        let line = timeout(PATIENCE, self.lines.next_line()).await.expect("the server is silent");
        serde_json::from_str(&line.unwrap().expect("the server hung up")).unwrap()
    }

    async fn respond(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = json!(self.next_id);
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let message = self.receive().await;
            if message.get("method").is_none() {
                assert_eq!(message["id"], id, "{message}");
                return message;
            }
            if let Some(asked) = message.get("id") {
                let answer = self.answers[message["method"].as_str().unwrap()].clone();
                assert!(!answer.is_null(), "nothing prepared for {message}");
                self.send(json!({"jsonrpc": "2.0", "id": asked, "result": answer})).await;
            }
            self.heard.push(message);
        }
    }
}

#[track_caller]
pub(crate) fn only_text(result: &Value) -> String {
    let content = result["content"].as_array().unwrap();
    assert_eq!(content.len(), 1, "{result}");
    assert_eq!(content[0]["type"], "text", "{result}");
    content[0]["text"].as_str().unwrap().to_owned()
}

const PATIENCE: Duration = Duration::from_secs(10);
