//! `proofmark list`: what a server has to offer, shown as it comes, so that a long list takes no more memory than a page of it.

mod shown;

use std::pin::pin;

use futures_util::{Stream, TryStreamExt};
use proofmark_sdk::{
    client::{self, Client, ClientSettings},
    core::types::{Prompt, Resource, ResourceTemplate, Tool},
};
use serde::Serialize;
use serde_json::Value;
use shown::Shown;

use crate::{
    arguments::{List, ListKind},
    call, clients, exit, peer,
};

pub(crate) fn run(arguments: &List) -> anyhow::Result<u8> {
    if arguments.clients {
        return clients::list(arguments.peer.json);
    }
    let shown = if arguments.peer.json { Shown::for_programs() } else { Shown::for_people() };
    // Nothing is called, so no schema has to be remembered.
    let settings = ClientSettings { tools: 0, ..ClientSettings::default() };
    let list = async |client: &Client| list(client, arguments.what, shown).await;
    peer::with(&arguments.peer, settings, list)?;
    Ok(exit::SUCCESS)
}

/// What was asked for, or all that the server declares.
async fn list(client: &Client, what: Option<ListKind>, mut shown: Shown) -> anyhow::Result<()> {
    let declared = client.server().and_then(|server| server.capabilities.clone());
    let wanted = |kind: ListKind| match (what, &declared) {
        (Some(what), _) => what == kind,
        (None, None) => kind == ListKind::Tools,
        (None, Some(declared)) => match kind {
            ListKind::Prompts => declared.prompts.is_some(),
            ListKind::Resources | ListKind::Templates => declared.resources.is_some(),
            ListKind::Tools => declared.tools.is_some(),
        },
    };
    if wanted(ListKind::Tools) {
        section(&mut shown, ("Tools", "tools"), client.tools()).await?;
    }
    if wanted(ListKind::Resources) {
        section(&mut shown, ("Resources", "resources"), client.resources()).await?;
    }
    if wanted(ListKind::Templates) {
        let title = ("Resource templates", "resourceTemplates");
        section(&mut shown, title, client.resource_templates()).await?;
    }
    if wanted(ListKind::Prompts) {
        section(&mut shown, ("Prompts", "prompts"), client.prompts()).await?;
    }
    shown.finish();
    Ok(())
}

async fn section<T: Entry>(
    shown: &mut Shown,
    title: (&str, &str),
    entries: impl Stream<Item = Result<T, client::Error>>,
) -> anyhow::Result<()> {
    shown.begin(title);
    let mut entries = pin!(entries);
    while let Some(entry) = entries.try_next().await? {
        shown.entry(&entry)?;
    }
    shown.end();
    Ok(())
}

/// What all lists have in common.
trait Entry: Serialize {
    /// What it is asked for by.
    fn key(&self) -> &str;
    fn description(&self) -> Option<&str>;
    /// What it takes, each as a person would type it.
    fn arguments(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Entry for Prompt {
    fn key(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
    fn arguments(&self) -> Vec<String> {
        let arguments = self.arguments.iter().flatten();
        arguments.map(|it| argument(&it.name, "", it.required == Some(true))).collect()
    }
}

impl Entry for Resource {
    fn key(&self) -> &str {
        &self.uri
    }

    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl Entry for ResourceTemplate {
    fn key(&self) -> &str {
        &self.uri_template
    }

    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl Entry for Tool {
    fn key(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
    fn arguments(&self) -> Vec<String> {
        // As it came: a schema may be large, and is of no other use here.
        let schema = serde_json::to_value(&self.input_schema).unwrap_or_default();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let required = |name: &str| {
            schema["required"].as_array().is_some_and(|it| it.iter().any(|it| it == name))
        };
        properties.map(|(name, it)| argument(name, &kind(it), required(name))).collect()
    }
}

/// `name=TYPE`, in brackets if it may be left out.
fn argument(name: &str, kind: &str, required: bool) -> String {
    let kind = if kind.is_empty() { "TEXT" } else { kind };
    if required { format!("{name}={kind}") } else { format!("[{name}={kind}]") }
}

/// The values that a schema names, or its types.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array().filter(|it| it.len() <= MOST_CHOICES) {
        let texts =
            values.iter().map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned));
        return texts.collect::<Vec<_>>().join("|");
    }
    let types = call::types(schema);
    if types.is_empty() { "JSON".to_owned() } else { types.join("|").to_uppercase() }
}

const MOST_CHOICES: usize = 8;
