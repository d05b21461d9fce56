//! The requirements of `schema/shapes`, how each is judged, and the mutants that prove it.

mod features;
mod messages;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "schema/shapes",
    why: "Peers are generated from the schema: a member of another type breaks the program that reads it, often far from its cause.",
    requirements: &[
        &messages::M601,
        &messages::M602,
        &features::M603,
        &features::M604,
        &features::M605,
        &features::M606,
        &features::M607,
        &messages::M608,
        &messages::M609,
        &messages::M610,
        &features::M611,
        &features::M612,
    ],
};
