//! Putting a client together.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use ::http::{HeaderName, HeaderValue, header::AUTHORIZATION};
use proofmark_core::{
    json::Raw,
    jsonrpc::ErrorObject,
    revision::{Era, Revision},
    session::{
        client::{Gating, Preference, Profile},
        server::Link,
    },
    types::{
        ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitFormParams,
        ElicitParams, ElicitResult, ElicitUrlParams, Implementation, LoggingLevel, Root,
        TASKS_EXTENSION,
    },
};

use super::{
    Client, ClientSettings, Eras, Error, Lost, Target, engine::Engine, eras, handlers::Handlers,
};
use crate::store::{MemoryTaskStore, TaskSettings};

/// What a client is and what it can be asked.
///
/// Capabilities follow from the handlers: what has a handler is declared, and nothing else.
pub struct ClientBuilder {
    info: Implementation,
    extensions: BTreeMap<String, Raw>,
    experimental: BTreeMap<String, Raw>,
    handlers: Handlers,
    preference: Preference,
    gating: Gating,
    revisions: Vec<Revision>,
    log_level: Option<LoggingLevel>,
    settings: ClientSettings,
    #[cfg(feature = "oauth")]
    authorization: Option<super::oauth::OAuth>,
    eras: Eras,
    /// Why it cannot connect.
    refused: Option<Error>,
}

