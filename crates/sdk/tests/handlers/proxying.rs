//! Servers behind servers, in every pair of revisions.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use proofmark_sdk::{
    client::{Client, ClientBuilder, Error as ClientError, InMemory},
    core::{
        revision::{Era, Revision},
        types::{
            CreateMessageResult, ElicitResult, PromptReference, Reference, Role, Root,
            SamplingBlock, ServerNotification, SubscriptionFilter, TaskSupport, TextContent,
        },
    },
    proxy::Proxy,
    server::{
        Context, Elicited, Error, Json, Server, ServerBuilder, prompt, resource, sampling, tool,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::{sync::Notify, time::timeout};

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    sure: bool,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

async fn delete(context: Context) -> Result<&'static str, Error> {
    Ok(match context.elicit::<Confirm>("Sure?").await? {
        Elicited::Accepted(Confirm { sure: true }) => "deleted",
        Elicited::Accepted(_) | Elicited::Declined | Elicited::Cancelled => "kept",
    })
}

/// Asks three things, one after the other.
async fn interview(context: Context) -> Result<String, Error> {
    let roots = context.roots().await?.roots.len();
    let said = context.sample(sampling("Say something.")).await?;
    let sure = matches!(context.elicit::<Confirm>("Sure?").await?, Elicited::Accepted(_));
    Ok(format!("{roots} {} {sure}", said.model))
}

