//! One tool that asks twice, in every revision and over every transport: it is written once, and does not know which.

use proofmark_sdk::{
    core::{
        revision::{Era, Revision},
        types::{CreateMessageParams, Role, SamplingBlock, SamplingMessage, TextContent},
    },
    server::{Context, Error, NoArguments, Server},
    transport::LineSettings,
};
use serde_json::{Value, json};

use crate::common::{
    Client, HttpTest, LineClient, Probe, call, http_with, initialize, modern, notification, quick,
    text,
};

/// Has the model say a word, and then another one that goes with it.
async fn rhymes(context: Context, _: NoArguments) -> Result<String, Error> {
    let word = said(&context, "Say a word.".to_owned()).await?;
    let rhyme = said(&context, format!("What rhymes with {word}?")).await?;
    Ok(format!("{word} and {rhyme}"))
}

async fn said(context: &Context, prompt: String) -> Result<String, Error> {
    let prompt = SamplingBlock::Text(TextContent { text: prompt, ..TextContent::default() });
    let message = SamplingMessage { role: Role::User, content: prompt.into(), meta: None };
    let params = CreateMessageParams {
        messages: vec![message],
        max_tokens: 10,
        ..CreateMessageParams::default()
    };
    let answer = context.sample(params).await?;
    match answer.content.blocks() {
        [SamplingBlock::Text(text)] => Ok(text.text.clone()),
        _ => Err(Error::text("the model said more than a word")),
    }
}

fn server() -> Server {
    Server::builder("s", "1").tool("rhymes", "", rhymes).build().unwrap()
}

/// Questions in the order in which they must come, and what the model says to them.
const CONVERSATION: [(&str, &str); 2] =
    [("Say a word.", "house"), ("What rhymes with house?", "mouse")];

fn answer(word: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": word}, "model": "m"})
}

fn question(params: &Value) -> &Value {
    &params["messages"][0]["content"]["text"]
}

fn greeting(revision: Revision) -> Value {
    let mut greeting = initialize(revision.as_str());
    greeting["params"]["capabilities"] = json!({"sampling": {}});
    greeting
}

/// The call in the modern era, with the answers so far.
fn attempt(id: usize, state: &Value, responses: &Value) -> Value {
    let mut params = json!({"name": "rhymes", "arguments": {}});
    if !state.is_null() {
        params["requestState"] = state.clone();
        params["inputResponses"] = responses.clone();
    }
    let mut message = modern(id, "tools/call", params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"sampling": {}});
    message
}

#[tokio::test]
async fn a_tool_asks_twice_on_a_pipe_in_every_revision() {
    let server = server();
    for &revision in Revision::ALL {
        let mut client = LineClient::connect(&server, LineSettings::default());
        let result = if revision.era() == Era::Legacy {
            client.ask(&greeting(revision)).await;
            client.send(&notification("notifications/initialized", json!({}))).await;
            client.send(&call(1, "rhymes", json!({}))).await;
            for (asked, word) in CONVERSATION {
                let request = client.message().await;
                assert_eq!(request["method"], "sampling/createMessage", "{revision}");
                assert_eq!(*question(&request["params"]), asked, "{revision}");
                let id = &request["id"];
                client.send(&json!({"jsonrpc": "2.0", "id": id, "result": answer(word)})).await;
            }
            client.answer(1).await
        } else {
            let (mut state, mut responses) = (Value::Null, json!({}));
            for (round, (asked, word)) in CONVERSATION.into_iter().enumerate() {
                let result = client.ask(&attempt(round, &state, &responses)).await;
                (state, responses) = next(&result["result"], asked, word);
            }
            client.ask(&attempt(9, &state, &responses)).await
        };
        assert_eq!(text(&result), "house and mouse", "{revision}");
    }
}

#[tokio::test]
async fn a_tool_asks_twice_over_http_in_every_revision() {
    let test = http_with(server(), Probe::default(), "127.0.0.1:0", quick()).await;
    for &revision in Revision::ALL {
        let result = if revision.era() == Era::Legacy {
            in_session(&test, revision).await
        } else {
            let (mut state, mut responses) = (Value::Null, json!({}));
            for (round, (asked, word)) in CONVERSATION.into_iter().enumerate() {
                let result = test.client.ask(&attempt(round, &state, &responses)).await.json();
                (state, responses) = next(&result["result"], asked, word);
            }
            test.client.ask(&attempt(9, &state, &responses)).await.json()
        };
        assert_eq!(text(&result), "house and mouse", "{revision}");
    }
    test.stop().await;
}

async fn in_session(test: &HttpTest, revision: Revision) -> Value {
    let response = test.client.post(&greeting(revision)).await;
    let session = response.header("mcp-session-id").map(str::to_owned);
    let version = Some(revision.as_str().to_owned());
    let client = Client { session, version, ..test.client.clone() };
    client.post(&notification("notifications/initialized", json!({}))).await;
    let mut stream = client.stream(&call(1, "rhymes", json!({}))).await;
    for (asked, word) in CONVERSATION {
        let request = stream.message().await.unwrap();
        assert_eq!(*question(&request["params"]), asked, "{revision}");
        let id = &request["id"];
        let response = json!({"jsonrpc": "2.0", "id": id, "result": answer(word)});
        assert_eq!(client.post(&response).await.status, 202);
    }
    stream.message().await.unwrap()
}

/// The state and the responses to go on with, after the one question that was asked.
fn next(result: &Value, asked: &str, word: &str) -> (Value, Value) {
    assert_eq!(result["resultType"], "input_required", "{result}");
    let requests = result["inputRequests"].as_object().unwrap();
    let [(key, request)] = &requests.iter().collect::<Vec<_>>()[..] else { panic!("{result}") };
    assert_eq!(request["method"], "sampling/createMessage");
    assert_eq!(*question(&request["params"]), asked);
    (result["requestState"].clone(), json!({*key: answer(word)}))
}
