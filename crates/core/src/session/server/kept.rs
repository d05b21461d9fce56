//! What is kept of a client for as long as its session lives.

use super::{Client, Refusal};
use crate::{
    json::Raw,
    types::{
        ClientCapabilities, ElicitationCapability, Implementation, InitializeParams, JsonObject,
        SamplingCapability, TASKS_EXTENSION, TaskElicitationCapability, TaskRequestsCapability,
        TaskSamplingCapability, TasksCapability,
    },
};

impl Client {
    /// All that a client says of itself, if that costs at most `limit` bytes; otherwise only what a server goes by: its name and what it
    /// declares, without the settings of its capabilities and without icons.
    pub(super) fn of(params: &InitializeParams<'_>, limit: usize) -> Result<Self, Refusal> {
        let InitializeParams { client_info: info, capabilities, .. } = params;
        let least = cost_of_texts(info);
        if least > limit {
            return Err(Refusal::ClientTooLarge { limit });
        }
        if least + cost_of_icons(info) + cost_of_settings(capabilities) <= limit {
            return Ok(Self { info: info.clone(), capabilities: capabilities.clone() });
        }
        let Implementation { name, title, version, description, website_url, icons: _ } = info;
        let info = Implementation {
            name: name.clone(),
            title: title.clone(),
            version: version.clone(),
            description: description.clone(),
            website_url: website_url.clone(),
            icons: None,
        };
        Ok(Self { info, capabilities: without_settings(capabilities) })
    }
}

fn cost_of_texts(info: &Implementation) -> usize {
    let Implementation { name, title, version, description, website_url, icons: _ } = info;
    let optional = [title, description, website_url].into_iter().flatten();
    name.len() + version.len() + optional.map(String::len).sum::<usize>()
}

fn cost_of_icons(info: &Implementation) -> usize {
    let icons = info.icons.iter().flatten().map(|icon| {
        let sizes = icon.sizes.iter().flatten().map(|size| ENTRY_COST + size.len()).sum::<usize>();
        ENTRY_COST + icon.src.len() + icon.mime_type.as_ref().map_or(0, String::len) + sizes
    });
    icons.sum()
}

fn cost_of_settings(capabilities: &ClientCapabilities) -> usize {
    let ClientCapabilities { experimental, roots: _, sampling, elicitation, tasks, extensions } =
        capabilities;
    let mut cost = cost_of(experimental.as_ref()) + cost_of(extensions.as_ref());
    if let Some(SamplingCapability { context, tools }) = sampling {
        cost += cost_of(context.as_ref()) + cost_of(tools.as_ref());
    }
    if let Some(ElicitationCapability { form, url }) = elicitation {
        cost += cost_of(form.as_ref()) + cost_of(url.as_ref());
    }
    if let Some(TasksCapability { list, cancel, requests }) = tasks {
        cost += cost_of(list.as_ref()) + cost_of(cancel.as_ref());
        if let Some(TaskRequestsCapability { tools, sampling, elicitation }) = requests {
            cost += tools.as_ref().map_or(0, |it| cost_of(it.call.as_ref()));
            cost += sampling.as_ref().map_or(0, |it| cost_of(it.create_message.as_ref()));
            cost += elicitation.as_ref().map_or(0, |it| cost_of(it.create.as_ref()));
        }
    }
    cost
}

fn cost_of(object: Option<&JsonObject>) -> usize {
    let members = object.into_iter().flatten();
    members.map(|(name, value)| ENTRY_COST + name.len() + value.as_str().len()).sum()
}

/// The same capabilities, each declared and no more. Of the extensions, only the one that sessions know.
fn without_settings(capabilities: &ClientCapabilities) -> ClientCapabilities {
    let ClientCapabilities { experimental, roots, sampling, elicitation, tasks, extensions } =
        capabilities;
    let declared = |object: &Option<JsonObject>| object.as_ref().map(|_| JsonObject::new());
    ClientCapabilities {
        experimental: declared(experimental),
        roots: roots.clone(),
        sampling: sampling.as_ref().map(|it| SamplingCapability {
            context: declared(&it.context),
            tools: declared(&it.tools),
        }),
        elicitation: elicitation
            .as_ref()
            .map(|it| ElicitationCapability { form: declared(&it.form), url: declared(&it.url) }),
        tasks: tasks.as_ref().map(|it| TasksCapability {
            list: declared(&it.list),
            cancel: declared(&it.cancel),
            requests: it.requests.as_ref().map(|it| TaskRequestsCapability {
                tools: None,
                sampling: it.sampling.as_ref().map(|it| TaskSamplingCapability {
                    create_message: declared(&it.create_message),
                }),
                elicitation: it
                    .elicitation
                    .as_ref()
                    .map(|it| TaskElicitationCapability { create: declared(&it.create) }),
            }),
        }),
        extensions: extensions.as_ref().map(|extensions| {
            let tasks = extensions.contains_key(TASKS_EXTENSION).then(|| {
                let nothing = Raw::new(&JsonObject::new()).expect("an empty object always encodes");
                (TASKS_EXTENSION.to_owned(), nothing)
            });
            tasks.into_iter().collect()
        }),
    }
}

/// What a member of an object costs beside its texts: a round figure above the truth.
const ENTRY_COST: usize = 128;
