//! The conversation that `initialize` begins.

use super::{
    AskError, Refusal,
    agreement::{Agreement, Phase},
    changes::Watched,
    running::RequestKind,
};
use crate::{
    revision::{ClientCapability, RequestMethod, Revision, Rules},
    session::Declared,
    types::{ClientCapabilities, Implementation, LoggingLevel, ServerRequest},
};

/// What a legacy client told about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    pub info: Implementation,
    pub capabilities: ClientCapabilities,
}

/// How far the handshake is, and what was agreed.
#[derive(Debug, Default)]
pub(super) struct Legacy {
    agreed: Option<Box<Agreed>>,
    level: Option<LoggingLevel>,
    /// Resources that the client watches.
    watched: Vec<String>,
    /// How often any of this changed.
    changes: u32,
}

#[derive(Debug)]
struct Agreed {
    revision: Revision,
    client: Client,
    declared: Declared,
    /// The client said that it is ready.
    initialized: bool,
}

impl Legacy {
    /// As after a handshake in which the client declared nothing.
    pub(super) fn agreed(revision: Revision) -> Self {
        let client =
            Client { info: Implementation::default(), capabilities: ClientCapabilities::default() };
        let agreed = Agreed { revision, client, declared: Declared::default(), initialized: true };
        Self { agreed: Some(Box::new(agreed)), ..Self::default() }
    }

    /// As after what was agreed elsewhere.
    pub(super) fn resumed(agreement: Agreement, changes: u32) -> Self {
        let Agreement { revision, client, phase, level, watched } = agreement;
        let declared = Declared::from(&client.capabilities);
        let initialized = phase == Phase::Ready;
        let agreed = Agreed { revision, client, declared, initialized };
        Self { agreed: Some(Box::new(agreed)), level, watched, changes }
    }

    pub(super) fn agreement(&self) -> Option<Agreement> {
        let agreed = self.agreed.as_ref()?;
        Some(Agreement {
            revision: agreed.revision,
            client: agreed.client.clone(),
            phase: if agreed.initialized { Phase::Ready } else { Phase::Initializing },
            level: self.level,
            watched: self.watched.clone(),
        })
    }

    pub(super) fn changes(&self) -> u32 {
        self.changes
    }

    pub(super) fn revision(&self) -> Option<Revision> {
        self.agreed.as_ref().map(|agreed| agreed.revision)
    }

    pub(super) fn client(&self) -> Option<&Client> {
        self.agreed.as_ref().map(|agreed| &agreed.client)
    }

    pub(super) fn level(&self) -> Option<LoggingLevel> {
        self.level
    }

    pub(super) fn is_initialized(&self) -> bool {
        self.agreed.as_ref().is_some_and(|agreed| agreed.initialized)
    }

    pub(super) fn watches(&self, uri: &str) -> bool {
        self.watched.iter().any(|watched| watched == uri)
    }

    /// How many resources are watched, and what it costs to keep their URIs.
    pub(super) fn watched(&self) -> Watched {
        Watched::of(self.watched.iter().map(String::as_str))
    }

    /// The revision and capabilities that a request without a revision of its own is judged by.
    ///
    /// Before `initialize` only a ping is answered. Between its answer and `notifications/initialized` everything is: some clients set the
    /// log level there, and nothing is gained by refusing them.
    pub(super) fn admit(
        &self,
        method: Option<RequestMethod>,
        fallback: Revision,
    ) -> Result<(Revision, Declared), (&'static Rules, Refusal)> {
        match (&self.agreed, method) {
            (Some(agreed), Some(RequestMethod::Initialize)) => {
                Err((agreed.revision.rules(), Refusal::AlreadyInitialized))
            }
            (Some(agreed), _) => Ok((agreed.revision, agreed.declared)),
            (None, Some(RequestMethod::Initialize | RequestMethod::Ping)) => {
                Ok((fallback, Declared::default()))
            }
            (None, _) => Err((fallback.rules(), Refusal::NotInitialized)),
        }
    }

    pub(super) fn initialize(&mut self, revision: Revision, client: Client) {
        let declared = Declared::from(&client.capabilities);
        self.changed();
        self.agreed = Some(Box::new(Agreed { revision, client, declared, initialized: false }));
    }

    /// Whether this completes the handshake.
    pub(super) fn initialized(&mut self) -> bool {
        self.changed();
        self.agreed.as_mut().is_some_and(|agreed| !std::mem::replace(&mut agreed.initialized, true))
    }

    pub(super) fn set_level(&mut self, level: LoggingLevel) {
        self.changed();
        self.level = Some(level);
    }

    /// Remembers what a successful request changes.
    pub(super) fn remember(&mut self, kind: RequestKind) {
        match kind {
            RequestKind::Subscribe(uri) if !self.watches(&uri) => {
                self.changed();
                self.watched.push(uri);
            }
            RequestKind::Unsubscribe(uri) => {
                self.changed();
                self.watched.retain(|watched| *watched != uri);
            }
            RequestKind::AwaitTask(_)
            | RequestKind::Listen(_)
            | RequestKind::Plain
            | RequestKind::Subscribe(_) => {}
        }
    }

    fn changed(&mut self) {
        self.changes = self.changes.wrapping_add(1);
    }

    /// Whether the client can be asked this now.
    pub(super) fn may_ask(&self, what: &ServerRequest) -> Result<(), AskError> {
        let Some(agreed) = &self.agreed else { return Err(AskError::NotInitialized) };
        if !agreed.initialized && !matches!(what, ServerRequest::Ping) {
            return Err(AskError::NotInitialized);
        }
        match what.needs() {
            Some(needed) if !agreed.declared.capabilities.contains(needed) => {
                Err(AskError::NotDeclared(needed))
            }
            Some(ClientCapability::ElicitationUrl)
                if !agreed.revision.rules().elicitation.is_some_and(|rules| rules.url_mode) =>
            {
                Err(AskError::NotInRevision(what.method()))
            }
            _ => Ok(()),
        }
    }
}
