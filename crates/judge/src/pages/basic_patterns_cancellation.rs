//! The requirements of `basic/patterns/cancellation`, how each is judged, and the mutants that prove it.

mod behavior_requirements;
mod shared;
mod timeouts;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/patterns/cancellation",
    why: "Work that nobody waits for costs money and time, and an answer that comes too late can be taken for another one.",
    requirements: &[
        &behavior_requirements::M081,
        &behavior_requirements::M161,
        &behavior_requirements::M188,
        &timeouts::M221,
        &behavior_requirements::M222,
        &behavior_requirements::M223,
        &timeouts::S019,
        &timeouts::S020,
        &behavior_requirements::S027,
        &behavior_requirements::S028,
        &timeouts::S052,
        &timeouts::S053,
        &timeouts::S096,
        &behavior_requirements::S097,
        &behavior_requirements::S098,
        &timeouts::S099,
        &timeouts::S100,
        &timeouts::S101,
        &behavior_requirements::A024,
        &timeouts::A038,
    ],
};
