//! What a client does for a server on a pipe that died.

use super::hosted_at;
use crate::{
    checks::{Check, utilities::notifications},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::evidence::{Evidence, PeerRequest};

pub(crate) const M163: Check = Check {
    how: "dies while the client listens, and looks at what it says to the server that it starts again",
    fix: "send subscriptions/listen again to a server that was started again",
    judge: |evidence| {
        let said: Vec<PeerRequest<'_>> = evidence
            .requests()
            .filter(|it| hosted_at(evidence, it.place) == Some(HostedScenario::RESTART))
            .collect();
        let listens = |it: &&PeerRequest<'_>| it.method == "subscriptions/listen";
        let Some(open) = said.iter().filter(listens).find(|it| !is_over(evidence, it)) else {
            return Outcome::Unobserved(
                "the client had no subscription that stayed open".to_owned(),
            );
        };
        // Each life of the server is a conversation.
        let mut later = said.iter().filter(|it| it.place.conversation > open.place.conversation);
        let Some(first) = later.clone().next() else {
            let why = "the client did not start the server again, or had nothing to say to it";
            return Outcome::Unobserved(why.to_owned());
        };
        if later.any(|it| listens(&it)) {
            return Outcome::Kept;
        }
        let expected = "subscriptions/listen once more";
        Outcome::Broken(Finding::new(expected, "requests for other things only", first.place))
    },
    mutants: &[Mutant::new(
        "does not listen to a server that it has started again",
        Mutation::Forgets(|message| message["method"] == "subscriptions/listen"),
    )],
};

pub(crate) const S067: Check = Check {
    how: "dies while the client listens, and waits to be started again",
    fix: "start a server again that ended without being asked to",
    judge: |evidence| {
        let listens = evidence.requests_for("subscriptions/listen");
        let open = listens.filter(|it| {
            hosted_at(evidence, it.place) == Some(HostedScenario::RESTART) && !is_over(evidence, it)
        });
        let why = "the client had no subscription that stayed open";
        each(open.take(1), why, |listen| {
            // Each life of the server is a conversation.
            let next = evidence.conversations.get(listen.place.conversation + 1);
            let again =
                next.is_some_and(|it| HostedScenario::of(it) == Some(HostedScenario::RESTART));
            let expected = "another start of the server";
            (!again).then(|| Finding::new(expected, "none", listen.place))
        })
    },
    mutants: &[Mutant::new("gives up a server that has died", Mutation::GivesUp)],
};

/// Whether a subscription was ended before the server died.
fn is_over(evidence: &Evidence, listen: &PeerRequest<'_>) -> bool {
    let mut cancelled = notifications(evidence, "notifications/cancelled").filter(|heard| {
        heard.place.conversation == listen.place.conversation
            && heard.message.pointer("/params/requestId") == Some(listen.id)
    });
    listen.answer.is_some() || cancelled.next().is_some()
}
