//! The two sessions and the wire between them.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use proofmark_core::{
    framing::lines::{Line, LineDecoder, write_line},
    json::Raw,
    jsonrpc::{ErrorObject, Id, Limits, parse},
    revision::{Era, RequestMethod, Revision},
    session::{
        Time,
        client::{self, AskId, Call, CallError, CallId, ClientSession, Completion, Preference},
        server::{self, Offer, ServerSession},
    },
    types::{
        ClientCapabilities, Implementation, JsonObject, PromptsCapability, ResourcesCapability,
        ServerCapabilities, ServerRequest, ToolsCapability,
    },
};
use serde_json::{Value, json};

use crate::script::Script;

pub(crate) struct Pair {
    pub(crate) client: ClientSession,
    pub(crate) server: ServerSession,
    offer: Arc<Offer>,
    pub(crate) now: Time,
    /// How long a message is on its way.
    pub(crate) delay: Duration,
    up: Wire,
    down: Wire,
    pub(crate) script: Script,
    /// What came out of the client's session, but for what it sent.
    pub(crate) events: Vec<client::Output>,
    /// What came out of the server's session, in few words.
    pub(crate) server_events: Vec<String>,
    /// Questions that wait for the test to answer them.
    pub(crate) asks: Vec<(AskId, ServerRequest)>,
    /// How each call ended, in order.
    pub(crate) history: BTreeMap<CallId, Vec<Result<Completion, CallError>>>,
    /// Requests that the server has been told to cancel.
    cancelled: Vec<Id<'static>>,
    next_call: u64,
}

/// One direction.
#[derive(Default)]
pub(crate) struct Wire {
    flying: VecDeque<(Time, Vec<u8>)>,
    decoder: LineDecoder,
    /// Everything that the session at its beginning ever said.
    pub(crate) log: Vec<Value>,
    /// Messages to lose from here on.
    pub(crate) lose: usize,
}

impl Wire {
    fn send(&mut self, arrival: Time, json: &[u8]) {
        self.log.push(serde_json::from_slice(json).expect("only JSON is sent"));
        self.carry(arrival, json);
    }

    /// Carries what no session said.
    fn inject(&mut self, arrival: Time, message: &Value) {
        self.carry(arrival, message.to_string().as_bytes());
    }

    fn carry(&mut self, arrival: Time, json: &[u8]) {
        if self.lose > 0 {
            self.lose -= 1;
            return;
        }
        let mut line = Vec::new();
        write_line(&mut line, json);
        self.flying.push_back((arrival, line));
    }

    fn arrives(&self) -> Option<Time> {
        self.flying.front().map(|(arrival, _)| *arrival)
    }

    /// The lines that arrive next, cut into small pieces on their way.
    fn receive(&mut self) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        let Some((_, bytes)) = self.flying.pop_front() else { return lines };
        for mut piece in bytes.chunks(7) {
            while let Some(line) = self.decoder.decode(&mut piece) {
                let Line::Message(line) = line else { panic!("an oversized line") };
                lines.push(line.to_vec());
            }
        }
        lines
    }
}

impl Pair {
    /// A client and a server that know everything, not yet connected.
    pub(crate) fn new(preference: Preference) -> Self {
        let mut profile = profile();
        profile.preference = preference;
        Self::with(profile, offer())
    }

    pub(crate) fn with(profile: client::Profile, offer: Offer) -> Self {
        let offer = Arc::new(offer);
        Self {
            client: ClientSession::new(Arc::new(profile)),
            server: ServerSession::new(offer.clone()),
            offer,
            now: Time::default(),
            delay: Duration::ZERO,
            up: Wire::default(),
            down: Wire::default(),
            script: Script::default(),
            events: Vec::new(),
            server_events: Vec::new(),
            asks: Vec::new(),
            history: BTreeMap::new(),
            cancelled: Vec::new(),
            next_call: 1,
        }
    }

    /// Both sides speak this revision.
    pub(crate) fn speaking(revision: Revision) -> Self {
        let mut profile = profile();
        profile.preference = match revision.era() {
            Era::Legacy => Preference::Legacy(revision),
            Era::Modern => Preference::Modern,
        };
        if revision.era() == Era::Modern {
            profile = profile.with_revisions(vec![revision]);
        }
        let mut pair = Self::with(profile, offer());
        pair.start();
        assert_eq!(pair.client.server().map(|server| server.revision), Some(revision));
        pair.events.clear();
        pair
    }

    pub(crate) fn start(&mut self) {
        self.client_input(client::Input::Start);
        self.run();
    }

    pub(crate) fn upward(&mut self) -> &mut Wire {
        &mut self.up
    }

    pub(crate) fn downward(&mut self) -> &mut Wire {
        &mut self.down
    }

