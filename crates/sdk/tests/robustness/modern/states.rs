//! The state that a client carries for a server: good for one request of one caller, for a while, with the keys of the day.

use std::time::Duration;

use proofmark_sdk::{
    core::seal::{Key, Keyring},
    server::{Context, Error, Server, ServerBuilder},
    transport::http::HttpSettings,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::common::{HttpTest, Probe, code, http_with, modern, quick, text};

#[derive(Deserialize, JsonSchema)]
struct Place {
    place: String,
    #[serde(default)]
    retries: u32,
}

async fn deploy(context: Context, Place { place, retries }: Place) -> Result<String, Error> {
    let roots = context.named("roots").roots().await?.roots.len();
    Ok(format!("{roots} roots to {place}, {retries} retries"))
}

fn builder(keys: Keyring) -> ServerBuilder {
    Server::builder("s", "1").keys(keys).tool("deploy", "", deploy).tool("destroy", "", deploy)
}

async fn serve(builder: ServerBuilder, settings: HttpSettings) -> HttpTest {
    http_with(builder.build().unwrap(), Probe::default(), "127.0.0.1:0", settings).await
}

fn call(tool: &str, arguments: Value, state: Option<&Value>) -> Value {
    let mut params = json!({"name": tool, "arguments": arguments});
    if let Some(state) = state {
        params["requestState"] = state.clone();
        params["inputResponses"] = json!({"roots": {"roots": []}});
    }
    let mut message = modern(1, "tools/call", params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"roots": {}});
    message
}

fn here() -> Value {
    json!({"place": "here"})
}

/// The state of a request that was asked for the first time.
async fn state(test: &HttpTest) -> Value {
    let asked = test.client.ask(&call("deploy", here(), None)).await.json();
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    asked["result"]["requestState"].clone()
}

fn key(seed: u8) -> Key {
    Key::new([seed; 32])
}

#[tokio::test]
async fn a_state_belongs_to_its_tool_and_its_arguments() {
    let test = serve(builder(Keyring::new(1, key(1))), quick()).await;
    let state = state(&test).await;
    for other in [
        call("destroy", here(), Some(&state)),
        call("deploy", json!({"place": "there"}), Some(&state)),
        call("deploy", json!({"place": "here", "retries": 1}), Some(&state)),
    ] {
        let response = test.client.ask(&other).await;
        assert_eq!(code(&response.json()), -32602, "{other}");
    }
    let same = test.client.ask(&call("deploy", here(), Some(&state))).await.json();
    assert_eq!(text(&same), "0 roots to here, 0 retries");
    test.stop().await;
}

#[tokio::test]
async fn a_state_expires() {
    let builder = builder(Keyring::new(1, key(1))).state_lifetime(Duration::ZERO);
    let test = serve(builder, quick()).await;
    let state = state(&test).await;
    let late = test.client.ask(&call("deploy", here(), Some(&state))).await.json();
    assert_eq!(code(&late), -32602);
    assert!(late["error"]["message"].as_str().unwrap().contains("expired"), "{late}");
    // The client can begin anew.
    assert_ne!(self::state(&test).await, Value::Null);
    test.stop().await;
}

#[tokio::test]
async fn a_state_outlives_a_change_of_keys_until_its_key_is_forgotten() {
    let old = serve(builder(Keyring::new(1, key(1))), quick()).await;
    let mut both = Keyring::new(2, key(2));
    both.accept(1, key(1));
    let rotated = serve(builder(both), quick()).await;
    let new = serve(builder(Keyring::new(2, key(2))), quick()).await;

    let state = state(&old).await;
    let retry = call("deploy", here(), Some(&state));
    let answer = rotated.client.ask(&retry).await.json();
    assert_eq!(text(&answer), "0 roots to here, 0 retries");
    assert_eq!(code(&new.client.ask(&retry).await.json()), -32602);
    // What is sealed after the change is sealed with the new key.
    let fresh = call("deploy", here(), Some(&self::state(&rotated).await));
    assert!(new.client.ask(&fresh).await.json().get("result").is_some());
    assert_eq!(code(&old.client.ask(&fresh).await.json()), -32602);
    for test in [old, rotated, new] {
        test.stop().await;
    }
}

#[cfg(feature = "oauth")]
#[tokio::test]
async fn a_state_belongs_to_the_principal_it_was_given_to() {
    use proofmark_sdk::auth::{Authorization, Identity, TokenError, verifier_fn};

    let verifier = verifier_fn(|token| {
        let subject = ["ada", "eve"].into_iter().find(|name| token.starts_with(name));
        async move {
            let subject = subject.ok_or(TokenError::Inactive)?;
            Ok(Identity::new("https://login.example.com", subject))
        }
    });
    let resource = "http://127.0.0.1/mcp";
    let authorization = Authorization::new(resource, ["https://login.example.com"], verifier);
    let settings = HttpSettings { authorization: Some(authorization.unwrap()), ..quick() };
    let test = serve(builder(Keyring::new(1, key(1))), settings).await;
    let ask = async |token: &str, message: Value| {
        let bytes = String::from_utf8(test.client.modern_bytes(&message)).unwrap();
        let bearer = format!("\r\nAuthorization: Bearer {token}\r\nContent-Length");
        test.client.answer(bytes.replacen("\r\nContent-Length", &bearer, 1).as_bytes()).await
    };
    assert_eq!(ask("nobody", call("deploy", here(), None)).await.status, 401);
    let asked = ask("ada-1", call("deploy", here(), None)).await.json();
    let state = &asked["result"]["requestState"];
    let stolen = ask("eve-1", call("deploy", here(), Some(state))).await.json();
    assert_eq!(code(&stolen), -32602);
    // A token may be renewed in between: it is the same person.
    let own = ask("ada-2", call("deploy", here(), Some(state))).await.json();
    assert_eq!(text(&own), "0 roots to here, 0 retries");
    test.stop().await;
}
