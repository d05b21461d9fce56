//! Handlers that ask: in the modern era a question ends the run, and the answer begins another.

use proofmark_sdk::{
    core::{
        revision::Revision,
        seal::{Key, Keyring},
        types::{
            ElicitAction, ElicitFormParams, ElicitParams, ElicitSchema, ElicitValue,
            PrimitiveSchema, StringSchema,
        },
    },
    server::{Context, Error, NoArguments, Server, prompt, resource},
};
use serde_json::{Value, json};

use crate::common::{
    Client, Events, HttpTest, Probe, call, code, http_with, modern, quick, request, text,
};

/// Asks twice, and the second question needs the first answer.
async fn greets(context: Context, _: NoArguments) -> Result<String, Error> {
    let name = told(&context, "name", "Who are you?".into()).await?;
    let mood = told(&context, "mood", format!("How are you, {name}?")).await?;
    Ok(format!("{name} is {mood}"))
}

/// Asks two things at once.
async fn joins(context: Context, _: NoArguments) -> Result<String, Error> {
    let named = context.named("roots");
    let (name, roots) = tokio::join!(told(&context, "name", "Who are you?".into()), named.roots());
    Ok(format!("{} has {} roots", name?, roots?.roots.len()))
}

async fn told(context: &Context, key: &'static str, message: String) -> Result<String, Error> {
    let field = PrimitiveSchema::String(StringSchema::default());
    let form = ElicitFormParams {
        message,
        requested_schema: ElicitSchema {
            dialect: None,
            properties: [("text", field)].into_iter().collect(),
            required: Some(vec!["text".into()]),
        },
        ..ElicitFormParams::default()
    };
    let answer = context.named(key).elicit(ElicitParams::Form(form)).await?;
    match (answer.action, answer.content.unwrap_or_default().remove("text")) {
        (ElicitAction::Accept, Some(ElicitValue::String(text))) => Ok(text),
        _ => Err(Error::text("the user would not tell")),
    }
}

fn server(key: u8) -> Server {
    Server::builder("s", "1")
        .keys(Keyring::new(1, Key::new([key; 32])))
        .tool("greets", "", greets)
        .tool("joins", "", joins)
        .add_prompt(
            prompt("greeting")
                .handler(|context, _| async move { greets(context, NoArguments {}).await }),
        )
        .add_resource(resource("test://greeting", "greeting").handler(|context| async move {
            let text = greets(context, NoArguments {}).await?;
            Ok(vec![proofmark_sdk::core::types::ResourceContents::text(
                "test://greeting",
                None,
                text,
            )])
        }))
        .build()
        .unwrap()
}

async fn test() -> HttpTest {
    http_with(server(1), Probe::default(), "127.0.0.1:0", quick()).await
}

fn accept(text: &str) -> Value {
    json!({"action": "accept", "content": {"text": text}})
}