impl ClientBuilder {
    pub(super) fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            info: Implementation::new(name, version),
            extensions: BTreeMap::new(),
            experimental: BTreeMap::new(),
            handlers: Handlers::default(),
            preference: Preference::default(),
            gating: Gating::default(),
            revisions: Vec::new(),
            log_level: None,
            settings: ClientSettings::default(),
            #[cfg(feature = "oauth")]
            authorization: None,
            eras: Eras::default(),
            refused: None,
        }
    }

    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// Has a model continue the conversations that servers send.
    ///
    /// A person should see what is sent and what comes back; that is the handler's part.
    pub fn sampling<F, R>(mut self, handler: F) -> Self
    where
        F: Fn(CreateMessageParams) -> R + Send + Sync + 'static,
        R: Future<Output = Result<CreateMessageResult, ErrorObject>> + Send + 'static,
    {
        self.handlers.sampling = Some(Arc::new(move |params| Box::pin(handler(params))));
        self
    }

    /// Declares that the sampling handler lets the model use tools.
    pub fn sampling_tools(mut self) -> Self {
        self.handlers.sampling_tools = true;
        self
    }

    /// Has a person fill in forms. Fields that the answer leaves out get their defaults, and an answer that does not fit is not sent.
    pub fn forms<F, R>(mut self, handler: F) -> Self
    where
        F: Fn(ElicitFormParams) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ElicitResult, ErrorObject>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        self.handlers.forms = Some(Arc::new(move |params| {
            let handler = handler.clone();
            Box::pin(async move {
                match params {
                    ElicitParams::Form(form) => handler(form).await,
                    ElicitParams::Url(_) => Ok(ElicitResult::cancel()),
                }
            })
        }));
        self
    }

    /// Has a person visit pages. Show them the host and ask before opening anything.
    pub fn urls<F, R>(mut self, handler: F) -> Self
    where
        F: Fn(ElicitUrlParams) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ElicitResult, ErrorObject>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        self.handlers.urls = Some(Arc::new(move |params| {
            let handler = handler.clone();
            Box::pin(async move {
                match params {
                    ElicitParams::Url(url) => handler(url).await,
                    ElicitParams::Form(_) => Ok(ElicitResult::cancel()),
                }
            })
        }));
        self
    }

    /// The places that servers may work on; [`Client::set_roots`] changes them later.
    pub fn roots(mut self, roots: Vec<Root>) -> Self {
        self.handlers.roots = Some(Arc::new(Mutex::new(roots)));
        self
    }

    /// Lets servers of the experiment of 2025-11-25 make tasks of what they ask, within these bounds. The answers are kept in memory.
    pub fn run_tasks(mut self, settings: TaskSettings) -> Self {
        self.handlers.tasks = Some(Arc::new(MemoryTaskStore::new(settings)));
        self
    }

    /// Lets modern servers make tasks of calls, which are then followed to their ends.
    pub fn tasks(self) -> Self {
        let empty = Raw::from_json("{}").expect("an empty object is JSON");
        self.extension(TASKS_EXTENSION, empty)
    }

    /// Declares all that a client can be asked, because callers answer by themselves.
    pub(crate) fn relaying(mut self) -> Self {
        self.handlers.relays = true;
        self
    }

    /// Declares an extension with its settings, a JSON object.
    pub fn extension(mut self, name: impl Into<String>, settings: Raw) -> Self {
        self.extensions.insert(name.into(), settings);
        self
    }

    pub fn experimental(mut self, name: impl Into<String>, settings: Raw) -> Self {
        self.experimental.insert(name.into(), settings);
        self
    }

    /// Which era to speak.
    pub fn preference(self, preference: Preference) -> Self {
        Self { preference, ..self }
    }

    /// What becomes of calls that the server did not declare to serve.
    pub fn gating(self, gating: Gating) -> Self {
        Self { gating, ..self }
    }

    /// Shares what is found out about the eras of servers with other clients.
    pub fn eras(self, eras: Eras) -> Self {
        Self { eras, ..self }
    }

    /// Speaks only these revisions.
    pub fn revisions(self, revisions: Vec<Revision>) -> Self {
        Self { revisions, ..self }
    }

    /// Speaks this revision and no other.
    pub fn revision(self, revision: Revision) -> Self {
        let preference = match revision.era() {
            Era::Legacy => Preference::Legacy(revision),
            Era::Modern => Preference::Modern,
        };
        self.preference(preference).revisions(vec![revision])
    }

    /// What modern servers may log while they answer. Legacy servers are told with [`Client::set_level`].
    pub fn log_level(self, level: LoggingLevel) -> Self {
        Self { log_level: Some(level), ..self }
    }

    /// How long calls wait without a sign of life.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.settings.session.patience = patience;
        self
    }

    /// Sent with every HTTP request.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.settings.http.headers.push((name, value));
        self
    }

    /// Shows this token to servers over HTTP. One that cannot be put into a header is an error when the client connects.
    pub fn bearer(mut self, token: impl AsRef<str>) -> Self {
        match HeaderValue::from_str(&format!("Bearer {}", token.as_ref())) {
            Ok(mut value) => {
                value.set_sensitive(true);
                self = self.header(AUTHORIZATION, value);
            }
            Err(error) => {
                self.refused = Some(Error::Lost(Arc::new(Lost::Unauthorized(Arc::new(error)))));
            }
        }
        self
    }

    /// Gets tokens for servers over HTTP that want one. Without this, they are reported as refusing.
    #[cfg(feature = "oauth")]
    pub fn authorization(self, authorization: super::oauth::OAuth) -> Self {
        Self { authorization: Some(authorization), ..self }
    }

    pub fn settings(self, settings: ClientSettings) -> Self {
        Self { settings, ..self }
    }

    /// Connects, and finds out what the server speaks.
    pub async fn connect(self, target: impl Into<Target>) -> Result<Client, Error> {
        let target = target.into();
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        let mut capabilities = ClientCapabilities {
            experimental: (!self.experimental.is_empty()).then_some(self.experimental),
            extensions: (!self.extensions.is_empty()).then_some(self.extensions),
            ..ClientCapabilities::default()
        };
        self.handlers.declare(&mut capabilities);
        let mut profile = Profile::new(self.info, capabilities).with_revisions(self.revisions);
        profile.preference = self.preference;
        profile.gating = self.gating;
        profile.limits = self.settings.session;
        profile.log_level = self.log_level;
        profile.link = match target {
            Target::Url(_) => Link::Http,
            Target::Command(_)
            | Target::Custom(_)
            | Target::Memory(_)
            | Target::SseUrl(_)
            | Target::Streams { .. } => Link::Pipe,
        };
        #[cfg(feature = "oauth")]
        let authorizer = authorizer(self.authorization, &target)?;
        #[cfg(not(feature = "oauth"))]
        let authorizer = None;
        let name = eras::name(&target).filter(|_| profile.preference == Preference::Auto);
        let greeted =
            profile.revisions().iter().rev().find(|revision| revision.era() == Era::Legacy);
        if let (Some(name), Some(greeted), Some(same)) = (&name, greeted, target.try_clone())
            && self.eras.are_legacy(name)
        {
            let mut profile = profile.clone();
            profile.preference = Preference::Legacy(*greeted);
            let engine = Engine::new(
                self.settings.clone(),
                profile,
                self.handlers.clone(),
                authorizer.clone(),
            );
            match start(engine, same).await {
                Ok(client) => return Ok(client),
                // It may have been brought up to date.
                Err(error) if error.is_misunderstanding() => self.eras.forget(name),
                Err(error) => return Err(error),
            }
        }
        let engine = Engine::new(self.settings, profile, self.handlers, authorizer);
        let client = start(engine, target).await?;
        if let (Some(name), Some(revision)) = (name, client.revision()) {
            self.eras.note(name, revision.era());
        }
        Ok(client)
    }
}

async fn start(engine: Arc<Engine>, target: Target) -> Result<Client, Error> {
    let client = Client::start(engine, target);
    let connected = client.engine().ready().await;
    match connected {
        Ok(_) => Ok(client),
        Err(error) => {
            client.close().await;
            Err(error)
        }
    }
}

/// Tokens are for servers over HTTP; others get their credentials from the environment.
#[cfg(feature = "oauth")]
fn authorizer(
    authorization: Option<super::oauth::OAuth>,
    target: &Target,
) -> Result<Option<Arc<dyn super::http::Authorizer>>, Error> {
    let (Some(authorization), Target::Url(url) | Target::SseUrl(url)) = (authorization, target)
    else {
        return Ok(None);
    };
    let unauthorized = |why| Error::Lost(Arc::new(Lost::Unauthorized(Arc::new(why))));
    let driver = super::oauth::Driver::new(authorization, url).map_err(unauthorized)?;
    Ok(Some(Arc::new(driver)))
}
