//! The requirements of `server/prompts`, how each is judged, and the mutants that prove it.

mod capabilities;
mod implementation_considerations;
mod shared;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "server/prompts",
    why: "A client offers prompts to people: it can only show what is listed, and only fill in what is described.",
    requirements: &[
        &capabilities::M058,
        &capabilities::M064,
        &capabilities::M449,
        &capabilities::M450,
        &capabilities::M451,
        &capabilities::M452,
        &capabilities::M453,
        &capabilities::M454,
        &capabilities::S024,
        &capabilities::S230,
        &capabilities::S231,
        &capabilities::S232,
        &implementation_considerations::S233,
        &implementation_considerations::S234,
        &implementation_considerations::S235,
        &implementation_considerations::A118,
        &capabilities::A119,
        &capabilities::A120,
    ],
};
