//! Our client and our server in one process: tasks of both kinds, answers that are kept, pages to visit.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::collections::BTreeMap;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use std::time::Duration;

use proofmark_sdk::{
    client::{Client, ClientBuilder, ResultOrTask, Target, host_to_show},
    core::{
        revision::{Era, Revision},
        session::client::Preference,
        types::{
            CallToolResult, ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams,
            TaskMetadata, TaskSupport,
        },
    },
    server::{Context, Error, NoArguments, Server, TaskOptions, tool},
    transport::{
        LineSettings, connect_in_memory,
        http::{HttpServer, HttpSettings},
        serve_lines,
    },
};
use tokio::{io::split, task::JoinSet};

#[tokio::test]
async fn every_revision_is_agreed_on_and_used_over_pipes_and_http() {
    for revision in Revision::ALL.iter().copied() {
        let of_revision = || match revision.era() {
            Era::Legacy => builder().preference(Preference::Legacy(revision)),
            Era::Modern => builder().revisions(vec![revision]).preference(Preference::Modern),
        };
        let one = |_: Context, _: NoArguments| async { Ok::<_, Error>("done".to_owned()) };
        let server = Server::builder("test", "1").tool("one", "A tool", one).build().unwrap();
        let (over_pipes, _serving) = connect(&server, of_revision()).await;
        let any_port = ([127, 0, 0, 1], 0).into();
        let http = HttpServer::bind(server, any_port, HttpSettings::default()).await.unwrap();
        let address = format!("http://{}/mcp", http.address());
        let mut serving = JoinSet::new();
        serving.spawn(http.run_until(std::future::pending()));
        let over_http = of_revision().connect(Target::Url(address)).await.unwrap();
        for client in [over_pipes, over_http] {
            assert_eq!(client.revision(), Some(revision));
            assert_eq!(text(&client.call_tool("one", ()).await.unwrap()), "done");
        }
    }
}

#[tokio::test]
async fn a_task_of_the_experimental_kind_is_followed_to_its_result() {
    let (client, _serving) = connect(&with_tasks(), legacy()).await;
    let task = TaskMetadata::default();
    let made = client.call_tool_as_task("slow", (), &task).result_or_task().await.unwrap();
    let ResultOrTask::Task(created) = made else { panic!("{made:?}") };
    assert_eq!(client.get_task(&created.task.task_id).await.unwrap().task_id, created.task.task_id);
    let result = client.call_tool_as_task("slow", (), &task).await.unwrap();
    assert_eq!(text(&result), "done");
}

#[tokio::test]
async fn a_task_of_the_extension_is_followed_to_its_result() {
    let (client, _serving) = connect(&with_tasks(), builder().tasks()).await;
    assert_eq!(client.revision().unwrap().era(), Era::Modern);
    let made = client.call_tool("slow", ()).result_or_task().await.unwrap();
    assert!(matches!(made, ResultOrTask::ExtensionTask(_)), "{made:?}");
    assert_eq!(text(&client.call_tool("slow", ()).await.unwrap()), "done");
}

#[tokio::test]
async fn a_list_is_kept_as_long_as_its_server_says() {
    for (ttl, expected) in [(60_000, 1), (0, 2)] {
        let asked = Arc::new(AtomicUsize::new(0));
        let server = Server::builder("test", "1").list_ttl_ms(ttl).tool(
            "one",
            "A tool",
            |_: Context, _: NoArguments| async { Ok::<_, Error>("one".to_owned()) },
        );
        let server = server.build().unwrap();
        let (client, _serving) = connect_counting(&server, builder(), asked.clone()).await;
        client.list_tools(None).await.unwrap();
        client.list_tools(None).await.unwrap();
        assert_eq!(asked.load(Ordering::SeqCst), expected, "{ttl} ms");
        // A caller that wants to know for certain asks again.
        client.list_tools(None).fresh().await.unwrap();
        assert_eq!(asked.load(Ordering::SeqCst), expected + 1, "{ttl} ms");
    }
}

#[tokio::test]
async fn neither_side_hangs_when_both_speak_before_they_listen() {
    // Pipes that hold next to nothing: whatever one side hands to the other is waited for, under way in both directions at once.
    for bytes in [1, 7, 64] {
        for builder in [legacy(), builder()] {
            let asked = Arc::new(AtomicUsize::new(0));
            let builder = builder.forms({
                let asked = asked.clone();
                move |_: ElicitFormParams| {
                    asked.fetch_add(1, Ordering::SeqCst);
                    async { Ok(ElicitResult::accept(BTreeMap::default())) }
                }
            });
            let (client, _serving) = connect_through(bytes, &talkative(), builder).await;
            let mut calls = JoinSet::new();
            for _ in 0..CALLS {
                let client = client.clone();
                calls.spawn(async move {
                    let mut steps = 0;
                    let call = client.call_tool("talks", ()).on_progress(|_| steps += 1);
                    let said = text(&call.await.unwrap());
                    (said, steps)
                });
            }
            let done = tokio::time::timeout(Duration::from_secs(60), calls.join_all());
            for (said, steps) in done.await.unwrap_or_else(|_| panic!("{bytes} bytes: it hangs")) {
                assert_eq!(said, "Accept");
                // A reader that is slow may miss a step, but not all of them.
                assert!(steps > 0, "{bytes} bytes");
            }
            assert_eq!(asked.load(Ordering::SeqCst), CALLS);
            client.close().await;
        }
    }
}

