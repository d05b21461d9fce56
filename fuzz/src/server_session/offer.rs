//! Servers with limits so narrow that short scripts reach them.

use std::{sync::Arc, time::Duration};

use proofmark_core::{
    revision::Revision,
    session::server::{Link, Offer, SessionLimits},
    types::{Implementation, ServerCapabilities},
};

/// Odd numbers are servers over HTTP; the second bit takes all capabilities away; the rest leaves only one revision, or all.
pub(super) fn of(choice: usize) -> Arc<Offer> {
    let capabilities = if choice & 2 == 0 { ALL } else { "{}" };
    let capabilities: ServerCapabilities =
        serde_json::from_str(capabilities).expect("capabilities");
    let mut offer = Offer::new(Implementation::new("fuzz", "1"), capabilities);
    if let Some(only) = (choice / 4).checked_sub(1).and_then(|at| Revision::ALL.get(at)) {
        offer = offer.with_revisions(vec![*only]);
    }
    offer.link = if choice & 1 == 1 { Link::Http } else { Link::Pipe };
    offer.limits = SessionLimits {
        in_flight: 4,
        asks: 3,
        subscriptions: 2,
        idle: Duration::from_secs(10),
        longest: Duration::from_secs(30),
        longest_ask: Duration::from_secs(20),
        ..SessionLimits::default()
    };
    Arc::new(offer)
}

const ALL: &str = r#"{"completions":{},"logging":{},"prompts":{"listChanged":true},
    "resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true},
    "tasks":{"cancel":{},"list":{},"requests":{"tools":{"call":{}}}},
    "extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
