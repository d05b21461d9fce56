//! The requirements of `basic/transports/stdio`, how each is judged, and the mutants that prove it.

mod shutdown;
mod stdio;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/transports/stdio",
    why: "A pipe has nothing but newlines to tell messages apart: one stray line and the client reads garbage.",
    requirements: &[
        &stdio::M012,
        &stdio::M013,
        &stdio::M014,
        &stdio::M015,
        &stdio::M016,
        &stdio::M017,
        &stdio::M153,
        &stdio::M164,
        &shutdown::S001,
        &shutdown::S050,
        &shutdown::S051,
        &stdio::S058,
        &stdio::S062,
        &shutdown::S064,
        &shutdown::S066,
        &shutdown::S067,
        &stdio::A004,
        &shutdown::A037,
        &stdio::A049,
    ],
};
