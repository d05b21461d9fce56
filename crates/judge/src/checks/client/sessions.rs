//! Sessions over HTTP, as a client keeps them.

use super::{
    ended_by_itself, hosted_at,
    http::{body, is_beginning, mutated, requests, says},
};
use crate::{
    checks::Check,
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::{
    hosted::HostedScenario,
    mutation::{Mutation, Passing},
};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
};

pub(crate) const M029: Check = Check {
    how: "looks for the session id in every request after the one that gave it",
    fix: "send Mcp-Session-Id with every request of the session",
    judge: |evidence| {
        let later =
            requests(evidence).filter(|it| !is_beginning(evidence, it)).filter_map(|exchange| {
                let given = requests(evidence).filter(|it| {
                    it.place.conversation == exchange.place.conversation
                        && it.answered.is_some_and(|at| at.event < exchange.place.event)
                });
                let given: Vec<&str> =
                    given.filter_map(|it| header(it.headers, "mcp-session-id")).collect();
                (!given.is_empty()).then_some((exchange, given))
            });
        each(later, "the client never used a session", |(exchange, given)| {
            let id = header(exchange.asked, "mcp-session-id");
            let right = id.is_some_and(|id| given.contains(&id));
            let expected = format!("Mcp-Session-Id: {}", given.join(" or "));
            let actual = id.map_or_else(|| "no such header".to_owned(), str::to_owned);
            (!right).then(|| Finding::new(expected, actual, exchange.place))
        })
    },
    mutants: &[mutated("forgets its session", |request| {
        if says(request, "tools/call") {
            request.remove("mcp-session-id");
        }
    })],
};

pub(crate) const M179: Check = Check {
    how: "answers 404 to a session after its first call",
    fix: "begin again with initialize, without the id of the session that is gone",
    judge: |evidence| {
        let gone = requests(evidence).filter(|exchange| {
            exchange.status == Some(404)
                && hosted_at(evidence, exchange.place) == Some(HostedScenario::FORGET)
                && !begins(evidence, exchange)
        });
        each(gone.take(1), "the client sent nothing more after its first call", |exchange| {
            let again = requests(evidence).find(|it| {
                it.place.conversation == exchange.place.conversation
                    && it.place.event > exchange.place.event
                    && begins(evidence, it)
            });
            let expected = "initialize without a session id";
            let Some(again) = again else {
                return Some(Finding::new(expected, "no initialize", exchange.place));
            };
            let id = header(again.asked, "mcp-session-id")?;
            Some(Finding::new(expected, format!("initialize in session {id:?}"), again.place))
        })
    },
    mutants: &[mutated("begins again in the session that is gone", |request| {
        if says(request, "initialize") {
            request.set("mcp-session-id", "hosted-forget-1");
        }
    })
    .also(&["M029", "M180", "S007"])],
};

pub(crate) const S007: Check = Check {
    how: "looks for DELETE when the client is done",
    fix: "end the session with DELETE",
    judge: |evidence| {
        let done = requests(evidence).filter(|exchange| {
            exchange.status == Some(200)
                && begins(evidence, exchange)
                && header(exchange.headers, "mcp-session-id").is_some()
                && hosted_at(evidence, exchange.place) != Some(HostedScenario::FORGET)
                && ended_by_itself(evidence, exchange.place.conversation)
        });
        each(done, "no session was over when the client ended", |exchange| {
            let deleted = requests(evidence).any(|it| {
                it.place.conversation == exchange.place.conversation
                    && it.line.starts_with("DELETE ")
            });
            (!deleted).then(|| Finding::new("DELETE", "the client just left", exchange.place))
        })
    },
    mutants: &[Mutant::new(
        "leaves its sessions behind",
        Mutation::Request(
            |request| {
                if request.method == "DELETE" { Passing::No } else { Passing::Yes }
            },
        ),
    )],
};

fn begins(evidence: &Evidence, exchange: &HttpExchange<'_>) -> bool {
    body(evidence, exchange)
        .is_some_and(|it| it.messages().iter().any(|it| it["method"] == "initialize"))
}
