//! The pages of the specification, in the order in which reports show them.

mod architecture_index;
mod basic_authorization;
mod basic_authorization_authorization_server_discovery;
mod basic_authorization_client_registration;
mod basic_authorization_index;
mod basic_authorization_security_considerations;
mod basic_index;
mod basic_index_2;
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

use super::Page;

pub const PAGES: &[Page] = &[
    Page { name: "architecture/index", requirements: architecture_index::REQUIREMENTS },
    Page { name: "basic/authorization", requirements: basic_authorization::REQUIREMENTS },
    Page {
        name: "basic/authorization/authorization-server-discovery",
        requirements: basic_authorization_authorization_server_discovery::REQUIREMENTS,
    },
    Page {
        name: "basic/authorization/client-registration",
        requirements: basic_authorization_client_registration::REQUIREMENTS,
    },
    Page {
        name: "basic/authorization/index",
        requirements: basic_authorization_index::REQUIREMENTS,
    },
    Page {
        name: "basic/authorization/security-considerations",
        requirements: basic_authorization_security_considerations::REQUIREMENTS,
    },
    Page { name: "basic/index", requirements: basic_index::REQUIREMENTS },
    Page { name: "basic/index", requirements: basic_index_2::REQUIREMENTS },
    Page { name: "basic/lifecycle", requirements: basic_lifecycle::REQUIREMENTS },
    Page {
        name: "basic/patterns/cancellation",
        requirements: basic_patterns_cancellation::REQUIREMENTS,
    },
    Page { name: "basic/patterns/index", requirements: basic_patterns_index::REQUIREMENTS },
    Page { name: "basic/patterns/mrtr", requirements: basic_patterns_mrtr::REQUIREMENTS },
    Page { name: "basic/patterns/progress", requirements: basic_patterns_progress::REQUIREMENTS },
    Page {
        name: "basic/patterns/subscriptions",
        requirements: basic_patterns_subscriptions::REQUIREMENTS,
    },
    Page { name: "basic/transports", requirements: basic_transports::REQUIREMENTS },
    Page { name: "basic/transports/index", requirements: basic_transports_index::REQUIREMENTS },
    Page { name: "basic/transports/stdio", requirements: basic_transports_stdio::REQUIREMENTS },
    Page {
        name: "basic/transports/streamable-http",
        requirements: basic_transports_streamable_http::REQUIREMENTS,
    },
    Page {
        name: "basic/utilities/cancellation",
        requirements: basic_utilities_cancellation::REQUIREMENTS,
    },
    Page { name: "basic/utilities/ping", requirements: basic_utilities_ping::REQUIREMENTS },
    Page { name: "basic/utilities/progress", requirements: basic_utilities_progress::REQUIREMENTS },
    Page { name: "basic/utilities/tasks", requirements: basic_utilities_tasks::REQUIREMENTS },
    Page { name: "basic/versioning", requirements: basic_versioning::REQUIREMENTS },
    Page { name: "changelog", requirements: changelog::REQUIREMENTS },
    Page { name: "client/elicitation", requirements: client_elicitation::REQUIREMENTS },
    Page { name: "client/roots", requirements: client_roots::REQUIREMENTS },
    Page { name: "client/sampling", requirements: client_sampling::REQUIREMENTS },
    Page { name: "deprecated", requirements: deprecated::REQUIREMENTS },
    Page { name: "extensions/tasks", requirements: extensions_tasks::REQUIREMENTS },
    Page { name: "guides/security", requirements: guides_security::REQUIREMENTS },
    Page { name: "index", requirements: index::REQUIREMENTS },
    Page { name: "schema/base", requirements: schema_base::REQUIREMENTS },
    Page { name: "schema/content", requirements: schema_content::REQUIREMENTS },
    Page { name: "schema/elicitation", requirements: schema_elicitation::REQUIREMENTS },
    Page { name: "schema/other", requirements: schema_other::REQUIREMENTS },
    Page { name: "schema/prompts", requirements: schema_prompts::REQUIREMENTS },
    Page { name: "schema/resources", requirements: schema_resources::REQUIREMENTS },
    Page { name: "schema/sampling", requirements: schema_sampling::REQUIREMENTS },
    Page { name: "schema/tasks", requirements: schema_tasks::REQUIREMENTS },
    Page { name: "schema/tools", requirements: schema_tools::REQUIREMENTS },
    Page { name: "server/discover", requirements: server_discover::REQUIREMENTS },
    Page { name: "server/prompts", requirements: server_prompts::REQUIREMENTS },
    Page { name: "server/resources", requirements: server_resources::REQUIREMENTS },
    Page { name: "server/tools", requirements: server_tools::REQUIREMENTS },
    Page { name: "server/utilities/caching", requirements: server_utilities_caching::REQUIREMENTS },
    Page {
        name: "server/utilities/completion",
        requirements: server_utilities_completion::REQUIREMENTS,
    },
    Page { name: "server/utilities/logging", requirements: server_utilities_logging::REQUIREMENTS },
    Page {
        name: "server/utilities/pagination",
        requirements: server_utilities_pagination::REQUIREMENTS,
    },
];
