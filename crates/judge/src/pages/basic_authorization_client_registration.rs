//! The requirements of `basic/authorization/client-registration`, how each is judged, and the mutants that prove it.

mod application_type_and_redirect_uri_constraints;
mod implementation_requirements;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/authorization/client-registration",
    why: "Clients and authorization servers that never met have to agree on who the client is, without secrets that everybody has.",
    requirements: &[
        &implementation_requirements::M349,
        &implementation_requirements::M350,
        &implementation_requirements::M351,
        &implementation_requirements::M352,
        &implementation_requirements::M353,
        &implementation_requirements::M354,
        &implementation_requirements::M355,
        &implementation_requirements::M356,
        &application_type_and_redirect_uri_constraints::M361,
        &application_type_and_redirect_uri_constraints::M362,
        &application_type_and_redirect_uri_constraints::M363,
        &application_type_and_redirect_uri_constraints::M364,
        &application_type_and_redirect_uri_constraints::S155,
        &application_type_and_redirect_uri_constraints::S159,
        &implementation_requirements::S160,
        &implementation_requirements::S161,
        &implementation_requirements::S162,
        &application_type_and_redirect_uri_constraints::S163,
        &application_type_and_redirect_uri_constraints::S164,
        &application_type_and_redirect_uri_constraints::S176,
        &application_type_and_redirect_uri_constraints::S177,
        &application_type_and_redirect_uri_constraints::S178,
        &application_type_and_redirect_uri_constraints::S179,
        &application_type_and_redirect_uri_constraints::A016,
        &application_type_and_redirect_uri_constraints::A095,
        &implementation_requirements::A097,
        &application_type_and_redirect_uri_constraints::A098,
        &application_type_and_redirect_uri_constraints::A102,
    ],
};
