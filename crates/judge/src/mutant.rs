//! The reference peer, changed in exactly one way, to prove that a check can fail.

use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::{Era, Revision};
use proofmark_record::transport::Transport;

#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// What the changed peer does, as the rest of a sentence that begins with it.
    pub name: &'static str,
    pub mutation: Mutation,
    /// Other requirements that the same defect truly breaks.
    pub also: &'static [&'static str],
    /// `None`: the newest legacy revision in which the requirement is in force.
    pub revision: Option<Revision>,
    /// The newest revision of this era, if none is named.
    pub era: Option<Era>,
    /// `None`: the first transport that the requirement is about, in memory if it may be any.
    pub transport: Option<Transport>,
    pub variant: Variant,
}

/// Which reference server is changed, or what kind of server the reference client meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    #[default]
    Open,
    /// Demands tokens.
    Guarded,
    /// Demands tokens, and has an authorization server that gives them to everyone.
    Issuing,
    /// Speaks nothing but the modern revision.
    ModernOnly,
    /// Has lists of several pages.
    Paged,
    /// Has no sessions over HTTP.
    Sessionless,
    /// Reads the documents of clients each time. Authorization servers only.
    Forgetful,
    /// Keeps the documents of clients, whatever they say about it. Authorization servers only.
    Hoarding,
    /// Looks for the documents of clients where redirects lead to. Authorization servers only.
    Trusting,
}

impl Mutant {
    pub(crate) const fn new(name: &'static str, mutation: Mutation) -> Self {
        let (revision, transport, variant) = (None, None, Variant::Open);
        Self { name, mutation, also: &[], revision, era: None, transport, variant }
    }

    /// To be caught in the era without handshakes, though the requirement is older.
    pub(crate) const fn modern(self) -> Self {
        Self { era: Some(Era::Modern), ..self }
    }

    pub(crate) const fn over(self, transport: Transport) -> Self {
        Self { transport: Some(transport), ..self }
    }

    pub(crate) const fn of(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    pub(crate) const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }
}
