//! What changes at a server elsewhere is told to the clients of this one.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    pin::Pin,
    sync::{Arc, Weak},
    time::Duration,
};

use futures_util::{Stream, StreamExt, stream};
use proofmark_core::{
    revision::SubscriptionStyle,
    session::server::Change,
    types::{LoggingLevel, ResourceTemplate, ServerNotification, SubscriptionFilter},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::sleep,
};

use super::{
    Lists, Upstream, Wanted,
    entries::{Entries, named},
    offers,
};
use crate::{
    client::{Client, Error},
    server::{
        Inner, Server, builder,
        catalogue::{Keyed, Listed},
    },
};

/// Whom to tell.
pub(super) struct Followed {
    pub(super) prefix: String,
    pub(super) server: Weak<Inner>,
}

type Heard = Pin<Box<dyn Stream<Item = ServerNotification> + Send>>;

/// Passes on what changes, until the connection or the server is gone.
pub(super) async fn follow(
    client: Client,
    upstream: Weak<Upstream>,
    lists: Lists,
    mut wanted: mpsc::Receiver<Wanted>,
    followed: oneshot::Receiver<Followed>,
) {
    if legacy(&client) && offers(&client, |offered| offered.logging.is_some()) {
        // Clients say by themselves how much of it they want.
        let _unheard = client.set_level(LoggingLevel::Debug).await;
    }
    let Ok(Followed { prefix, server }) = followed.await else { return };
    let mut names = Names::of(&prefix, &lists);
    let mut watched: BTreeSet<String> = lists.uris().into_iter().take(MOST_WATCHED).collect();
    drop(lists);
    // Clients that wait until they are sure to hear of a resource.
    let mut begins = Vec::new();
    let mut told = BTreeSet::new();
    loop {
        let listening = listen(&client, &watched, &mut told).await;
        begins.clear();
        let mut heard = match listening {
            Ok(heard) => heard,
            Err(error) if error.is_lost() => return,
            Err(error) => {
                tracing::debug!(%error, "a server elsewhere does not tell what changes");
                sleep(PAUSE).await;
                continue;
            }
        };
        loop {
            let notification = tokio::select! {
                heard = heard.next() => heard,
                Some(Wanted { uri, begun }) = wanted.recv() => {
                    if watched.contains(&uri) || watched.len() >= MOST_WATCHED {
                        continue;
                    }
                    watched.insert(uri);
                    begins.push(begun);
                    break;
                }
            };
            let Some(notification) = notification else { break };
            let (Some(upstream), Some(inner)) = (upstream.upgrade(), server.upgrade()) else {
                return;
            };
            let followed = Changed { upstream, server: Server(inner), prefix: &prefix };
            match followed.tell(notification, &mut names).await {
                Ok(None) => {}
                Ok(Some(uris)) => {
                    watched.extend(uris);
                    while watched.len() > MOST_WATCHED {
                        watched.pop_last();
                    }
                    break;
                }
                Err(error) if error.is_lost() => return,
                Err(error) => tracing::debug!(%error, "a list elsewhere cannot be read"),
            }
        }
        if client.server().is_none() {
            sleep(PAUSE).await;
        }
    }
}

fn legacy(client: &Client) -> bool {
    let style = client.revision().map(|revision| revision.rules().subscriptions);
    style != Some(SubscriptionStyle::Listen)
}

/// Begins to hear what changes, in the way that the server's revision has for that.
///
/// A legacy server is told once of each resource.
async fn listen(
    client: &Client,
    watched: &BTreeSet<String>,
    told: &mut BTreeSet<String>,
) -> Result<Heard, Error> {
    let watches = offers(client, |offered| {
        offered.resources.as_ref().is_some_and(|resources| resources.subscribe == Some(true))
    });
    if legacy(client) {
        let heard = Box::pin(client.notifications());
        for uri in watched.iter().filter(|_| watches) {
            if !told.insert(uri.clone()) {
                continue;
            }
            match client.subscribe(uri).await {
                Err(error) if error.is_lost() => return Err(error),
                _ => {}
            }
        }
        return Ok(heard);
    }
    let uris = || watched.iter().cloned().collect();
    let filter = SubscriptionFilter {
        tools_list_changed: Some(true),
        prompts_list_changed: Some(true),
        resources_list_changed: Some(true),
        resource_subscriptions: watches.then(uris),
        ..SubscriptionFilter::default()
    };
    let subscription = client.listen(filter).await?;
    Ok(Box::pin(stream::unfold(subscription, |mut subscription| async move {
        let heard = subscription.next().await.ok().flatten()?;
        Some((heard, subscription))
    })))
}

