//! The requirements of `basic/patterns/mrtr`, how each is judged, and the mutants that prove it.

mod client_requirements_basic_workflow;
mod server_requirements_basic_workflow;
mod shared;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/patterns/mrtr",
    why: "Servers that keep nothing between requests ask their questions in results; whoever loses the thread asks twice or never.",
    requirements: &[
        &server_requirements_basic_workflow::M267,
        &server_requirements_basic_workflow::M268,
        &server_requirements_basic_workflow::M269,
        &server_requirements_basic_workflow::M270,
        &client_requirements_basic_workflow::M271,
        &server_requirements_basic_workflow::M272,
        &server_requirements_basic_workflow::M273,
        &server_requirements_basic_workflow::M274,
        &server_requirements_basic_workflow::M275,
        &server_requirements_basic_workflow::M276,
        &client_requirements_basic_workflow::M277,
        &client_requirements_basic_workflow::M279,
        &client_requirements_basic_workflow::M280,
        &client_requirements_basic_workflow::M281,
        &client_requirements_basic_workflow::M283,
        &server_requirements_basic_workflow::S136,
        &server_requirements_basic_workflow::S137,
        &server_requirements_basic_workflow::S138,
        &client_requirements_basic_workflow::S139,
        &client_requirements_basic_workflow::S140,
        &client_requirements_basic_workflow::S141,
        &client_requirements_basic_workflow::S142,
        &server_requirements_basic_workflow::A084,
        &server_requirements_basic_workflow::A085,
        &server_requirements_basic_workflow::A086,
        &server_requirements_basic_workflow::A087,
        &client_requirements_basic_workflow::A088,
    ],
};
