//! `server/utilities/caching`: `#interaction-with-pagination`, `#security-considerations`.

use crate::requirement::seen_in;
use crate::{
    common::{
        caching::unhinted,
        client::{LISTS, hosted_at},
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{evidence::Answer, topic::Topic};
use serde_json::json;

pub(super) const M512: Requirement = Requirement {
    id: "M512",
    name: "all-pages-list-have-same-cachescope",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "All pages of a list have the same cacheScope.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#interaction-with-pagination",
    observed: Observed::By(&M512_CHECK),
};

const M512_CHECK: Check = Check {
    how: "compares cacheScope of all results for one list",
    seen: seen_in(&["lists"]),
    fix: "give all pages of a list the same cacheScope",
    judge: |evidence| {
        let lists = evidence.asked_all().filter(|asked| {
            matches!(asked.topic, Topic::List | Topic::ListAgain) && asked.answer.is_some()
        });
        let lists: Vec<_> = lists
            .filter_map(|asked| {
                let answer = asked.answer?;
                Some((asked.method, answer.place, answer.result()?.get("cacheScope")?))
            })
            .collect();
        each(
            lists.iter().enumerate(),
            "no list has cacheScope",
            |(index, (method, place, scope))| {
                let first = lists[..index].iter().find(|(it, ..)| it == method)?;
                (first.2 != *scope).then(|| {
                    Finding::new(format!("{} as before", show(first.2)), show(scope), *place)
                })
            },
        )
    },
    mutants: &[unhinted("changes its mind about who may keep a list", |context, result| {
        let again = context.params["_meta"][proofmark_record::meta::CAPABILITIES] == json!({});
        if context.method == Some("prompts/list") && again {
            result["cacheScope"] = json!("private");
        }
    })],
};

pub(super) const S292: Requirement = Requirement {
    id: "S292",
    name: "consistent-list-client-starts-over",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "For a consistent list the client starts over.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#interaction-with-pagination",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S293: Requirement = Requirement {
    id: "S293",
    name: "invalid-cursor-makes-client-discard-all",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An invalid cursor makes the client discard all cached pages.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#interaction-with-pagination",
    observed: Observed::By(&S293_CHECK),
};

const S293_CHECK: Check = Check {
    how: "refuses a cursor that it gave, once",
    seen: seen_in(&["hosted expire"]),
    fix: "begin a list anew when its cursor is refused",
    judge: |evidence| {
        let refused = LISTS.iter().flat_map(|method| evidence.requests_for(method)).filter(|it| {
            hosted_at(evidence, it.place) == Some(HostedScenario::EXPIRE)
                && it.answer.and_then(Answer::code).is_some()
        });
        each(refused, "the client turned no page whose cursor could be refused", |request| {
            let next = evidence.requests_for(request.method).find(|it| {
                it.place.conversation == request.place.conversation
                    && it.place.event > request.place.event
            });
            let Some(next) = next else {
                let expected = "the list from its beginning";
                return Some(Finding::new(expected, "the client gave up", request.place));
            };
            let cursor = next.params.and_then(|it| it.get("cursor"))?;
            Some(Finding::new("no cursor", show(cursor), next.place))
        })
    },
    mutants: &[Mutant::new(
        "keeps to a cursor that is refused",
        Mutation::Hears(|message| {
            (message["error"]["message"] == "this cursor has expired").then(Vec::new)
        }),
    )],
};

pub(super) const A151: Requirement = Requirement {
    id: "A151",
    name: "pages-one-list-may-have-different-ttlms",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Pages of one list may have different ttlMs.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#interaction-with-pagination",
    observed: Observed::Unobservable(
        "a permission: pages with equal and with different ttlMs are both right",
    ),
};

pub(super) const M513: Requirement = Requirement {
    id: "M513",
    name: "server-reckons-public-results-being-shared",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server reckons with public results being shared.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#security-considerations",
    observed: Observed::Unobservable("a rule for those who design a peer"),
};

pub(super) const M514: Requirement = Requirement {
    id: "M514",
    name: "access-control-does-not-rest-on-cachescope",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Access control does not rest on cacheScope.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#security-considerations",
    observed: Observed::Unobservable("which results a user may have is known to the server alone"),
};
