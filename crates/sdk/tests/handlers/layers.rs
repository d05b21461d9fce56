//! What layers see.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use proofmark_sdk::{
    caller::Caller,
    client::{Client, ClientBuilder},
    core::{
        revision::{Era, Revision},
        types::{ElicitResult, TaskSupport},
    },
    server::{Context, Elicited, Error, LayerRequest, Next, Server, ServerBuilder, layers, tool},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Notify;

type Seen = Arc<Mutex<Vec<String>>>;

/// A server that writes down what its layer is told.
fn observed(builder: ServerBuilder) -> (Server, Seen) {
    let seen = Seen::default();
    let told = Arc::clone(&seen);
    let layer = layers::observe(move |request, outcome, _| {
        let name = request.name().unwrap_or("-");
        let again = if request.is_rerun() { " again" } else { "" };
        let method = request.method().as_str();
        told.lock().unwrap().push(format!("{method} {name}{again}: {}", outcome.as_str()));
    });
    (builder.layer(layer).build().unwrap(), seen)
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[tokio::test]
async fn layers_see_also_what_is_refused_before_a_handler_runs() {
    let builder = Server::builder("s", "1")
        .tool("add", "", async |Add { a, b }: Add| a + b)
        .tool("fail", "", async || Err::<(), _>("no"))
        .tool("panic", "", async || -> &'static str { panic!("on purpose") })
        .add_tool(tool("task").task(TaskSupport::Optional).handler(async || "done"));
    let (server, seen) = observed(builder);
    let client = Client::in_memory(&server).with(Client::builder("c", "1").tasks()).await.unwrap();
    client.all_tools().await.unwrap();
    assert_eq!(client.call::<i64>("add", json!({"a": 1, "b": 2})).await.unwrap(), 3);
    client.call::<i64>("add", json!({"a": "one"})).await.unwrap_err();
    client.call::<i64>("unknown", ()).await.unwrap_err();
    client.call::<i64>("fail", ()).await.unwrap_err();
    client.call::<i64>("panic", ()).await.unwrap_err();
    client.call_tool("task", ()).result_or_task().await.unwrap();
    let expected = [
        "tools/list -: done",
        "tools/call add: done",
        "tools/call add: tool error",
        "tools/call unknown: protocol error",
        "tools/call fail: tool error",
        "tools/call panic: protocol error",
        "tools/call task: task",
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_cancelled_call_leaves_a_trace() {
    let began = Arc::new(Notify::new());
    let begins = Arc::clone(&began);
    let (server, seen) = observed(Server::builder("s", "1").tool("wait", "", async move || {
        begins.notify_one();
        std::future::pending::<()>().await;
    }));
    let client = Client::in_memory(&server).await.unwrap();
    tokio::select! {
        _ = client.call_tool("wait", ()).into_future() => unreachable!("it never ends"),
        () = began.notified() => {}
    }
    for _ in 0..1000 {
        if !seen.lock().unwrap().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(*seen.lock().unwrap(), ["tools/call wait: cancelled"]);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Confirm {
    sure: bool,
    reason: Option<String>,
}

async fn delete(context: Context) -> Result<String, Error> {
    Ok(match context.elicit::<Confirm>("Delete?").await? {
        Elicited::Accepted(confirm) => format!("{confirm:?}"),
        Elicited::Declined => "declined".into(),
        Elicited::Cancelled => "cancelled".into(),
    })
}

fn answering(answer: ElicitResult) -> ClientBuilder {
    Client::builder("c", "1").forms(move |form| {
        let names: Vec<_> = form.requested_schema.properties.keys().collect();
        assert_eq!((form.message.as_str(), names), ("Delete?", vec!["sure", "reason"]));
        std::future::ready(Ok(answer.clone()))
    })
}

#[tokio::test]
async fn a_call_that_asks_is_seen_as_asked_and_then_as_made_again() {
    let (server, seen) =
        observed(Server::builder("s", "1").asks::<Confirm>().tool("delete", "", delete));
    let sure = ElicitResult::accept([("sure".to_owned(), true.into())].into());
    let client = Client::in_memory(&server).with(answering(sure)).await.unwrap();
    let said: String = client.call("delete", ()).await.unwrap();
    assert_eq!(said, "Confirm { sure: true, reason: None }");
    let expected = ["tools/call delete: asked", "tools/call delete again: done"];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_typed_question_is_answered_in_both_eras() {
    let server = Server::builder("s", "1").tool("delete", "", delete).build().unwrap();
    let sure = ElicitResult::accept([("sure".to_owned(), false.into())].into());
    for era in [Era::Legacy, Era::Modern] {
        for (answer, expected) in [
            (sure.clone(), "Confirm { sure: false, reason: None }"),
            (ElicitResult::decline(), "declined"),
            (ElicitResult::cancel(), "cancelled"),
        ] {
            let revision = Revision::newest(era);
            let client = Client::in_memory(&server).with(answering(answer)).revision(revision);
            let client = client.await.unwrap();
            assert_eq!(client.call::<String>("delete", ()).await.unwrap(), expected, "{revision}");
        }
    }
}

#[test]
fn a_type_that_is_no_form_is_refused_when_the_server_is_built() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "it is no form")]
    struct Nested {
        confirm: Confirm,
    }

    let error = Server::builder("s", "1").asks::<Nested>().build().err().unwrap().to_string();
    assert!(error.contains("Nested") && error.contains("`confirm`"), "{error}");
}

#[tokio::test]
async fn the_first_layer_is_the_outermost_and_some_are_for_tools_only() {
    let seen = Seen::default();
    let note = |name: &'static str| {
        let seen = Arc::clone(&seen);
        async move |request: LayerRequest, next: Next| {
            seen.lock().unwrap().push(format!("{name} in"));
            let response = next.run(request).await;
            seen.lock().unwrap().push(format!("{name} out"));
            response
        }
    };
    let server = Server::builder("s", "1")
        .tool("echo", "", async || "")
        .layer(note("outer"))
        .tool_layer(note("inner"))
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    client.call_tool("echo", ()).await.unwrap();
    assert_eq!(
        seen.lock().unwrap().split_off(0),
        ["outer in", "inner in", "inner out", "outer out"]
    );
    client.all_tools().await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["outer in", "outer out"]);
}

#[tokio::test]
async fn a_rate_limit_is_for_each_caller_and_stops_handlers() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&ran);
    let server = Server::builder("s", "1")
        .tool("work", "", move || {
            counter.fetch_add(1, Ordering::SeqCst);
            std::future::ready("done")
        })
        .tool_layer(layers::rate_limit(2, Duration::from_secs(3600)))
        .build()
        .unwrap();
    for name in ["ada", "bob"] {
        let client = Client::in_memory(&server).with_caller(Caller::named(name)).await.unwrap();
        for _ in 0..2 {
            client.call::<String>("work", ()).await.unwrap();
        }
        let error = client.call::<String>("work", ()).await.unwrap_err().to_string();
        assert!(error.contains("too many requests: try again in"), "{error}");
    }
    assert_eq!(ran.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_timeout_drops_the_handler() {
    let server = Server::builder("s", "1")
        .tool("wait", "", std::future::pending::<()>)
        .layer(layers::timeout(Duration::from_millis(20)))
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let error = client.call::<String>("wait", ()).await.unwrap_err().to_string();
    assert_eq!(error, "`wait` failed: it took longer than 20ms");
}

#[tokio::test]
async fn authorization_looks_at_the_caller_and_the_tool() {
    let server = Server::builder("s", "1")
        .tool("read", "", async || "read")
        .tool("write", "", async || "written")
        .tool_layer(layers::authorize(|request| {
            let may = request.caller().is_some_and(|caller| caller.has_scope("write"));
            if may || request.name() == Some("read") { Ok(()) } else { Err("not you".into()) }
        }))
        .layer(layers::logging())
        .build()
        .unwrap();
    let client = async |scopes: &[&str]| {
        let caller = Caller::named("ada").with_scopes(scopes.iter().copied());
        Client::in_memory(&server).with_caller(caller).await.unwrap()
    };
    let reader = client(&[]).await;
    assert_eq!(reader.call::<String>("read", ()).await.unwrap(), "read");
    let error = reader.call::<String>("write", ()).await.unwrap_err().to_string();
    assert_eq!(error, "`write` failed: not you");
    assert_eq!(client(&["write"]).await.call::<String>("write", ()).await.unwrap(), "written");
}

#[tokio::test]
async fn what_only_reads_is_kept_for_its_caller() {
    use std::sync::atomic::{AtomicU64, Ordering};

    use proofmark_sdk::{
        caller::Caller,
        server::{State, tool},
    };

    async fn count(counter: State<AtomicU64>) -> u64 {
        counter.fetch_add(1, Ordering::SeqCst)
    }

    let server = Server::builder("s", "1")
        .state(AtomicU64::new(0))
        .add_tool(tool("read").read_only().handler(count))
        .add_tool(tool("write").handler(count))
        .add_tool(tool("fails").read_only().handler(async |counter: State<AtomicU64>| {
            Err::<(), _>(count(counter).await.to_string())
        }))
        .tool_layer(layers::cache(Duration::from_secs(3600)))
        .build()
        .unwrap();
    let client = |name| Client::in_memory(&server).with_caller(Caller::named(name)).into_future();
    let (ada, bob) = (client("ada").await.unwrap(), client("bob").await.unwrap());
    let call = async |client: &Client, tool| client.call::<u64>(tool, ()).await.unwrap();
    assert_eq!([call(&ada, "read").await, call(&ada, "read").await], [0, 0]);
    assert_eq!(call(&bob, "read").await, 1, "each caller has results of its own");
    assert_eq!([call(&ada, "write").await, call(&ada, "write").await], [2, 3]);
    for failure in ["4", "5"] {
        let error = ada.call::<u64>("fails", ()).await.unwrap_err().to_string();
        assert!(error.ends_with(failure), "{error}");
    }
}
