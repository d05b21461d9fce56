//! Where peers are tried in a self-test: sides, revisions, transports and variants.

use std::fmt;

use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::{Era, Revision};
use proofmark_judge::{
    mutant::{Mutant, Variant},
    requirement::{Requirement, Transports},
};
use proofmark_record::{side::Side, transport::Transport};

use crate::run::binds_issuers;

/// Under which circumstances a peer is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) side: Side,
    pub(super) revision: Revision,
    pub(super) transport: Transport,
    pub(super) variant: Variant,
}

impl Setting {
    /// Where a mutant is to be caught.
    pub(super) fn of(side: Side, requirement: &Requirement, mutant: &Mutant) -> Self {
        let in_force =
            Revision::of(Era::Legacy).rfind(|revision| requirement.span.contains(*revision));
        // What is new in the modern era is looked for there.
        let newest = in_force.unwrap_or_else(|| Revision::newest(Era::Modern));
        let newest = mutant.era.map_or(newest, Revision::newest);
        Self {
            side,
            revision: mutant.revision.unwrap_or(newest),
            transport: mutant.transport.unwrap_or(match requirement.transports {
                Transports::Http => Transport::Http,
                Transports::Sse => Transport::Sse,
                Transports::Any | Transports::Stdio => Transport::Stdio,
            }),
            variant: mutant.variant,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} over {} ({})", self.revision, self.transport, self.side)?;
        match self.variant {
            Variant::Open => Ok(()),
            Variant::Forgetful => f.write_str(" that forgets documents"),
            Variant::Guarded => f.write_str(" with tokens"),
            Variant::Issuing => f.write_str(" with tokens that the checker gets itself"),
            Variant::Hoarding => f.write_str(" that keeps documents"),
            Variant::ModernOnly => f.write_str(" without earlier revisions"),
            Variant::Paged => f.write_str(" with pages"),
            Variant::Sessionless => f.write_str(" without sessions"),
            Variant::Trusting => f.write_str(" that follows redirects"),
        }
    }
}

/// Every revision over every transport, and over HTTP with tokens; clients over stdio, and over HTTP with and without tokens; authorization
/// servers in every revision that binds them. What has no sessions cannot keep all promises.
pub(super) fn everywhere() -> impl Iterator<Item = Setting> {
    let settings = [
        (Transport::Stdio, Variant::Open),
        (Transport::Http, Variant::Open),
        (Transport::Sse, Variant::Open),
        (Transport::Http, Variant::Guarded),
        (Transport::Http, Variant::Issuing),
    ];
    let clients = Revision::ALL.iter().copied().flat_map(|revision| {
        let settings = [
            (Transport::Stdio, Variant::Open),
            (Transport::Http, Variant::Open),
            (Transport::Sse, Variant::Open),
            (Transport::Http, Variant::Guarded),
        ];
        let defined = move |(transport, variant): &(Transport, Variant)| match variant {
            Variant::Guarded => revision.rules().authorization.is_some(),
            _ => *transport != Transport::Sse || revision.era() == Era::Legacy,
        };
        settings.into_iter().filter(defined).map(move |(transport, variant)| Setting {
            side: Side::Client,
            revision,
            transport,
            variant,
        })
    });
    // What is special about these is the same over every transport.
    let (side, transport) = (Side::Server, Transport::Http);
    let revision = Revision::newest(Era::Modern);
    let special = [
        Setting { side, revision, transport, variant: Variant::ModernOnly },
        Setting { side, revision, transport, variant: Variant::Paged },
        Setting {
            side,
            revision: Revision::newest(Era::Legacy),
            transport,
            variant: Variant::Paged,
        },
    ];
    let servers = Revision::ALL.iter().flat_map(move |revision| {
        let settings = settings.map(|(transport, variant)| (*revision, transport, variant));
        settings.into_iter().filter_map(|(revision, transport, variant)| {
            let defined = match (transport, variant) {
                (Transport::Sse, _) => revision.era() == Era::Legacy,
                (_, Variant::Issuing) => revision.rules().authorization.is_some(),
                _ => true,
            };
            defined.then_some(Setting { side: Side::Server, revision, transport, variant })
        })
    });
    let issuers =
        Revision::ALL.iter().filter(|revision| binds_issuers(**revision)).map(|revision| {
            let (transport, variant) = (Transport::Http, Variant::Open);
            Setting { side: Side::Authorization, revision: *revision, transport, variant }
        });
    servers.chain(special).chain(clients).chain(issuers)
}

/// Where the unchanged peer is looked at for comparison: a variant that is a mutant by itself differs from the usual server.
pub(super) fn usual(setting: Setting, mutant: &Mutant) -> Setting {
    match mutant.mutation {
        Mutation::Nothing => Setting { variant: Variant::Open, ..setting },
        _ => setting,
    }
}