fn upstream() -> ServerBuilder {
    Server::builder("upstream", "1")
        .tool("swap", "Swaps", async |Pair { a, b }: Pair| Json(Pair { a: b, b: a }))
        .tool("fail", "Fails", async || Err::<(), _>("on purpose"))
        .tool("count", "Counts", async |context: Context| {
            for step in 1..=3 {
                context.progress(step, 3, "counting");
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .tool("delete", "Deletes", delete)
        .tool("interview", "Asks", interview)
        .add_tool(tool("build").task(TaskSupport::Optional).handler(async || "built"))
        .add_resource(resource("notes://a", "a").mime_type("text/plain").text("A"))
        .template("notes://by-id/{id}", "note", async |id: u32| {
            (id < 10).then(|| format!("note {id}"))
        })
        .add_prompt(
            prompt("greet")
                .argument("name", "Whom")
                .suggest("name", ["ada", "bob", "al"])
                .get(async |name: Greeted| format!("Greet {}.", name.name)),
        )
}

#[derive(Deserialize, JsonSchema)]
struct Greeted {
    name: String,
}

async fn proxied(upstream: &Server, revision: Revision) -> Server {
    let builder = Client::builder("gateway", "1").revision(revision);
    let proxy = Proxy::connect_with(builder, upstream).await.unwrap();
    Server::builder("gateway", "1").proxy("up", proxy).build().unwrap()
}

fn answering() -> ClientBuilder {
    Client::builder("client", "1")
        .tasks()
        .roots(vec![Root { uri: "file:///a".into(), ..Root::default() }])
        .sampling(async |_| {
            let text = TextContent { text: "something".into(), ..TextContent::default() };
            Ok(CreateMessageResult {
                role: Role::Assistant,
                content: SamplingBlock::Text(text).into(),
                model: "a-model".into(),
                stop_reason: None,
                meta: None,
            })
        })
        .forms(async |_| Ok(ElicitResult::accept([("sure".to_owned(), true.into())].into())))
}

fn client(server: &Server, revision: Revision) -> InMemory {
    Client::in_memory(server).with(answering()).revision(revision)
}

fn pairs() -> impl Iterator<Item = (Revision, Revision)> {
    let all = || Revision::ALL.iter().copied();
    all().flat_map(move |behind| all().map(move |before| (behind, before)))
}

#[tokio::test]
async fn what_a_server_offers_is_there_behind_another_in_every_pair_of_revisions() {
    for (behind, before) in pairs() {
        let upstream = upstream().build().unwrap();
        let server = proxied(&upstream, behind).await;
        let client = client(&server, before).await.unwrap();
        let place = format!("{before} before {behind}");

        let tools = client.all_tools().await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "up_swap"), "{place}");
        let swapped: Pair = client.call("up_swap", Pair { a: 1, b: 2 }).await.unwrap();
        assert_eq!(swapped, Pair { a: 2, b: 1 }, "{place}");
        let failed = client.call::<String>("up_fail", ()).await.unwrap_err().to_string();
        assert!(failed.contains("on purpose"), "{place}: {failed}");
        let wrong = client.call::<Pair>("up_swap", json!({"a": "x", "b": 2})).await.unwrap_err();
        assert!(wrong.to_string().contains("/a"), "{place}: {wrong}");
        assert_eq!(client.call::<String>("up_build", ()).task().await.unwrap(), "built", "{place}");

        let mut steps = Vec::new();
        client.call_tool("up_count", ()).on_progress(|step| steps.push(step)).await.unwrap();
        assert_eq!(steps.last().map(|step| step.progress), Some(3.0), "{place}: {steps:?}");

        let text = serde_json::to_string(&client.read_resource("notes://a").await.unwrap());
        assert!(text.unwrap().contains("\"A\""), "{place}");
        assert!(client.read_resource("notes://by-id/7").await.is_ok(), "{place}");
        let missing = client.read_resource("notes://by-id/70").await.unwrap_err();
        let code = missing.refusal().map(|refusal| refusal.code);
        assert_eq!(code, Some(before.rules().resource_not_found), "{place}: {missing}");

        let greeting = client.get_prompt("up_greet", &[("name", "Ada")]).await.unwrap();
        assert_eq!(greeting.messages.len(), 1, "{place}");
        let prompt = PromptReference { name: "up_greet".into(), ..PromptReference::default() };
        let completed = client.complete(Reference::Prompt(prompt), "name", "a", &[]).await.unwrap();
        assert_eq!(completed.completion.values, ["ada", "al"], "{place}");
        client.close().await;
    }
}

#[tokio::test]
async fn questions_reach_the_client_that_called_in_every_pair_of_revisions() {
    for (behind, before) in pairs() {
        let asks = |revision: Revision| revision.rules().elicitation.is_some();
        if !asks(behind) || !asks(before) {
            continue;
        }
        let upstream = upstream().build().unwrap();
        let server = proxied(&upstream, behind).await;
        let client = client(&server, before).await.unwrap();
        let place = format!("{before} before {behind}");
        assert_eq!(client.call::<String>("up_delete", ()).await.unwrap(), "deleted", "{place}");
        let said = client.call::<String>("up_interview", ()).await.unwrap();
        assert_eq!(said, "1 a-model true", "{place}");
        // One behind the other.
        let twice = proxied(&server, behind).await;
        let client = Client::in_memory(&twice).with(answering()).revision(before).await.unwrap();
        let said = client.call::<String>("up_up_interview", ()).await.unwrap();
        assert_eq!(said, "1 a-model true", "{place}, twice");
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_told_so() {
    for (behind, before) in pairs().filter(|(behind, _)| behind.rules().elicitation.is_some()) {
        let server = proxied(&upstream().build().unwrap(), behind).await;
        let client = Client::in_memory(&server).revision(before).await.unwrap();
        let error = client.call::<String>("up_delete", ()).await.unwrap_err().to_string();
        assert!(error.contains("elicitation"), "{before} before {behind}: {error}");
    }
}

#[tokio::test]
async fn lists_that_change_and_resources_are_heard_of_behind_another_server() {
    for (behind, before) in pairs() {
        let upstream = upstream().build().unwrap();
        let server = proxied(&upstream, behind).await;
        let client = client(&server, before).await.unwrap();
        let place = format!("{before} before {behind}");
        let heard = async {
            let mut watch = client.watch("notes://a").await.unwrap();
            // The proxy may still be asking for news.
            loop {
                upstream.resource_updated("notes://a");
                let news = timeout(Duration::from_millis(50), watch.changed()).await;
                if news.is_ok_and(|news| news.unwrap()) {
                    break;
                }
            }
            upstream.add_tool(tool("late").handler(async || "late")).unwrap();
            upstream.remove_tool("fail");
            loop {
                let mut page = client.list_tools(None).fresh().await.unwrap().tools.into_iter();
                let late = page.any(|tool| tool.name == "up_late");
                if late && page.all(|tool| tool.name != "up_fail") {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(20), heard).await.expect(&place);
        assert_eq!(client.call::<String>("up_late", ()).await.unwrap(), "late", "{place}");
        client.close().await;
    }
}

#[tokio::test]
async fn news_of_lists_are_passed_on() {
    let upstream = upstream().build().unwrap();
    let server = proxied(&upstream, Revision::ALL[0]).await;
    let client = Client::in_memory(&server).await.unwrap();
    let filter = SubscriptionFilter { tools_list_changed: Some(true), ..Default::default() };
    let mut subscription = client.listen(filter).await.unwrap();
    tokio::task::yield_now().await;
    upstream.add_tool(tool("late").handler(async || "late")).unwrap();
    let news = timeout(Duration::from_secs(20), subscription.next()).await.unwrap().unwrap();
    assert!(matches!(news, Some(ServerNotification::ToolsListChanged(_))), "{news:?}");
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_behind_the_other_server() {
    struct Dropped(Arc<AtomicBool>, Arc<Notify>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
            self.1.notify_one();
        }
    }

    for (behind, before) in pairs() {
        let (begun, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let dropped = Arc::new(AtomicBool::new(false));
        let (begins, ends, drops) = (begun.clone(), ended.clone(), dropped.clone());
        let upstream = Server::builder("s", "1")
            .tool("wait", "", async move || {
                let _guard = Dropped(drops, ends);
                begins.notify_one();
                std::future::pending::<()>().await;
            })
            .build()
            .unwrap();
        let server = proxied(&upstream, behind).await;
        let client = client(&server, before).await.unwrap();
        tokio::select! {
            _ = client.call_tool("up_wait", ()).into_future() => unreachable!("it never ends"),
            () = begun.notified() => {}
        }
        let gone = timeout(Duration::from_secs(20), ended.notified()).await;
        gone.unwrap_or_else(|_| panic!("{before} before {behind}"));
        assert!(dropped.load(Ordering::SeqCst));
    }
}

/// A legacy server on a pipe does not say on whose behalf it asks.
#[tokio::test]
async fn a_question_that_may_be_meant_for_another_client_is_asked_of_none() {
    let (begun, goes) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begins, waits) = (begun.clone(), goes.clone());
    let upstream = upstream()
        .tool("wait", "", async move || {
            begins.notify_one();
            waits.notified().await;
        })
        .build()
        .unwrap();
    let legacy = Revision::ALL.iter().rev().find(|it| it.era() == Era::Legacy).copied().unwrap();
    let server = proxied(&upstream, legacy).await;
    let ada = client(&server, legacy).await.unwrap();
    let bob = client(&server, legacy).await.unwrap();
    let waiting = ada.call_tool("up_wait", ()).into_future();
    let asking = async {
        begun.notified().await;
        let refused = bob.call::<String>("up_delete", ()).await;
        goes.notify_one();
        refused
    };
    let (waited, refused) = tokio::join!(waiting, asking);
    waited.unwrap();
    assert!(matches!(refused, Err(ClientError::ToolFailed { .. })), "{refused:?}");
    assert_eq!(bob.call::<String>("up_delete", ()).await.unwrap(), "deleted");
}

#[tokio::test]
async fn an_empty_prefix_leaves_names_as_they_are() {
    let proxy = Proxy::connect(&upstream().build().unwrap()).await.unwrap();
    let server = Server::builder("gateway", "1").proxy("", proxy).build().unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let swapped: Pair = client.call("swap", Pair { a: 1, b: 2 }).await.unwrap();
    assert_eq!(swapped, Pair { a: 2, b: 1 });
}
