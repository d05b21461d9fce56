//! Two kinds of tasks that share their names.

use std::fmt::Debug;

use super::row;
use crate::revision::{
    RequestMethod, Requests, TaskCancel, TaskCarrier, TaskEnvelope, TaskInput, TaskOptIn,
    TaskRules, TaskStyle,
};

#[test]
fn tasks_are_an_experiment_and_then_an_extension() {
    tasks(|tasks| tasks.style, TaskStyle::Experimental, TaskStyle::Extension);
}

#[test]
fn only_the_experiment_has_clients_run_tasks() {
    tasks(|tasks| tasks.client_tasks, true, false);
}

#[test]
fn the_extension_leaves_the_choice_to_the_server() {
    tasks(|tasks| tasks.opt_in, TaskOptIn::Parameter, TaskOptIn::Server);
    tasks(
        |tasks| tasks.augmentable,
        Requests::of(&[
            RequestMethod::ToolsCall,
            RequestMethod::SamplingCreateMessage,
            RequestMethod::ElicitationCreate,
        ]),
        Requests::of(&[RequestMethod::ToolsCall]),
    );
}

#[test]
fn a_task_is_written_differently_in_each() {
    tasks(|tasks| tasks.created, TaskEnvelope::Wrapped, TaskEnvelope::Flat);
    tasks(|tasks| tasks.ttl_field, "ttl", "ttlMs");
    tasks(|tasks| tasks.poll_interval_field, "pollInterval", "pollIntervalMs");
}

#[test]
fn a_task_is_driven_differently_in_each() {
    tasks(|tasks| tasks.carrier, TaskCarrier::Result, TaskCarrier::Get);
    tasks(|tasks| tasks.input, TaskInput::SideChannel, TaskInput::Update);
    tasks(|tasks| tasks.cancel, TaskCancel::Returned, TaskCancel::Acknowledged);
    tasks(|tasks| tasks.progress, true, false);
    tasks(|tasks| tasks.related_metadata, true, false);
}

#[test]
fn a_tool_error_completes_the_task_of_the_extension() {
    tasks(|tasks| tasks.tool_error_fails, true, false);
}

#[test]
fn the_extension_refuses_those_who_did_not_declare_it() {
    tasks(|tasks| tasks.capability_enforced, false, true);
}

/// Asks the two revisions that have tasks, and makes sure that the others have none.
#[track_caller]
fn tasks<T: PartialEq + Debug>(ask: impl Fn(TaskRules) -> T, experiment: T, extension: T) {
    row(|rules| rules.tasks.map(&ask), [None, None, None, Some(experiment), Some(extension)]);
}
