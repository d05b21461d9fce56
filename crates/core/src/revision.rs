//! The only code that knows that revisions differ.
//!
//! A revision of MCP is a date and a table of [`Rules`]. No other code compares dates: it asks `revision.rules()` what is demanded. Each
//! file below states how its revision differs from the one before, so the files read as a changelog of the protocol. A new revision is
//! such a file, its `mod`, and a line in the list of [`Revision`].

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

mod authorization;
mod features;
mod http;
mod meta;
mod method;
mod rules;
mod tasks;
#[cfg(test)]
mod tests;
mod v2024_11_05;
mod v2025_03_26;
mod v2025_06_18;
mod v2025_11_25;
mod v2026_07_28;

pub use authorization::{AuthorizationRules, AuthorizationServerDiscovery, MetadataForm};
pub use features::{
    BadArguments, ContentKind, ContentKinds, ElicitationRules, EnumForms, Fields,
    ImplementationFields, LoggingRules, PromptRules, ResourceRules, SamplingRules, Structured,
    SubscriptionStyle, ToolRules,
};
pub use http::{
    Disconnect, EarlyClose, HttpRules, PostedNotifications, Resumption, SseFallback, Statuses,
    VersionHeader,
};
pub use meta::MetaRules;
pub use method::{
    ClientCapabilities, ClientCapability, NotificationMethod, Notifications, RequestMethod,
    Requests, ServerCapabilities, ServerCapability,
};
pub use rules::{Batches, Dialect, Level, ResultRules, Rules, ServerCancels};
pub use tasks::{
    TaskCancel, TaskCarrier, TaskEnvelope, TaskInput, TaskOptIn, TaskRules, TaskStyle,
};

/// The revisions, oldest first, each with the module that has its rules.
macro_rules! revisions {
    ($($revision:ident: $module:ident,)+) => {
        /// A dated revision of the protocol.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Revision { $($revision,)+ }

        impl Revision {
            /// Every revision, oldest first.
            pub const ALL: &'static [Self] = &[$(Self::$revision,)+];

            /// What this revision demands.
            pub fn rules(self) -> &'static Rules {
                match self { $(Self::$revision => &$module::RULES,)+ }
            }
        }
    };
}

revisions! {
    V2024_11_05: v2024_11_05,
    V2025_03_26: v2025_03_26,
    V2025_06_18: v2025_06_18,
    V2025_11_25: v2025_11_25,
    V2026_07_28: v2026_07_28,
}

/// How a conversation is held together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// `initialize`, then `notifications/initialized`; both sides remember what was agreed.
    Legacy,
    /// Every request carries its revision and capabilities in `_meta`; nothing is remembered.
    Modern,
}

impl Revision {
    pub fn as_str(self) -> &'static str {
        self.rules().name
    }

    /// Its place in [`Self::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    pub fn era(self) -> Era {
        self.rules().era
    }

    /// The newest revision of an era.
    pub fn newest(era: Era) -> Self {
        Self::of(era).next_back().expect("each era has a revision")
    }

    /// The revisions of an era, oldest first.
    pub fn of(era: Era) -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |revision| revision.era() == era)
    }

    /// The revision that a Streamable HTTP request without any sign of its revision is taken to speak.
    pub const ASSUMED_OVER_HTTP: Self = Self::V2025_03_26;
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no revision that this crate speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a known protocol revision")]
pub struct UnknownRevision;

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|revision| revision.as_str() == text).ok_or(UnknownRevision)
    }
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Revision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Revision;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a protocol revision")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Revision, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Visitor)
    }
}
