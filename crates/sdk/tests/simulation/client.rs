//! A client that comes to any server with anything, and remembers what it was promised.

use std::{collections::HashMap, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    dice::Dice,
    server::STEPS,
    wire::{Answer, Next, NoAnswer, send},
    world::{SERVERS, World},
};

pub(crate) struct Client {
    world: Arc<World>,
    dice: Dice,
    name: String,
    session: String,
    trace: Vec<String>,
}

/// How a call ended.
#[derive(Debug)]
enum End {
    Answer(Value),
    /// With an error that says so.
    Error(String),
    /// In order, without an answer.
    Nothing,
}

impl Client {
    pub(crate) async fn visit(world: Arc<World>, number: u64, dice: Dice) -> Vec<String> {
        let name = format!("c{number}");
        let mut client = Self { world, dice, name, session: String::new(), trace: Vec::new() };
        if !client.begin().await {
            return client.trace;
        }
        let listener = Listener {
            world: Arc::clone(&client.world),
            dice: client.dice.clone(),
            session: client.session.clone(),
        };
        let listener = tokio::spawn(listener.listen());
        for round in 0..ROUNDS {
            let call = format!("{}r{round}", client.name);
            let end = match client.dice.below(6) {
                0 => client.echo(&call).await,
                1 | 2 => client.follow_steps(&call).await,
                3 => client.answer(&call).await,
                4 => client.cancel(&call).await,
                _ => client.watch(&call).await,
            };
            let (how, answered) = match end {
                End::Answer(result) => (result.to_string(), true),
                End::Error(error) => (error, false),
                End::Nothing => ("nothing".into(), false),
            };
            client.trace.push(format!("{call}: {how}"));
            client.world.count(|found| {
                if answered {
                    found.answered += 1;
                } else {
                    found.failed += 1;
                }
            });
        }
        // Whatever was said meanwhile has its time to arrive.
        sleep(Duration::from_secs(120)).await;
        listener.abort();
        client.trace
    }

