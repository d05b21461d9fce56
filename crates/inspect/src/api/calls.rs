//! Requests to servers, and answers to what they ask.

use std::{sync::PoisonError, time::Instant};

use proofmark_core::{
    json::Raw,
    revision::{Era, RequestMethod},
    types::{SubscriptionFilter, TaskMetadata},
};
use proofmark_sdk::client::{Client, Error};
use proofmark_test::schema;
use proofmark_web::axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Inspector, NotDone,
    questions::{Given, Rules},
};

type Answered = Result<Json<Value>, NotDone>;

#[derive(Deserialize)]
pub(super) struct Asked {
    /// A name of the page's own, by which it cancels.
    call: String,
    method: String,
    #[serde(default)]
    params: Value,
    /// For calls of tools: as a task of its own.
    #[serde(default)]
    task: bool,
}

/// Sends a request and waits for its answer. If the page goes away, it is cancelled.
pub(super) async fn request(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
    Json(asked): Json<Asked>,
) -> Answered {
    let method = RequestMethod::parse(&asked.method)
        .ok_or_else(|| NotDone(format!("there is no method {}", asked.method)))?;
    let connected = inspector.connected(id)?;
    let output = output_schema(&inspector, id, method, &asked.params);
    let cancelled = inspector.begin_call(&asked.call);
    let before = *inspector.0.timeline.watch().borrow();
    let began = Instant::now();
    let outcome = tokio::select! {
        outcome = ask(&connected.client, method, &asked) => Some(outcome),
        Ok(()) = cancelled => None,
    };
    let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut answer = match outcome {
        None => json!({"cancelled": true}),
        Some(Ok(result)) => {
            let violations = output.map(|output| violations(&output, &result));
            json!({"result": result, "violations": violations})
        }
        Some(Err(error)) => refusal(&error),
    };
    answer["ms"] = json!(ms);
    answer["after"] = json!(before);
    Ok(Json(answer))
}

pub(super) async fn cancel(
    State(inspector): State<Inspector>,
    Json(given): Json<Value>,
) -> Json<Value> {
    let name = given.get("call").and_then(Value::as_str).unwrap_or_default();
    Json(json!({"cancelled": inspector.cancel_call(name)}))
}

#[derive(Deserialize)]
pub(super) struct Subscribing {
    uri: String,
    on: bool,
}

/// In the modern era a subscription is a request that stays open.
pub(super) async fn subscribe(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
    Json(Subscribing { uri, on }): Json<Subscribing>,
) -> Answered {
    let connected = inspector.connected(id)?;
    let client = &connected.client;
    let done = |error: Error| NotDone(error.to_string());
    if client.revision().is_some_and(|revision| revision.era() == Era::Legacy) {
        if on {
            client.subscribe(&uri).await.map_err(done)?;
        } else {
            client.unsubscribe(&uri).await.map_err(done)?;
        }
        return Ok(Json(json!({})));
    }
    if on {
        let filter = SubscriptionFilter {
            resource_subscriptions: Some(vec![uri.clone()]),
            ..SubscriptionFilter::default()
        };
        let subscription = client.listen(filter).await.map_err(done)?;
        let mut all = connected.subscriptions.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(uri, subscription);
    } else {
        connected.subscriptions.lock().unwrap_or_else(PoisonError::into_inner).remove(&uri);
    }
    Ok(Json(json!({})))
}

#[derive(Deserialize)]
pub(super) struct RawText {
    text: String,
}

/// Says any line on the input of a server that runs as a process.
pub(super) async fn raw(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
    Json(RawText { text }): Json<RawText>,
) -> Answered {
    let connected = inspector.connected(id)?;
    let raw = connected.raw.as_ref();
    let raw = raw.ok_or_else(|| NotDone("raw bytes are sent to servers over stdio only".into()))?;
    let mut bytes = text.into_bytes();
    bytes.push(b'\n');
    raw.try_send(bytes).map_err(|_| NotDone("the server does not read".into()))?;
    Ok(Json(json!({})))
}

