//! The requirements of `schema/other`, how each is judged, and the mutants that prove it.

mod cancelled_notification;
mod discover_result;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "schema/other",
    why: "Programs decide by error codes and members what to do next; a code of one's own is an error that nobody handles.",
    requirements: &[
        &cancelled_notification::M072,
        &cancelled_notification::M073,
        &cancelled_notification::M080,
        &cancelled_notification::M089,
        &cancelled_notification::M107,
        &cancelled_notification::M108,
        &cancelled_notification::M109,
        &discover_result::M110,
        &discover_result::M111,
        &discover_result::M145,
        &discover_result::M150,
        &discover_result::M278,
        &discover_result::M488,
        &discover_result::M506,
        &cancelled_notification::A021,
        &cancelled_notification::A023,
        &cancelled_notification::A026,
        &discover_result::A040,
        &discover_result::A043,
        &discover_result::A044,
        &cancelled_notification::A064,
        &discover_result::A140,
    ],
};