    /// Makes a call without waiting for anything to arrive.
    pub(crate) fn begin(&mut self, method: RequestMethod, params: &Value) -> CallId {
        let id = CallId(self.next_call);
        self.begin_with(&Call {
            progress: client::ProgressWish::Wanted,
            ..Call::new(id, method, Some(raw(params)))
        })
    }

    pub(crate) fn begin_with(&mut self, call: &Call) -> CallId {
        let id = call.call;
        self.next_call = id.0 + 1;
        self.history.insert(id, Vec::new());
        self.client_input(client::Input::Call(call));
        id
    }

    pub(crate) fn tool(&mut self, name: &str) -> CallId {
        let call = self.begin(RequestMethod::ToolsCall, &json!({"name": name}));
        self.run();
        call
    }

    pub(crate) fn cancel(&mut self, call: CallId) {
        self.client_input(client::Input::Cancel(call));
    }

    pub(crate) fn answer(&mut self, ask: AskId, outcome: Result<Value, ErrorObject>) {
        self.asks.retain(|(open, _)| *open != ask);
        let outcome = outcome.map(|value| raw(&value));
        self.client_input(client::Input::Answered { ask, outcome });
        self.run();
    }

    /// How a call ended; it must have, and only once.
    #[track_caller]
    pub(crate) fn outcome(&self, call: CallId) -> &Result<Completion, CallError> {
        let [outcome] = &self.history[&call][..] else {
            panic!("not one outcome of {call:?}: {:?}", self.history[&call]);
        };
        outcome
    }

    pub(crate) fn is_open(&self, call: CallId) -> bool {
        self.history[&call].is_empty()
    }

    /// The text that a tool answered with.
    #[track_caller]
    pub(crate) fn text(&self, call: CallId) -> String {
        let Ok(Completion::Result(result)) = self.outcome(call) else {
            panic!("no result: {:?}", self.outcome(call));
        };
        let result: Value = result.decode().expect("a result is JSON");
        result["content"][0]["text"].as_str().expect("a tool's text").to_owned()
    }

    /// Delivers everything that arrives without time passing.
    pub(crate) fn run(&mut self) {
        self.run_until(self.now);
    }

    pub(crate) fn advance(&mut self, duration: Duration) {
        self.run_until(self.now + duration);
    }

