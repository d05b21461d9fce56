//! Servers elsewhere that are part of this one.

mod calls;
mod entries;
mod follow;
mod parked;

use std::{collections::HashSet, sync::Arc, time::Duration};

use proofmark_core::{
    streamable_http::HeaderParameters,
    types::{LoggingLevel, Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool},
    uri_template::UriTemplate,
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
    time::timeout,
};

use self::{follow::Followed, parked::Parked};
use crate::{
    BoxFuture,
    client::{Client, ClientBuilder, Error, Target},
    server::{
        ServerBuilder,
        elsewhere::{Elsewhere, WeakServer},
    },
};

/// A server elsewhere that is to be part of another one: see [`ServerBuilder::proxy`](crate::server::ServerBuilder::proxy).
///
/// All clients share one connection to it. What the protocol cannot carry over, or this does not:
///
/// - The other server sees one client, which says that it can be asked everything. A client that cannot is refused when the question comes.
/// - A legacy server on pipes does not say on whose behalf it asks or logs. While calls of several clients are open, it is refused, and its
///   log messages go nowhere, so that none hears what is meant for another. Over HTTP and in 2026-07-28 each question belongs to its call.
/// - A call that waits for the answer of a client of 2026-07-28 is open in this process. Where the client comes back to another one, or too
///   late, the call is made anew, as every handler that asks may run more than once.
/// - News of resources are passed on for those that are listed, up to a limit, and for others when a legacy client subscribes to them.
/// - Skills, the `_meta` of what is read, and how long answers may be kept stay behind.
#[must_use = "it becomes part of a server with `ServerBuilder::proxy`"]
pub struct Proxy {
    upstream: Arc<Upstream>,
    prefix: String,
    lists: Lists,
    followed: Option<oneshot::Sender<Followed>>,
    /// Hears what changes, for as long as the server lives.
    _following: JoinSet<()>,
}

/// A connection to a server elsewhere, and what is going on there.
struct Upstream {
    client: Client,
    parked: Parked,
    watch: mpsc::Sender<Wanted>,
}

/// A resource that a client wants to hear of.
struct Wanted {
    uri: String,
    /// Dropped when the news are on their way, or will never be.
    begun: oneshot::Sender<()>,
}

/// All that a server offers.
#[derive(Clone, Default)]
struct Lists {
    tools: Vec<Tool>,
    prompts: Vec<Prompt>,
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
}

impl Proxy {
    /// Connects, and asks for all that there is.
    pub async fn connect(target: impl Into<Target>) -> Result<Self, Error> {
        let builder = Client::builder(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        Self::connect_with(builder, target).await
    }

    /// As [`connect`](Self::connect), as a client of your own: with a token, other limits, or only some revisions. What it has handlers for is
    /// not asked of them but of the client that made the call.
    pub async fn connect_with(
        builder: ClientBuilder,
        target: impl Into<Target>,
    ) -> Result<Self, Error> {
        let builder = builder.relaying().tasks().log_level(LoggingLevel::Debug);
        let client = builder.connect(target).await?;
        let lists = Lists::of(&client).await?;
        let (watch, wanted) = mpsc::channel(WANTED);
        let upstream = Arc::new(Upstream { client, parked: Parked::default(), watch });
        let (followed, server) = oneshot::channel();
        let mut following = JoinSet::new();
        let (client, weak) = (upstream.client.clone(), Arc::downgrade(&upstream));
        following.spawn(follow::follow(client, weak, lists.clone(), wanted, server));
        let (prefix, followed) = (String::new(), Some(followed));
        Ok(Self { upstream, prefix, lists, followed, _following: following })
    }
}

impl ServerBuilder {
    /// Takes in all that a server elsewhere offers: its tools and prompts under names that begin with `prefix_`, or under their own if the
    /// prefix is empty, its resources and templates under their own URIs.
    ///
    /// Clients of every revision can use it, whatever the other server speaks. Progress, log messages, cancellation, completion, news of
    /// resources, lists that change and tasks are carried over, and so are questions: in 2026-07-28 a call to a server that asks while it
    /// works stays open until the client comes back with the answer. [`Proxy`] says what cannot be carried over.
    ///
    /// ```no_run
    /// use proofmark_sdk::{client::ServerCommand, proxy::Proxy, server::Server};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("gateway", "1.0.0")
    ///     .proxy("files", Proxy::connect(ServerCommand::new("file-server")).await?)
    ///     .proxy("search", Proxy::connect("https://search.example/mcp").await?)
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn proxy(self, prefix: &str, mut proxy: Proxy) -> Self {
        prefix.clone_into(&mut proxy.prefix);
        let lists = std::mem::take(&mut proxy.lists);
        let entries = entries::of(&proxy.upstream, prefix, lists);
        self.elsewhere(entries, proxy)
    }
}

impl Elsewhere for Proxy {
    fn offered(&self) -> Option<ServerCapabilities> {
        self.upstream.client.server()?.capabilities.clone()
    }

