//! The requirements of `basic/authorization/index`, how each is judged, and the mutants that prove it.

mod authorization_response_validation;
mod overview;
mod protocol_requirements;
mod runtime_insufficient_scope_errors;
mod scope_selection_strategy;
mod shared;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/authorization/index",
    why: "Whoever gets hold of a token acts in a user's name: each step of obtaining, carrying and checking one is a place to lose it.",
    requirements: &[
        &overview::M030,
        &overview::M032,
        &overview::M036,
        &overview::M037,
        &protocol_requirements::M038,
        &protocol_requirements::M290,
        &overview::M294,
        &overview::M295,
        &protocol_requirements::M296,
        &overview::M301,
        &overview::M309,
        &overview::M311,
        &protocol_requirements::M317,
        &protocol_requirements::M318,
        &scope_selection_strategy::M319,
        &protocol_requirements::M321,
        &protocol_requirements::M323,
        &overview::M340,
        &overview::M341,
        &scope_selection_strategy::M344,
        &scope_selection_strategy::M345,
        &scope_selection_strategy::M366,
        &authorization_response_validation::M367,
        &authorization_response_validation::M368,
        &authorization_response_validation::M369,
        &authorization_response_validation::M370,
        &authorization_response_validation::M371,
        &authorization_response_validation::M372,
        &authorization_response_validation::M373,
        &runtime_insufficient_scope_errors::M374,
        &protocol_requirements::S008,
        &protocol_requirements::S009,
        &scope_selection_strategy::S149,
        &scope_selection_strategy::S150,
        &scope_selection_strategy::S151,
        &scope_selection_strategy::S156,
        &scope_selection_strategy::S157,
        &scope_selection_strategy::S165,
        &scope_selection_strategy::S166,
        &runtime_insufficient_scope_errors::S167,
        &runtime_insufficient_scope_errors::S168,
        &runtime_insufficient_scope_errors::S169,
        &runtime_insufficient_scope_errors::S170,
        &runtime_insufficient_scope_errors::S171,
        &runtime_insufficient_scope_errors::S172,
        &runtime_insufficient_scope_errors::S173,
        &scope_selection_strategy::S180,
        &authorization_response_validation::S181,
        &authorization_response_validation::S182,
        &authorization_response_validation::S183,
        &runtime_insufficient_scope_errors::S184,
        &runtime_insufficient_scope_errors::S185,
        &protocol_requirements::A092,
        &scope_selection_strategy::A096,
        &runtime_insufficient_scope_errors::A099,
        &authorization_response_validation::A103,
        &runtime_insufficient_scope_errors::A104,
    ],
};
