//! Whatever a server, our own handlers and the clock do, each call of a client's session ends exactly once, and no id is used twice.
//!
//! The input is a script, one event on each line, named by its first character:
//!
//! | line | event |
//! |---|---|
//! | `oN` | only as the first line: which client it is |
//! | `>JSON` | a frame arrives |
//! | `=N JSON` | the N-th request that was sent is answered with this result |
//! | `!N C` | it is answered with error code C |
//! | `jN S` | its HTTP response has status S and no message |
//! | `dN` | its HTTP response is gone |
//! | `cK JSON` | a call of the K-th method with these params |
//! | `kN` | the N-th call is cancelled |
//! | `aN JSON` | the N-th question of the server is answered, with an error if this is no JSON |
//! | `r` `x` | the roots change, everything ends |
//! | `tN` | N seconds pass |

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject, Id, Incoming, Limits, Message, parse, write},
    revision::{RequestMethod, Revision},
    session::{
        Time,
        client::{
            AskId, Call, CallId, ClientSession, Gating, Input, Outgoing, Output, Preference,
            Profile, ProgressWish,
        },
        server::Link,
    },
    types::{ClientCapabilities, Implementation},
};

use super::words::Words;

pub fn run(data: &[u8]) {
    let mut lines = data.split(|&byte| byte == b'\n').take(LONGEST_SCRIPT).peekable();
    let choice = lines.next_if(|line| line.first() == Some(&b'o'));
    let choice = choice.map_or(0, |line| Words::of(&line[1..]).number());
    let mut driver = Driver::new(profile(choice));
    driver.feed(Input::Start);
    for line in lines {
        if let Some((&name, rest)) = line.split_first() {
            driver.play(name, rest);
        }
    }
    driver.end();
}

/// Every way of connecting, by pipe and over HTTP, with and without trust.
fn profile(choice: usize) -> Profile {
    let capabilities = r#"{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let capabilities = if choice.is_multiple_of(2) { capabilities } else { "{}" };
    let capabilities: ClientCapabilities =
        serde_json::from_str(capabilities).expect("these are capabilities");
    let mut profile = Profile::new(Implementation::new("fuzz", "1"), capabilities);
    let preferences = Revision::ALL.len() + 2;
    profile.preference = match choice / 2 % preferences {
        0 => Preference::Auto,
        1 => Preference::Modern,
        other => Preference::Legacy(Revision::ALL[other - 2]),
    };
    let rest = choice / 2 / preferences;
    profile.gating = if rest.is_multiple_of(2) { Gating::Trusting } else { Gating::Enforced };
    profile.link = if (rest / 2).is_multiple_of(2) { Link::Pipe } else { Link::Http };
    profile
}

struct Driver {
    session: ClientSession,
    now: Time,
    /// How often each call ended.
    calls: BTreeMap<CallId, u32>,
    sent: Vec<Id<'static>>,
    seen: BTreeSet<Id<'static>>,
    asks: Vec<AskId>,
}

impl Driver {
    fn new(profile: Profile) -> Self {
        Self {
            session: ClientSession::new(Arc::new(profile)),
            now: Time::default(),
            calls: BTreeMap::new(),
            sent: Vec::new(),
            seen: BTreeSet::new(),
            asks: Vec::new(),
        }
    }

    fn play(&mut self, name: u8, rest: &[u8]) {
        let mut words = Words::of(rest);
        let json = || {
            rest.iter()
                .position(|&byte| byte == b' ')
                .map_or_else(Default::default, |at| &rest[at + 1..])
        };
        match name {
            b'>' => self.receive(rest),
            b'=' => {
                let Some(id) = self.request(words.number()) else { return };
                let Some(result) = raw(json()) else { return };
                let mut frame = Vec::new();
                write::raw_response(&mut frame, &id, result.borrowed());
                self.receive(&frame);
            }
            b'!' => {
                let Some(id) = self.request(words.number()) else { return };
                let code = ErrorCode(words.text().parse().unwrap_or(-32601));
                let mut frame = Vec::new();
                write::error(&mut frame, Some(&id), &ErrorObject::new(code, "no"));
                self.receive(&frame);
            }
            b'j' => {
                let Some(request) = self.request(words.number()) else { return };
                let status = u16::try_from(words.number()).unwrap_or_default();
                self.feed(Input::Rejected { request, status });
            }
            b'd' => {
                if let Some(request) = self.request(words.number()) {
                    self.feed(Input::Disconnected(request));
                }
            }
            b'c' => {
                let method = RequestMethod::ALL[words.number() % RequestMethod::ALL.len()];
                let call = CallId(self.calls.len() as u64);
                self.calls.insert(call, 0);
                let call =
                    Call { progress: ProgressWish::Wanted, ..Call::new(call, method, raw(json())) };
                self.feed(Input::Call(&call));
            }
            b'k' => self.feed(Input::Cancel(CallId(words.number() as u64))),
            b'a' => {
                let at = words.number();
                if at < self.asks.len() {
                    let ask = self.asks.remove(at);
                    let outcome =
                        raw(json()).ok_or_else(|| ErrorObject::new(ErrorCode::USER_REJECTED, "no"));
                    self.feed(Input::Answered { ask, outcome });
                }
            }
            b'r' => self.feed(Input::RootsChanged),
            b'x' => self.feed(Input::Closed),
            b't' => {
                self.now = self.now + Duration::from_secs(words.number() as u64);
                self.feed(Input::TimePassed);
                assert!(
                    self.session.next_deadline().is_none_or(|next| next > self.now),
                    "a deadline stays in the past"
                );
            }
            _ => {}
        }
    }

    fn request(&self, at: usize) -> Option<Id<'static>> {
        self.sent.get(at).cloned()
    }

    fn receive(&mut self, frame: &[u8]) {
        match parse(frame, &Limits::default()) {
            Ok(incoming) => self.feed(Input::Received { incoming, http: None }),
            Err(refused) => self.feed(Input::Refused(refused)),
        }
    }

    fn feed(&mut self, input: Input<'_>) {
        for output in self.session.handle(self.now, input) {
            match output {
                Output::Completed { call, .. } => {
                    *self.calls.get_mut(&call).expect("only calls that were made end") += 1;
                }
                Output::Ask { ask, .. } => self.asks.push(ask),
                Output::Withdrawn(ask) => self.asks.retain(|open| *open != ask),
                Output::Transmit(transmit) => {
                    let mut frame = Vec::new();
                    transmit.write(&mut frame);
                    let limits = Limits { bytes: usize::MAX, ..Limits::default() };
                    let Ok(Incoming::Message(message)) = parse(&frame, &limits) else {
                        panic!("what is sent is a message")
                    };
                    if let Message::Request(request) = message {
                        let id = request.id.into_owned();
                        assert!(self.seen.insert(id.clone()), "an id is used twice");
                        self.sent.push(id);
                    }
                    assert!(
                        !matches!(&transmit.message, Outgoing::Response { .. } if transmit.revision == Revision::newest(proofmark_core::revision::Era::Modern)),
                        "modern clients answer nothing"
                    );
                }
                _ => {}
            }
        }
    }

    fn end(mut self) {
        self.feed(Input::Closed);
        assert!(self.calls.values().all(|ended| *ended == 1), "each call ends once");
        assert_eq!(self.session.calls(), 0, "no call is left");
    }
}

fn raw(json: &[u8]) -> Option<Raw> {
    Raw::from_json(std::str::from_utf8(json).ok()?).ok()
}

/// In lines; more teach the fuzzer nothing and cost it time.
const LONGEST_SCRIPT: usize = 200;
