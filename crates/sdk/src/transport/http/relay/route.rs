//! For which server a client's message is.

use proofmark_core::{
    jsonrpc::{Id, Incoming, Message, Notification},
    session::server::ServerSession,
    types::CancelledParams,
};

use crate::store::ServerNumber;

/// Which servers a message that begins no handler is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// This one and all others.
    Everywhere,
    Here,
    There(ServerNumber),
}

/// Where a message is to go that came to the server `here`, where the session is as it is.
pub(super) fn route(incoming: &Incoming<'_>, session: &ServerSession, here: ServerNumber) -> Route {
    match incoming {
        Incoming::Message(Message::Response(response)) => answer(Some(&response.id), here),
        Incoming::Message(Message::Error(error)) => answer(error.id.as_ref(), here),
        Incoming::Message(Message::Notification(notification)) => {
            match notification.method.as_ref() {
                CANCELLED if cancels(notification, session) => Route::Here,
                CANCELLED | PROGRESS => Route::Everywhere,
                _ => Route::Here,
            }
        }
        Incoming::Message(Message::Request(_)) => Route::Here,
        Incoming::Batch(_) => Route::Everywhere,
    }
}

/// What of a message is for servers that it did not come to: the handshake and news of roots are for the one that it came to.
pub(super) fn elsewhere(incoming: Incoming<'_>) -> Incoming<'_> {
    match incoming {
        Incoming::Batch(members) => Incoming::Batch(
            members.into_iter().filter(|member| member.as_ref().is_ok_and(is_for_others)).collect(),
        ),
        message @ Incoming::Message(_) => message,
    }
}

fn is_for_others(message: &Message<'_>) -> bool {
    match message {
        Message::Response(_) | Message::Error(_) => true,
        Message::Notification(it) => matches!(it.method.as_ref(), CANCELLED | PROGRESS),
        Message::Request(_) => false,
    }
}

/// The id of the first question of a server. Those of other servers lie 2^32 apart, below what a number of JavaScript can hold.
pub(in crate::transport::http) fn first_question(server: ServerNumber) -> i64 {
    (i64::from(server.0) << SERVER_BITS) + 1
}

fn answer(id: Option<&Id<'_>>, here: ServerNumber) -> Route {
    let Some(Id::Integer(id)) = id else { return Route::Here };
    match u32::try_from(id >> SERVER_BITS) {
        Ok(server) if server != here.0 && server != 0 => Route::There(ServerNumber(server)),
        _ => Route::Here,
    }
}

/// Whether the notification cancels what runs in this session.
fn cancels(notification: &Notification<'_>, session: &ServerSession) -> bool {
    let Some(params) = &notification.params else { return true };
    let Ok(params) = serde_json::from_str::<CancelledParams<'_>>(params.get()) else {
        return true;
    };
    params.request_id.is_none_or(|id| session.is_running(&id))
}

const CANCELLED: &str = "notifications/cancelled";
const PROGRESS: &str = "notifications/progress";
const SERVER_BITS: u32 = 32;
