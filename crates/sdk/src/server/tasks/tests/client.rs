//! A client that speaks JSON over memory, and looks at everything it gets.

use std::collections::VecDeque;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split,
};

use crate::{server::Server, transport::connect_in_memory};

pub(super) struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    next_id: i64,
    /// What came while something else was waited for.
    aside: VecDeque<Value>,
    /// Put into the params of each request.
    meta: Option<Value>,
}

impl Client {
    /// A client of the experiment that can be asked things.
    pub(super) async fn connect(server: &Server) -> Self {
        Self::shake_hands(server, "2025-11-25", json!({ "elicitation": {} })).await.0
    }

    /// Also gives the answer to `initialize`.
    pub(super) async fn shake_hands(
        server: &Server,
        revision: &str,
        capabilities: Value,
    ) -> (Self, Value) {
        let mut client = Self::open(server);
        let params = json!({
            "protocolVersion": revision,
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = client.request("initialize", params).await;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        (client, answer)
    }

    /// A client of the extension, which says about itself what is in `capabilities` on each request.
    pub(super) fn modern(server: &Server, capabilities: &Value) -> Self {
        let mut client = Self::open(server);
        client.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        }));
        client
    }

    fn open(server: &Server) -> Self {
        let (stream, serve) = connect_in_memory(server);
        tokio::spawn(serve);
        let (reader, writer) = split(stream);
        let lines = BufReader::new(reader).lines();
        Self { lines, writer, next_id: 1, aside: VecDeque::new(), meta: None }
    }

    pub(super) async fn send(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Sends a request and gives its id.
    pub(super) async fn ask(&mut self, method: &str, mut params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request).await;
        id
    }

    /// The answer to a request; what comes before it is kept.
    pub(super) async fn answer(&mut self, id: i64) -> Value {
        self.find(|message| message["id"] == id && message.get("method").is_none()).await
    }

    /// A request or notification from the server.
    pub(super) async fn next_of(&mut self, method: &str) -> Value {
        self.find(|message| message["method"] == method).await
    }

    pub(super) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        self.answer(id).await
    }

    /// The result, which must not be an error.
    pub(super) async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).await;
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// The code of the error, which must be one.
    pub(super) async fn error(&mut self, method: &str, params: Value) -> i64 {
        let answer = self.request(method, params).await;
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
    }

    /// Begins a task of the experiment and gives its id.
    pub(super) async fn begin(&mut self, tool: &str) -> String {
        let result = self.result("tools/call", json!({ "name": tool, "task": {} })).await;
        result["task"]["taskId"].as_str().unwrap().to_owned()
    }

    pub(super) async fn of_task(&mut self, method: &str, task: &str) -> Value {
        self.result(method, json!({ "taskId": task })).await
    }

    /// Looks until the task is as it should be. Time must not be what it takes, so it is not waited for long.
    pub(super) async fn until(&mut self, task: &str, status: &str) -> Value {
        let mut seen = Value::Null;
        for _ in 0..LOOKS {
            seen = self.of_task("tasks/get", task).await;
            if seen["status"] == status {
                return seen;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        panic!("the task is not {status}: {seen}");
    }

    async fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.aside.iter().position(&wanted) {
            return self.aside.remove(at).unwrap();
        }
        loop {
            let line = self.lines.next_line().await.unwrap().expect("the server goes on");
            let message: Value = serde_json::from_str(&line).unwrap();
            if wanted(&message) {
                return message;
            }
            self.aside.push_back(message);
        }
    }
}

const LOOKS: usize = 100;
