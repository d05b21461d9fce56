//! `proofmark list`: what a server has to offer, shown as it comes, so that a long list takes no more memory than a page of it.

mod shown;

use std::pin::pin;

use futures_util::{Stream, TryStreamExt};
use proofmark_sdk::{
    client::{self, Client, ClientSettings},
    core::types::{Prompt, Resource, ResourceTemplate, Tool},
};
use serde::Serialize;
use shown::Shown;

use crate::{
    arguments::{List, ListKind},
    clients, exit, peer,
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
}

impl Entry for Prompt {
    fn key(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<&str> {
        self.description.as_deref()
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
}
