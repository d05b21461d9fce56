//! News for those who asked for it, in the way of their era.

use super::{
    Link, Outgoing, Output, Refusal, ServerSession, SessionLimits, Transmit, result_output,
    running::Started,
};
use crate::{
    jsonrpc::Id,
    revision::{Rules, ServerCapability, SubscriptionStyle},
    types::{
        CancelledParams, DetailedTask, NotificationParams, ResourceUpdatedParams,
        ServerNotification, ServerResult, SubscriptionFilter, SubscriptionsAcknowledgedParams,
        SubscriptionsListenResult, set_subscription_id,
    },
};

/// Something that clients can ask to hear about.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Prompts,
    /// The content of one resource.
    Resource {
        uri: String,
    },
    Resources,
    /// A task of the extension.
    Task(Box<DetailedTask>),
    Tools,
}

/// How much is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Watched {
    pub(super) count: usize,
    pub(super) bytes: usize,
}

impl Watched {
    pub(super) fn of<'a>(uris: impl Iterator<Item = &'a str>) -> Self {
        uris.fold(Self::default(), Self::and)
    }

    pub(super) fn and(self, uri: &str) -> Self {
        Self { count: self.count + 1, bytes: self.bytes + uri.len() + URI_COST }
    }
}

impl Change {
    fn notification(&self) -> ServerNotification {
        match self {
            Self::Prompts => ServerNotification::PromptsListChanged(NotificationParams::default()),
            Self::Resource { uri } => ServerNotification::ResourceUpdated(ResourceUpdatedParams {
                uri: uri.clone(),
                ..Default::default()
            }),
            Self::Resources => {
                ServerNotification::ResourcesListChanged(NotificationParams::default())
            }
            Self::Task(task) => ServerNotification::Tasks(task.clone()),
            Self::Tools => ServerNotification::ToolsListChanged(NotificationParams::default()),
        }
    }

    fn passes(&self, filter: &SubscriptionFilter) -> bool {
        let listed = |list: &Option<Vec<String>>, name: &str| {
            list.iter().flatten().any(|listed| listed == name)
        };
        match self {
            Self::Prompts => filter.prompts_list_changed == Some(true),
            Self::Resource { uri } => listed(&filter.resource_subscriptions, uri),
            Self::Resources => filter.resources_list_changed == Some(true),
            Self::Task(task) => listed(&filter.task_ids, &task.task_id),
            Self::Tools => filter.tools_list_changed == Some(true),
        }
    }
}

impl ServerSession {
    /// Opens a subscription and says what it will carry.
    pub(super) fn listen(
        &mut self,
        started: Started,
        asked: SubscriptionFilter,
        out: &mut Vec<Output<'_>>,
    ) {
        let honoured = self.honoured(asked, started.revision.rules());
        let mut notification = ServerNotification::Acknowledged(SubscriptionsAcknowledgedParams {
            notifications: honoured.clone(),
            meta: None,
        });
        set_subscription_id(notification.meta_mut().get_or_insert_default(), &started.id);
        out.push(Output::Transmit(Transmit {
            revision: started.revision,
            about: Some(started.id.clone()),
            status: started.revision.rules().http.status.answered,
            message: Outgoing::Notification(notification),
        }));
        self.running.listen(started, honoured);
    }

    /// What of a wish can be granted: only what the server declares, and not more than the limit.
    fn honoured(&self, asked: SubscriptionFilter, rules: &Rules) -> SubscriptionFilter {
        let declared = self.offer.declared();
        let flag = |asked: Option<bool>, needed| {
            (asked == Some(true) && declared.contains(needed)).then_some(true)
        };
        let limits = self.offer.limits;
        let mut bytes = self.running.listening().bytes;
        let mut list = |asked: Option<Vec<String>>, granted: bool| {
            asked.filter(|_| granted).map(|mut list| {
                list.truncate(limits.subscriptions);
                list.retain(|uri| {
                    let with = Watched { count: 0, bytes }.and(uri).bytes;
                    let fits = uri.len() <= limits.uri_bytes && with <= limits.subscription_bytes;
                    bytes = if fits { with } else { bytes };
                    fits
                });
                list.shrink_to_fit();
                list
            })
        };
        SubscriptionFilter {
            tools_list_changed: flag(asked.tools_list_changed, ServerCapability::ToolsListChanged),
            prompts_list_changed: flag(
                asked.prompts_list_changed,
                ServerCapability::PromptsListChanged,
            ),
            resources_list_changed: flag(
                asked.resources_list_changed,
                ServerCapability::ResourcesListChanged,
            ),
            resource_subscriptions: list(
                asked.resource_subscriptions,
                declared.contains(ServerCapability::ResourcesSubscribe),
            ),
            task_ids: list(asked.task_ids, self.offer.runs_tasks(rules)),
        }
    }

