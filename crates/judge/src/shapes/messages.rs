//! Every message, the side that sends it, and what answers it.

use super::base::RESULT;
use super::table::{
    Condition::{Has, Is, Lacks},
    Message, Object,
    Sender::{self, Both, Client, Server},
    Shape, Span, Union, when,
};
use super::{
    completion, elicitation, lifecycle, logging, modern, prompts, resources, roots, sampling,
    tasks, tools, utilities,
};
use crate::requirement::{between, only, since};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_06_18, V2025_11_25, V2026_07_28};

pub static MESSAGES: &[Message] = &[
    request(
        "initialize",
        Client,
        LEGACY,
        &lifecycle::INITIALIZE_REQUEST,
        Shape::Object(&lifecycle::INITIALIZE_RESULT),
    ),
    request(
        "server/discover",
        Client,
        MODERN,
        &lifecycle::DISCOVER_REQUEST,
        Shape::Object(&lifecycle::DISCOVER_RESULT),
    ),
    request("ping", Both, LEGACY, &utilities::PING_REQUEST, NOTHING),
    request("tools/list", Client, ALWAYS, &tools::LIST_REQUEST, Shape::Object(&tools::LIST_RESULT)),
    request("tools/call", Client, ALWAYS, &tools::CALL_REQUEST, Shape::Union(&CALLED)),
    request(
        "resources/list",
        Client,
        ALWAYS,
        &resources::LIST_REQUEST,
        Shape::Object(&resources::LIST_RESULT),
    ),
    request(
        "resources/templates/list",
        Client,
        ALWAYS,
        &resources::LIST_TEMPLATES_REQUEST,
        Shape::Object(&resources::LIST_TEMPLATES_RESULT),
    ),
    request("resources/read", Client, ALWAYS, &resources::READ_REQUEST, Shape::Union(&READ)),
    request("resources/subscribe", Client, LEGACY, &resources::SUBSCRIBE_REQUEST, NOTHING),
    request("resources/unsubscribe", Client, LEGACY, &resources::UNSUBSCRIBE_REQUEST, NOTHING),
    request(
        "prompts/list",
        Client,
        ALWAYS,
        &prompts::LIST_REQUEST,
        Shape::Object(&prompts::LIST_RESULT),
    ),
    request("prompts/get", Client, ALWAYS, &prompts::GET_REQUEST, Shape::Union(&PROMPTED)),
    request(
        "completion/complete",
        Client,
        ALWAYS,
        &completion::REQUEST,
        Shape::Object(&completion::RESULT),
    ),
    request("logging/setLevel", Client, LEGACY, &logging::SET_LEVEL_REQUEST, NOTHING),
    request("sampling/createMessage", Server, LEGACY, &sampling::REQUEST, Shape::Union(&SAMPLED)),
    request(
        "elicitation/create",
        Server,
        between(V2025_06_18, V2025_11_25),
        &elicitation::REQUEST,
        Shape::Union(&ELICITED),
    ),
    request("roots/list", Server, LEGACY, &roots::LIST_REQUEST, Shape::Object(&roots::LIST_RESULT)),
    request("tasks/get", Both, EXPERIMENT, &tasks::GET_REQUEST, Shape::Object(&tasks::GET_RESULT)),
    request(
        "tasks/result",
        Both,
        EXPERIMENT,
        &tasks::RESULT_REQUEST,
        Shape::Object(&tasks::PAYLOAD_RESULT),
    ),
    request(
        "tasks/cancel",
        Both,
        EXPERIMENT,
        &tasks::CANCEL_REQUEST,
        Shape::Object(&tasks::CANCEL_RESULT),
    ),
    request(
        "tasks/list",
        Both,
        EXPERIMENT,
        &tasks::LIST_REQUEST,
        Shape::Object(&tasks::LIST_RESULT),
    ),
    request(
        "subscriptions/listen",
        Client,
        MODERN,
        &modern::LISTEN_REQUEST,
        Shape::Object(&modern::LISTEN_RESULT),
    ),
    notification("notifications/initialized", Client, LEGACY, &utilities::INITIALIZED_NOTIFICATION),
    notification(
        "notifications/roots/list_changed",
        Client,
        LEGACY,
        &utilities::ROOTS_CHANGED_NOTIFICATION,
    ),
    notification("notifications/cancelled", Both, ALWAYS, &utilities::CANCELLED_NOTIFICATION),
    notification("notifications/progress", Server, ALWAYS, &utilities::PROGRESS_NOTIFICATION),
    notification("notifications/progress", Client, LEGACY, &utilities::PROGRESS_NOTIFICATION),
    notification("notifications/message", Server, ALWAYS, &logging::MESSAGE_NOTIFICATION),
    notification(
        "notifications/tools/list_changed",
        Server,
        ALWAYS,
        &utilities::TOOLS_CHANGED_NOTIFICATION,
    ),
    notification(
        "notifications/prompts/list_changed",
        Server,
        ALWAYS,
        &utilities::PROMPTS_CHANGED_NOTIFICATION,
    ),
    notification(
        "notifications/resources/list_changed",
        Server,
        ALWAYS,
        &utilities::RESOURCES_CHANGED_NOTIFICATION,
    ),
    notification(
        "notifications/resources/updated",
        Server,
        ALWAYS,
        &resources::UPDATED_NOTIFICATION,
    ),
    notification(
        "notifications/elicitation/complete",
        Server,
        EXPERIMENT,
        &elicitation::COMPLETE_NOTIFICATION,
    ),
    notification("notifications/tasks/status", Both, EXPERIMENT, &tasks::STATUS_NOTIFICATION),
    notification(
        "notifications/subscriptions/acknowledged",
        Server,
        MODERN,
        &modern::ACKNOWLEDGED_NOTIFICATION,
    ),
];