    fn follow(&mut self, server: WeakServer) {
        let prefix = std::mem::take(&mut self.prefix);
        if let Some(followed) = self.followed.take() {
            // The task that waits for it ends with the proxy alone.
            let _gone = followed.send(Followed { prefix, server });
        }
    }

    fn watch(&self, uri: &str) -> BoxFuture<'static, ()> {
        let (begun, begins) = oneshot::channel();
        // Where too many are wanted at once, some are not heard of.
        let _full = self.upstream.watch.try_send(Wanted { uri: uri.to_owned(), begun });
        Box::pin(async {
            let _late = timeout(WATCHED_WITHIN, begins).await;
        })
    }
}

impl Lists {
    async fn of(client: &Client) -> Result<Self, Error> {
        let mut lists = Self::default();
        lists.refresh_tools(client).await?;
        lists.refresh_prompts(client).await?;
        lists.refresh_resources(client).await?;
        Ok(lists)
    }

    async fn refresh_tools(&mut self, client: &Client) -> Result<(), Error> {
        if offers(client, |offered| offered.tools.is_some()) {
            self.tools = client.all_tools().await?;
            let sound = |tool: &Tool| HeaderParameters::from_schema(tool.input_schema.borrowed());
            self.tools.retain(|tool| sound(tool).is_ok());
            keep_first(&mut self.tools, |tool| &tool.name);
        }
        Ok(())
    }

    async fn refresh_prompts(&mut self, client: &Client) -> Result<(), Error> {
        if offers(client, |offered| offered.prompts.is_some()) {
            self.prompts = client.all_prompts().await?;
            keep_first(&mut self.prompts, |prompt| &prompt.name);
        }
        Ok(())
    }

    async fn refresh_resources(&mut self, client: &Client) -> Result<(), Error> {
        if offers(client, |offered| offered.resources.is_some()) {
            self.resources = client.all_resources().await?;
            keep_first(&mut self.resources, |resource| &resource.uri);
            // A server may have resources and know no templates.
            self.templates = client.all_resource_templates().await.unwrap_or_default();
            self.templates.retain(|template| UriTemplate::parse(&template.uri_template).is_ok());
            keep_first(&mut self.templates, |template| &template.uri_template);
        }
        Ok(())
    }

    fn uris(&self) -> Vec<String> {
        self.resources.iter().map(|resource| resource.uri.clone()).collect()
    }
}

/// Whether the server offers something, as far as it says what it offers.
fn offers(client: &Client, what: impl Fn(&ServerCapabilities) -> bool) -> bool {
    let server = client.server();
    server.and_then(|server| server.capabilities.as_ref().map(what)).unwrap_or_default()
}

/// Of things with the same name, a client can only mean one.
fn keep_first<T>(items: &mut Vec<T>, name: impl Fn(&T) -> &String) {
    let mut seen = HashSet::new();
    items.retain(|item| seen.insert(name(item).clone()));
}

/// Resources that wait to be watched.
const WANTED: usize = 256;
/// How long a client that subscribes waits for the server elsewhere.
const WATCHED_WITHIN: Duration = Duration::from_secs(10);
