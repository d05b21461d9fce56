//! Talk to a server.
//!
//! ```no_run
//! use proofmark_sdk::client::{Client, ServerCommand};
//!
//! # async fn example() -> Result<(), proofmark_sdk::client::Error> {
//! let client = Client::connect(ServerCommand::new("my-server")).await?;
//! let result = client.call_tool("add", serde_json::json!({"a": 1, "b": 2})).await?;
//! println!("{:?}", result.content);
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Client`] finds out by itself which revision the server speaks. It is a handle: clones share one connection, which is closed in good
//! order when the last of them is dropped, or by [`Client::close`]. Each call is a [`Request`] that is sent when it is awaited; dropping
//! its future cancels it on the wire.

mod builder;
mod child;
mod drive;
mod engine;
mod eras;
mod error;
mod handlers;
mod http;
mod lines;
mod listen;
mod memory;
mod messages;
mod methods;
#[cfg(feature = "oauth")]
pub mod oauth;
mod pages;
pub(crate) mod relay;
mod request;
mod retry;
mod server_requests;
mod settings;
mod skills;
mod target;
mod tasks;
mod tools;
mod transport;
mod typed;
mod url_elicitation;
mod watch;

use std::sync::{Arc, Mutex, PoisonError};

use proofmark_core::{
    revision::Revision,
    session::client::{Input, Server},
    types::Root,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use self::{
    builder::ClientBuilder,
    eras::Eras,
    error::{Error, Lost},
    http::{HttpEnding, HttpObserver, Observer},
    listen::Subscription,
    memory::{InMemory, MemoryTarget},
    request::{Progress, Request, ResultOrTask},
    settings::{ChildSettings, ClientSettings, HttpClientSettings, Restart},
    target::{Inherit, ServerCommand, Target},
    transport::{ClientTransport, CustomTransport},
    url_elicitation::host_to_show,
    watch::Watch,
};
use self::{child::StderrTail, engine::Engine, tools::Mirroring};

/// A connection to a server. Cheap to clone.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    engine: Arc<Engine>,
    stderr: StderrTail,
    closing: CancellationToken,
    driver: Mutex<Option<JoinHandle<()>>>,
    mirroring: Mirroring,
}

impl Drop for Inner {
    /// The driver closes the connection by itself when the last handle is gone.
    fn drop(&mut self) {
        self.closing.cancel();
    }
}

impl Client {
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(name, version)
    }

    /// Connects a client that answers nothing it is asked; [`Client::builder`] makes others.
    pub async fn connect(target: impl Into<Target>) -> Result<Self, Error> {
        Self::builder(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).connect(target).await
    }

    /// The server as it presented itself; `None` while there is no connection.
    pub fn server(&self) -> Option<Arc<Server>> {
        self.0.engine.server()
    }

    /// What the conversation speaks; `None` while there is no connection.
    pub fn revision(&self) -> Option<Revision> {
        self.server().map(|server| server.revision)
    }

    /// The end of what the server wrote to standard error, if it is a child.
    pub fn stderr(&self) -> String {
        self.0.stderr.tail(usize::MAX)
    }

    /// Tells the server that the client now works on other places. Nothing happens if the client was built without roots.
    pub fn set_roots(&self, roots: Vec<Root>) {
        if let Some(current) = &self.0.engine.handlers.roots {
            *current.lock().unwrap_or_else(PoisonError::into_inner) = roots;
            self.0.engine.feed(self.0.engine.generation(), Input::RootsChanged);
        }
    }

    /// Closes the connection in good order and waits until nothing is left of it. Open calls fail. Any handle may do this, at any time, and
    /// more than once.
    pub async fn close(&self) {
        self.0.closing.cancel();
        let driver = self.0.driver.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(driver) = driver {
            // A driver that panicked has closed its connection by that.
            let _panicked = driver.await;
        }
        let mut connection = self.0.engine.connection();
        let _over = connection
            .wait_for(|connection| matches!(connection, engine::ConnectionState::Over(_)))
            .await;
    }

    fn start(engine: Arc<Engine>, target: Target) -> Self {
        let stderr = StderrTail::new(engine.settings.child.stderr);
        let closing = CancellationToken::new();
        let mirroring = match target {
            Target::Url(_) | Target::SseUrl(_) => Mirroring::WhereDemanded,
            Target::Command(_) | Target::Custom(_) | Target::Memory(_) | Target::Streams { .. } => {
                Mirroring::Never
            }
        };
        let driver = drive::start(engine.clone(), target, stderr.clone(), closing.clone());
        Self(Arc::new(Inner {
            engine,
            stderr,
            closing,
            driver: Mutex::new(Some(driver)),
            mirroring,
        }))
    }

    fn engine(&self) -> &Arc<Engine> {
        &self.0.engine
    }
}