const ALWAYS: Span = since(V2024_11_05);
const LEGACY: Span = between(V2024_11_05, V2025_11_25);
const MODERN: Span = since(V2026_07_28);
/// Of the revision that tried tasks, and completions of elicitations.
const EXPERIMENT: Span = only(V2025_11_25);

const NOTHING: Shape = Shape::Object(&RESULT);

static CALLED: Union = Union {
    tag: None,
    variants: &[
        when(&[Is("/resultType", &["input_required"])], &modern::INPUT_REQUIRED_RESULT),
        when(&[Has("/task"), Lacks("/content")], &tasks::CREATE_RESULT),
        when(&[], &tools::CALL_RESULT),
    ],
};

static READ: Union = Union {
    tag: None,
    variants: &[
        when(&[Is("/resultType", &["input_required"])], &modern::INPUT_REQUIRED_RESULT),
        when(&[], &resources::READ_RESULT),
    ],
};

static PROMPTED: Union = Union {
    tag: None,
    variants: &[
        when(&[Is("/resultType", &["input_required"])], &modern::INPUT_REQUIRED_RESULT),
        when(&[], &prompts::GET_RESULT),
    ],
};

static SAMPLED: Union = Union {
    tag: None,
    variants: &[
        when(&[Has("/task"), Lacks("/role")], &tasks::CREATE_RESULT),
        when(&[], &sampling::RESULT),
    ],
};

static ELICITED: Union = Union {
    tag: None,
    variants: &[
        when(&[Has("/task"), Lacks("/action")], &tasks::CREATE_RESULT),
        when(&[], &elicitation::RESULT),
    ],
};

const fn request(
    method: &'static str,
    sender: Sender,
    span: Span,
    object: &'static Object,
    result: Shape,
) -> Message {
    Message { method, sender, span, object, result: Some(result) }
}

const fn notification(
    method: &'static str,
    sender: Sender,
    span: Span,
    object: &'static Object,
) -> Message {
    Message { method, sender, span, object, result: None }
}
