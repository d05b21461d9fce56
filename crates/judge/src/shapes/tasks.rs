//! Tasks of the experiment.

use super::base::{META, NEXT_CURSOR, PAGE_PARAMS};
use super::blame::{BASE, REQUESTS, TASKS};
use super::table::{DATE_TIME, INTEGER, Member, Object, Shape, TEXT, optional, required};
use proofmark_core::revision::Revision::V2025_11_25;

/// In the params of what may become a task.
pub(super) const TASK_PARAM: Member =
    optional("task", Shape::Object(&METADATA)).only(V2025_11_25).blame(&[TASKS]);

static METADATA: Object = Object::new("TaskMetadata", TASKS, &[optional("ttl", INTEGER)]);

const TASK: [Member; 7] = [
    required("taskId", TEXT).blame(&["M238"]).missing(&["M529"]),
    required("status", STATUS).blame(&["M242"]).missing(&["M529"]),
    optional("statusMessage", TEXT),
    required("createdAt", DATE_TIME).blame(&["M245"]).missing(&["M529"]),
    required("lastUpdatedAt", DATE_TIME).blame(&["M246"]).missing(&["M529"]),
    required("ttl", Shape::Either(&[INTEGER, Shape::Null])).blame(&["M247"]).missing(&["M529"]),
    optional("pollInterval", INTEGER),
];

const STATUS: Shape =
    Shape::OneOf(&["cancelled", "completed", "failed", "input_required", "working"]);

static A_TASK: Object = Object::new("Task", TASKS, &[]).with(&[&TASK]);

/// What answers a request that became a task.
pub(super) static CREATE_RESULT: Object = Object::new(
    "CreateTaskResult",
    TASKS,
    &[META, required("task", Shape::Object(&A_TASK)).blame(&["M248"])],
)
.since(V2025_11_25)
.until(V2025_11_25);

pub(super) static GET_REQUEST: Object = Object::new(
    "GetTaskRequest",
    REQUESTS,
    &[required("params", Shape::Object(&ID_PARAMS)).blame(&[BASE]).missing(&[TASKS])],
);

pub(super) static RESULT_REQUEST: Object = Object::new(
    "GetTaskPayloadRequest",
    REQUESTS,
    &[required("params", Shape::Object(&ID_PARAMS)).blame(&[BASE]).missing(&[TASKS])],
);

pub(super) static CANCEL_REQUEST: Object = Object::new(
    "CancelTaskRequest",
    REQUESTS,
    &[required("params", Shape::Object(&ID_PARAMS)).blame(&[BASE]).missing(&[TASKS])],
);

static ID_PARAMS: Object =
    Object::new("GetTaskRequest.params", TASKS, &[required("taskId", TEXT).blame(&["M238"])]);

pub(super) static LIST_REQUEST: Object = Object::new(
    "ListTasksRequest",
    REQUESTS,
    &[optional("params", Shape::Object(&PAGE_PARAMS)).blame(&[BASE])],
);

pub(super) static GET_RESULT: Object = Object::new("GetTaskResult", TASKS, &[META]).with(&[&TASK]);

pub(super) static CANCEL_RESULT: Object =
    Object::new("CancelTaskResult", TASKS, &[META]).with(&[&TASK]);

pub(super) static PAYLOAD_RESULT: Object = Object::new("GetTaskPayloadResult", TASKS, &[META]);

pub(super) static LIST_RESULT: Object = Object::new(
    "ListTasksResult",
    TASKS,
    &[META, required("tasks", Shape::List(&Shape::Object(&A_TASK))), NEXT_CURSOR],
);

pub(super) static STATUS_NOTIFICATION: Object = Object::new(
    "TaskStatusNotification",
    TASKS,
    &[required("params", Shape::Object(&STATUS_PARAMS)).blame(&[BASE]).missing(&[TASKS])],
);

static STATUS_PARAMS: Object =
    Object::new("TaskStatusNotificationParams", TASKS, &[META]).with(&[&TASK]);
