//! A server in the same process, without any transport: tests in two lines.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite, duplex, split};

use super::{Client, ClientBuilder, Error, Target};
use crate::{
    BoxFuture,
    caller::{Caller, Principal},
    core::revision::Revision,
    server::Server,
    store::SessionId,
    transport::{LineClient, LineSettings, serve_lines_of},
};

impl Client {
    /// A client of a server in the same process, for tests. The server runs in the client's task, and ends with it.
    ///
    /// ```
    /// use proofmark_sdk::{client::Client, server::Server};
    ///
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Add { a: i64, b: i64 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("calculator", "1").tool("add", "Adds", async |Add { a, b }: Add| a + b).build()?;
    ///
    /// let client = Client::in_memory(&server).await?;
    /// assert_eq!(client.call::<i64>("add", serde_json::json!({"a": 1, "b": 2})).await?, 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It speaks the newest revision that both know; [`InMemory::revision`] chooses another one. `&server` is a [`Target`] as well, for
    /// clients that answer questions: `Client::builder("test", "1").forms(…).connect(&server)`.
    pub fn in_memory(server: &Server) -> InMemory {
        let builder = Self::builder(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        InMemory { builder, target: MemoryTarget { server: server.clone(), caller: None } }
    }
}

/// A client of a server in the same process that is about to connect: await it.
#[must_use = "nothing happens before it is awaited"]
pub struct InMemory {
    builder: ClientBuilder,
    target: MemoryTarget,
}

impl InMemory {
    /// Whom the server takes the client for, as if a token had proved it.
    ///
    /// ```
    /// # use proofmark_sdk::{caller::Caller, client::Client, server::Server};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("s", "1").tool("scopes", "", async |caller: Caller| caller.scopes().join(" ")).build()?;
    ///
    /// let client = Client::in_memory(&server).with_caller(Caller::named("ada").with_scopes(["notes:read"])).await?;
    /// assert_eq!(client.call::<String>("scopes", ()).await?, "notes:read");
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_caller(mut self, caller: Caller) -> Self {
        self.target.caller = Some(caller);
        self
    }

    /// Speaks this revision.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.builder = self.builder.revision(revision);
        self
    }

    /// A client with other abilities, for example one that answers questions.
    pub fn with(mut self, builder: ClientBuilder) -> Self {
        self.builder = builder;
        self
    }
}

impl IntoFuture for InMemory {
    type Output = Result<Client, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.builder.connect(Target::Memory(self.target)))
    }
}

/// A server in the same process.
#[derive(Clone)]
pub struct MemoryTarget {
    pub server: Server,
    /// Whom the server takes the client for.
    pub caller: Option<Caller>,
}

impl MemoryTarget {
    /// The client's end, and the future that serves the other end.
    pub(super) fn open(
        self,
    ) -> (
        impl AsyncRead + Send + use<>,
        impl AsyncWrite + Send + use<>,
        impl Future<Output = io::Result<()>> + Send + use<>,
    ) {
        let (near, far) = duplex(CAPACITY);
        let (reader, writer) = split(near);
        let Self { server, caller } = self;
        let serve = async move {
            let owner = match &caller {
                Some(caller) => caller.principal().clone(),
                None => Principal::Session(SessionId::random().map_err(io::Error::other)?),
            };
            let client = LineClient { owner, caller };
            let settings = LineSettings::default();
            serve_lines_of(&server, split(far), settings, client, std::future::pending()).await
        };
        (reader, writer, serve)
    }
}

const CAPACITY: usize = 64 * 1024;