pub(super) async fn answer(
    State(inspector): State<Inspector>,
    Path(question): Path<u64>,
    Json(mut given): Json<Value>,
) -> Answered {
    let given = match given.get_mut("answer").map(Value::take) {
        Some(answer) => Given::Answer(answer),
        None => Given::Refusal,
    };
    if inspector.0.questions.answer(question, given) {
        Ok(Json(json!({})))
    } else {
        Err(NotDone("the question is not open any more".into()))
    }
}

pub(super) async fn rules(
    State(inspector): State<Inspector>,
    Json(rules): Json<Rules>,
) -> Json<Value> {
    inspector.0.questions.set_rules(rules);
    Json(json!({}))
}

#[derive(Deserialize)]
pub(super) struct Validated {
    schema: Value,
    value: Value,
}

/// What is wrong with a value, as the schema has it.
pub(super) async fn validate(Json(Validated { schema, value }): Json<Validated>) -> Answered {
    schema::compile(&schema).map_err(|schema::Unusable(why)| NotDone(why))?;
    Ok(Json(json!({"broken": schema::violations(&schema, &value)})))
}

/// Asks, and gives what came back as the pages show it.
pub(super) async fn answered(client: &Client, method: RequestMethod, params: Value) -> Value {
    let asked = Asked { call: String::new(), method: String::new(), params, task: false };
    match ask(client, method, &asked).await {
        Ok(result) => json!({"result": result}),
        Err(error) => refusal(&error),
    }
}

async fn ask(client: &Client, method: RequestMethod, asked: &Asked) -> Result<Value, Error> {
    let unreadable = |why: String| Error::Unreadable { method, why };
    let legacy = client.revision().is_some_and(|it| it.era() == Era::Legacy);
    if asked.task && legacy && method == RequestMethod::ToolsCall {
        let name = asked.params.get("name").and_then(Value::as_str).unwrap_or_default();
        let arguments = asked.params.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let result = client.call_tool_as_task(name, arguments, &TaskMetadata::default()).await?;
        return serde_json::to_value(result).map_err(|error| unreadable(error.to_string()));
    }
    let params = if asked.params.is_null() { json!({}) } else { asked.params.clone() };
    let params = Raw::new(&params).map_err(|error| unreadable(error.to_string()))?;
    // Progress is heard by asking for it; the page sees it in the timeline.
    let raw = client.request(method, &params).fresh().on_progress(|_| {}).await?;
    serde_json::from_str(raw.as_str()).map_err(|error| unreadable(error.to_string()))
}

fn refusal(error: &Error) -> Value {
    match error.refusal().filter(|_| !error.is_lost()) {
        Some(refusal) => {
            let data: Option<Value> =
                refusal.data.as_ref().and_then(|data| serde_json::from_str(data.as_str()).ok());
            json!({"error": {"code": refusal.code.0, "message": refusal.message, "data": data}})
        }
        None => json!({"failure": error.to_string()}),
    }
}

/// What the output of the tool that is called has to be.
fn output_schema(
    inspector: &Inspector,
    id: u32,
    method: RequestMethod,
    params: &Value,
) -> Option<Value> {
    if method != RequestMethod::ToolsCall {
        return None;
    }
    inspector
        .with(id, |server| {
            let tools = server.lists.get("tools")?.as_array()?;
            let tool = tools.iter().find(|it| it.get("name") == params.get("name"))?;
            tool.get("outputSchema").cloned()
        })
        .ok()?
}

fn violations(output: &Value, result: &Value) -> Vec<String> {
    match result.get("structuredContent") {
        Some(structured) => schema::violations(output, structured),
        None if result.get("isError") == Some(&Value::Bool(true)) => Vec::new(),
        None => vec!["the tool promises structured output and gave none".to_owned()],
    }
}
