//! What every message has: envelopes, `_meta`, pages of lists, results and errors.

use super::blame::{BASE, LIFECYCLE, REQUESTS};
use super::elicitation::URL_PARAMS;
use super::lifecycle::{CLIENT_CAPABILITIES, IMPLEMENTATION};
use super::logging::LEVEL;
use super::table::{
    Condition::IsNumber, FREE, INTEGER, Member, Object, Shape, TEXT, TEXTS, Union, optional,
    required, when,
};
use proofmark_core::revision::Revision::{V2025_11_25, V2026_07_28};

/// Ids of requests, and tokens of progress.
pub(super) const ID: Shape = Shape::Either(&[TEXT, INTEGER]);

pub(super) const ROLE: Shape = Shape::OneOf(&["assistant", "user"]);

pub(super) static REQUEST: Object = Object::new(
    "JSONRPCRequest",
    BASE,
    &[VERSION, required("id", ID).blame(&["M002"]), required("method", TEXT).blame(&["M005"])],
);

pub(super) static NOTIFICATION: Object =
    Object::new("JSONRPCNotification", BASE, &[VERSION, required("method", TEXT).blame(&["M010"])]);

pub(super) static RESPONSE: Object = Object::new(
    "JSONRPCResponse",
    BASE,
    &[VERSION, required("id", ID).blame(&["M006"]), required("result", FREE).missing(&["M094"])],
);

pub(super) static ERROR_RESPONSE: Object = Object::new(
    "JSONRPCError",
    BASE,
    &[
        VERSION,
        // What cannot be read has no id that could be repeated: then JSON-RPC has null, and the newer schemas have none.
        optional("id", Shape::Either(&[TEXT, INTEGER, Shape::Null])).blame(&["M006"]),
        required("error", Shape::Union(&ERRORS)).blame(&["M008"]),
    ],
);

const VERSION: Member = required("jsonrpc", Shape::Exactly("2.0")).blame(&["M001"]);

pub(super) static ERRORS: Union = Union {
    tag: None,
    variants: &[
        when(&[IsNumber("/code", -32042)], &URL_REQUIRED_ERROR),
        when(&[IsNumber("/code", -32021)], &MISSING_CAPABILITY_ERROR),
        when(&[IsNumber("/code", -32022)], &VERSION_ERROR),
        when(&[], &ERROR),
    ],
};

pub(super) static ERROR: Object =
    Object::new("Error", BASE, &[optional("data", Shape::Any)]).with(&[&CODE_AND_MESSAGE]);

const CODE_AND_MESSAGE: [Member; 2] = [
    required("code", INTEGER).blame(&["M092"]).missing(&["M008"]),
    required("message", TEXT).blame(&["M008"]),
];

pub(super) static URL_REQUIRED_ERROR: Object = Object::new(
    "URLElicitationRequiredError",
    BASE,
    &[required("data", Shape::Object(&URL_REQUIRED_DATA)).blame(&["M422"])],
)
.with(&[&CODE_AND_MESSAGE])
.since(V2025_11_25)
.until(V2025_11_25);

static URL_REQUIRED_DATA: Object = Object::new(
    "URLElicitationRequiredError.data",
    BASE,
    &[required("elicitations", Shape::List(&Shape::Object(&URL_PARAMS))).blame(&["M422"])],
);

pub(super) static MISSING_CAPABILITY_ERROR: Object = Object::new(
    "MissingRequiredClientCapabilityError",
    BASE,
    &[required("data", Shape::Object(&MISSING_CAPABILITY_DATA)).blame(&["M128"])],
)
.with(&[&CODE_AND_MESSAGE])
.since(V2026_07_28);

static MISSING_CAPABILITY_DATA: Object = Object::new(
    "MissingRequiredClientCapabilityError.data",
    BASE,
    &[required("requiredCapabilities", Shape::Object(&CLIENT_CAPABILITIES)).blame(&["M128"])],
);

pub(super) static VERSION_ERROR: Object = Object::new(
    "UnsupportedProtocolVersionError",
    BASE,
    &[required("data", Shape::Object(&VERSION_DATA)).blame(&["M147"])],
)
.with(&[&CODE_AND_MESSAGE])
.since(V2026_07_28);

