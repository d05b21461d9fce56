//! A client and a server that talk without a wire: what one sends, the other is handed.

use std::sync::Arc;

use proofmark_core::{
    jsonrpc::{Limits, parse},
    revision::{Era, Revision},
    session::{
        Time,
        client::{self, ClientSession, Preference, Profile, Server},
        server::{self, Offer, ServerSession},
    },
    types::{ClientCapabilities, Implementation, ServerCapabilities, ToolsCapability},
};

/// What a client that wants `revision` agrees on with a server that speaks `offered`, and how many messages that takes.
pub(crate) fn negotiate(revision: Revision, offered: &[Revision]) -> Option<(Arc<Server>, usize)> {
    let mut profile =
        Profile::new(Implementation::new("client", "1"), ClientCapabilities::default());
    profile.preference = match revision.era() {
        Era::Legacy => Preference::Legacy(revision),
        Era::Modern => Preference::Auto,
    };
    let capabilities =
        ServerCapabilities { tools: Some(ToolsCapability::default()), ..Default::default() };
    let offer = Offer::new(Implementation::new("server", "1"), capabilities)
        .with_revisions(offered.to_vec());
    let offer = Arc::new(offer);
    let mut client = ClientSession::new(Arc::new(profile));
    let mut server = ServerSession::new(Arc::clone(&offer));

    let (mut messages, mut agreed) = (0, None);
    let mut to_do = client.handle(Time::default(), client::Input::Start);
    while !to_do.is_empty() {
        let mut replies = Vec::new();
        for output in to_do {
            match output {
                client::Output::Connected(server) => agreed = Some(server),
                client::Output::Transmit(transmit) => {
                    let mut frame = Vec::new();
                    transmit.write(&mut frame);
                    messages += 1;
                    replies.extend(hand_over(&mut server, &offer, &frame));
                }
                _ => {}
            }
        }
        to_do = Vec::new();
        for frame in replies {
            messages += 1;
            let incoming = parse(&frame, &Limits::default()).ok()?;
            to_do.extend(
                client.handle(Time::default(), client::Input::Received { incoming, http: None }),
            );
        }
    }
    agreed.map(|server| (server, messages))
}

/// What a server sends when it is handed a frame.
fn hand_over(session: &mut ServerSession, offer: &Offer, frame: &[u8]) -> Vec<Vec<u8>> {
    let Ok(incoming) = parse(frame, &Limits::default()) else { return Vec::new() };
    let outputs = session.handle(Time::default(), server::Input::Received(incoming));
    let transmits = outputs.into_iter().filter_map(|output| match output {
        server::Output::Transmit(transmit) => Some(transmit),
        _ => None,
    });
    transmits
        .map(|transmit| {
            let mut frame = Vec::new();
            transmit.write(offer, &mut frame).map(|()| frame).unwrap_or_default()
        })
        .collect()
}
