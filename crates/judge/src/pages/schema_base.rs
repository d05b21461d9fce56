//! The requirements of `schema/base`, how each is judged, and the mutants that prove it.

mod complete_request;
mod error;
mod implementation;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "schema/base",
    why: "Clients are generated from the schema: a member of another type is an exception in somebody's program.",
    requirements: &[
        &implementation::M005,
        &implementation::M010,
        &implementation::M142,
        &implementation::M146,
        &complete_request::M381,
        &complete_request::M385,
        &complete_request::M397,
        &complete_request::M455,
        &complete_request::M465,
        &complete_request::M484,
        &complete_request::M518,
        &complete_request::M520,
        &complete_request::M521,
        &complete_request::M526,
        &complete_request::M527,
        &error::S031,
        &implementation::S048,
        &implementation::A001,
        &implementation::A002,
        &error::A039,
        &implementation::A041,
        &implementation::A042,
        &complete_request::A107,
        &complete_request::A126,
        &error::A127,
        &error::A128,
        &complete_request::A138,
    ],
};
