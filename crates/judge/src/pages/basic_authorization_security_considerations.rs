//! The requirements of `basic/authorization/security-considerations`, how each is judged, and the mutants that prove it.

mod authorization_code_protection;
mod open_redirection;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/authorization/security-considerations",
    why: "These are attacks that have worked: stolen codes, mixed-up issuers, tokens used where they do not belong.",
    requirements: &[
        &authorization_code_protection::M302,
        &authorization_code_protection::M316,
        &authorization_code_protection::M320,
        &authorization_code_protection::M324,
        &authorization_code_protection::M325,
        &authorization_code_protection::M326,
        &authorization_code_protection::M327,
        &authorization_code_protection::M328,
        &authorization_code_protection::M329,
        &authorization_code_protection::M330,
        &authorization_code_protection::M331,
        &authorization_code_protection::M332,
        &authorization_code_protection::M333,
        &authorization_code_protection::M334,
        &open_redirection::M335,
        &open_redirection::M336,
        &open_redirection::M337,
        &open_redirection::M338,
        &authorization_code_protection::M339,
        &open_redirection::M357,
        &open_redirection::M358,
        &authorization_code_protection::M365,
        &authorization_code_protection::S152,
        &open_redirection::S153,
        &open_redirection::S154,
        &open_redirection::S174,
        &open_redirection::S175,
        &open_redirection::A094,
        &open_redirection::A100,
        &open_redirection::A101,
    ],
};
