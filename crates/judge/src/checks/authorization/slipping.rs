//! Requests that come without a token after others came with one.

use super::{demanding, guarded};
use crate::{
    checks::{Check, http::told, shape::show, task_extension::undeclared},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{HttpContext, Reply};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
    topic::Topic,
    transport::Transport,
};

pub(crate) const M575: Check = Check {
    how: "begins with a token, and asks for something more without one",
    fix: "look for a token in every request, not only in the first",
    judge: |evidence| slipped(evidence, |_| true, "nothing could be begun with a token"),
    mutants: &[FORGETS.also(&["M576"])],
};

pub(crate) const M576: Check = Check {
    how: "begins a session with a token, and asks for something in it without one",
    fix: "take a session id for no more than a name, and look at the token of every request",
    judge: |evidence| {
        let outcome = slipped(evidence, |it| header(it.asked, SESSION).is_some(), NO_SESSION);
        match outcome {
            Outcome::Unobserved(why) if why == NO_SESSION => Outcome::NotApplicable(why),
            other => other,
        }
    },
    mutants: &[FORGETS.also(&["M575"])],
};

pub(crate) const M566: Check = Check {
    how: "begins with a token, and asks for a task without one",
    fix: "answer 401 to every request about tasks that comes without a token, whichever task it names",
    judge: |evidence| {
        let asked = || evidence.asked(Topic::SlipIn).filter(|it| it.method == "tasks/get");
        demanding(evidence, |_| {
            let answered = asked().filter_map(|it| evidence.exchange_of(&it));
            let answered = answered.filter(|it| it.status.is_some());
            let outcome = each(answered, "nothing could be begun with a token", |exchange| {
                let refused = matches!(exchange.status, Some(401 | 403));
                (!refused).then(|| Finding::new("status 401", told(&exchange), exchange.answered))
            });
            undeclared(evidence).unwrap_or(outcome)
        })
    },
    mutants: &[guarded("says to everybody which tasks there are", |context, reply| {
        if context.message["id"] == "slip-in-to-task" {
            let body = "{\"jsonrpc\":\"2.0\",\"id\":\"slip-in-to-task\",\"error\":{\"code\":-32602,\"message\":\"there is no such task\"}}";
            reply.replace(200, "application/json", body);
        }
    })
    .over(Transport::Http)],
};

/// Nothing that was asked without a token may have a result.
fn slipped(
    evidence: &Evidence,
    counts: impl Fn(&HttpExchange<'_>) -> bool,
    nothing: &str,
) -> Outcome {
    demanding(evidence, |_| {
        let tried = evidence.exchanges_about(Topic::SlipIn).filter(|it| counts(it));
        each(tried, nothing, |exchange| {
            let mut frames = evidence.frames_of(exchange.place, exchange.exchange);
            let (at, result) = frames.find_map(|(place, frame)| {
                frame.messages().iter().find_map(|it| Some((place, it.get("result")?)))
            })?;
            Some(Finding::new("status 401", show(result), at))
        })
    })
}

const FORGETS: Mutant = guarded("wants a token only in the beginning", let_through);

fn let_through(context: &HttpContext<'_>, reply: &mut Reply) {
    if context.message["id"] == "slip-in" {
        let body = "{\"jsonrpc\":\"2.0\",\"id\":\"slip-in\",\"result\":{}}";
        reply.replace(200, "application/json", body);
    }
}

const SESSION: &str = "mcp-session-id";
const NO_SESSION: &str = "the server has no sessions";
