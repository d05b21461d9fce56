//! The requirements of `basic/lifecycle`, how each is judged, and the mutants that prove it.

mod initialization;
mod shared;
mod version_negotiation;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/lifecycle",
    why: "What both sides may say follows from what they agreed on at the start; without it each guesses what the other can do.",
    requirements: &[
        &initialization::M039,
        &initialization::M040,
        &initialization::M041,
        &initialization::M042,
        &initialization::M043,
        &version_negotiation::M044,
        &version_negotiation::M045,
        &version_negotiation::M046,
        &initialization::M047,
        &version_negotiation::M143,
        &version_negotiation::M144,
        &initialization::S013,
        &initialization::S014,
        &version_negotiation::S015,
        &version_negotiation::S016,
        &version_negotiation::S017,
        &version_negotiation::S018,
        &version_negotiation::S021,
        &version_negotiation::S049,
    ],
};
