//! The pages of the specification, in the order in which reports show them.

mod architecture_index;
mod basic_authorization;
mod basic_authorization_authorization_server_discovery;
mod basic_authorization_client_registration;
mod basic_authorization_index;
mod basic_authorization_security_considerations;
mod basic_index;
mod basic_lifecycle;
mod basic_patterns_cancellation;
mod basic_patterns_index;
mod basic_patterns_mrtr;
mod basic_patterns_progress;
mod basic_patterns_subscriptions;
mod basic_transports;
mod basic_transports_index;
mod basic_transports_stdio;
mod basic_transports_streamable_http;
mod basic_utilities_cancellation;
mod basic_utilities_ping;
mod basic_utilities_progress;
mod basic_utilities_tasks;
mod basic_versioning;
mod changelog;
mod client_elicitation;
mod client_roots;
mod client_sampling;
mod deprecated;
mod extensions_tasks;
mod guides_security;
mod index;
mod schema_base;
mod schema_content;
mod schema_elicitation;
mod schema_other;
mod schema_prompts;
mod schema_resources;
mod schema_sampling;
mod schema_shapes;
mod schema_tasks;
mod schema_tools;
mod server_discover;
mod server_prompts;
mod server_resources;
mod server_tools;
mod server_utilities_caching;
mod server_utilities_completion;
mod server_utilities_logging;
mod server_utilities_pagination;

use proofmark_core::revision::Revision;

use crate::requirement::Page;

/// The newest revision whose pages the requirements were read against.
///
/// A requirement without an end is taken to bind newer revisions as well, unread: `requirements --coverage` lists them. After reading
/// the pages of a newer revision, end the requirements that it drops, add those that it brings, and set this to it.
pub const READ_UNTIL: Revision = Revision::V2026_07_28;

/// A static: as a constant, every crate that reads it would have a copy of the whole catalogue.
pub static PAGES: &[Page] = &[
    architecture_index::PAGE,
    basic_authorization::PAGE,
    basic_authorization_authorization_server_discovery::PAGE,
    basic_authorization_client_registration::PAGE,
    basic_authorization_index::PAGE,
    basic_authorization_security_considerations::PAGE,
    basic_index::PAGE,
    basic_lifecycle::PAGE,
    basic_patterns_cancellation::PAGE,
    basic_patterns_index::PAGE,
    basic_patterns_mrtr::PAGE,
    basic_patterns_progress::PAGE,
    basic_patterns_subscriptions::PAGE,
    basic_transports::PAGE,
    basic_transports_index::PAGE,
    basic_transports_stdio::PAGE,
    basic_transports_streamable_http::PAGE,
    basic_utilities_cancellation::PAGE,
    basic_utilities_ping::PAGE,
    basic_utilities_progress::PAGE,
    basic_utilities_tasks::PAGE,
    basic_versioning::PAGE,
    changelog::PAGE,
    client_elicitation::PAGE,
    client_roots::PAGE,
    client_sampling::PAGE,
    deprecated::PAGE,
    extensions_tasks::PAGE,
    guides_security::PAGE,
    index::PAGE,
    schema_base::PAGE,
    schema_content::PAGE,
    schema_elicitation::PAGE,
    schema_other::PAGE,
    schema_prompts::PAGE,
    schema_resources::PAGE,
    schema_sampling::PAGE,
    schema_shapes::PAGE,
    schema_tasks::PAGE,
    schema_tools::PAGE,
    server_discover::PAGE,
    server_prompts::PAGE,
    server_resources::PAGE,
    server_tools::PAGE,
    server_utilities_caching::PAGE,
    server_utilities_completion::PAGE,
    server_utilities_logging::PAGE,
    server_utilities_pagination::PAGE,
];
