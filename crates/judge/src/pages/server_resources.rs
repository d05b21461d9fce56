//! The requirements of `server/resources`, how each is judged, and the mutants that prove it.

mod capabilities;
mod error_handling;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "server/resources",
    why: "A client reads resources by the addresses it was given, and tells its user what went wrong by the error it gets.",
    requirements: &[
        &capabilities::M048,
        &capabilities::M055,
        &capabilities::M057,
        &capabilities::M124,
        &capabilities::M456,
        &error_handling::M457,
        &error_handling::M458,
        &error_handling::M459,
        &error_handling::M460,
        &error_handling::M461,
        &capabilities::M462,
        &capabilities::M463,
        &capabilities::M464,
        &capabilities::S023,
        &error_handling::S033,
        &error_handling::S236,
        &error_handling::S237,
        &error_handling::S238,
        &error_handling::S239,
        &error_handling::A121,
        &capabilities::A122,
        &capabilities::A123,
        &error_handling::A124,
        &error_handling::A125,
    ],
};