/// A request of a client that can be asked for everything, with the answers that it has.
fn attempt(method: &str, mut params: Value, state: Option<&Value>, responses: Value) -> Value {
    if let Some(state) = state {
        params["requestState"] = state.clone();
    }
    if responses != json!({}) {
        params["inputResponses"] = responses;
    }
    let mut message = modern(1, method, params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation": {}, "roots": {}, "sampling": {}});
    message
}

fn tool(name: &str, state: Option<&Value>, responses: Value) -> Value {
    attempt("tools/call", json!({"name": name, "arguments": {}}), state, responses)
}

async fn result(client: &Client, message: &Value) -> Value {
    let answer = client.ask(message).await.json();
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

fn asked(result: &Value) -> Vec<&str> {
    assert_eq!(result["resultType"], "input_required", "{result}");
    result["inputRequests"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn one_tool_asks_twice_in_every_revision_that_lets_it_ask() {
    let test = test().await;
    for revision in Revision::ALL.iter().filter(|it| it.rules().elicitation.is_some()) {
        let answer = if revision.rules().http.sessions {
            legacy_greeting(&test, revision.as_str()).await
        } else {
            let first = result(&test.client, &tool("greets", None, json!({}))).await;
            assert_eq!(asked(&first), ["name"]);
            let state = &first["requestState"];
            let responses = json!({"name": accept("Ada")});
            let second = result(&test.client, &tool("greets", Some(state), responses)).await;
            assert_eq!(asked(&second), ["mood"]);
            let question = &second["inputRequests"]["mood"]["params"]["message"];
            assert_eq!(question, "How are you, Ada?");
            assert_ne!(second["requestState"], *state);
            let responses = json!({"mood": accept("well")});
            let state = &second["requestState"];
            json!({"result": result(&test.client, &tool("greets", Some(state), responses)).await})
        };
        assert_eq!(text(&answer), "Ada is well", "{revision}");
    }
    test.stop().await;
}

/// Answers what the server asks while the tool runs.
async fn legacy_greeting(test: &HttpTest, version: &str) -> Value {
    let client = test.client.begin(version).await;
    let mut stream: Events = client.stream(&call(1, "greets", json!({}))).await;
    for answer in ["Ada", "well"] {
        let asked = stream.message().await.unwrap();
        assert_eq!(asked["method"], "elicitation/create");
        let response = json!({"jsonrpc": "2.0", "id": asked["id"], "result": accept(answer)});
        assert_eq!(client.post(&response).await.status, 202);
    }
    stream.message().await.unwrap()
}

#[tokio::test]
async fn questions_that_are_asked_together_come_together() {
    let test = test().await;
    let first = result(&test.client, &tool("joins", None, json!({}))).await;
    assert_eq!(asked(&first), ["name", "roots"]);
    assert_eq!(first["inputRequests"]["roots"]["method"], "roots/list");
    let state = &first["requestState"];
    // Who answers one of them is asked for the other.
    let half = tool("joins", Some(state), json!({"name": accept("Ada")}));
    let half = result(&test.client, &half).await;
    assert_eq!(asked(&half), ["roots"]);
    let rest = json!({"roots": {"roots": [{"uri": "file:///a"}]}});
    let whole = result(&test.client, &tool("joins", Some(&half["requestState"]), rest)).await;
    assert_eq!(text(&json!({"result": whole})), "Ada has 1 roots");
    test.stop().await;
}

#[tokio::test]
async fn what_is_missing_or_does_not_fit_is_asked_again_and_what_was_not_asked_is_ignored() {
    let test = test().await;
    let first = result(&test.client, &tool("greets", None, json!({}))).await;
    let state = &first["requestState"];
    for responses in [
        json!({}),
        json!({"other": accept("Ada")}),
        json!({"name": 12345}),
        json!({"name": {"action": "accept", "content": {}}}),
        json!({"name": {"action": "accept", "content": {"text": 7}}}),
        Value::Null,
    ] {
        let again = result(&test.client, &tool("greets", Some(state), responses.clone())).await;
        assert_eq!(asked(&again), ["name"], "{responses}");
    }
    let more = json!({"name": accept("Ada"), "unknown": 1, "else": accept("x")});
    let next = result(&test.client, &tool("greets", Some(state), more)).await;
    assert_eq!(asked(&next), ["mood"]);
    let responses = tool("greets", Some(state), json!([1]));
    assert_eq!(code(&test.client.ask(&responses).await.json()), -32602);
    test.stop().await;
}

#[tokio::test]
async fn a_state_that_was_tampered_with_or_belongs_elsewhere_is_refused() {
    let test = test().await;
    let first = result(&test.client, &tool("greets", None, json!({}))).await;
    let state = first["requestState"].as_str().unwrap();
    let middle = state.len() / 2;
    let flipped = if &state[middle..=middle] == "A" { "B" } else { "A" };
    for bad in [
        format!("{state}-TAMPERED"),
        state[..state.len() - 1].to_owned(),
        format!("{}{flipped}{}", &state[..middle], &state[middle + 1..]),
        String::new(),
        "made up".to_owned(),
    ] {
        let message = tool("greets", Some(&json!(bad)), json!({"name": accept("Ada")}));
        assert_eq!(code(&test.client.ask(&message).await.json()), -32602, "{bad}");
    }
    let elsewhere = tool("joins", Some(&json!(state)), json!({}));
    assert_eq!(code(&test.client.ask(&elsewhere).await.json()), -32602);
    test.stop().await;
}

#[tokio::test]
async fn two_servers_with_one_key_serve_the_two_halves() {
    let (one, other, stranger) = (test().await, test().await, server(2));
    let stranger = http_with(stranger, Probe::default(), "127.0.0.1:0", quick()).await;
    let first = result(&one.client, &tool("greets", None, json!({}))).await;
    let next = tool("greets", Some(&first["requestState"]), json!({"name": accept("Ada")}));
    let second = result(&other.client, &next).await;
    assert_eq!(asked(&second), ["mood"]);
    assert_eq!(code(&stranger.client.ask(&next).await.json()), -32602);
    let last = tool("greets", Some(&second["requestState"]), json!({"mood": accept("well")}));
    assert_eq!(text(&json!({"result": result(&one.client, &last).await})), "Ada is well");
    for test in [one, other, stranger] {
        test.stop().await;
    }
}

#[tokio::test]
async fn prompts_and_resources_ask_too() {
    let test = test().await;
    for (method, params, path) in [
        ("prompts/get", json!({"name": "greeting"}), "/messages/0/content/text"),
        ("resources/read", json!({"uri": "test://greeting"}), "/contents/0/text"),
    ] {
        let first = result(&test.client, &attempt(method, params.clone(), None, json!({}))).await;
        assert_eq!(asked(&first), ["name"]);
        let both = json!({"name": accept("Ada"), "mood": accept("well")});
        let state = Some(&first["requestState"]);
        let last = result(&test.client, &attempt(method, params, state, both)).await;
        assert_eq!(last["resultType"], "complete");
        assert_eq!(last.pointer(path).unwrap(), "Ada is well");
    }
    test.stop().await;
}

#[tokio::test]
async fn who_cannot_be_asked_is_told_what_is_missing() {
    let test = test().await;
    let message = modern(1, "tools/call", json!({"name": "greets", "arguments": {}}));
    let response = test.client.ask(&message).await;
    let error = &response.json()["error"];
    assert_eq!((response.status, &error["code"]), (400, &json!(-32021)));
    assert!(error["data"]["requiredCapabilities"]["elicitation"].is_object(), "{error}");
    // A legacy client gets a failed result instead, which its model can read.
    let client = test.client.begin("2025-03-26").await;
    let answer = client.post(&request(1, "tools/call", json!({"name": "greets"}))).await.json();
    assert_eq!(answer["result"]["isError"], true);
    test.stop().await;
}