/// A server whose handlers speak and ask before they do anything else.
fn talkative() -> Server {
    let talks = async |context: Context, _: NoArguments| {
        for step in 0..3 {
            context.progress(f64::from(step), None, None);
        }
        let form = ElicitFormParams { message: "well?".into(), ..ElicitFormParams::default() };
        let answer = context.elicit(ElicitParams::Form(form)).await?;
        Ok::<_, Error>(format!("{:?}", answer.action))
    };
    Server::builder("test", "1").tool("talks", "Talks", talks).build().unwrap()
}

/// As [`connect`], through pipes that hold so many bytes.
async fn connect_through(
    bytes: usize,
    server: &Server,
    builder: ClientBuilder,
) -> (Client, JoinSet<()>) {
    let (near, far) = tokio::io::duplex(bytes);
    let mut tasks = JoinSet::new();
    let server = server.clone();
    tasks.spawn(async move {
        let (reader, writer) = split(far);
        // The client hangs up when it is through, perhaps in the middle of a line.
        let _ended = serve_lines(&server, reader, writer, LineSettings::default()).await;
    });
    let (reader, writer) = split(near);
    (builder.connect(Target::streams(reader, writer)).await.unwrap(), tasks)
}

#[tokio::test]
async fn a_person_is_shown_the_host_of_a_page_and_never_one_that_must_not_be_opened() {
    for preference in [legacy(), builder()] {
        let shown = Arc::new(Mutex::new(Vec::new()));
        let seen = shown.clone();
        let client = preference.urls(move |page: ElicitUrlParams| {
            seen.lock().unwrap().push(host_to_show(&page.url).unwrap());
            async { Ok(ElicitResult::accept(BTreeMap::default())) }
        });
        let (client, _serving) = connect(&with_pages(), client).await;
        client.call_tool("visit", page("https://bank.example/login")).await.unwrap();
        assert_eq!(*shown.lock().unwrap(), ["bank.example"]);
        for hostile in ["javascript:alert(1)", "file:///etc/passwd", "https://a@evil.example/"] {
            let _refused = client.call_tool("visit", page(hostile)).await;
            assert_eq!(shown.lock().unwrap().len(), 1, "{hostile} was shown");
        }
    }
}

fn page(url: &str) -> serde_json::Value {
    serde_json::json!({ "url": url })
}

fn with_pages() -> Server {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Page {
        url: String,
    }
    let visit = async |context: Context, page: Page| {
        let page = ElicitUrlParams {
            message: "Please log in".into(),
            url: page.url,
            elicitation_id: Some("one".into()),
            ..ElicitUrlParams::default()
        };
        let answer = context.elicit(ElicitParams::Url(page)).await?;
        Ok::<_, Error>(format!("{:?}", answer.action))
    };
    Server::builder("test", "1").tool("visit", "Visits", visit).build().unwrap()
}

fn with_tasks() -> Server {
    let slow = tool("slow")
        .task_support(TaskSupport::Optional)
        .as_task(TaskSupport::Required)
        .handler(|_: Context, _: NoArguments| async {
            tokio::task::yield_now().await;
            Ok::<_, Error>("done".to_owned())
        });
    Server::builder("test", "1").tasks(TaskOptions::default()).add_tool(slow).build().unwrap()
}

fn text(result: &CallToolResult) -> String {
    serde_json::to_value(&result.content[0]).unwrap()["text"].as_str().unwrap().to_owned()
}

fn builder() -> ClientBuilder {
    Client::builder("test", "1")
}

fn legacy() -> ClientBuilder {
    builder().preference(Preference::Legacy(Revision::newest(Era::Legacy)))
}

async fn connect(server: &Server, builder: ClientBuilder) -> (Client, JoinSet<()>) {
    let (end, serving) = connect_in_memory(server);
    let mut tasks = JoinSet::new();
    tasks.spawn(async { serving.await.unwrap() });
    let (reader, writer) = split(end);
    (builder.connect(Target::streams(reader, writer)).await.unwrap(), tasks)
}

/// As [`connect`]; counts the lists that the server is asked for.
async fn connect_counting(
    server: &Server,
    builder: ClientBuilder,
    asked: Arc<AtomicUsize>,
) -> (Client, JoinSet<()>) {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy, duplex};
    let (end, serving) = connect_in_memory(server);
    let (near, middle) = duplex(64 * 1024);
    let (from_client, mut to_client) = split(middle);
    let (mut from_server, mut to_server) = split(end);
    let mut tasks = JoinSet::new();
    tasks.spawn(async { serving.await.unwrap() });
    tasks.spawn(async move { copy(&mut from_server, &mut to_client).await.map(drop).unwrap() });
    tasks.spawn(async move {
        let mut lines = BufReader::new(from_client).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if line.contains("\"tools/list\"") {
                asked.fetch_add(1, Ordering::SeqCst);
            }
            to_server.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
    });
    let (reader, writer) = split(near);
    (builder.connect(Target::streams(reader, writer)).await.unwrap(), tasks)
}

/// At once.
const CALLS: usize = 32;