    /// Shakes hands, as often as it takes.
    async fn begin(&mut self) -> bool {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "simulated", "version": "1" },
        });
        for _ in 0..TRIES {
            let hello = request("init", "initialize", &params);
            let session = self.post(&hello).await.ok().and_then(|answer| answer.session);
            if let Some(session) = session {
                self.session = session;
                let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
                return self.insist(&ready, 202).await;
            }
            sleep(PAUSE).await;
        }
        self.wrong("no session can be had");
        false
    }

    async fn echo(&mut self, call: &str) -> End {
        let end = self.call(call, "echo").await;
        self.own(call, &end);
        end
    }

    /// Progress without gap or repetition and then one answer, although the stream breaks.
    async fn follow_steps(&mut self, call: &str) -> End {
        let stream = match self.post(&tool(call, "steps")).await {
            Ok(stream) => stream,
            Err(broken) => return self.unsent(call, &broken),
        };
        let (said, end) = self.follow(call, stream).await;
        let steps: Vec<_> =
            said.iter().filter_map(|it| it["params"]["progress"].as_u64()).collect();
        let all: Vec<u64> = (1..=u64::from(STEPS)).collect();
        let whole = steps == all;
        if !all.starts_with(&steps) || matches!(end, End::Answer(_)) && !whole {
            self.wrong(&format!("{call}: {steps:?} and {end:?}"));
        }
        self.own(call, &end);
        end
    }

    /// A question that is answered wherever that goes, and once more.
    async fn answer(&mut self, call: &str) -> End {
        let mut stream = match self.post(&tool(call, "asks")).await {
            Ok(stream) => stream,
            Err(broken) => return self.unsent(call, &broken),
        };
        if stream.status != 200 {
            return self.refused(call, stream.status);
        }
        let question = match stream.next().await {
            Next::Message(message) if message["method"] == "elicitation/create" => message,
            // The server may be gone before it asks, or fail because the question is not kept.
            Next::Message(message) if message["error"].is_object() => {
                return End::Error(message["error"]["message"].to_string());
            }
            Next::Message(message) => {
                self.wrong(&format!("{call}: {message}"));
                return End::Nothing;
            }
            Next::End | Next::Broken => return End::Error("broken".into()),
            Next::Silence => {
                self.wrong(&format!("{call}: no question"));
                return End::Nothing;
            }
        };
        if question["params"]["message"] != call {
            self.wrong(&format!("{call}: asked {question}"));
        }
        for _ in 0..2 {
            let content = json!({ "said": call });
            let result = json!({ "action": "accept", "content": content });
            let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
            if !self.insist(&answer, 202).await {
                self.wrong(&format!("{call}: the answer is not taken"));
            }
        }
        let (_, end) = self.follow(call, stream).await;
        self.own(call, &end);
        end
    }

    /// A call that would never end is over soon after it was cancelled.
    async fn cancel(&mut self, call: &str) -> End {
        let mut stream = match self.post(&tool(call, "waits")).await {
            Ok(stream) => stream,
            Err(broken) => return self.unsent(call, &broken),
        };
        if stream.status != 200 {
            return self.refused(call, stream.status);
        }
        let first = stream.next().await;
        let cancel = json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": { "requestId": call },
        });
        if !self.insist(&cancel, 202).await {
            self.wrong(&format!("{call}: the cancellation is not taken"));
        }
        match first {
            Next::Message(message) if message["method"] == "notifications/progress" => {}
            Next::Message(message) => return End::Error(message.to_string()),
            _ => return End::Error("broken".into()),
        }
        let mut ended = None;
        // It is over when the stream ends, here or, after a break, at another server.
        let mut last = stream.last.clone();
        for _ in 0..TRIES {
            match stream.next().await {
                Next::Message(message) if message["error"].is_object() => {
                    ended = Some(End::Error(message["error"]["message"].to_string()));
                }
                Next::Message(message) => self.wrong(&format!("{call}: {message} after its end")),
                Next::Silence => self.wrong(&format!("{call}: runs on although it is cancelled")),
                Next::End => ended = Some(End::Nothing),
                Next::Broken => {}
            }
            last = stream.last.clone().or(last);
            if let Some(ended) = ended {
                return ended;
            }
            let Some(id) = &last else { return End::Error("broken".into()) };
            match self.resume(call, id).await {
                Some(resumed) => stream = resumed,
                None => break,
            }
        }
        self.wrong(&format!("{call}: never ends"));
        End::Nothing
    }

    /// What was promised to be watched is watched.
    async fn watch(&mut self, call: &str) -> End {
        let uri = format!("test://{call}");
        let watch = request(call, "resources/subscribe", &json!({ "uri": uri }));
        let answer = match self.post(&watch).await {
            Ok(answer) => answer,
            Err(broken) => return self.unsent(call, &broken),
        };
        let end = self.read(call, answer).await;
        if matches!(end, End::Answer(_)) {
            match self.world.watched(&self.session).await {
                Some(watched) if watched.contains(&uri) => {}
                watched => self.wrong(&format!("{call}: only {watched:?} are watched")),
            }
            let at = usize::try_from(self.dice.below(SERVERS)).unwrap();
            let server = self.world.server(at);
            if !server.way.dead.is_cancelled() {
                server.server.resource_updated(uri);
            }
        }
        end
    }

    async fn call(&mut self, call: &str, name: &str) -> End {
        match self.post(&tool(call, name)).await {
            Ok(answer) => self.read(call, answer).await,
            Err(broken) => self.unsent(call, &broken),
        }
    }

    async fn read(&mut self, call: &str, mut answer: Answer) -> End {
        if answer.status != 200 {
            return self.refused(call, answer.status);
        }
        match answer.next().await {
            Next::Message(message) => self.end(call, &message),
            Next::End | Next::Broken => End::Error("broken".into()),
            Next::Silence => {
                self.wrong(&format!("{call}: no answer"));
                End::Nothing
            }
        }
    }

    /// Reads a stream to its end, wherever that is; breaks it now and then.
    async fn follow(&mut self, call: &str, mut stream: Answer) -> (Vec<Value>, End) {
        if stream.status != 200 {
            return (Vec::new(), self.refused(call, stream.status));
        }
        let (mut said, mut last) = (Vec::new(), None);
        for _ in 0..TRIES {
            let broken = loop {
                let next = stream.next().await;
                last = stream.last.clone().or(last);
                match next {
                    Next::Message(message) if message["id"] == call => {
                        let end = self.end(call, &message);
                        self.expect_no_more(call, &mut stream).await;
                        return (said, end);
                    }
                    Next::Message(message) => said.push(message),
                    Next::End | Next::Broken => break true,
                    Next::Silence => break false,
                }
                if last.is_some() && self.dice.one_in(4) {
                    break true;
                }
            };
            if !broken {
                self.wrong(&format!("{call}: no end"));
                return (said, End::Nothing);
            }
            let Some(id) = &last else { return (said, End::Error("broken".into())) };
            match self.resume(call, id).await {
                Some(resumed) => stream = resumed,
                None => return (said, End::Nothing),
            }
        }
        self.wrong(&format!("{call}: the stream ends and ends without an answer"));
        (said, End::Nothing)
    }

    async fn expect_no_more(&self, call: &str, stream: &mut Answer) {
        if let Next::Message(message) = stream.next().await {
            self.wrong(&format!("{call}: {message} after the answer"));
        }
    }

    /// Comes back for the rest of a stream, as often as it takes.
    async fn resume(&mut self, call: &str, last: &str) -> Option<Answer> {
        self.world.count(|found| found.resumed += 1);
        for _ in 0..TRIES {
            let session = self.session.clone();
            let headers = headers(&session, Some(last));
            match self.send("GET", &headers, String::new()).await {
                Ok(answer) if answer.status == 200 => return Some(answer),
                Ok(answer) if answer.status == 503 => {}
                Ok(answer) => {
                    self.wrong(&format!("{call}: {} for the rest of a stream", answer.status));
                    return None;
                }
                Err(NoAnswer::Broken) => {}
                Err(NoAnswer::Silence) => self.wrong(&format!("{call}: no answer to GET")),
            }
            sleep(PAUSE).await;
        }
        self.wrong(&format!("{call}: the rest of a stream cannot be had"));
        None
    }

    /// Posts a message until it is taken.
    async fn insist(&mut self, message: &Value, status: u16) -> bool {
        for _ in 0..TRIES {
            match self.post(message).await {
                Ok(answer) if answer.status == status => return true,
                Ok(answer) if answer.status == 503 => {}
                Ok(answer) => {
                    self.wrong(&format!("{}: {} for {message}", self.name, answer.status));
                    return false;
                }
                Err(NoAnswer::Broken) => {}
                Err(NoAnswer::Silence) => self.wrong(&format!("{}: {message} hangs", self.name)),
            }
            sleep(PAUSE).await;
        }
        false
    }

    async fn post(&mut self, message: &Value) -> Result<Answer, NoAnswer> {
        let session = self.session.clone();
        self.send("POST", &headers(&session, None), message.to_string()).await
    }

    async fn send(
        &mut self,
        method: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Result<Answer, NoAnswer> {
        let at = usize::try_from(self.dice.below(SERVERS)).unwrap();
        send(&self.world.server(at), method, headers, body).await
    }

    fn end(&self, call: &str, message: &Value) -> End {
        if message["id"] != call {
            self.wrong(&format!("{call}: {message}"));
        }
        if message["error"].is_object() {
            return End::Error(message["error"]["message"].to_string());
        }
        End::Answer(message["result"].clone())
    }

    /// An answer is about its own call.
    fn own(&self, call: &str, end: &End) {
        if let End::Answer(result) = end
            && !result.to_string().contains(call)
        {
            self.wrong(&format!("{call}: {result}"));
        }
    }

    fn refused(&self, call: &str, status: u16) -> End {
        if status != 503 {
            self.wrong(&format!("{call}: {status}"));
        }
        End::Error(status.to_string())
    }

    fn unsent(&self, call: &str, why: &NoAnswer) -> End {
        if *why == NoAnswer::Silence {
            self.wrong(&format!("{call}: no answer"));
        }
        End::Error("broken".into())
    }

    fn wrong(&self, what: &str) {
        self.world.count(|found| found.wrong.push(what.to_owned()));
    }
}

