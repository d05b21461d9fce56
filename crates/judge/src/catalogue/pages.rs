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
mod basic_utilities_tasks_2;
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
    Page {
        name: "architecture/index",
        why: "Hosts, clients and servers are built by different people; who may see and decide what has to be settled between them.",
        requirements: architecture_index::REQUIREMENTS,
    },
    Page {
        name: "basic/authorization",
        why: "Whoever gets hold of a token acts in a user's name: each step of obtaining, carrying and checking one is a place to lose it.",
        requirements: basic_authorization::REQUIREMENTS,
    },
    Page {
        name: "basic/authorization/authorization-server-discovery",
        why: "A client that asks the wrong authorization server hands its user's login to a stranger.",
        requirements: basic_authorization_authorization_server_discovery::REQUIREMENTS,
    },
    Page {
        name: "basic/authorization/client-registration",
        why: "Clients and authorization servers that never met have to agree on who the client is, without secrets that everybody has.",
        requirements: basic_authorization_client_registration::REQUIREMENTS,
    },
    Page {
        name: "basic/authorization/index",
        why: "Whoever gets hold of a token acts in a user's name: each step of obtaining, carrying and checking one is a place to lose it.",
        requirements: basic_authorization_index::REQUIREMENTS,
    },
    Page {
        name: "basic/authorization/security-considerations",
        why: "These are attacks that have worked: stolen codes, mixed-up issuers, tokens used where they do not belong.",
        requirements: basic_authorization_security_considerations::REQUIREMENTS,
    },
    Page {
        name: "basic/index",
        why: "Every peer reads every message by the same few members; one that writes them differently is not understood, or answers the wrong question.",
        requirements: basic_index::REQUIREMENTS,
    },
    Page {
        name: "basic/index",
        why: "Every peer reads every message by the same few members; one that writes them differently is not understood, or answers the wrong question.",
        requirements: basic_index_2::REQUIREMENTS,
    },
    Page {
        name: "basic/lifecycle",
        why: "What both sides may say follows from what they agreed on at the start; without it each guesses what the other can do.",
        requirements: basic_lifecycle::REQUIREMENTS,
    },
    Page {
        name: "basic/patterns/cancellation",
        why: "Work that nobody waits for costs money and time, and an answer that comes too late can be taken for another one.",
        requirements: basic_patterns_cancellation::REQUIREMENTS,
    },
    Page {
        name: "basic/patterns/index",
        why: "The patterns are what every feature is built from; one exception makes every client special.",
        requirements: basic_patterns_index::REQUIREMENTS,
    },
    Page {
        name: "basic/patterns/mrtr",
        why: "Servers that keep nothing between requests ask their questions in results; whoever loses the thread asks twice or never.",
        requirements: basic_patterns_mrtr::REQUIREMENTS,
    },
    Page {
        name: "basic/patterns/progress",
        why: "Progress tells a slow request from a dead one, but only if it can be matched to its request and only grows.",
        requirements: basic_patterns_progress::REQUIREMENTS,
    },
    Page {
        name: "basic/patterns/subscriptions",
        why: "Whoever subscribed relies on hearing of changes, and on hearing nothing that was not asked for.",
        requirements: basic_patterns_subscriptions::REQUIREMENTS,
    },
    Page {
        name: "basic/transports",
        why: "The transport decides where a message begins and ends and whom it belongs to; a mistake here breaks everything above it.",
        requirements: basic_transports::REQUIREMENTS,
    },
    Page {
        name: "basic/transports/index",
        why: "The transport decides where a message begins and ends and whom it belongs to; a mistake here breaks everything above it.",
        requirements: basic_transports_index::REQUIREMENTS,
    },
    Page {
        name: "basic/transports/stdio",
        why: "A pipe has nothing but newlines to tell messages apart: one stray line and the client reads garbage.",
        requirements: basic_transports_stdio::REQUIREMENTS,
    },
    Page {
        name: "basic/transports/streamable-http",
        why: "Proxies, browsers and load balancers read status codes, headers and sessions; they decide who may talk to a server and whether an answer arrives.",
        requirements: basic_transports_streamable_http::REQUIREMENTS,
    },
    Page {
        name: "basic/utilities/cancellation",
        why: "Work that nobody waits for costs money and time, and an answer that comes too late can be taken for another one.",
        requirements: basic_utilities_cancellation::REQUIREMENTS,
    },
    Page {
        name: "basic/utilities/ping",
        why: "A ping is how either side finds out that the other one is gone; who does not answer is taken for dead.",
        requirements: basic_utilities_ping::REQUIREMENTS,
    },
    Page {
        name: "basic/utilities/progress",
        why: "Progress tells a slow request from a dead one, but only if it can be matched to its request and only grows.",
        requirements: basic_utilities_progress::REQUIREMENTS,
    },
    Page {
        name: "basic/utilities/tasks",
        why: "A task outlives the request that began it: its state is all that a client has to find out what became of the work.",
        requirements: basic_utilities_tasks::REQUIREMENTS,
    },
    Page {
        name: "basic/utilities/tasks",
        why: "A task outlives the request that began it: its state is all that a client has to find out what became of the work.",
        requirements: basic_utilities_tasks_2::REQUIREMENTS,
    },
    Page {
        name: "basic/versioning",
        why: "Peers of different years meet; each has to say which rules it follows, or both misread the other.",
        requirements: basic_versioning::REQUIREMENTS,
    },
    Page {
        name: "changelog",
        why: "What a revision changed has to be done as that revision says, because the other side was told which one is spoken.",
        requirements: changelog::REQUIREMENTS,
    },
    Page {
        name: "client/elicitation",
        why: "A server asks a person for something: they have to know who asks, be able to refuse, and never be tricked into giving away a secret.",
        requirements: client_elicitation::REQUIREMENTS,
    },
    Page {
        name: "client/roots",
        why: "Roots tell a server which files it may care about; stale or malformed ones make it look in the wrong place.",
        requirements: client_roots::REQUIREMENTS,
    },
    Page {
        name: "client/sampling",
        why: "A server borrows the client's model: the user pays for it and answers for what is said, so both sides have to keep the form.",
        requirements: client_sampling::REQUIREMENTS,
    },
    Page {
        name: "deprecated",
        why: "What is deprecated still has to work for those who have not moved, and tempt nobody else.",
        requirements: deprecated::REQUIREMENTS,
    },
    Page {
        name: "extensions/tasks",
        why: "A task outlives the request that began it: its state is all that a client has to find out what became of the work.",
        requirements: extensions_tasks::REQUIREMENTS,
    },
    Page {
        name: "guides/security",
        why: "These are attacks that have worked on deployed servers and clients.",
        requirements: guides_security::REQUIREMENTS,
    },
    Page {
        name: "index",
        why: "Users have to stay in control of what is shared and done in their name.",
        requirements: index::REQUIREMENTS,
    },
    Page {
        name: "schema/base",
        why: "Clients are generated from the schema: a member of another type is an exception in somebody's program.",
        requirements: schema_base::REQUIREMENTS,
    },
    Page {
        name: "schema/content",
        why: "Content is shown to people and models by its type; a block that is not what it says is dropped, or breaks the whole answer.",
        requirements: schema_content::REQUIREMENTS,
    },
    Page {
        name: "schema/elicitation",
        why: "Clients draw a form from the schema of a question; what it does not foresee cannot be drawn.",
        requirements: schema_elicitation::REQUIREMENTS,
    },
    Page {
        name: "schema/other",
        why: "Programs decide by error codes and members what to do next; a code of one's own is an error that nobody handles.",
        requirements: schema_other::REQUIREMENTS,
    },
    Page {
        name: "schema/prompts",
        why: "Clients list and fill in prompts by these members alone.",
        requirements: schema_prompts::REQUIREMENTS,
    },
    Page {
        name: "schema/resources",
        why: "Clients list and read resources by these members alone.",
        requirements: schema_resources::REQUIREMENTS,
    },
    Page {
        name: "schema/sampling",
        why: "Messages go to a model as they are: a member of another type is refused there, far from its cause.",
        requirements: schema_sampling::REQUIREMENTS,
    },
    Page {
        name: "schema/tasks",
        why: "Clients decide by these members how long to wait and when to ask again.",
        requirements: schema_tasks::REQUIREMENTS,
    },
    Page {
        name: "schema/tools",
        why: "Clients and models know a tool by these members alone.",
        requirements: schema_tools::REQUIREMENTS,
    },
    Page {
        name: "server/discover",
        why: "Discovery is how a client finds out what a server speaks before it says anything else.",
        requirements: server_discover::REQUIREMENTS,
    },
    Page {
        name: "server/prompts",
        why: "A client offers prompts to people: it can only show what is listed, and only fill in what is described.",
        requirements: server_prompts::REQUIREMENTS,
    },
    Page {
        name: "server/resources",
        why: "A client reads resources by the addresses it was given, and tells its user what went wrong by the error it gets.",
        requirements: server_resources::REQUIREMENTS,
    },
    Page {
        name: "server/tools",
        why: "A model calls tools by what the list says about them; what the list does not say, or says wrongly, is called wrongly.",
        requirements: server_tools::REQUIREMENTS,
    },
    Page {
        name: "server/utilities/caching",
        why: "Clients keep answers for as long as they are told to: too long and they act on old facts, shared with others and they leak.",
        requirements: server_utilities_caching::REQUIREMENTS,
    },
    Page {
        name: "server/utilities/completion",
        why: "Completions are shown while a person types: they have to come in the form that the client can show.",
        requirements: server_utilities_completion::REQUIREMENTS,
    },
    Page {
        name: "server/utilities/logging",
        why: "Logs go to whoever runs the client: at the level that was asked for, in levels that mean the same everywhere, without secrets.",
        requirements: server_utilities_logging::REQUIREMENTS,
    },
    Page {
        name: "server/utilities/pagination",
        why: "A client that gets a cursor wrong, or one that never ends, sees a part of the list and takes it for the whole.",
        requirements: server_utilities_pagination::REQUIREMENTS,
    },
];