    /// Whether a legacy client may watch one resource more.
    pub(super) fn check_subscription(&self, uri: &str) -> Result<(), Refusal> {
        let SessionLimits { subscriptions, uri_bytes, subscription_bytes, .. } = self.offer.limits;
        if uri.len() > uri_bytes {
            return Err(Refusal::UriTooLong { bytes: uri.len(), limit: uri_bytes });
        }
        if self.legacy.watches(uri) {
            return Ok(());
        }
        let (watched, subscribing) = (self.legacy.watched(), self.running.subscribing());
        let more = Watched {
            count: watched.count + subscribing.count,
            bytes: watched.bytes + subscribing.bytes,
        }
        .and(uri);
        if more.count > subscriptions {
            return Err(Refusal::TooManySubscriptions { limit: subscriptions });
        }
        if more.bytes > subscription_bytes {
            return Err(Refusal::TooManySubscriptionBytes { limit: subscription_bytes });
        }
        Ok(())
    }

    pub(super) fn changed(&mut self, change: &Change, out: &mut Vec<Output<'_>>) {
        if self.told_unasked(change) {
            let rules = self.rules();
            out.push(Output::Transmit(Transmit {
                revision: rules.revision,
                about: None,
                status: rules.http.status.answered,
                message: Outgoing::Notification(change.notification()),
            }));
        }
        for (listen, filter) in self.running.listens() {
            if !change.passes(filter) {
                continue;
            }
            let mut notification = change.notification();
            set_subscription_id(notification.meta_mut().get_or_insert_default(), &listen.id);
            out.push(Output::Transmit(Transmit {
                revision: listen.revision,
                about: Some(listen.id.clone()),
                status: listen.revision.rules().http.status.answered,
                message: Outgoing::Notification(notification),
            }));
        }
    }

    /// Whether a legacy client hears of this: lists because the server declared so, a resource because it was subscribed.
    fn told_unasked(&self, change: &Change) -> bool {
        let declared = |capability| self.offer.declared().contains(capability);
        self.legacy.is_initialized()
            && self.rules().subscriptions == SubscriptionStyle::PerResource
            && match change {
                Change::Prompts => declared(ServerCapability::PromptsListChanged),
                Change::Resource { uri } => self.legacy.watches(uri),
                Change::Resources => declared(ServerCapability::ResourcesListChanged),
                Change::Task(_) => false,
                Change::Tools => declared(ServerCapability::ToolsListChanged),
            }
    }

    /// Ends every subscription with its result; on a pipe, where no stream ends, a cancellation says it as well.
    pub(super) fn end_subscriptions(&mut self, out: &mut Vec<Output<'_>>) {
        let ids: Vec<Id<'static>> =
            self.running.listens().map(|(listen, _)| listen.id.clone()).collect();
        for id in ids {
            let Some(listen) = self.running.take(&id) else { continue };
            if self.link == Link::Pipe {
                let params = CancelledParams {
                    request_id: Some(id.clone()),
                    reason: Some("the server ends the subscription".into()),
                    meta: None,
                };
                let mut notification = ServerNotification::Cancelled(params);
                set_subscription_id(notification.meta_mut().get_or_insert_default(), &id);
                out.push(Output::Transmit(Transmit {
                    revision: listen.revision,
                    about: Some(id.clone()),
                    status: listen.revision.rules().http.status.answered,
                    message: Outgoing::Notification(notification),
                }));
            }
            let mut result = SubscriptionsListenResult::default();
            set_subscription_id(result.meta.get_or_insert_default(), &id);
            out.push(result_output(listen.revision, id, ServerResult::Listen(result)));
        }
    }
}

/// What it costs to keep a URI, beside its text.
const URI_COST: usize = 48;
