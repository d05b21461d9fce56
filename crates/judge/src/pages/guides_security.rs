//! The requirements of `guides/security`, how each is judged, and the mutants that prove it.

mod obligations;
mod recommendations;
mod shared;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "guides/security",
    why: "These are attacks that have worked on deployed servers and clients.",
    requirements: &[
        &obligations::M567,
        &obligations::M568,
        &obligations::M569,
        &obligations::M570,
        &obligations::M571,
        &obligations::M572,
        &obligations::M573,
        &obligations::M574,
        &obligations::M575,
        &obligations::M576,
        &obligations::M577,
        &obligations::M578,
        &obligations::M579,
        &obligations::M580,
        &obligations::M581,
        &obligations::M582,
        &recommendations::S307,
        &recommendations::S308,
        &recommendations::S309,
        &recommendations::S310,
        &recommendations::S311,
        &recommendations::S312,
        &recommendations::S313,
        &recommendations::S314,
        &recommendations::S315,
        &recommendations::S316,
        &recommendations::S317,
        &recommendations::S318,
        &recommendations::S319,
        &recommendations::S320,
        &recommendations::A165,
    ],
};
