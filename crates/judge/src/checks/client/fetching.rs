//! What a client fetches because a server's schema mentions it.

use super::hosted_at;
use crate::{
    checks::Check,
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{
    hosted::{HostedScenario, REMOTE_SCHEMA},
    mutation::Mutation,
};
use proofmark_record::transport::Transport;

pub(crate) const M116: Check = REMOTE;
pub(crate) const M117: Check = REMOTE;
pub(crate) const S260: Check = REMOTE;

const REMOTE: Check = Check {
    how: "lists a tool whose schema refers to a URL of the server, and looks at who comes",
    fix: "do not fetch what a $ref points to, unless somebody has allowed it",
    judge: |evidence| {
        if evidence.transport == Transport::Stdio {
            return Outcome::Unobserved("only a server that listens sees who comes".to_owned());
        }
        let listed = evidence.requests_for("tools/list").filter(|list| {
            let here = hosted_at(evidence, list.place) == Some(HostedScenario::FEW);
            here && list.answer.is_some_and(|it| it.message.to_string().contains(REMOTE_SCHEMA))
        });
        each(listed.take(1), "the client did not list the tools", |list| {
            let fetched = evidence.exchanges().find(|it| {
                it.place.conversation == list.place.conversation && it.line.contains(REMOTE_SCHEMA)
            })?;
            Some(Finding::new("nobody", fetched.line, fetched.place))
        })
    },
    mutants: &[Mutant::new("fetches what schemas refer to", Mutation::Visits(REMOTE_SCHEMA))
        .over(Transport::Http)
        .also(&["M116", "M117", "S260"])],
};
