//! HTTP+SSE, as a client uses it and as it comes back to it.

use crate::{
    checks::Check,
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::hosted::{HostedScenario, MESSAGES};
use proofmark_record::evidence::{Evidence, HttpExchange};

use super::{hosted_at, http::mutated};

pub(crate) const M171: Check = Check {
    how: "looks at where every message is posted to",
    fix: "post to the URI that the endpoint event names",
    judge: |evidence| {
        let posts = evidence.exchanges().filter(|it| it.line.starts_with("POST "));
        let after = posts.filter(|it| opened(evidence, it));
        each(after, "the client never opened the stream", |exchange| {
            let right = exchange.line == posted();
            (!right).then(|| Finding::new(posted(), exchange.line, exchange.place))
        })
    },
    mutants: &[ELSEWHERE],
};

pub(crate) const S073: Check = Check {
    how: "refuses every POST with 405, and offers the older transport to GET",
    fix: "try GET when the first POST is refused, and then keep to the older transport",
    judge: |evidence| {
        let ancient =
            |it: &HttpExchange<'_>| hosted_at(evidence, it.place) == Some(HostedScenario::ANCIENT);
        let back = evidence.exchanges().filter(ancient).find(|it| it.line.starts_with("GET "));
        let Some(back) = back else {
            let why = "the client does not look for servers of the older transport";
            return Outcome::NotApplicable(why.to_owned());
        };
        let posts = evidence.exchanges().filter(|it| {
            ancient(it) && it.line.starts_with("POST ") && it.place.event > back.place.event
        });
        each(posts, "the client came, and said nothing", |exchange| {
            let right = exchange.line == posted();
            (!right).then(|| Finding::new(posted(), exchange.line, exchange.place))
        })
    },
    mutants: &[ELSEWHERE],
};

fn posted() -> String {
    format!("POST {MESSAGES}")
}

/// Whether the stream was open when a request came.
fn opened(evidence: &Evidence, exchange: &HttpExchange<'_>) -> bool {
    evidence.exchanges().any(|it| {
        it.line.starts_with("GET ")
            && it.place.conversation == exchange.place.conversation
            && it.answered.is_some_and(|at| at.event < exchange.place.event)
    })
}

const ELSEWHERE: Mutant = mutated("posts to where it opened the stream", |request| {
    if request.path == MESSAGES {
        "/mcp".clone_into(&mut request.path);
    }
});
