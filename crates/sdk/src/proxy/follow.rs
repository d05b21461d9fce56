//! What changes at a server elsewhere is told to the clients of this one.

use std::{
    collections::{BTreeSet, VecDeque},
    pin::Pin,
    sync::{Arc, Weak},
    time::Duration,
};

use futures_util::{FutureExt, Stream, StreamExt, stream};
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
    entries::{self, named},
    offers,
};
use crate::{
    client::{Client, Error},
    server::{
        Server,
        elsewhere::{Keys, WeakServer},
    },
};

/// Whom to tell.
pub(super) struct Followed {
    pub(super) prefix: String,
    pub(super) server: WeakServer,
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
    let mut keys = keys(&prefix, &lists);
    let mut watched: BTreeSet<String> = lists.uris().into_iter().take(MOST_WATCHED).collect();
    drop(lists);
    let mut listening = Listening::default();
    // Clients that wait until they are sure to hear of a resource.
    let mut begins = Vec::new();
    loop {
        if listening.is_out_of_date(&watched) {
            match listening.listen(&client, &watched).await {
                Ok(()) => begins.clear(),
                Err(error) if error.is_lost() => return,
                Err(error) => {
                    tracing::debug!(%error, "a server elsewhere does not tell what changes");
                    begins.clear();
                    sleep(PAUSE).await;
                    continue;
                }
            }
        }
        let notification = tokio::select! {
            heard = listening.next() => heard,
            Some(Wanted { uri, begun }) = wanted.recv() => {
                if watched.len() < MOST_WATCHED && watched.insert(uri) {
                    begins.push(begun);
                }
                continue;
            }
        };
        let (Some(upstream), Some(server)) = (upstream.upgrade(), server.get()) else { return };
        let Some(notification) = notification else {
            // The server has ended it, or is being started again.
            sleep(PAUSE).await;
            continue;
        };
        let changed = Changed { upstream, server, prefix: &prefix };
        match changed.tell(notification, &mut keys).await {
            Ok(uris) => {
                let room = MOST_WATCHED.saturating_sub(watched.len());
                let new: Vec<_> = uris.into_iter().filter(|uri| !watched.contains(uri)).collect();
                watched.extend(new.into_iter().take(room));
            }
            Err(error) if error.is_lost() => return,
            Err(error) => tracing::debug!(%error, "a list elsewhere cannot be read"),
        }
    }
}

fn legacy(client: &Client) -> bool {
    let style = client.revision().map(|revision| revision.rules().subscriptions);
    style != Some(SubscriptionStyle::Listen)
}

/// What a server tells, and of which resources.
#[derive(Default)]
struct Listening {
    heard: Option<Heard>,
    /// Heard before the server was asked for more.
    early: VecDeque<ServerNotification>,
    told: BTreeSet<String>,
}

impl Listening {
    fn is_out_of_date(&self, watched: &BTreeSet<String>) -> bool {
        self.heard.is_none() || self.told != *watched
    }

    /// What comes next; `None` if nothing more will.
    async fn next(&mut self) -> Option<ServerNotification> {
        if let Some(early) = self.early.pop_front() {
            return Some(early);
        }
        let next = self.heard.as_mut()?.next().await;
        if next.is_none() {
            self.heard = None;
            self.told.clear();
        }
        next
    }

    /// Begins to hear what changes, in the way that the server's revision has for that. Nothing is missed when it is done again.
    async fn listen(&mut self, client: &Client, watched: &BTreeSet<String>) -> Result<(), Error> {
        let subscribes = offers(client, |offered| {
            offered.resources.as_ref().is_some_and(|resources| resources.subscribe == Some(true))
        });
        if legacy(client) {
            self.heard.get_or_insert_with(|| Box::pin(client.notifications()));
            for uri in watched.difference(&self.told).filter(|_| subscribes) {
                match client.subscribe(uri).await {
                    Err(error) if error.is_lost() => return Err(error),
                    _ => {}
                }
            }
        } else {
            let uris = || watched.iter().cloned().collect();
            let filter = SubscriptionFilter {
                tools_list_changed: Some(true),
                prompts_list_changed: Some(true),
                resources_list_changed: Some(true),
                resource_subscriptions: subscribes.then(uris),
                ..SubscriptionFilter::default()
            };
            let subscription = client.listen(filter).await?;
            let new = stream::unfold(subscription, |mut subscription| async move {
                let heard = subscription.next().await.ok().flatten()?;
                Some((heard, subscription))
            });
            let mut old = self.heard.replace(Box::pin(new));
            while let Some(Some(Some(early))) = old.as_mut().map(|it| it.next().now_or_never()) {
                self.early.push_back(early);
            }
        }
        self.told.clone_from(watched);
        Ok(())
    }
}

/// A server elsewhere that has changed, and the one that it is part of.
struct Changed<'a> {
    upstream: Arc<Upstream>,
    server: Server,
    prefix: &'a str,
}

/// What is part of the server at first.
fn keys(prefix: &str, lists: &Lists) -> Keys {
    let named = |name: &String| named(prefix, name);
    let template = |it: &ResourceTemplate| it.uri_template.clone();
    Keys {
        tools: lists.tools.iter().map(|tool| named(&tool.name)).collect(),
        prompts: lists.prompts.iter().map(|prompt| named(&prompt.name)).collect(),
        resources: lists.uris(),
        templates: lists.templates.iter().map(template).collect(),
    }
}

impl Changed<'_> {
    /// Tells the clients. The URIs of the resources, if those have changed.
    async fn tell(
        &self,
        notification: ServerNotification,
        keys: &mut Keys,
    ) -> Result<Vec<String>, Error> {
        let client = &self.upstream.client;
        let mut lists = Lists::default();
        match notification {
            ServerNotification::ToolsListChanged(_) => {
                lists.refresh_tools(client).await?;
                self.replace(lists, &Change::Tools, keys);
            }
            ServerNotification::PromptsListChanged(_) => {
                lists.refresh_prompts(client).await?;
                self.replace(lists, &Change::Prompts, keys);
            }
            ServerNotification::ResourcesListChanged(_) => {
                lists.refresh_resources(client).await?;
                let uris = lists.uris();
                self.replace(lists, &Change::Resources, keys);
                return Ok(uris);
            }
            ServerNotification::ResourceUpdated(updated) => {
                self.server.resource_updated(updated.uri);
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    /// Puts what there is now in the place of what there was.
    fn replace(&self, lists: Lists, change: &Change, keys: &mut Keys) {
        let entries = entries::of(&self.upstream, self.prefix, lists);
        self.server.replace_entries(change, entries, keys);
    }
}

/// Resources of one server that are watched at once.
const MOST_WATCHED: usize = 256;
/// Before a server that says nothing is asked again.
const PAUSE: Duration = Duration::from_secs(5);
