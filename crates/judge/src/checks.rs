//! How each observed requirement is judged, and the mutants that prove it.
//!
//! A judge is a pure function of the evidence. Requirements about every message are judged over all conversations of a run.

use crate::{mutant::Mutant, outcome::Outcome};
use proofmark_record::evidence::Evidence;

pub(crate) mod answers;
pub(crate) mod arguments;
pub(crate) mod authorization;
pub(crate) mod caching;
pub(crate) mod cancellation;
pub(crate) mod capabilities;
pub(crate) mod changes;
pub(crate) mod choices;
pub(crate) mod claims;
pub(crate) mod client;
pub(crate) mod closing;
pub(crate) mod content;
pub(crate) mod endpoint;
pub(crate) mod envelope;
pub(crate) mod errors;
pub(crate) mod failing;
pub(crate) mod http;
pub(crate) mod http_sse;
pub(crate) mod input;
pub(crate) mod issuer;
pub(crate) mod leaving;
pub(crate) mod lifecycle;
pub(crate) mod marked;
pub(crate) mod mirroring;
pub(crate) mod names;
pub(crate) mod offers;
pub(crate) mod pinging;
pub(crate) mod prompts;
pub(crate) mod questions;
pub(crate) mod relating;
pub(crate) mod replays;
pub(crate) mod reserved;
pub(crate) mod resources;
pub(crate) mod results;
pub(crate) mod rounds;
pub(crate) mod schemas;
pub(crate) mod secrets;
pub(crate) mod shape;
pub(crate) mod stateless;
pub(crate) mod stdio;
pub(crate) mod sticking;
pub(crate) mod streams;
pub(crate) mod subscriptions;
pub(crate) mod task_extension;
pub(crate) mod tasks;
pub(crate) mod tools;
pub(crate) mod urls;
pub(crate) mod utilities;

/// How a requirement is looked at.
#[derive(Debug)]
pub struct Check {
    /// What the checker does to see it, in a sentence.
    pub how: &'static str,
    /// What to change in a peer that breaks it.
    pub fix: &'static str,
    pub judge: fn(&Evidence) -> Outcome,
    /// Peers that break it, and nothing else that they do not declare.
    pub mutants: &'static [Mutant],
}