/// A server elsewhere that has changed, and the one that it is part of.
struct Changed<'a> {
    upstream: Arc<Upstream>,
    server: Server,
    prefix: &'a str,
}

/// What is part of the server now, by the names that it has there.
struct Names {
    tools: Vec<String>,
    prompts: Vec<String>,
    resources: Vec<String>,
    templates: Vec<String>,
}

impl Names {
    fn of(prefix: &str, lists: &Lists) -> Self {
        let named = |name: &String| named(prefix, name);
        let template = |it: &ResourceTemplate| it.uri_template.clone();
        Self {
            tools: lists.tools.iter().map(|tool| named(&tool.name)).collect(),
            prompts: lists.prompts.iter().map(|prompt| named(&prompt.name)).collect(),
            resources: lists.uris(),
            templates: lists.templates.iter().map(template).collect(),
        }
    }
}

impl Changed<'_> {
    /// Tells the clients. The URIs that there are now, if those have changed.
    async fn tell(
        &self,
        notification: ServerNotification,
        names: &mut Names,
    ) -> Result<Option<Vec<String>>, Error> {
        let client = &self.upstream.client;
        let mut lists = Lists::default();
        match notification {
            ServerNotification::ToolsListChanged(_) => {
                lists.refresh_tools(client).await?;
                self.replace(lists, &Change::Tools, names);
            }
            ServerNotification::PromptsListChanged(_) => {
                lists.refresh_prompts(client).await?;
                self.replace(lists, &Change::Prompts, names);
            }
            ServerNotification::ResourcesListChanged(_) => {
                lists.refresh_resources(client).await?;
                let uris = lists.uris();
                self.replace(lists, &Change::Resources, names);
                return Ok(Some(uris));
            }
            ServerNotification::ResourceUpdated(updated) => {
                self.server.resource_updated(updated.uri);
            }
            _ => {}
        }
        Ok(None)
    }

    /// Puts what there is now in the place of what there was.
    fn replace(&self, lists: Lists, change: &Change, names: &mut Names) {
        let Entries { tools, prompts, resources, templates } =
            Entries::of(&self.upstream, self.prefix, lists);
        let Inner { states, schema_limits, .. } = &*self.server.0;
        let edited = self.server.replace(change, |catalogue| {
            match change {
                Change::Tools => {
                    let ready = |entry| builder::compile_tool(entry, states, schema_limits).ok();
                    let tools = tools.into_iter().filter_map(ready);
                    put(&mut catalogue.tools, &mut names.tools, tools);
                }
                Change::Prompts => {
                    put(&mut catalogue.prompts, &mut names.prompts, prompts.into_iter());
                }
                _ => {
                    put(&mut catalogue.resources, &mut names.resources, resources.into_iter());
                    let templates = templates.into_iter().filter_map(|it| it.compile().ok());
                    put(&mut catalogue.templates, &mut names.templates, templates);
                }
            }
            Ok::<_, Infallible>(())
        });
        edited.unwrap_or_else(|never| match never {});
    }
}

fn put<T: Keyed>(list: &mut Listed<T>, names: &mut Vec<String>, items: impl Iterator<Item = T>) {
    for name in names.drain(..) {
        list.remove(&name);
    }
    for item in items {
        let name = item.key().to_owned();
        if list.add(item) {
            names.push(name);
        } else {
            tracing::warn!(name, "what a server elsewhere has now has a name that is taken");
        }
    }
}

/// Resources of one server that are watched at once.
const MOST_WATCHED: usize = 256;
/// Before a server that says nothing is asked again.
const PAUSE: Duration = Duration::from_secs(5);
