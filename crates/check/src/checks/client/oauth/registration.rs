//! How a client becomes known to an authorization server.

use super::{ends_with, flow, pass_unless, visits};
use crate::{
    checks::Check,
    hosted::Gate,
    mutant::{Mutant, Spoil, Variant},
    outcome::{Finding, Outcome},
    scenario::Topic,
};

pub(crate) const S010: Check = Check {
    how: "lets the client register itself with an authorization server that has never heard of it",
    fix: "register at the registration endpoint where there is one, and no other way to be known",
    judge: |evidence| {
        flow(evidence, || {
            let offers = |gate: Gate| matches!(gate, Gate::Usual | Gate::Own | Gate::Defaults);
            if visits(evidence, Topic::Register).any(|visit| offers(visit.gate)) {
                return Outcome::Kept;
            }
            let found = visits(evidence, Topic::IssuerMetadata).find(|visit| offers(visit.gate));
            let Some(found) = found else {
                return Outcome::Unobserved("the client does not look for endpoints".to_owned());
            };
            let (expected, actual) = ("a registration", "the client did not register");
            Outcome::Broken(Finding::new(expected, actual, found.place()))
        })
    },
    mutants: &[Mutant::new(
        "does not register",
        Spoil::Request(|request| pass_unless(ends_with(request, "/register"))),
    )
    .of(Variant::Guarded)
    .also(&["S008"])],
};
