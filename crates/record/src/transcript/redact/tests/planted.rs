//! Plants secrets in many places, and looks for them in the transcript.

use std::{fs, time::Duration};

use serde_json::json;

use crate::{
    event::{Border, EventKind, Frame},
    scenario::ScenarioName,
    side::Side,
    topic::Topic,
    transcript::{Header, TranscriptKind, Writer},
    transport::Transport,
};

#[test]
fn planted_secrets_are_found_nowhere_in_a_transcript() {
    let mut planted = Planted::default();
    for name in NAMES {
        planted.in_json(name);
        planted.in_json(&format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..]));
        planted.beside(name);
    }
    for name in PARAMETERS {
        let line = format!("GET /a?b=c&{name}={}#d HTTP/1.1", planted.secret());
        planted.requested(line, Vec::new());
        let text = format!("see https://a.example/?{name}={}", planted.secret());
        planted.frame(json!({ "text": text }).to_string());
    }
    for prefix in PREFIXES {
        let text = format!("keep {prefix}{} safe", planted.secret());
        planted.events.push(EventKind::Stderr(text.clone()));
        planted.events.push(EventKind::Broken { exchange: 1, why: text.clone() });
        planted.frame(json!({ "params": { "text": format!("x\n{text}") } }).to_string());
        planted.frame(text);
    }
    let targets: Vec<_> = COMMANDS.iter().map(|it| it.replace("{}", &planted.secret())).collect();

    let transcript = written(&planted.events, targets);
    assert!(planted.secrets.len() > 500);
    assert!(transcript.matches("redacted").count() > planted.secrets.len());
    for secret in planted.secrets {
        let line = transcript.lines().find(|line| line.contains(&secret));
        assert_eq!(line, None, "{secret}");
    }
}

#[derive(Default)]
struct Planted {
    secrets: Vec<String>,
    events: Vec<EventKind>,
}

impl Planted {
    /// A number, so that it may stand for a string, too.
    fn secret(&mut self) -> String {
        let secret = (77_000_123_000 + 7_919 * self.secrets.len()).to_string();
        self.secrets.push(secret.clone());
        secret
    }

    fn frame(&mut self, text: String) {
        self.events
            .push(EventKind::Received { exchange: 1, frame: Frame::new(text, Border::Body) });
    }

    fn requested(&mut self, line: String, headers: Vec<(String, String)>) {
        self.events.push(EventKind::Requested {
            topic: Topic::Overheard,
            exchange: 1,
            line,
            headers,
        });
    }

    /// As values of every type, and in JSON inside of strings.
    fn in_json(&mut self, name: &str) {
        let mut secret = || self.secret();
        let objects = [
            format!(r#"{{"{name}":"p{}"}}"#, secret()),
            format!(r#"{{"a":[{{"{name}" : {}}}]}}"#, secret()),
            format!(
                r#"{{"{name}":{{"value":"{}","more":[{},"{}"]}}}}"#,
                secret(),
                secret(),
                secret()
            ),
            format!("{{\n  \"{name}\": [\"{}\", {}]\n}}", secret(), secret()),
        ];
        for object in objects {
            let inside = json!({ "content": [{ "type": "text", "text": object }] }).to_string();
            self.events.push(EventKind::Stderr(format!("got {object}")));
            self.frame(json!({ "text": inside }).to_string());
            self.frame(json!({ "text": format!("it said {object} today") }).to_string());
            self.frame(inside);
            self.frame(object);
        }
    }

    /// In headers, lines, forms and addresses.
    fn beside(&mut self, name: &str) {
        let headers = vec![(name.to_ascii_lowercase(), self.secret())];
        self.events.push(EventKind::Responded { exchange: 1, status: 200, headers });
        let (one, other) = (self.secret(), self.secret());
        self.events.push(EventKind::Stderr(format!("{name}: {one} and {name}=\"{other} x\"")));
        let (one, other) = (self.secret(), self.secret());
        self.events
            .push(EventKind::Connected(format!("started a --{name} {one} --{name}={other}")));
        let form = format!("a=b&{name}={}", self.secret());
        self.frame(form);
        let (user, query) = (self.secret(), self.secret());
        let address = format!("https://u:{user}@a.example/b?{name}={query}&c=d");
        self.frame(json!({ "uri": address }).to_string());
        let line = format!("GET /?{name}={} HTTP/1.1", self.secret());
        self.requested(line, vec![("referer".to_owned(), address)]);
    }
}

/// What is in the file after all this, with a header for each target.
fn written(events: &[EventKind], targets: Vec<String>) -> String {
    let path = std::env::temp_dir().join(format!("proofmark-planted-{}", std::process::id()));
    let open = |target| {
        Writer::append(&path, &Header::new(TranscriptKind::Tap, target, Transport::Stdio)).unwrap()
    };
    let mut writer = open("x".to_owned());
    writer.conversation(0, &ScenarioName::OVERHEARD).unwrap();
    for what in events {
        if let EventKind::Received { frame: Frame { bytes, border, .. }, .. } = what {
            writer.overheard(0, Duration::ZERO, Side::Client, 1, bytes, border).unwrap();
        }
        writer.event(0, Duration::ZERO, what.clone()).unwrap();
    }
    writer.flush().unwrap();
    for target in targets {
        open(target);
    }
    let transcript = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    transcript
}

const NAMES: &[&str] = &[
    "token",
    "secret",
    "accessToken",
    "access_token",
    "ACCESS-TOKEN",
    "clientSecret",
    "client_secret",
    "passwd",
    "password",
    "apiKey",
    "api-key",
    "Api_Key",
    "APIKEY",
    "X-Auth-Token",
    "Api-Key",
    "authorization",
    "Proxy-Authorization",
    "cookie",
    "Set-Cookie",
    "refreshToken",
    "GITHUB_TOKEN",
    "DB_PASSWORD",
    "aws_secret_access_key",
    "privateKey",
    "id_token",
    "assertion",
    "x-api-key",
    "passphrase",
];

const PARAMETERS: &[&str] =
    &["apikey", "api_key", "key", "sig", "signature", "token", "code", "auth"];

const PREFIXES: &[&str] = &[
    "Bearer abcdefgh",
    "bearer ",
    "sk-proj-abcdefgh",
    "ghp_abcdefghijkl",
    "github_pat_abcdefgh",
    "glpat-abcdefgh",
    "xoxb-",
    "AKIAABCDE",
    "AIzaabcdefghijklmnopqrstuv",
    "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.x",
    "sk_live_",
    "npm_abcdefghijklmnopqr",
    "-----BEGIN RSA PRIVATE KEY-----\n",
];

const COMMANDS: &[&str] = &[
    "tap --token {} x",
    "tap --api-key={}",
    "env GITHUB_TOKEN={} a",
    "a -H 'Authorization: Bearer {}'",
    "http://u:{}@b/",
];
