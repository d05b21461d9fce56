//! What the two sides say about themselves, in the handshake and without one.

use super::base::{META, REQUEST_META, RESULT_MEMBERS, caching};
use super::blame::{BASE, LIFECYCLE};
use super::content::ICONS;
use super::table::{FREE, Member, Object, Shape, TEXT, TEXTS, URI, optional, required};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

pub(super) static INITIALIZE_REQUEST: Object = Object::new(
    "InitializeRequest",
    LIFECYCLE,
    &[required("params", Shape::Object(&INITIALIZE_PARAMS)).blame(&[BASE]).missing(&["M040"])],
);

static INITIALIZE_PARAMS: Object = Object::new(
    "InitializeRequestParams",
    LIFECYCLE,
    &[
        required("protocolVersion", TEXT).blame(&["M040"]),
        required("capabilities", Shape::Object(&CLIENT_CAPABILITIES)).blame(&["M040"]),
        required("clientInfo", Shape::Object(&IMPLEMENTATION)).blame(&["M040"]),
    ],
)
.with(&[&REQUEST_META]);

pub(super) static INITIALIZE_RESULT: Object = Object::new(
    "InitializeResult",
    LIFECYCLE,
    &[
        META,
        required("protocolVersion", TEXT).blame(&["M042"]),
        required("capabilities", Shape::Object(&SERVER_CAPABILITIES)).blame(&["M042"]),
        required("serverInfo", Shape::Object(&IMPLEMENTATION)).blame(&["M042"]),
        optional("instructions", TEXT),
    ],
);

pub(super) static DISCOVER_REQUEST: Object = Object::new(
    "DiscoverRequest",
    LIFECYCLE,
    &[required("params", Shape::Object(&super::base::REQUEST_PARAMS))
        .blame(&[BASE])
        .missing(&["M124"])],
);

pub(super) static DISCOVER_RESULT: Object = Object::new(
    "DiscoverResult",
    LIFECYCLE,
    &[
        required("supportedVersions", TEXTS).blame(&["M150"]),
        required("capabilities", Shape::Object(&SERVER_CAPABILITIES)).blame(&["M150"]),
        optional("instructions", TEXT),
    ],
)
.with(&[&RESULT_MEMBERS, &DISCOVER_CACHING]);

const DISCOVER_CACHING: [Member; 2] = caching(&["M499"]);

pub(super) static IMPLEMENTATION: Object = Object::new(
    "Implementation",
    LIFECYCLE,
    &[
        required("name", TEXT).blame(&["M146"]),
        required("version", TEXT).blame(&["M146"]),
        optional("title", TEXT).since(V2025_06_18),
        optional("description", TEXT).since(V2025_11_25),
        ICONS,
        optional("websiteUrl", URI).since(V2025_11_25),
    ],
);

pub(super) static CLIENT_CAPABILITIES: Object = Object::new(
    "ClientCapabilities",
    LIFECYCLE,
    &[
        optional("experimental", Shape::Map(&FREE)),
        optional("roots", Shape::Object(&ROOTS)).until(V2025_11_25),
        optional("roots", FREE).since(V2026_07_28),
        optional("sampling", FREE).until(V2025_06_18),
        optional("sampling", Shape::Object(&SAMPLING)).since(V2025_11_25),
        optional("elicitation", FREE).since(V2025_06_18).until(V2025_06_18),
        optional("elicitation", Shape::Object(&ELICITATION)).since(V2025_11_25),
        optional("tasks", Shape::Object(&CLIENT_TASKS)).only(V2025_11_25),
        optional("extensions", Shape::Map(&FREE)).since(V2026_07_28),
    ],
);

static ROOTS: Object =
    Object::new("ClientCapabilities.roots", LIFECYCLE, &[optional("listChanged", Shape::Boolean)]);

static SAMPLING: Object = Object::new(
    "ClientCapabilities.sampling",
    LIFECYCLE,
    &[optional("context", FREE), optional("tools", FREE)],
);

static ELICITATION: Object = Object::new(
    "ClientCapabilities.elicitation",
    LIFECYCLE,
    &[optional("form", FREE), optional("url", FREE)],
);

static CLIENT_TASKS: Object = Object::new(
    "ClientCapabilities.tasks",
    LIFECYCLE,
    &[
        optional("cancel", FREE),
        optional("list", FREE),
        optional("requests", Shape::Object(&CLIENT_TASK_REQUESTS)),
    ],
);

static CLIENT_TASK_REQUESTS: Object = Object::new(
    "ClientCapabilities.tasks.requests",
    LIFECYCLE,
    &[
        optional("elicitation", Shape::Object(&ELICITATION_TASKS)),
        optional("sampling", Shape::Object(&SAMPLING_TASKS)),
    ],
);

static ELICITATION_TASKS: Object = Object::new(
    "ClientCapabilities.tasks.requests.elicitation",
    LIFECYCLE,
    &[optional("create", FREE)],
);

static SAMPLING_TASKS: Object = Object::new(
    "ClientCapabilities.tasks.requests.sampling",
    LIFECYCLE,
    &[optional("createMessage", FREE)],
);

static SERVER_CAPABILITIES: Object = Object::new(
    "ServerCapabilities",
    LIFECYCLE,
    &[
        optional("experimental", Shape::Map(&FREE)),
        optional("logging", FREE),
        optional("completions", FREE).since(V2025_03_26),
        optional("prompts", Shape::Object(&LIST_CAPABILITY)),
        optional("resources", Shape::Object(&RESOURCES_CAPABILITY)),
        optional("tools", Shape::Object(&LIST_CAPABILITY)),
        optional("tasks", Shape::Object(&SERVER_TASKS)).only(V2025_11_25),
        optional("extensions", Shape::Map(&FREE)).since(V2026_07_28),
    ],
);

static LIST_CAPABILITY: Object =
    Object::new("ServerCapabilities.tools", LIFECYCLE, &[optional("listChanged", Shape::Boolean)]);

static RESOURCES_CAPABILITY: Object = Object::new(
    "ServerCapabilities.resources",
    LIFECYCLE,
    &[optional("listChanged", Shape::Boolean), optional("subscribe", Shape::Boolean)],
);

static SERVER_TASKS: Object = Object::new(
    "ServerCapabilities.tasks",
    LIFECYCLE,
    &[
        optional("cancel", FREE),
        optional("list", FREE),
        optional("requests", Shape::Object(&SERVER_TASK_REQUESTS)),
    ],
);

static SERVER_TASK_REQUESTS: Object = Object::new(
    "ServerCapabilities.tasks.requests",
    LIFECYCLE,
    &[optional("tools", Shape::Object(&TOOL_TASKS))],
);

static TOOL_TASKS: Object =
    Object::new("ServerCapabilities.tasks.requests.tools", LIFECYCLE, &[optional("call", FREE)]);
