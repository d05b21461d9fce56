//! What the hosted server says, message by message. It asserts nothing.

pub(super) mod asking;
mod caching;
mod modern;
mod rounds;
mod tasks;

use std::time::Duration;

use proofmark_core::revision::{Era, Revision, Rules};
use serde_json::{Value, json};

use super::{
    HostingSettings, fixtures,
    scenario::{Calls, Declares, HostedScenario, Pages, Stream},
    steps::{Step, notification, request},
};
use crate::http_request::HttpRequest;
use proofmark_record::{
    event::{Frame, Headers},
    evidence::is_modern,
    topic::Topic,
    transport::Transport,
};

/// The memory of one hosted server.
#[derive(Debug)]
pub(super) struct Behaviour {
    scenario: HostedScenario,
    /// `None`: whatever the client offers.
    revision: Option<Revision>,
    agreed: Revision,
    sessions: u32,
    /// Whether the client said that the handshake is over.
    ready: bool,
    /// Whether the questions were put.
    asked: bool,
    /// A request whose stream broke off, and its answer.
    cut: Option<(Value, Value)>,
    calls: u32,
    events: u32,
    quiet: Duration,
    /// Whether the client began without a handshake.
    pub(super) modern: bool,
    /// Rounds that calls took altogether.
    rounds: u32,
    /// Things asked for that were not declared.
    uninvited: usize,
    /// Whether something was refused that will not be again.
    pub(super) refused: bool,
    /// Where the client finds this server.
    pub(super) host: Option<String>,
    /// What the client declared in its handshake.
    declared: Value,
    older: bool,
    jobs: tasks::Jobs,
    given: caching::Given,
}

/// Whether the client can be told what belongs to no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Open,
    Closed,
}

impl Behaviour {
    pub(super) fn new(scenario: HostedScenario, settings: &HostingSettings) -> Self {
        let HostingSettings { revision, quiet, transport, .. } = *settings;
        Self {
            scenario,
            revision,
            agreed: revision.unwrap_or_else(|| Revision::newest(Era::Legacy)),
            sessions: 0,
            ready: false,
            asked: false,
            cut: None,
            calls: 0,
            events: 0,
            quiet,
            modern: revision.is_some_and(|it| it.era() == Era::Modern),
            rounds: 0,
            uninvited: 0,
            refused: false,
            host: None,
            declared: Value::Null,
            older: transport == Transport::Sse || scenario.is_sse_only,
            jobs: tasks::Jobs::default(),
            given: caching::Given::default(),
        }
    }

    /// Whether it knows HTTP+SSE and nothing newer.
    pub(super) fn is_older(&self) -> bool {
        self.older
    }

    /// A status for a POST that is not even looked at.
    pub(super) fn refuses(&self, request: &HttpRequest) -> Option<u16> {
        let forgotten = self.scenario.forgets_session && self.calls > 0 && self.sessions == 1;
        let named = request.header("mcp-session-id").is_some();
        (forgotten && named).then_some(404)
    }

    /// The session that a response hands out.
    pub(super) fn session_for(&self, frame: &Frame) -> Option<String> {
        let begins = frame.messages().iter().any(|it| it["method"] == "initialize");
        (begins && self.scenario.has_sessions)
            .then(|| format!("hosted-{}-{}", self.scenario.name, self.sessions + 1))
    }

    pub(super) fn stream(&self, message: &Value) -> Stream {
        let begins = message["method"] == "initialize";
        if begins { Stream::Json } else { self.scenario.stream }
    }

    pub(super) fn found_at(&mut self, host: &str) {
        self.host.get_or_insert_with(|| host.to_owned());
    }

    /// Names of headers mean the same in any case.
    pub(super) fn cased(&self, mut headers: Headers) -> Headers {
        for (name, _) in &mut headers {
            if self.scenario.has_odd_headers && name == "content-type" {
                "cOnTeNt-TyPe".clone_into(name);
            }
        }
        headers
    }

