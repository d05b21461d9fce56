//! Two kinds of tasks that share their names.

use std::fmt::Debug;

use super::history;
use crate::revision::{
    RequestMethod, Requests,
    Revision::{V2025_11_25, V2026_07_28},
    TaskCancel, TaskCarrier, TaskEnvelope, TaskInput, TaskOptIn, TaskRules, TaskStyle,
};

#[test]
fn tasks_are_an_experiment_and_then_an_extension() {
    tasks(|tasks| tasks.style, TaskStyle::Experimental, TaskStyle::Extension);
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
}

#[test]
fn a_task_is_driven_differently_in_each() {
    tasks(|tasks| tasks.carrier, TaskCarrier::Result, TaskCarrier::Get);
    tasks(|tasks| tasks.input, TaskInput::SideChannel, TaskInput::Update);
    tasks(|tasks| tasks.cancel, TaskCancel::Returned, TaskCancel::Acknowledged);
    tasks(|tasks| tasks.related_metadata, true, false);
}

#[test]
fn the_extension_refuses_clients_that_did_not_declare_it() {
    tasks(|tasks| tasks.capability_enforced, false, true);
}

/// Asks where tasks are an experiment and where they are an extension, and makes sure that there are none before.
#[track_caller]
fn tasks<T: PartialEq + Debug + Clone>(ask: impl Fn(TaskRules) -> T, experiment: T, extension: T) {
    history(
        |rules| rules.tasks.map(&ask),
        None,
        [(V2025_11_25, Some(experiment)), (V2026_07_28, Some(extension))],
    );
}
