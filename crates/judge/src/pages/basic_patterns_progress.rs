//! The requirements of `basic/patterns/progress`, how each is judged, and the mutants that prove it.

mod behavior_requirements;
mod progress_flow;
mod shared;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/patterns/progress",
    why: "Progress tells a slow request from a dead one, but only if it can be matched to its request and only grows.",
    requirements: &[
        &progress_flow::M083,
        &progress_flow::M084,
        &progress_flow::M085,
        &behavior_requirements::M086,
        &progress_flow::M226,
        &behavior_requirements::M227,
        &progress_flow::S107,
        &behavior_requirements::S108,
        &behavior_requirements::S109,
        &progress_flow::A025,
        &progress_flow::A070,
        &behavior_requirements::A071,
        &behavior_requirements::A072,
        &behavior_requirements::A073,
    ],
};
