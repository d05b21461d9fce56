//! What every result and every error of the modern era is like.

use crate::mutant::Mutant;
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    evidence::{Evidence, PeerMessage, Place},
    topic::Topic,
};
use serde_json::Value;

pub(crate) fn results(evidence: &Evidence) -> impl Iterator<Item = (PeerMessage<'_>, &Value)> {
    // A client that speaks as in an earlier revision is answered so.
    let earlier: Vec<Place> =
        evidence.asked(Topic::OlderInitialize).filter_map(|it| Some(it.answer?.place)).collect();
    evidence.heard().filter_map(move |heard| {
        let result = heard.message.get("result")?;
        (!earlier.contains(&heard.place)).then_some((heard, result))
    })
}

/// Changes results. What is changed is a function of the request.
pub(crate) const fn result(name: &'static str, says: fn(&Context<'_>, &mut Value)) -> Mutant {
    // A function pointer cannot be wrapped in a closure that is one itself.
    Mutant::new(name, Mutation::Result(says))
}

pub(crate) const NO_RESULT: &str = "the server sent no result";
