//! What the server tells without being answered.

use serde::de::DeserializeOwned;

use super::{
    Breach, CallId, ClientSession, Completion, Output,
    calls::{CallKind, Waiting},
    shortened,
};
use crate::{
    jsonrpc::{Id, Notification, Params},
    revision::{NotificationMethod, ServerCancels, SubscriptionStyle},
    session::Time,
    types::{CancelledParams, ProgressParams, ServerNotification, subscription_id},
};

impl ClientSession {
    // Never inlined: a call needs no notification, and responses come the same way.
    #[inline(never)]
    pub(super) fn notified(
        &mut self,
        now: Time,
        notification: &Notification<'_>,
        out: &mut Vec<Output>,
    ) {
        let method = NotificationMethod::parse(&notification.method);
        // Before anything is agreed on, a server of any revision may log and little else.
        let known = |method: &NotificationMethod| match self.agreed() {
            Some(agreed) => agreed.rules().server_notifications.contains(*method),
            None => *method == NotificationMethod::Message,
        };
        let Some(method) = method.filter(known) else {
            let name = shortened(&notification.method);
            out.push(Output::Breach(Breach::UnknownNotification(name)));
            return;
        };
        let params = notification.params.as_ref().map_or("{}", Params::get);
        let understood = match method {
            NotificationMethod::Cancelled => self.cancelled(params, out),
            NotificationMethod::Progress => self.progressed(now, params, out),
            _ => match read(method, params) {
                Some(notification) => {
                    self.told(method, notification, out);
                    Some(())
                }
                None => None,
            },
        };
        if understood.is_none() {
            out.push(Output::Breach(Breach::BadNotification(method)));
        }
    }

    fn cancelled(&mut self, params: &str, out: &mut Vec<Output>) -> Option<()> {
        let params: CancelledParams<'_> = serde_json::from_str(params).ok()?;
        let id = params.request_id?;
        match self.agreed()?.rules().server_cancels {
            ServerCancels::OwnRequests => self.withdrawn(&id, out),
            ServerCancels::Subscriptions => {
                let id = id.into_owned();
                if !self.is_listen(&id) {
                    // The result that says the same may have come before; anything else is not the server's to cancel.
                    if self.sent.get_mut(&id).is_some() {
                        let method = NotificationMethod::Cancelled;
                        out.push(Output::Breach(Breach::UnknownSubscription(method)));
                    }
                    return Some(());
                }
                if let Some(Waiting::Call(running)) = self.sent.take(&id) {
                    // A result may follow that says the same once more.
                    self.abandon(id);
                    running.complete(Ok(Completion::Ended), out);
                }
            }
        }
        Some(())
    }

    fn progressed(&mut self, now: Time, params: &str, out: &mut Vec<Output>) -> Option<()> {
        let params: ProgressParams<'_> = serde_json::from_str(params).ok()?;
        let token = params.progress_token.into_owned();
        let wanted = match self.sent.get_mut(&token) {
            Some(Waiting::Call(running)) if running.progress == super::ProgressWish::Wanted => {
                Some(running)
            }
            _ => None,
        };
        let Some(running) = wanted else {
            if !self.abandoned.contains(&token) {
                out.push(Output::Breach(Breach::UnknownToken(token)));
            }
            return Some(());
        };
        if params.progress <= running.reported {
            out.push(Output::Breach(Breach::ProgressNotGrowing(token)));
            return Some(());
        }
        running.reported = params.progress;
        out.push(Output::Progress {
            call: running.call,
            progress: params.progress,
            total: params.total,
            message: params.message.map(Into::into),
        });
        self.sent.sign_of_life(now, &token);
        Some(())
    }

    /// Passes a notification on, to the subscription that asked for it where there are subscriptions.
    fn told(
        &mut self,
        method: NotificationMethod,
        mut notification: ServerNotification,
        out: &mut Vec<Output>,
    ) {
        let by_listening = self
            .agreed()
            .is_some_and(|agreed| agreed.rules().subscriptions == SubscriptionStyle::Listen);
        if !by_listening || method == NotificationMethod::Message {
            out.push(Output::Notified { notification, subscription: None });
            return;
        }
        let id = notification.meta_mut().as_ref().and_then(subscription_id);
        let id = id.and_then(Result::ok).map(Id::into_owned);
        match self.subscription(method, id, &notification) {
            Ok((subscription, breach)) => {
                out.extend(breach.map(Output::Breach));
                let subscription = Some(subscription);
                out.push(Output::Notified { notification, subscription });
            }
            Err(Some(breach)) => out.push(Output::Breach(breach)),
            Err(None) => {}
        }
    }

    /// The subscription that a notification belongs to, and what is wrong with it nevertheless; or why it goes nowhere.
    fn subscription(
        &mut self,
        method: NotificationMethod,
        id: Option<Id<'static>>,
        notification: &ServerNotification,
    ) -> Result<(CallId, Option<Breach>), Option<Breach>> {
        let unknown = Breach::UnknownSubscription(method);
        let Some(id) = id else { return Err(Some(unknown)) };
        if self.abandoned.contains(&id) {
            return Err(None);
        }
        let Some(Waiting::Call(running)) = self.sent.get_mut(&id) else {
            return Err(Some(unknown));
        };
        let call = running.call;
        let CallKind::Listen { asked, acknowledged } = &mut running.kind else {
            return Err(Some(unknown));
        };
        let ServerNotification::Acknowledged(params) = notification else {
            let early = Breach::BeforeAcknowledgement(id);
            return if *acknowledged { Ok((call, None)) } else { Err(Some(early)) };
        };
        *acknowledged = true;
        let more = !params.notifications.is_within(asked);
        self.sent.wait_forever(&id);
        Ok((call, more.then_some(Breach::AcknowledgedMore(id))))
    }

    fn is_listen(&mut self, id: &Id<'_>) -> bool {
        matches!(
            self.sent.get_mut(id),
            Some(Waiting::Call(running)) if matches!(running.kind, CallKind::Listen { .. })
        )
    }
}

/// Reads a notification by its method.
fn read(method: NotificationMethod, params: &str) -> Option<ServerNotification> {
    use NotificationMethod as M;
    use ServerNotification as N;

    fn decode<T: DeserializeOwned>(params: &str) -> Option<T> {
        serde_json::from_str(params).ok()
    }

    Some(match method {
        M::ElicitationComplete => N::ElicitationComplete(decode(params)?),
        M::Message => N::Message(decode(params)?),
        M::PromptsListChanged => N::PromptsListChanged(decode(params)?),
        M::ResourcesListChanged => N::ResourcesListChanged(decode(params)?),
        M::ResourcesUpdated => N::ResourceUpdated(decode(params)?),
        M::SubscriptionsAcknowledged => N::Acknowledged(decode(params)?),
        M::Tasks => N::Tasks(decode(params)?),
        M::TasksStatus => N::TaskStatus(decode(params)?),
        M::ToolsListChanged => N::ToolsListChanged(decode(params)?),
        M::Cancelled | M::Initialized | M::Progress | M::RootsListChanged => return None,
    })
}
