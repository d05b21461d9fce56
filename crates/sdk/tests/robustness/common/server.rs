//! A server whose handlers can be watched.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use proofmark_sdk::{
    core::types::{ElicitAction, ElicitFormParams, ElicitParams, LoggingLevel, ResourceContents},
    server::{
        Context, Error, NoArguments, Server, ServerBuilder, prompt, resource, resource_template,
        tool,
    },
    transport::http::{HttpServer, HttpSettings, McpService},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{sync::oneshot, task::JoinHandle};

use super::{Client, soon};

/// What handlers did.
#[derive(Clone, Default)]
pub(crate) struct Probe {
    pub(crate) started: Arc<AtomicUsize>,
    /// Handlers whose futures are gone, finished or not.
    pub(crate) ended: Arc<AtomicUsize>,
}

impl Probe {
    pub(crate) fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }

    pub(crate) fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    /// A handler is at work for as long as this lives.
    pub(crate) fn watch(&self) -> Watched {
        self.started.fetch_add(1, Ordering::SeqCst);
        Watched(Arc::clone(&self.ended))
    }
}

pub(crate) struct Watched(Arc<AtomicUsize>);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
    #[serde(default)]
    delay_ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Loudness {
    count: u32,
    /// Of each log message.
    #[serde(default)]
    bytes: usize,
    #[serde(default)]
    pause_ms: u64,
}

/// - `echo` says what it is told, after a while if that is wanted;
/// - `slow` never ends by itself;
/// - `panics` does so when it is polled, `panics_early` before that;
/// - `chatty` reports progress and logs without a pause;
/// - `steps` reports progress with pauses;
/// - `asks` asks the user;
/// - `pauses` ends its connection before it answers.
pub(crate) fn builder(probe: &Probe) -> ServerBuilder {
    let page_size = NonZeroUsize::new(2).unwrap();
    let (echo, slow, steps, pauses) = (probe.clone(), probe.clone(), probe.clone(), probe.clone());
    let mut builder = Server::builder("robust", "1")
        .page_size(page_size)
        .tool("echo", "", move |_: Context, Echo { text, delay_ms }: Echo| {
            let watched = echo.watch();
            async move {
                let _watched = watched;
                if delay_ms > 0 {
                    tokio::time::sleep(Duration::from_millis(delay_ms)).await;
                }
                text
            }
        })
        .tool("slow", "", move |_: Context, _: NoArguments| {
            let watched = slow.watch();
            async move {
                let _watched = watched;
                std::future::pending::<()>().await;
                "never"
            }
        })
        .tool("panics", "", panics)
        .add_tool(tool("panics_early").handler(panics_early))
        .tool("chatty", "", chatty)
        .tool("steps", "", move |context: Context, loud: Loudness| {
            let watched = steps.watch();
            async move {
                let _watched = watched;
                for step in 1..=loud.count {
                    tokio::time::sleep(Duration::from_millis(loud.pause_ms)).await;
                    context.progress(f64::from(step), Some(f64::from(loud.count)), None);
                }
                "all steps"
            }
        })
        .tool("asks", "", asks)
        .tool("pauses", "", move |context: Context, _: NoArguments| {
            let watched = pauses.watch();
            async move {
                let _watched = watched;
                context.progress(1.0, None, None);
                context.pause_stream();
                tokio::time::sleep(Duration::from_millis(50)).await;
                context.progress(2.0, None, None);
                "after the pause"
            }
        })
        .add_resource(resource("test://one", "one").text("1"))
        .add_template(resource_template("test://{id}/x", "each").handler(|_, uri, _| async move {
            Ok(vec![ResourceContents::text(uri, None, "each")])
        }));
    for name in ["a", "b", "c", "d", "e"] {
        builder = builder
            .add_prompt(prompt(name).handler(|_, _| async { Ok::<_, Error>("hello".to_owned()) }));
    }
    builder
}

pub(crate) fn server() -> (Server, Probe) {
    let probe = Probe::default();
    (builder(&probe).build().unwrap(), probe)
}

async fn panics(_: Context, _: NoArguments) -> String {
    tokio::task::yield_now().await;
    panic!("a handler panics on purpose")
}

fn panics_early(_: Context, _: NoArguments) -> std::future::Ready<String> {
    panic!("a handler panics on purpose, early")
}

async fn chatty(context: Context, loud: Loudness) -> &'static str {
    let data = "x".repeat(loud.bytes);
    for step in 1..=loud.count {
        context.progress(f64::from(step), None, None);
        context.log(LoggingLevel::Info, &data);
        if loud.pause_ms > 0 {
            tokio::time::sleep(Duration::from_millis(loud.pause_ms)).await;
        }
    }
    "that was all"
}

async fn asks(context: Context, _: NoArguments) -> Result<String, Error> {
    let form = ElicitFormParams { message: "well?".into(), ..ElicitFormParams::default() };
    let answer = context.elicit(ElicitParams::Form(form)).await?;
    Ok(match answer.action {
        ElicitAction::Accept => "accepted",
        ElicitAction::Cancel => "cancelled",
        ElicitAction::Decline => "declined",
    }
    .to_owned())
}

/// A server that runs on a port of its own.
pub(crate) struct HttpTest {
    pub(crate) client: Client,
    pub(crate) service: McpService,
    pub(crate) server: Server,
    pub(crate) probe: Probe,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl HttpTest {
    /// Shuts the server down and waits until it is.
    #[track_caller]
    pub(crate) fn stop(self) -> impl Future<Output = ()> {
        let _ = self.stop.send(());
        soon(async { self.running.await.unwrap() })
    }

    /// Begins to shut the server down.
    pub(crate) fn begin_stop(self) -> JoinHandle<()> {
        let _ = self.stop.send(());
        self.running
    }
}

pub(crate) async fn http(settings: HttpSettings) -> HttpTest {
    let probe = Probe::default();
    let server = builder(&probe).build().unwrap();
    http_with(server, probe, "127.0.0.1:0", settings).await
}

pub(crate) async fn http_with(
    server: Server,
    probe: Probe,
    address: &str,
    settings: HttpSettings,
) -> HttpTest {
    let bound = HttpServer::bind(server.clone(), address.parse().unwrap(), settings).await.unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let client = Client::new(bound.address());
    let service = bound.service().clone();
    let running = tokio::spawn(async move {
        let stopped = async {
            let _ = stopped.await;
        };
        bound.run_until(stopped).await.unwrap();
    });
    HttpTest { client, service, server, probe, stop, running }
}

/// Settings that do not keep a test waiting.
pub(crate) fn quick() -> HttpSettings {
    HttpSettings { drain: Duration::from_millis(300), ..HttpSettings::default() }
}
