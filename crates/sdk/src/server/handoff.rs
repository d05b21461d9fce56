//! The one hand-off from transports to sessions: what was received goes in, handlers begin, and what is to be sent comes out.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Waker},
};

use http::HeaderMap;
use proofmark_core::{
    jsonrpc::{Limits, parse},
    session::server::Input,
};

use super::{
    conversation::Conversation, dispatch::done, handlers::HandlerFuture, sink::MessageSink,
};
use crate::caller::Caller;

/// Where messages of a client come in: a connection, or one exchange of HTTP.
#[derive(Clone, Copy)]
pub(crate) struct HandOff<'a> {
    pub(crate) conversation: &'a Arc<Conversation>,
    /// Takes the answers to what comes in here.
    pub(crate) sink: &'a Arc<dyn MessageSink>,
    /// Who the client is, as far as it was proved.
    pub(crate) caller: Option<&'a Caller>,
    /// What a call came with, where the transport has headers.
    pub(crate) headers: Option<&'a HeaderMap>,
}

/// What a message meant for the connection it came on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    /// The handshake is complete.
    pub(crate) initialized: bool,
}

impl HandOff<'_> {
    /// Takes in the bytes of one message or batch, or of what should have been one.
    pub(crate) fn receive_bytes(
        &self,
        bytes: &[u8],
        limits: &Limits,
        waiting: impl FnMut(HandlerFuture),
    ) -> Received {
        let input = match parse(bytes, limits) {
            Ok(incoming) => Input::Received(incoming),
            Err(refused) => Input::Refused(refused),
        };
        self.receive(input, waiting)
    }

    /// Tells the session what came, and begins the handlers it is for.
    ///
    /// Handlers that need not wait are done when this returns, so that their answers leave together. The others are handed to `waiting`;
    /// their transport lets them go on ([`Handlers`](super::handlers::Handlers)).
    pub(crate) fn receive(
        &self,
        input: Input<'_>,
        mut waiting: impl FnMut(HandlerFuture),
    ) -> Received {
        let Self { conversation, sink, caller, headers } = *self;
        let server = &conversation.server;
        let fed = conversation.feed(input, Some(sink));
        for call in fed.calls {
            let scope = conversation.begin(&call, Arc::clone(sink), caller.cloned());
            let run = match headers.map_or(Ok(()), |headers| server.check_headers(&call, headers)) {
                Ok(()) => server.run(call, &scope),
                Err(error) => done(Err(error)),
            };
            first_look(HandlerFuture::new(scope, run), &mut waiting);
        }
        if fed.roots_changed
            && let Some(handler) =
                conversation.begin_roots_changed(Arc::clone(sink), caller.cloned())
        {
            first_look(handler, &mut waiting);
        }
        Received { initialized: fed.initialized }
    }
}

/// Lets a handler run until it waits. It is polled again with the waker of its transport, so none is needed here.
fn first_look(mut handler: HandlerFuture, waiting: &mut impl FnMut(HandlerFuture)) {
    let mut context = Context::from_waker(Waker::noop());
    if Pin::new(&mut handler).poll(&mut context).is_pending() {
        waiting(handler);
    }
}