    /// The status for DELETE.
    pub(super) fn deleted(&self) -> u16 {
        if self.modern && !self.scenario.hides_revision { 405 } else { 200 }
    }

    /// What happens on a stream that GET opened, and which request it answers. `None`: there is no such stream.
    pub(super) fn opened(&mut self, last: Option<&str>) -> Option<(Option<Value>, Vec<Step>)> {
        if last.is_some()
            && !self.modern
            && let Some((id, result)) = self.cut.take()
        {
            return Some((Some(id), vec![Step::Answer(result)]));
        }
        if !self.scenario.has_standing_stream || self.modern {
            return None;
        }
        let mut steps = if self.ready { self.questions() } else { Vec::new() };
        steps.push(Step::Never);
        Some((None, steps))
    }

    /// Bytes of a stream that carry this text as one event.
    pub(super) fn event(&mut self, text: &str) -> Vec<u8> {
        if !self.scenario.has_odd_events {
            return format!("event: message\ndata: {text}\n\n").into_bytes();
        }
        self.events += 1;
        // Comments, other line ends, fields without a space, unknown fields, data in two lines, no name. A carriage return is
        // not the last byte: whether a stream that ends there is whole is a riddle for decoders, and not what is asked here.
        let number = self.events;
        let (first, second) = text.split_at(1);
        match number % 3 {
            0 => format!(": a comment\r\nid:{number}\r\ndata:{first}\r\ndata:{second}\r\n\r\n"),
            1 => format!(":\n\nid: {number}\ndata: {text}\nunknown: field\n\n"),
            _ => format!("retry: 10\r\rdata:{text}\revent:message\r\r:\n"),
        }
        .into_bytes()
    }

