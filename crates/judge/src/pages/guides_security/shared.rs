//! What several judges of `guides/security` use.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        agreement::{SHORTEST, differ},
        client_oauth_refusing::judged,
        shape::show,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant, http_request::HttpRequest, mutation::Mutation,
};
use proofmark_record::{event::header, evidence::Evidence, topic::Topic};
use serde_json::json;

/// Kept if no request comes by an address that is neither secure nor on this machine.
pub(super) fn keeps_away(
    evidence: &Evidence,
    variants: &[&'static AuthorizationVariant],
    seen: Topic,
) -> Outcome {
    judged(evidence, variants, seen, |visit| {
        let mut all = evidence.exchanges();
        let astray = all.find(|it| {
            let host = header(it.asked, "host").unwrap_or_default();
            it.place.conversation == visit.place().conversation && host.starts_with(NOT_LOOPBACK)
        })?;
        let actual = format!("a request to http://{NOT_LOOPBACK}");
        Some(Finding::new("https, or http on this machine", actual, astray.place))
    })
}

pub(super) fn lead_astray(request: &mut HttpRequest) {
    let port = request.header("host").and_then(|it| it.rsplit(':').next()).unwrap_or_default();
    let host = format!("{NOT_LOOPBACK}:{port}");
    request.set("host", &host);
}

pub(super) const UNGUESSABLE: Check = Check {
    how: "compares the session ids of all conversations",
    seen: seen_everywhere(),
    fix: "make session ids of enough randomness that nobody can guess them",
    judge: |evidence| {
        let ids: Vec<_> = evidence
            .exchanges()
            .filter_map(|exchange| {
                Some((exchange.answered, exchange.header("mcp-session-id")?.to_owned()))
            })
            .collect();
        let outcome = each(ids.iter().enumerate(), "", |(at, (place, id))| {
            let short = id.len() < SHORTEST;
            let near = ids[..at].iter().any(|(_, other)| other != id && differ(id, other) < 4);
            let expected = "session ids that nobody can guess";
            (short || near).then(|| Finding::new(expected, show(&json!(id)), *place))
        });
        none_applies(outcome, "the server has no sessions")
    },
    mutants: &[Mutant::new(
        "counts its sessions",
        Mutation::Http(|context, reply| {
            let version = &context.message["params"]["protocolVersion"];
            if version == "2024-11-05" {
                reply.set("mcp-session-id", "session-of-this-server-0001");
            } else if version == "2025-03-26" {
                reply.set("mcp-session-id", "session-of-this-server-0002");
            }
        }),
    )
    .also(&["M577", "S311"])],
};

pub(super) const NOT_LOOPBACK: &str = "0.0.0.0";
