//! What each side declares and who it says it is.

use super::Fit;
use crate::{
    revision::{ClientCapability as C, Rules, ServerCapability as S},
    types::{
        ClientCapabilities, ElicitationCapability, Implementation, ServerCapabilities,
        TasksCapability,
    },
};

impl Fit for Implementation {
    fn fit(&mut self, rules: &Rules) {
        let known = rules.implementation;
        if !known.title {
            self.title = None;
        }
        if !known.icons {
            self.icons = None;
        }
        if !known.description {
            self.description = None;
        }
        if !known.website_url {
            self.website_url = None;
        }
    }
}

impl Fit for ServerCapabilities {
    fn fit(&mut self, rules: &Rules) {
        let unknown = |capability| !rules.server_capabilities.contains(capability);
        self.experimental.take_if(|_| unknown(S::Experimental));
        self.logging.take_if(|_| unknown(S::Logging));
        self.completions.take_if(|_| unknown(S::Completions));
        self.extensions.take_if(|_| unknown(S::Extensions));
        self.prompts.take_if(|_| unknown(S::Prompts));
        if let Some(prompts) = &mut self.prompts {
            prompts.list_changed.take_if(|_| unknown(S::PromptsListChanged));
        }
        self.resources.take_if(|_| unknown(S::Resources));
        if let Some(resources) = &mut self.resources {
            resources.list_changed.take_if(|_| unknown(S::ResourcesListChanged));
            resources.subscribe.take_if(|_| unknown(S::ResourcesSubscribe));
        }
        self.tools.take_if(|_| unknown(S::Tools));
        if let Some(tools) = &mut self.tools {
            tools.list_changed.take_if(|_| unknown(S::ToolsListChanged));
        }
        self.tasks.take_if(|_| unknown(S::Tasks));
        if let Some(TasksCapability { list, cancel, requests }) = &mut self.tasks {
            list.take_if(|_| unknown(S::TasksList));
            cancel.take_if(|_| unknown(S::TasksCancel));
            if let Some(requests) = requests {
                requests.tools.take_if(|_| unknown(S::TasksToolsCall));
                // These are asked of clients.
                requests.sampling = None;
                requests.elicitation = None;
            }
        }
    }
}

impl Fit for ClientCapabilities {
    fn fit(&mut self, rules: &Rules) {
        let unknown = |capability| !rules.client_capabilities.contains(capability);
        self.experimental.take_if(|_| unknown(C::Experimental));
        self.extensions.take_if(|_| unknown(C::Extensions));
        self.roots.take_if(|_| unknown(C::Roots));
        if let Some(roots) = &mut self.roots {
            roots.list_changed.take_if(|_| unknown(C::RootsListChanged));
        }
        self.sampling.take_if(|_| unknown(C::Sampling));
        if let Some(sampling) = &mut self.sampling {
            sampling.context.take_if(|_| unknown(C::SamplingContext));
            sampling.tools.take_if(|_| unknown(C::SamplingTools));
        }
        self.elicitation.take_if(|declared| {
            // Without modes the capability means forms, so a client that cannot show them has nothing to declare.
            unknown(C::Elicitation) || unknown(C::ElicitationForm) && !declared.allows_form()
        });
        if let Some(ElicitationCapability { form, url }) = &mut self.elicitation {
            form.take_if(|_| unknown(C::ElicitationForm));
            url.take_if(|_| unknown(C::ElicitationUrl));
        }
        self.tasks.take_if(|_| unknown(C::Tasks));
        if let Some(TasksCapability { list, cancel, requests }) = &mut self.tasks {
            list.take_if(|_| unknown(C::TasksList));
            cancel.take_if(|_| unknown(C::TasksCancel));
            if let Some(requests) = requests {
                requests.sampling.take_if(|_| unknown(C::TasksSamplingCreateMessage));
                requests.elicitation.take_if(|_| unknown(C::TasksElicitationCreate));
                // This is asked of servers.
                requests.tools = None;
            }
        }
    }
}
