//! Fits what is sent to the revision of the peer that reads it.
//!
//! Types are supersets of all revisions. Before anything is written, what the reader's revision does not know is taken out here, or put in
//! a form that it does know. This is the only place that does so.
//!
//! What is fitted are the members of a message. Whether the message may be sent at all, because its method exists and its reader declared
//! what it needs, is for the session to decide. JSON that is encoded already, such as the result inside a finished task, is not looked into.

mod capabilities;
mod client;
mod content;
mod elicitation;
mod listed;
mod sampling;
mod tasks;
mod tools;

use crate::{
    revision::{RequestMethod, Rules},
    types::{
        CacheScope, CompleteResult, Completion, GetPromptResult, InputRequest, InputRequests,
        InputRequiredResult, ProgressParams, ReadResourceResult, ResultBody, ServerNotification,
        ServerRequest, ServerResult,
    },
};

/// Takes out, or says in another way, what a revision does not know.
///
/// Fitting twice to the same revision is the same as fitting once.
pub trait Fit {
    fn fit(&mut self, rules: &Rules);
}

impl Fit for ServerResult {
    /// Adds the cache hints that a revision requires where there are none; `resultType` is only ever taken out.
    fn fit(&mut self, rules: &Rules) {
        match self {
            Self::CallTool(result) => result.fit(rules),
            Self::Complete(result) => result.fit(rules),
            Self::CreateTask(result) => result.fit(rules),
            Self::DetailedTask(result) => result.fit(rules),
            Self::Discover(result) => {
                result.capabilities.fit(rules);
                cache_hints(result.as_mut(), RequestMethod::ServerDiscover, rules);
            }
            Self::GetPrompt(result) => result.fit(rules),
            Self::Initialize(result) => {
                result.capabilities.fit(rules);
                result.server_info.fit(rules);
            }
            Self::InputRequired(result) => result.fit(rules),
            Self::ListPrompts(result) => {
                fit_all(&mut result.prompts, rules);
                cache_hints(result, RequestMethod::PromptsList, rules);
            }
            Self::ListResourceTemplates(result) => {
                fit_all(&mut result.resource_templates, rules);
                cache_hints(result, RequestMethod::ResourcesTemplatesList, rules);
            }
            Self::ListResources(result) => {
                fit_all(&mut result.resources, rules);
                cache_hints(result, RequestMethod::ResourcesList, rules);
            }
            Self::GetSkill(result) => cache_hints(result.as_mut(), RequestMethod::SkillsGet, rules),
            Self::ListSkills(result) => cache_hints(result, RequestMethod::SkillsList, rules),
            Self::ReadDirectory(result) => fit_all(&mut result.resources, rules),
            Self::ListTasks(result) => result.fit(rules),
            Self::ListTools(result) => {
                fit_all(&mut result.tools, rules);
                cache_hints(result, RequestMethod::ToolsList, rules);
            }
            Self::ReadResource(result) => result.fit(rules),
            Self::Task(result) => result.fit(rules),
            Self::Empty(_) | Self::ExtensionTask(_) | Self::Listen(_) | Self::Ready(_) => {}
        }
        if !rules.result.result_type
            && let Some(body) = self.body_mut()
        {
            *body.result_type_mut() = None;
        }
    }
}

impl Fit for ServerRequest {
    fn fit(&mut self, rules: &Rules) {
        match self {
            Self::CreateMessage(params) => params.fit(rules),
            Self::Elicit(params) => params.fit(rules),
            Self::CancelTask(_)
            | Self::GetTask(_)
            | Self::ListRoots(_)
            | Self::ListTasks(_)
            | Self::Ping
            | Self::TaskResult(_) => {}
        }
    }
}

impl Fit for ServerNotification {
    fn fit(&mut self, rules: &Rules) {
        match self {
            Self::Progress(params) => params.fit(rules),
            Self::TaskStatus(task) => task.fit(rules),
            Self::Tasks(task) => {
                task.fit(rules);
                task.result_type = None;
            }
            Self::Acknowledged(_)
            | Self::Cancelled(_)
            | Self::ElicitationComplete(_)
            | Self::Message(_)
            | Self::PromptsListChanged(_)
            | Self::ResourceUpdated(_)
            | Self::ResourcesListChanged(_)
            | Self::ToolsListChanged(_) => {}
        }
    }
}

impl Fit for ProgressParams<'_> {
    fn fit(&mut self, rules: &Rules) {
        if !rules.progress_message {
            self.message = None;
        }
    }
}

impl Fit for InputRequiredResult {
    fn fit(&mut self, rules: &Rules) {
        for request in self.input_requests.iter_mut().flat_map(InputRequests::values_mut) {
            request.fit(rules);
        }
    }
}

impl Fit for InputRequest {
    fn fit(&mut self, rules: &Rules) {
        match self {
            Self::CreateMessage(params) => params.fit(rules),
            Self::Elicit(params) => params.fit(rules),
            Self::ListRoots(_) => {}
        }
    }
}

impl Fit for GetPromptResult {
    fn fit(&mut self, rules: &Rules) {
        for message in &mut self.messages {
            content::fit(&mut message.content, rules.prompts.content, rules);
        }
    }
}

impl Fit for ReadResourceResult {
    fn fit(&mut self, rules: &Rules) {
        fit_all(&mut self.contents, rules);
        cache_hints(self, RequestMethod::ResourcesRead, rules);
    }
}

impl Fit for CompleteResult {
    /// The limit on values is in the text of every revision.
    fn fit(&mut self, _rules: &Rules) {
        let completion = &mut self.completion;
        if completion.values.len() > Completion::MAX_VALUES {
            completion.values.truncate(Completion::MAX_VALUES);
            completion.has_more = Some(true);
        }
    }
}

fn fit_all<T: Fit>(all: &mut [T], rules: &Rules) {
    for one in all {
        one.fit(rules);
    }
}

/// Cache hints are required or unknown, never optional. The default is the one that can do no harm: not to keep it.
fn cache_hints(result: &mut impl ResultBody, method: RequestMethod, rules: &Rules) {
    let Some(hints) = result.cache_mut() else { return };
    if rules.result.cache_hints.contains(method) {
        hints.ttl_ms.get_or_insert(0);
        hints.cache_scope.get_or_insert(CacheScope::Private);
    } else {
        *hints.ttl_ms = None;
        *hints.cache_scope = None;
    }
}

#[cfg(test)]
mod tests;
