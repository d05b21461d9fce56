//! The requirements of `server/utilities/caching`, how each is judged, and the mutants that prove it.

mod cacheable_results;
mod interaction_with_pagination;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "server/utilities/caching",
    why: "Clients keep answers for as long as they are told to: too long and they act on old facts, shared with others and they leak.",
    requirements: &[
        &cacheable_results::M499,
        &cacheable_results::M500,
        &cacheable_results::M501,
        &cacheable_results::M502,
        &cacheable_results::M503,
        &cacheable_results::M504,
        &cacheable_results::M505,
        &cacheable_results::M507,
        &cacheable_results::M508,
        &cacheable_results::M509,
        &cacheable_results::M510,
        &cacheable_results::M511,
        &interaction_with_pagination::M512,
        &interaction_with_pagination::M513,
        &interaction_with_pagination::M514,
        &cacheable_results::S285,
        &cacheable_results::S286,
        &cacheable_results::S287,
        &cacheable_results::S288,
        &cacheable_results::S289,
        &cacheable_results::S290,
        &interaction_with_pagination::S291,
        &interaction_with_pagination::S292,
        &interaction_with_pagination::S293,
        &cacheable_results::A143,
        &cacheable_results::A144,
        &cacheable_results::A145,
        &cacheable_results::A146,
        &cacheable_results::A147,
        &cacheable_results::A148,
        &cacheable_results::A149,
        &cacheable_results::A150,
        &interaction_with_pagination::A151,
    ],
};