    /// What is done about a message of the client that is no answer.
    pub(super) fn hear(&mut self, message: &Value, reach: Reach) -> Vec<Step> {
        let params = &message["params"];
        let method = message["method"].as_str().unwrap_or_default();
        let named = self.revision.map(Revision::era);
        if is_modern(message) && named != Some(Era::Legacy) {
            self.modern = true;
            return self.hear_modern(message);
        }
        if named == Some(Era::Modern) && !self.scenario.hides_revision {
            return self.too_old(message);
        }
        if message.get("id").is_none() {
            return self.notified(method, reach);
        }
        if let Some(steps) = self.experiment(method, params) {
            return steps;
        }
        match method {
            "initialize" => vec![Step::Answer(self.welcome(params))],
            "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => {
                vec![Step::Answer(json!({}))]
            }
            "tools/list" if self.scenario.calls == Calls::Refused => {
                vec![Step::Fail(-32603, "out of order")]
            }
            "tools/list" => self.list("tools", &self.tools(), params),
            "resources/list" => self.list("resources", &fixtures::resources(), params),
            "resources/templates/list" => {
                self.list("resourceTemplates", &fixtures::templates(), params)
            }
            "prompts/list" => self.list("prompts", &fixtures::prompts(), params),
            "resources/read" => or_unknown(fixtures::read(params)),
            "prompts/get" => or_unknown(fixtures::prompt(params)),
            "completion/complete" => {
                vec![Step::Answer(json!({ "completion": { "values": ["test"] } }))]
            }
            "tools/call" => self.call(&message["id"], params),
            _ => vec![Step::Fail(-32601, "no such method")],
        }
    }

    fn notified(&mut self, method: &str, reach: Reach) -> Vec<Step> {
        if method != "notifications/initialized" {
            return Vec::new();
        }
        self.ready = true;
        if reach == Reach::Open { self.questions() } else { Vec::new() }
    }

    fn welcome(&mut self, params: &Value) -> Value {
        self.sessions += 1;
        self.declared = params["capabilities"].clone();
        let offered = params["protocolVersion"].as_str().and_then(|it| it.parse().ok());
        let legacy = |it: &Revision| it.era() == Era::Legacy;
        let chosen = self.revision.filter(legacy).or_else(|| offered.filter(legacy));
        self.agreed = chosen.unwrap_or_else(|| Revision::newest(Era::Legacy));
        let countered = self.scenario.countered_version();
        let version = countered.unwrap_or_else(|| self.agreed.as_str());
        let mut capabilities = self.scenario.capabilities();
        if self.scenario.has_tasks {
            capabilities["tasks"] =
                json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
        }
        json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "serverInfo": { "name": "proofmark-hosted", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn tools(&self) -> Vec<Value> {
        (self.scenario.tools)(self)
    }

    /// What the client and this server have in common.
    pub(super) fn spoken_rules(&self) -> &'static Rules {
        let spoken = if self.modern { self.spoken() } else { self.agreed };
        spoken.rules()
    }

    fn list(&mut self, key: &str, items: &[Value], params: &Value) -> Vec<Step> {
        match self.page(key, items, params) {
            Ok(result) => vec![Step::Answer(result)],
            Err((code, text)) => vec![Step::Fail(code, text)],
        }
    }

    /// The page of a list that is asked for.
    fn page(
        &mut self,
        key: &str,
        items: &[Value],
        params: &Value,
    ) -> Result<Value, (i64, &'static str)> {
        if self.scenario.declares == Declares::Tools && key != "tools" {
            return Err((-32601, "no such method"));
        }
        if self.scenario.pages == Pages::No {
            return Ok(json!({ key: items }));
        }
        let turns = params.get("cursor").is_some();
        let expires = self.scenario.pages == Pages::Expiring;
        if expires && turns && !std::mem::replace(&mut self.refused, true) {
            return Err((-32602, "this cursor has expired"));
        }
        // One item a page, under cursors that cannot be guessed.
        let at = match params["cursor"].as_str() {
            None => 0,
            Some(cursor) => {
                let known = (0..items.len()).find(|at| self.cursor_at(*at) == cursor);
                known.ok_or((-32602, "no such cursor"))?
            }
        };
        let mut result = json!({ key: [items[at]] });
        if at + 1 < items.len() {
            result["nextCursor"] = json!(self.cursor_at(at + 1));
        }
        Ok(result)
    }

    /// Where a page begins.
    fn cursor_at(&self, at: usize) -> String {
        match at {
            // This is one too, as the newest revision says. It is not the first: by that, clients show that they turn pages.
            2 if self.modern => String::new(),
            _ => format!("page {at} ?&=%2F/é+\u{1f600}"),
        }
    }

    fn call(&mut self, id: &Value, params: &Value) -> Vec<Step> {
        self.calls += 1;
        let result = fixtures::called(params);
        let mut steps = progress(params);
        match self.scenario.calls {
            Calls::Refused => return vec![Step::Fail(-32602, "no such tool")],
            Calls::BrokenOff => {
                self.cut = Some((id.clone(), result));
                return vec![
                    Step::Raw(b"id: before-the-cut\nretry: 1000\ndata:\n\n".to_vec()),
                    Step::Cut,
                ];
            }
            Calls::Slow if params["name"] == "slow" => {
                steps.extend([Step::AwaitCancellation, Step::Pause(self.quiet)]);
            }
            Calls::Slow => steps.push(Step::Last),
            Calls::AskingForRoots if self.asked => {
                steps.push(Step::Ask(
                    Topic::AskRoots,
                    request(&json!("roots-2"), "roots/list", None),
                ));
            }
            _ if self.ready => steps.extend(self.questions()),
            _ => {}
        }
        steps.push(Step::Settle);
        steps.push(Step::Answer(result));
        steps
    }
}

/// Two signs of life, if the client wants any.
fn progress(params: &Value) -> Vec<Step> {
    let Some(token) = params.pointer("/_meta/progressToken") else { return Vec::new() };
    let steps = [1, 2].map(|progress| {
        let params = json!({ "progressToken": token, "progress": progress, "total": 2 });
        Step::Tell(Topic::News, notification("notifications/progress", Some(params)))
    });
    steps.to_vec()
}

fn or_unknown(result: Option<Value>) -> Vec<Step> {
    vec![result.map_or(Step::Fail(-32602, "there is no such thing"), Step::Answer)]
}
