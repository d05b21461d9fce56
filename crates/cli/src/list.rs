//! `proofmark list`: what a server has to offer.

use std::fmt::Write;

use futures_util::TryStreamExt;
use proofmark_check::record::text::Untrusted;
use proofmark_sdk::{
    client::Client,
    core::types::{Prompt, Resource, ResourceTemplate, Tool},
};
use serde::Serialize;

use crate::{
    arguments::{List, What},
    exit, peer, say, show,
};

pub(crate) fn run(arguments: &List) -> anyhow::Result<u8> {
    let listed = peer::with(&arguments.peer, async |client| list(client, arguments.what).await)?;
    if arguments.peer.json {
        show::json(&listed)?;
    } else {
        say::on_stdout(listed.for_people().trim_end());
    }
    Ok(exit::SUCCESS)
}

#[derive(Serialize)]
struct Listed {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Tool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<Resource>>,
    #[serde(rename = "resourceTemplates", skip_serializing_if = "Option::is_none")]
    templates: Option<Vec<ResourceTemplate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompts: Option<Vec<Prompt>>,
}

/// What was asked for, or all that the server declares.
async fn list(client: &Client, what: Option<What>) -> anyhow::Result<Listed> {
    let declared = client.server().and_then(|server| server.capabilities.clone());
    let wanted = |kind: What| match (what, &declared) {
        (Some(what), _) => what == kind,
        (None, None) => kind == What::Tools,
        (None, Some(declared)) => match kind {
            What::Prompts => declared.prompts.is_some(),
            What::Resources | What::Templates => declared.resources.is_some(),
            What::Tools => declared.tools.is_some(),
        },
    };
    let mut listed = Listed { tools: None, resources: None, templates: None, prompts: None };
    if wanted(What::Tools) {
        listed.tools = Some(client.tools().try_collect().await?);
    }
    if wanted(What::Resources) {
        listed.resources = Some(client.resources().try_collect().await?);
    }
    if wanted(What::Templates) {
        listed.templates = Some(client.resource_templates().try_collect().await?);
    }
    if wanted(What::Prompts) {
        listed.prompts = Some(client.prompts().try_collect().await?);
    }
    Ok(listed)
}

impl Listed {
    fn for_people(&self) -> String {
        let mut out = String::new();
        let tools = self.tools.iter().flatten().map(|it| (&it.name, &it.description));
        section(&mut out, "Tools", self.tools.is_some(), tools);
        let resources = self.resources.iter().flatten().map(|it| (&it.uri, &it.description));
        section(&mut out, "Resources", self.resources.is_some(), resources);
        let templates =
            self.templates.iter().flatten().map(|it| (&it.uri_template, &it.description));
        section(&mut out, "Resource templates", self.templates.is_some(), templates);
        let prompts = self.prompts.iter().flatten().map(|it| (&it.name, &it.description));
        section(&mut out, "Prompts", self.prompts.is_some(), prompts);
        out
    }
}

fn section<'a>(
    out: &mut String,
    title: &str,
    there: bool,
    entries: impl Iterator<Item = (&'a String, &'a Option<String>)>,
) {
    if !there {
        return;
    }
    let _infallible = writeln!(out, "{title}");
    for (name, description) in entries {
        let first = description.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
        let line = format!("  {}  {}", Untrusted(name), Untrusted(first));
        let _infallible = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
}
