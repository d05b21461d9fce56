//! An Everything Server and a client of it.

use std::{net::SocketAddr, num::NonZeroUsize, sync::Arc};

use proofmark_everything::{Options, server};
use proofmark_sdk::{
    client::{Client, ClientBuilder, Target},
    core::{
        revision::{Era, Revision},
        session::client::Preference,
        types::{
            CreateMessageResult, ElicitContent, ElicitResult, Role, Root, SamplingBlock,
            StopReason, TextContent,
        },
    },
    transport::{
        connect_in_memory,
        http::{HttpServer, HttpSettings},
    },
};
use tokio::{sync::Notify, task::JoinHandle};

/// How the two are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Http,
    Memory,
    Sse,
}

impl Way {
    pub(crate) const ALL: [Self; 3] = [Self::Http, Self::Memory, Self::Sse];

    /// HTTP+SSE is never spoken in the modern era.
    pub(crate) fn speaks(self, revision: Revision) -> bool {
        self != Self::Sse || revision.era() == Era::Legacy
    }
}

/// Every transport in every revision that it speaks.
pub(crate) fn matrix() -> impl Iterator<Item = (Way, Revision)> {
    let all = |way| Revision::ALL.iter().map(move |revision| (way, *revision));
    Way::ALL.into_iter().flat_map(all).filter(|(way, revision)| way.speaks(*revision))
}

/// Ends when dropped.
pub(crate) struct Peer {
    address: SocketAddr,
    way: Way,
    server: proofmark_sdk::server::Server,
    serving: JoinHandle<()>,
    stop: Arc<Notify>,
}

impl Peer {
    pub(crate) async fn start(way: Way) -> Self {
        Self::start_at(way, ([127, 0, 0, 1], 0).into()).await
    }

    async fn start_at(way: Way, address: SocketAddr) -> Self {
        let server =
            server(Options { page_size: NonZeroUsize::new(5), ..Options::default() }).unwrap();
        let http = HttpServer::bind(server.clone(), address, HttpSettings::default());
        let http = http.await.unwrap();
        let address = http.address();
        let stop = Arc::new(Notify::new());
        let stopped = stop.clone();
        let serving = tokio::spawn(async move {
            http.run_until(async move { stopped.notified().await }).await.unwrap();
        });
        Self { address, way, server, serving, stop }
    }

    /// Another server takes its place, which knows nothing of what was.
    pub(crate) async fn replace(self) -> Self {
        self.serving.abort();
        while !self.serving.is_finished() {
            tokio::task::yield_now().await;
        }
        Self::start_at(self.way, self.address).await
    }

    pub(crate) fn target(&self) -> Target {
        match self.way {
            Way::Http | Way::Sse => {
                let path = if self.way == Way::Sse { "sse" } else { "mcp" };
                Target::Url(format!("http://{}/{path}", self.address))
            }
            Way::Memory => {
                let (stream, serving) = connect_in_memory(&self.server);
                tokio::spawn(serving);
                let (reader, writer) = tokio::io::split(stream);
                Target::streams(reader, writer)
            }
        }
    }

    pub(crate) async fn connect(&self, revision: Revision) -> Client {
        speaking(revision).connect(self.target()).await.unwrap()
    }

    /// The server goes away without a word.
    pub(crate) fn abort(&self) {
        self.serving.abort();
    }

    /// The server goes away.
    pub(crate) async fn stop(self) {
        self.stop.notify_one();
        self.serving.await.unwrap();
    }
}

/// A client that can be asked for everything and speaks one revision.
pub(crate) fn speaking(revision: Revision) -> ClientBuilder {
    let preference = match revision.era() {
        Era::Legacy => Preference::Legacy(revision),
        Era::Modern => Preference::Modern,
    };
    able().revisions(vec![revision]).preference(preference)
}

/// A client that can be asked for everything.
pub(crate) fn able() -> ClientBuilder {
    Client::builder("test-client", "1.0.0")
        .sampling(|_| async {
            let text = TextContent { text: "Four".into(), ..TextContent::default() };
            Ok(CreateMessageResult {
                role: Role::Assistant,
                content: SamplingBlock::Text(text).into(),
                model: "model".into(),
                stop_reason: Some(StopReason::EndTurn),
                meta: None,
            })
        })
        .forms(|_| async { Ok(ElicitResult::accept(ElicitContent::new())) })
        .roots(vec![Root { uri: "file:///work".into(), ..Root::default() }])
}

/// The text of a result's first content.
#[track_caller]
pub(crate) fn text(result: &proofmark_sdk::core::types::CallToolResult) -> &str {
    match result.content.first() {
        Some(proofmark_sdk::core::types::ContentBlock::Text(text)) => &text.text,
        other => panic!("no text: {other:?}"),
    }
}
