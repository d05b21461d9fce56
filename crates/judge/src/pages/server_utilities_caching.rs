//! The requirements of `server/utilities/caching`, how each is judged, and the mutants that prove it.

mod cacheable_results;
mod client_caching;
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
        &client_caching::M507,
        &client_caching::M508,
        &client_caching::M509,
        &cacheable_results::M510,
        &client_caching::M511,
        &interaction_with_pagination::M512,
        &interaction_with_pagination::M513,
        &interaction_with_pagination::M514,
        &client_caching::S285,
        &client_caching::S286,
        &client_caching::S287,
        &client_caching::S288,
        &client_caching::S289,
        &client_caching::S290,
        &client_caching::S291,
        &interaction_with_pagination::S292,
        &interaction_with_pagination::S293,
        &client_caching::A143,
        &client_caching::A144,
        &cacheable_results::A145,
        &client_caching::A146,
        &cacheable_results::A147,
        &cacheable_results::A148,
        &cacheable_results::A149,
        &cacheable_results::A150,
        &interaction_with_pagination::A151,
    ],
};
