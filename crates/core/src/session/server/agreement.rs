//! What was agreed in a legacy conversation, for another session to take it up.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Client, Offer, ServerSession, legacy::Legacy};
use crate::{revision::Revision, types::LoggingLevel};

/// What a legacy client and a server agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    pub revision: Revision,
    pub client: Client,
    pub phase: Phase,
    /// `None` until the client sets one.
    pub level: Option<LoggingLevel>,
    /// The URIs of resources whose changes the client wants to hear of.
    pub watched: Vec<String>,
}

/// How far the handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// `initialize` is answered, `notifications/initialized` has not come.
    Initializing,
    Ready,
}

impl ServerSession {
    /// Takes up a conversation that began elsewhere. What ran there goes on there.
    pub fn resumed(offer: Arc<Offer>, agreement: Agreement) -> Self {
        Self { legacy: Legacy::resumed(agreement, 0), ..Self::new(offer) }
    }

    /// What was agreed; `None` before `initialize` is answered.
    pub fn agreement(&self) -> Option<Agreement> {
        self.legacy.agreement()
    }

    /// Goes by what was agreed elsewhere meanwhile. What runs here goes on.
    pub fn adopt(&mut self, agreement: Agreement) {
        self.legacy = Legacy::resumed(agreement, self.agreement_changes());
    }

    /// Differs whenever what was agreed has changed through a message of the client.
    pub fn agreement_changes(&self) -> u32 {
        self.legacy.changes()
    }
}
