//! Tasks of both kinds, and the wish that a request become one.

use super::Fit;
use crate::{
    revision::{RequestMethod, Rules, TaskOptIn},
    types::{CreateTaskResult, DetailedTask, ListTasksResult, Task, TaskState},
};

/// Whether a request may carry the parameter `task`.
pub(super) fn may_ask_for_task(method: RequestMethod, rules: &Rules) -> bool {
    rules.tasks.is_some_and(|tasks| {
        tasks.opt_in == TaskOptIn::Parameter && tasks.augmentable.contains(method)
    })
}

impl Fit for Task {
    fn fit(&mut self, _rules: &Rules) {
        self.result_type = None;
    }
}

impl Fit for CreateTaskResult {
    fn fit(&mut self, _rules: &Rules) {
        self.result_type = None;
        inner(&mut self.task);
    }
}

impl Fit for ListTasksResult {
    fn fit(&mut self, _rules: &Rules) {
        self.result_type = None;
        self.tasks.iter_mut().for_each(inner);
    }
}

impl Fit for DetailedTask {
    fn fit(&mut self, rules: &Rules) {
        if let TaskState::InputRequired(requests) = &mut self.state {
            for request in requests.values_mut() {
                request.fit(rules);
            }
        }
    }
}

/// A task inside a result has only what describes it.
fn inner(task: &mut Task) {
    task.meta = None;
    task.result_type = None;
}