    fn run_until(&mut self, end: Time) {
        loop {
            let up = self.up.arrives();
            let down = self.down.arrives();
            let client = self.client.next_deadline();
            let server = self.server.next_deadline();
            let next = [up, down, client, server].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= end) else { break };
            self.now = self.now.max(next);
            if up == Some(next) {
                self.deliver_up();
            } else if down == Some(next) {
                self.deliver_down();
            } else if client == Some(next) {
                self.client_input(client::Input::TimePassed);
            } else {
                self.server_input(server::Input::TimePassed);
            }
        }
        self.now = end;
    }

    fn deliver_up(&mut self) {
        for line in self.up.receive() {
            self.note_cancellation(&line);
            match parse(&line, &Limits::default()) {
                Ok(incoming) => self.server_input(server::Input::Received(incoming)),
                Err(refused) => self.server_input(server::Input::Refused(refused)),
            }
        }
    }

    fn deliver_down(&mut self) {
        for line in self.down.receive() {
            match parse(&line, &Limits::default()) {
                Ok(incoming) => {
                    self.client_input(client::Input::Received { incoming, http: None });
                }
                Err(refused) => self.client_input(client::Input::Refused(refused)),
            }
        }
    }

    fn note_cancellation(&mut self, line: &[u8]) {
        let message: Value = serde_json::from_slice(line).expect("only JSON is sent");
        if message["method"] == "notifications/cancelled"
            && let Some(id) = message["params"]["requestId"].as_i64()
        {
            self.cancelled.push(Id::Integer(id));
        }
    }

    /// Puts something on the wire that no session wrote.
    pub(crate) fn say_to_client(&mut self, message: &Value) {
        self.down.inject(self.now + self.delay, message);
        self.run();
    }

    pub(crate) fn say_to_server(&mut self, message: &Value) {
        self.up.inject(self.now + self.delay, message);
        self.run();
    }

    pub(crate) fn client_input(&mut self, input: client::Input<'_>) {
        for output in self.client.handle(self.now, input) {
            match &output {
                client::Output::Transmit(transmit) => {
                    let mut bytes = Vec::new();
                    transmit.write(&mut bytes);
                    self.up.send(self.now + self.delay, &bytes);
                    continue;
                }
                client::Output::Ask { ask, what, .. } => self.asks.push((*ask, what.clone())),
                client::Output::Withdrawn(ask) => self.asks.retain(|(open, _)| open != ask),
                client::Output::Completed { call, outcome, .. } => {
                    self.history.get_mut(call).expect("a call of ours").push(outcome.clone());
                }
                _ => {}
            }
            self.events.push(output);
        }
    }

    pub(crate) fn server_input(&mut self, input: server::Input<'_>) {
        let mut replies = Vec::new();
        for output in self.server.handle(self.now, input) {
            match output {
                server::Output::Transmit(transmit) => self.transmit(transmit),
                server::Output::Dispatch(call) => {
                    self.server_events.push(format!("dispatch {}", call.id));
                    replies.extend(self.script.dispatch(&call));
                }
                server::Output::Settled { ask, outcome } => {
                    replies.extend(self.script.settled(ask, outcome));
                }
                server::Output::Cancel(id) => {
                    self.server_events.push(format!("cancel {id}"));
                    self.script.held.retain(|held| *held != id);
                }
                server::Output::Breach(breach) => {
                    self.server_events.push(format!("breach: {breach}"));
                }
                server::Output::Initialized => self.server_events.push("initialized".into()),
                server::Output::Negotiated(revision) => {
                    self.server_events.push(format!("negotiated {revision}"));
                }
                server::Output::RootsChanged => self.server_events.push("roots changed".into()),
            }
        }
        for reply in replies {
            self.server_input(reply);
        }
    }

    fn transmit(&mut self, transmit: server::Transmit) {
        let about = transmit.about.clone();
        let withdraws = matches!(
            &transmit.message,
            server::Outgoing::Notification(proofmark_core::types::ServerNotification::Cancelled(_))
        );
        assert!(
            withdraws || about.is_none_or(|about| !self.cancelled.contains(&about)),
            "sent about a cancelled request: {transmit:?}"
        );
        let mut bytes = Vec::new();
        transmit.write(&self.offer, &mut bytes).expect("messages encode");
        self.down.send(self.now + self.delay, &bytes);
    }

    /// Ends the handler that the script holds for longest.
    pub(crate) fn finish_held(&mut self) {
        if self.script.held.is_empty() {
            return;
        }
        let id = self.script.held.remove(0);
        let outcome = Ok(Script::text("done"));
        self.server_input(server::Input::Finished { id, outcome });
    }

    /// Cuts the link and checks that everything has come to exactly one end.
    #[track_caller]
    pub(crate) fn close(&mut self) {
        self.client_input(client::Input::Closed);
        self.server_input(server::Input::Closed);
        for (call, outcomes) in &self.history {
            assert_eq!(outcomes.len(), 1, "{call:?} ended as {outcomes:?}");
        }
        assert_eq!(self.client.calls(), 0);
        assert_eq!(self.client.open_asks(), 0);
        assert_eq!(self.asks, []);
        assert_eq!(self.client.next_deadline(), None);
        assert_eq!(self.server.running(), 0);
        assert_eq!(self.server.next_deadline(), None);
        assert_unique(&self.up.log);
        assert_unique(&self.down.log);
    }

    pub(crate) fn breaches(&self) -> Vec<String> {
        let breaches = self.events.iter().filter_map(|event| match event {
            client::Output::Breach(breach) => Some(breach.to_string()),
            _ => None,
        });
        breaches.collect()
    }
}

/// No request has the id of another one that went the same way.
#[track_caller]
fn assert_unique(log: &[Value]) {
    let mut seen = Vec::new();
    for message in log {
        if message["method"].is_string() && !message["id"].is_null() {
            assert!(!seen.contains(&&message["id"]), "{message}");
            seen.push(&message["id"]);
        }
    }
}

/// A client that can be asked everything.
pub(crate) fn profile() -> client::Profile {
    let capabilities: ClientCapabilities = serde_json::from_value(json!({
        "roots": {"listChanged": true},
        "sampling": {"tools": {}, "context": {}},
        "elicitation": {"form": {}, "url": {}},
    }))
    .expect("capabilities");
    client::Profile::new(Implementation::new("client", "1"), capabilities)
}

pub(crate) fn offer() -> Offer {
    let capabilities = ServerCapabilities {
        completions: Some(JsonObject::new()),
        logging: Some(JsonObject::new()),
        prompts: Some(PromptsCapability { list_changed: Some(true) }),
        resources: Some(ResourcesCapability { subscribe: Some(true), list_changed: Some(true) }),
        tools: Some(ToolsCapability { list_changed: Some(true) }),
        ..ServerCapabilities::default()
    };
    Offer::new(Implementation::new("server", "1"), capabilities).with_instructions("be kind")
}

pub(crate) fn raw(value: &Value) -> Raw {
    Raw::from_json(value.to_string()).expect("a value shows itself as JSON")
}

pub(crate) const SECOND: Duration = Duration::from_secs(1);
