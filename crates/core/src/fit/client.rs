//! What a client sends: the params of its requests and its answers to the server's.

use super::{Fit, tasks::may_ask_for_task};
use crate::{
    revision::{MetaRules, RequestMethod, Rules},
    types::{
        CallToolParams, ClientRequest, CompleteParams, GetPromptParams, GetSkillParams,
        InitializeParams, InputResponse, ListRootsResult, PaginatedParams, PromptReference,
        ReadDirectoryParams, ReadResourceParams, Reference, RequestMeta, RequestParams, Root,
        SetLevelParams, SubscribeParams, meta_key,
    },
};

impl Fit for ClientRequest<'_> {
    fn fit(&mut self, rules: &Rules) {
        match self {
            Self::CallTool(params) => params.fit(rules),
            Self::Complete(params) => params.fit(rules),
            Self::GetPrompt(params) => params.fit(rules),
            Self::Initialize(params) => params.fit(rules),
            Self::ListPrompts(params)
            | Self::ListResourceTemplates(params)
            | Self::ListResources(params)
            | Self::ListSkills(params)
            | Self::ListTasks(params)
            | Self::ListTools(params) => params.fit(rules),
            Self::GetSkill(params) => params.fit(rules),
            Self::ReadDirectory(params) => params.fit(rules),
            Self::ReadResource(params) => params.fit(rules),
            Self::SetLevel(params) => params.fit(rules),
            Self::Subscribe(params) | Self::Unsubscribe(params) => params.fit(rules),
            Self::CancelTask(_)
            | Self::Discover
            | Self::GetTask(_)
            | Self::Listen(_)
            | Self::Ping
            | Self::TaskResult(_)
            | Self::UpdateTask(_) => {}
        }
    }
}

impl Fit for InitializeParams<'_> {
    fn fit(&mut self, rules: &Rules) {
        self.capabilities.fit(rules);
        self.client_info.fit(rules);
        fit_meta(&mut self.meta, rules);
    }
}

impl Fit for CallToolParams<'_> {
    fn fit(&mut self, rules: &Rules) {
        if !may_ask_for_task(RequestMethod::ToolsCall, rules) {
            self.task = None;
        }
        if !rules.may_require_input.contains(RequestMethod::ToolsCall) {
            self.input_responses = None;
            self.request_state = None;
        }
        fit_meta(&mut self.meta, rules);
    }
}

impl Fit for GetPromptParams<'_> {
    fn fit(&mut self, rules: &Rules) {
        if !rules.may_require_input.contains(RequestMethod::PromptsGet) {
            self.input_responses = None;
            self.request_state = None;
        }
        fit_meta(&mut self.meta, rules);
    }
}

impl Fit for ReadResourceParams<'_> {
    fn fit(&mut self, rules: &Rules) {
        if !rules.may_require_input.contains(RequestMethod::ResourcesRead) {
            self.input_responses = None;
            self.request_state = None;
        }
        fit_meta(&mut self.meta, rules);
    }
}

impl Fit for CompleteParams<'_> {
    fn fit(&mut self, rules: &Rules) {
        if !rules.completion_context {
            self.context = None;
        }
        if let Reference::Prompt(PromptReference { title, .. }) = &mut self.reference
            && !rules.prompts.fields.title
        {
            *title = None;
        }
        fit_meta(&mut self.meta, rules);
    }
}

/// Params whose only member that differs is `_meta`.
macro_rules! only_meta {
    ($($params:ident),+) => {$(
        impl Fit for $params<'_> {
            fn fit(&mut self, rules: &Rules) {
                fit_meta(&mut self.meta, rules);
            }
        }
    )+};
}

only_meta!(
    GetSkillParams,
    PaginatedParams,
    ReadDirectoryParams,
    RequestParams,
    SetLevelParams,
    SubscribeParams
);

impl Fit for RequestMeta<'_> {
    /// Takes out what other revisions say here about the request itself. Keys of one's own are allowed in every revision and stay.
    fn fit(&mut self, rules: &Rules) {
        let unknown = |key| !is_request_key(&rules.meta, key);
        self.protocol_version.take_if(|_| unknown(meta_key::PROTOCOL_VERSION));
        self.client_info.take_if(|_| unknown(meta_key::CLIENT_INFO));
        self.client_capabilities.take_if(|_| unknown(meta_key::CLIENT_CAPABILITIES));
        self.log_level.take_if(|_| unknown(meta_key::LOG_LEVEL));
        self.related_task.take_if(|_| !rules.tasks.is_some_and(|tasks| tasks.related_metadata));
    }
}

impl Fit for InputResponse {
    fn fit(&mut self, rules: &Rules) {
        match self {
            Self::CreateMessage(result) => result.fit(rules),
            Self::Elicit(result) => result.fit(rules),
            Self::ListRoots(result) => result.fit(rules),
        }
    }
}

impl Fit for ListRootsResult {
    fn fit(&mut self, rules: &Rules) {
        super::fit_all(&mut self.roots, rules);
        // As an answer inside a request it is no result of its own, and has no `_meta`.
        if rules.input_requests.contains(RequestMethod::RootsList) {
            self.meta = None;
        }
    }
}

impl Fit for Root {
    fn fit(&mut self, rules: &Rules) {
        if !rules.meta.on_objects {
            self.meta = None;
        }
    }
}

fn fit_meta(meta: &mut Option<Box<RequestMeta<'_>>>, rules: &Rules) {
    if let Some(meta) = meta {
        meta.fit(rules);
    }
}

fn is_request_key(rules: &MetaRules, key: &str) -> bool {
    [rules.required, rules.recommended, rules.optional].iter().any(|keys| keys.contains(&key))
}