/// The one stream of a client for what belongs to no call.
struct Listener {
    world: Arc<World>,
    dice: Dice,
    session: String,
}

impl Listener {
    async fn listen(mut self) {
        let (mut told, mut last) = (HashMap::<String, usize>::new(), None);
        loop {
            let at = usize::try_from(self.dice.below(SERVERS)).unwrap();
            let server = self.world.server(at);
            let headers = headers(&self.session, last.as_deref());
            let Ok(mut stream) = send(&server, "GET", &headers, String::new()).await else {
                sleep(PAUSE).await;
                continue;
            };
            if stream.status != 200 {
                if stream.status != 503 {
                    let status = stream.status;
                    self.world.count(|it| it.wrong.push(format!("{status} for what is said")));
                    return;
                }
                sleep(PAUSE).await;
                continue;
            }
            while let Next::Message(message) = stream.next().await {
                last = stream.last.clone().or(last);
                let Some(uri) = message["params"]["uri"].as_str() else { continue };
                let count = told.entry(uri.to_owned()).or_default();
                *count += 1;
                let twice = *count > 1;
                self.world.count(|found| {
                    found.told += 1;
                    if twice {
                        found.wrong.push(format!("{uri}: told twice"));
                    }
                });
                if self.dice.one_in(3) {
                    break;
                }
            }
            last = stream.last.clone().or(last);
            sleep(PAUSE).await;
        }
    }
}

fn headers<'a>(session: &'a str, last: Option<&'a str>) -> Vec<(&'static str, &'a str)> {
    let mut headers = Vec::new();
    if !session.is_empty() {
        headers.push(("mcp-session-id", session));
        headers.push(("mcp-protocol-version", "2025-11-25"));
    }
    headers.extend(last.map(|last| ("last-event-id", last)));
    headers
}

fn tool(call: &str, name: &str) -> Value {
    let params = json!({
        "name": name,
        "arguments": { "name": call },
        "_meta": { "progressToken": call },
    });
    request(call, "tools/call", &params)
}

fn request(id: &str, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

const ROUNDS: usize = 5;
const TRIES: usize = 400;
const PAUSE: Duration = Duration::from_millis(200);
