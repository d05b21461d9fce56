//! An MCP server and its authorization server, on one port.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use url::{Url, form_urlencoded};

pub(super) const REDIRECT: &str = "http://localhost:9/callback";

/// How the two behave.
#[derive(Clone)]
pub(super) struct Policy {
    /// Methods that need no token.
    pub(super) open: &'static [&'static str],
    /// Of a token, in seconds.
    pub(super) lifetime: u64,
    pub(super) renews: bool,
    /// Tokens are any good.
    pub(super) accepts: bool,
    /// Tokens have enough scopes.
    pub(super) satisfied: bool,
    /// Where requests with a token are redirected.
    pub(super) sends_away: Option<String>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            open: &[],
            lifetime: 3600,
            renews: true,
            accepts: true,
            satisfied: true,
            sends_away: None,
        }
    }
}

/// Ends when dropped.
pub(super) struct Host {
    origin: String,
    state: Arc<Mutex<State>>,
    serving: JoinHandle<()>,
}

struct State {
    policy: Policy,
    requests: Vec<String>,
    /// Tokens that were issued; only the last is good.
    issued: usize,
    revoked: usize,
    refreshed: Vec<String>,
}

impl Host {
    pub(super) async fn start(policy: Policy) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let state =
            State { policy, requests: Vec::new(), issued: 0, revoked: 0, refreshed: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let (own, shared) = (origin.clone(), state.clone());
        let serving = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (own, shared) = (own.clone(), shared.clone());
                tokio::spawn(async move { serve(stream, &own, &shared).await });
            }
        });
        Self { origin, state, serving }
    }

    pub(super) fn origin(&self) -> String {
        self.origin.clone()
    }

    pub(super) fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    /// From here on, tokens that were issued before are refused.
    pub(super) fn revoke(&self) {
        let mut state = self.state.lock().unwrap();
        state.revoked = state.issued;
    }

    pub(super) fn requests(&self) -> usize {
        self.state.lock().unwrap().requests.len()
    }

    /// How often something was asked.
    pub(super) fn seen(&self, line: &str) -> usize {
        self.state.lock().unwrap().requests.iter().filter(|seen| *seen == line).count()
    }

    /// The refresh tokens that were used.
    pub(super) fn refreshed(&self) -> Vec<String> {
        self.state.lock().unwrap().refreshed.clone()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Where the authorization server would send a user who agrees.
pub(super) fn back(url: &Url) -> String {
    let state = url.query_pairs().find(|(name, _)| name == "state").unwrap().1;
    let mut back = Url::parse(REDIRECT).unwrap();
    back.query_pairs_mut().append_pair("code", "c").append_pair("state", &state);
    back.to_string()
}

async fn serve(mut stream: TcpStream, origin: &str, state: &Mutex<State>) {
    let Some((line, token, body)) = read(&mut stream).await else { return };
    let (status, headers, answer) =
        state.lock().unwrap().answer(origin, &line, token.as_deref(), &body);
    let text = if answer.is_null() { String::new() } else { answer.to_string() };
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n{headers}\r\n",
        text.len(),
    );
    // The client may have gone.
    let _gone = stream.write_all(format!("{head}{text}").as_bytes()).await;
    let _gone = stream.shutdown().await;
}

/// The method and path, the token, and the body of a request.
async fn read(stream: &mut TcpStream) -> Option<(String, Option<String>, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let header = |name: &str| {
        let find = |line: &str| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        head.lines().find_map(find)
    };
    let length: usize = header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    while bytes.len() < end + length {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
    let line = head.lines().next()?.strip_suffix(" HTTP/1.1")?.to_owned();
    let token =
        header("authorization").and_then(|text| Some(text.strip_prefix("Bearer ")?.to_owned()));
    Some((line, token, bytes[end..].to_vec()))
}

impl State {
    fn answer(
        &mut self,
        origin: &str,
        line: &str,
        token: Option<&str>,
        body: &[u8],
    ) -> (u16, String, Value) {
        self.requests.push(line.to_owned());
        match line {
            "GET /.well-known/oauth-protected-resource/mcp" => {
                let own =
                    json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]});
                (200, String::new(), own)
            }
            "GET /.well-known/oauth-authorization-server" => {
                let metadata = json!({
                    "issuer": origin,
                    "authorization_endpoint": format!("{origin}/authorize"),
                    "token_endpoint": format!("{origin}/token"),
                    "registration_endpoint": format!("{origin}/register"),
                    "code_challenge_methods_supported": ["S256"],
                });
                (200, String::new(), metadata)
            }
            "POST /register" => (201, String::new(), json!({"client_id": "me"})),
            "POST /token" => self.token(body),
            "POST /mcp" => self.mcp(token, body),
            _ => (404, String::new(), Value::Null),
        }
    }

    fn token(&mut self, body: &[u8]) -> (u16, String, Value) {
        let form: Vec<(String, String)> = form_urlencoded::parse(body).into_owned().collect();
        let refresh = form.iter().find(|(name, _)| name == "refresh_token");
        if let Some((_, token)) = refresh {
            self.refreshed.push(token.clone());
            let current = *token == format!("refresh-{}", self.issued);
            if !self.policy.renews || !current {
                return (400, String::new(), json!({"error": "invalid_grant"}));
            }
        }
        self.issued += 1;
        let answer = json!({
            "access_token": format!("access-{}", self.issued),
            "refresh_token": format!("refresh-{}", self.issued),
            "token_type": "Bearer",
            "expires_in": self.policy.lifetime,
        });
        (200, String::new(), answer)
    }

    fn mcp(&self, token: Option<&str>, body: &[u8]) -> (u16, String, Value) {
        let message: Value = serde_json::from_slice(body).unwrap();
        let method = message["method"].as_str().unwrap();
        // Only legacy servers let some methods through.
        if method == "server/discover" && !self.policy.open.is_empty() {
            return (404, String::new(), Value::Null);
        }
        if !self.policy.open.contains(&method) {
            let good = token == Some(&*format!("access-{}", self.issued))
                && self.issued > self.revoked
                && self.policy.accepts;
            if !good {
                let challenge = "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n";
                return (401, challenge.to_owned(), Value::Null);
            }
            if !self.policy.satisfied {
                let challenge =
                    "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"more\"\r\n";
                return (403, challenge.to_owned(), Value::Null);
            }
            if let Some(elsewhere) = &self.policy.sends_away {
                return (307, format!("Location: {elsewhere}\r\n"), Value::Null);
            }
        }
        let result = match method {
            "server/discover" => return (404, String::new(), Value::Null),
            "initialize" => json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {},
                "serverInfo": {"name": "host", "version": "1"},
            }),
            _ if message.get("id").is_none() => return (202, String::new(), Value::Null),
            _ => json!({}),
        };
        (200, String::new(), json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }
}