static VERSION_DATA: Object = Object::new(
    "UnsupportedProtocolVersionError.data",
    BASE,
    &[required("requested", TEXT).blame(&["M147"]), required("supported", TEXTS).blame(&["M147"])],
);

/// `_meta` of requests.
pub(super) const REQUEST_META: [Member; 2] = [
    optional("_meta", Shape::Object(&LEGACY_REQUEST_META)).until(V2025_11_25).blame(&[BASE]),
    required("_meta", Shape::Object(&MODERN_REQUEST_META))
        .since(V2026_07_28)
        .blame(&[BASE])
        .missing(&["M124"]),
];

static LEGACY_REQUEST_META: Object =
    Object::new("RequestParams._meta", BASE, &[optional("progressToken", ID).blame(&["M226"])]);

static MODERN_REQUEST_META: Object = Object::new(
    "RequestMetaObject",
    LIFECYCLE,
    &[
        optional("progressToken", ID).blame(&["M226"]),
        required("io.modelcontextprotocol/protocolVersion", TEXT).missing(&["M124"]),
        required("io.modelcontextprotocol/clientCapabilities", Shape::Object(&CLIENT_CAPABILITIES))
            .missing(&["M124"]),
        optional("io.modelcontextprotocol/clientInfo", Shape::Object(&IMPLEMENTATION)),
        optional("io.modelcontextprotocol/logLevel", LEVEL),
    ],
);

/// `_meta` of what is no message of its own.
pub(super) const META: Member = optional("_meta", FREE).blame(&[BASE]);

pub(super) const NOTIFICATION_META: [Member; 2] = [
    META.until(V2025_11_25),
    optional("_meta", Shape::Object(&NOTIFICATION_META_OBJECT)).blame(&[BASE]).since(V2026_07_28),
];

static NOTIFICATION_META_OBJECT: Object = Object::new(
    "NotificationMetaObject",
    BASE,
    &[optional("io.modelcontextprotocol/subscriptionId", ID).blame(&["M287"])],
);

/// What every result has.
pub(super) const RESULT_MEMBERS: [Member; 3] = [
    META.until(V2025_11_25),
    optional("_meta", Shape::Object(&RESULT_META)).blame(&[BASE]).since(V2026_07_28),
    RESULT_TYPE,
];

pub(super) const RESULT_TYPE: Member =
    required("resultType", TEXT).since(V2026_07_28).blame(&["M096"]);

static RESULT_META: Object = Object::new(
    "ResultMetaObject",
    LIFECYCLE,
    &[optional("io.modelcontextprotocol/serverInfo", Shape::Object(&IMPLEMENTATION))],
);

/// A result of which nothing more is known.
pub(super) static RESULT: Object = Object::new("Result", BASE, &[]).with(&[&RESULT_MEMBERS]);

pub(super) const NEXT_CURSOR: Member = optional("nextCursor", TEXT).blame(&[BASE]);

/// How long a result may be kept, and for whom; and the requirement that says that this is there.
pub(super) const fn caching(missing: &'static [&'static str]) -> [Member; 2] {
    [
        required("ttlMs", Shape::Integer(Some(0)))
            .since(V2026_07_28)
            .blame(&["M505"])
            .missing(missing),
        required("cacheScope", Shape::OneOf(&["private", "public"]))
            .since(V2026_07_28)
            .blame(&["M506"])
            .missing(missing),
    ]
}

/// The params of a request that needs none.
pub(super) static REQUEST_PARAMS: Object =
    Object::new("RequestParams", REQUESTS, &[]).with(&[&REQUEST_META]);

/// The params of a notification that needs none.
pub(super) static NOTIFICATION_PARAMS: Object =
    Object::new("NotificationParams", BASE, &[]).with(&[&NOTIFICATION_META]);

/// The params of a request for a page of a list.
pub(super) static PAGE_PARAMS: Object =
    Object::new("PaginatedRequestParams", REQUESTS, &[optional("cursor", TEXT)])
        .with(&[&REQUEST_META]);
