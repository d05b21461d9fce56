//! What clients do with results that may be kept: `#cache-key`, `#time-to-live-ttl-field`, `#freshness-calculation`,
//! `#interaction-with-notifications`, `#interaction-with-pagination`.

use crate::requirement::seen_in;
use crate::{
    common::{
        client_caching::{
            NOT_REPORTED, again, keep, outlives, polls, repeated, reports, source, used_again,
            used_late, uses, was_idle,
        },
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2026_07_28;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const S285: Requirement = Requirement {
    id: "S285",
    name: "ttlms-0-stale-at-once",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "ttlMs 0 is stale at once.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#time-to-live-ttl-field",
    observed: Observed::By(&S285_CHECK),
};

const S285_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "ask again for a result whose ttlMs is 0 when you need it again",
    judge: |evidence| used_again(evidence, |ttl| ttl == Some(&json!(0))),
    mutants: &[reports("keeps what is stale at once", |report| {
        keep(report, "tools/list #2", "tools/list #1");
    })],
};

pub(super) const S286: Requirement = Requirement {
    id: "S286",
    name: "positive-ttlms-counts-from-receipt",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A positive ttlMs counts from receipt.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#time-to-live-ttl-field",
    observed: Observed::By(&S286_CHECK),
};

const S286_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "count ttlMs from when the result came, not from when it was used last",
    judge: |evidence| used_late(evidence, |of| of == "prompts/list"),
    mutants: &[LATE.also(&["S289"])],
};

pub(super) const S287: Requirement = Requirement {
    id: "S287",
    name: "absent-ttlms-0",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An absent ttlMs is 0.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#time-to-live-ttl-field",
    observed: Observed::By(&S287_CHECK),
};

const S287_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "ask again for a result without ttlMs when you need it again",
    judge: |evidence| used_again(evidence, |ttl| ttl.is_none()),
    mutants: &[reports("keeps what does not say for how long", |report| {
        keep(report, "tools/list #3", "tools/list #2");
    })],
};

pub(super) const S288: Requirement = Requirement {
    id: "S288",
    name: "negative-ttlms-0",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A negative ttlMs is 0.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#time-to-live-ttl-field",
    observed: Observed::By(&S288_CHECK),
};

const S288_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "take a negative ttlMs for 0",
    judge: |evidence| {
        used_again(evidence, |ttl| ttl.and_then(Value::as_i64).is_some_and(|it| it < 0))
    },
    mutants: &[reports("keeps what was stale before it came", |report| {
        keep(report, "tools/list #4", "tools/list #3");
    })],
};

pub(super) const A143: Requirement = Requirement {
    id: "A143",
    name: "result-may-considered-fresh-ttlms",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A result may be considered fresh for ttlMs.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cacheable-model ; docs/specification/2026-07-28/server/utilities/caching.mdx#time-to-live-ttl-field",
    observed: Observed::By(&A143_CHECK),
};

const A143_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "nothing: it is allowed",
    judge: |evidence| {
        let offers =
            offered(repeated(evidence), "to use fresh results again", |(first, second)| {
                first.saw == second.saw
            });
        if uses(evidence).next().is_none() {
            Outcome::Unobserved(NOT_REPORTED.to_owned())
        } else {
            offers
        }
    },
    mutants: &[Mutant::new(
        "keeps nothing",
        Mutation::Says(|_, message| {
            if message.pointer("/params/arguments/saw") == Some(&json!("tools/list #4")) {
                let mark = format!("tools/list #4{}", message["id"]);
                message["params"]["arguments"]["saw"] = json!(mark);
            }
        }),
    )],
};

pub(super) const A144: Requirement = Requirement {
    id: "A144",
    name: "at-ttlms-0-client-may-fetch-every-time",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "At ttlMs 0 the client may fetch every time.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#time-to-live-ttl-field",
    observed: Observed::By(&A144_CHECK),
};

const A144_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "nothing: it is allowed",
    judge: |evidence| {
        let stale = repeated(evidence).filter(|(first, _)| {
            let answer = source(evidence, first).and_then(|it| it.answer?.result());
            answer.is_some_and(|it| it.get("ttlMs") == Some(&json!(0)))
        });
        let offers = offered(stale, "to ask for stale results every time", |(first, second)| {
            first.saw != second.saw
        });
        if uses(evidence).next().is_none() {
            Outcome::Unobserved(NOT_REPORTED.to_owned())
        } else {
            offers
        }
    },
    mutants: &[reports("never asks twice", |report| {
        if report["of"] == "tools/list" {
            report["saw"] = json!("tools/list #1");
        }
    })
    .also(&["M511", "S285"])],
};

pub(super) const M507: Requirement = Requirement {
    id: "M507",
    name: "cached-response-only-used-same-method",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A cached response is only used for the same method and parameters.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cache-key",
    observed: Observed::By(&M507_CHECK),
};

const M507_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "find kept results by the method and all parameters that matter",
    judge: |evidence| {
        let marked = uses(evidence).filter(|it| it.saw.contains('#'));
        each(marked, NOT_REPORTED, |used| {
            let own = used.saw.split_once(" #").is_some_and(|(of, _)| of == used.of);
            let expected = || format!("the result of {}", used.of);
            (!own).then(|| Finding::new(expected(), show(&Value::from(used.saw)), used.place))
        })
    },
    mutants: &[
        reports("takes one resource for another", |report| {
            let (one, two) =
                ("resources/read test://hosted/one #1", "resources/read test://hosted/two #1");
            keep(report, two, one);
        }),
        reports("takes one page for another", |report| {
            keep(report, "resources/list second-page #1", "resources/list #1");
        }),
        reports("takes one list for another", |report| {
            keep(report, "prompts/list #1", "tools/list #4");
        }),
    ],
};

pub(super) const M508: Requirement = Requirement {
    id: "M508",
    name: "results-retries-inputresponses-or",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Results of retries with inputResponses or requestState are not cached.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cache-key",
    observed: Observed::By(&M508_CHECK),
};

const M508_CHECK: Check = Check {
    how: "answers a reading after a round with a requestState, says that the result may be kept, and looks at which one is used when it is needed again",
    seen: seen_in(&["hosted cache"]),
    fix: "do not keep results of requests that carry inputResponses or requestState",
    judge: |evidence| {
        let retried = repeated(evidence).filter(|(first, _)| {
            source(evidence, first).is_some_and(|it| {
                ["inputResponses", "requestState"]
                    .iter()
                    .any(|name| it.params.is_some_and(|params| params.get(name).is_some()))
            })
        });
        each(retried, NOT_REPORTED, |(first, second)| again(&first, &second))
    },
    mutants: &[reports("keeps the result of a retry", |report| {
        let (first, second) =
            ("resources/read test://hosted/asked #1", "resources/read test://hosted/asked #2");
        keep(report, second, first);
    })],
};

pub(super) const M509: Requirement = Requirement {
    id: "M509",
    name: "polling-driven-by-ttl-jitter-backoff",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Polling driven by a TTL has jitter and backoff.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#freshness-calculation",
    observed: Observed::By(&M509_CHECK),
};

const M509_CHECK: Check = Check {
    how: "says that lists are fresh for a moment only, and looks at when they are asked for while nothing is needed",
    seen: seen_in(&["hosted cache"]),
    fix: "let the time between two polls vary, and grow",
    judge: |evidence| {
        if !was_idle(evidence) {
            return Outcome::Unobserved(NOT_REPORTED.to_owned());
        }
        let polls = polls(evidence);
        let times: Vec<_> = polls.iter().filter_map(|it| evidence.at(it.place)).collect();
        let gaps: Vec<_> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        let (Some(shortest), Some(longest)) = (gaps.iter().min(), gaps.iter().max()) else {
            return Outcome::NotApplicable("the client does not poll".to_owned());
        };
        if gaps.len() < FEWEST_GAPS {
            return Outcome::NotApplicable("the client was not seen to poll often".to_owned());
        }
        let regular = longest.saturating_sub(*shortest) <= longest.mul_f64(LEAST_JITTER).max(TICK);
        if !regular {
            return Outcome::Kept;
        }
        let actual =
            format!("{} polls, each {} ms after the last", polls.len(), longest.as_millis());
        Outcome::Broken(Finding::new(
            "times between polls that vary and grow",
            actual,
            polls.last().map(|it| it.place),
        ))
    },
    mutants: &[POLLS.also(&["S290"])],
};

pub(super) const S289: Requirement = Requirement {
    id: "S289",
    name: "stale-response-fetched-again-on-next-use",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A stale response is fetched again on next use.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#freshness-calculation",
    observed: Observed::By(&S289_CHECK),
};

const S289_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "look whether a kept result is fresh each time that you need it, and ask again if it is not",
    judge: |evidence| used_late(evidence, |_| true),
    mutants: &[LATE.also(&["S286"])],
};

pub(super) const S290: Requirement = Requirement {
    id: "S290",
    name: "ttl-not-polling-interval",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The TTL is not a polling interval.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#freshness-calculation",
    observed: Observed::By(&S290_CHECK),
};

const S290_CHECK: Check = Check {
    how: "says that lists are fresh for a moment only, and looks at who asks for them while nothing is needed",
    seen: seen_in(&["hosted cache"]),
    fix: "ask again when the result is needed, not when its time is over",
    judge: |evidence| {
        if !was_idle(evidence) {
            return Outcome::Unobserved(NOT_REPORTED.to_owned());
        }
        match polls(evidence).as_slice() {
            [.., last] => {
                let expected = "no list while the client needs none";
                Outcome::Broken(Finding::new(expected, last.method, last.place))
            }
            [] => Outcome::Kept,
        }
    },
    mutants: &[
        Mutant::new(
            "fetches a list as soon as it is stale",
            Mutation::Writes(|_, message| {
                let mut texts = vec![message.to_string()];
                if message.pointer("/params/arguments/saw") == Some(&json!("begin")) {
                    texts.push(listing(message, 1));
                }
                texts
            }),
        ),
        POLLS.also(&["M509"]),
    ],
};

pub(super) const A146: Requirement = Requirement {
    id: "A146",
    name: "client-may-fetch-early-if-suspects-change",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client may fetch early if it suspects a change.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#freshness-calculation",
    observed: Observed::By(&A146_CHECK),
};

const A146_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "nothing: it is allowed",
    judge: |evidence| {
        let fresh = repeated(evidence).filter(|(first, second)| {
            let told = uses(evidence).any(|it| {
                it.of == "changes"
                    && (first.place.event..second.place.event).contains(&it.place.event)
            });
            !told && first.of == "tools/list" && outlives(evidence, first)
        });
        let offers = offered(fresh, "to ask for fresh results early", |(first, second)| {
            first.saw != second.saw
        });
        if uses(evidence).next().is_none() {
            Outcome::Unobserved(NOT_REPORTED.to_owned())
        } else {
            offers
        }
    },
    mutants: &[Mutant::new(
        "asks for what is fresh",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message.pointer("/params/arguments/saw") == Some(&json!("tools/list #4")) {
                let mut early = message.clone();
                early["id"] = json!(format!("early {}", message["id"]));
                early["params"]["arguments"]["saw"] = json!("tools/list #9");
                texts.push(early.to_string());
            }
            texts
        }),
    )],
};

pub(super) const M511: Requirement = Requirement {
    id: "M511",
    name: "change-notification-makes-cached-result",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A change notification makes the cached result stale (no keyword in the text).",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#interaction-with-notifications",
    observed: Observed::By(&M511_CHECK),
};

const M511_CHECK: Check = Check {
    how: "tells of a changed list and of a changed resource whose results are still fresh, and looks at which are used then",
    seen: seen_in(&["hosted cache"]),
    fix: "forget kept results when a notification says that they have changed",
    judge: |evidence| {
        let Some(heard) = uses(evidence).find(|it| it.of == "changes").map(|it| it.place) else {
            return Outcome::Unobserved(NOT_REPORTED.to_owned());
        };
        let changed = repeated(evidence).filter(|(first, second)| {
            let across = first.place.event < heard.event && heard.event < second.place.event;
            across && CHANGED.contains(&first.of)
        });
        each(changed, NOT_REPORTED, |(first, second)| again(&first, &second))
    },
    mutants: &[
        reports("keeps a list of which it heard that it has changed", |report| {
            keep(report, "tools/list #5", "tools/list #4");
        }),
        reports("keeps a resource of which it heard that it has changed", |report| {
            let (first, second) =
                ("resources/read test://hosted/one #1", "resources/read test://hosted/one #2");
            keep(report, second, first);
        }),
    ],
};

pub(super) const S291: Requirement = Requirement {
    id: "S291",
    name: "expired-cached-page-fetched-by-cursor",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An expired cached page is fetched by its cursor.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#interaction-with-pagination",
    observed: Observed::By(&S291_CHECK),
};

const S291_CHECK: Check = Check {
    how: HOW,
    seen: seen_in(&["hosted cache"]),
    fix: "ask for a page by its cursor again when it is needed and stale",
    judge: |evidence| used_late(evidence, |of| of == "resources/list second-page"),
    mutants: &[reports("keeps a page that is stale", |report| {
        keep(report, "resources/list second-page #2", "resources/list second-page #1");
    })
    .also(&["S289"])],
};

const LATE: Mutant = reports("counts the time of a result from its last use", |report| {
    keep(report, "prompts/list #2", "prompts/list #1");
});

const POLLS: Mutant = Mutant::new(
    "polls like a clock",
    Mutation::Writes(|_, message| {
        let mut texts = vec![message.to_string()];
        if message.pointer("/params/arguments/saw") == Some(&json!("begin")) {
            texts.extend((1..6).map(|number| listing(message, number)));
        }
        texts
    }),
);

/// A request for a list beside another request.
fn listing(beside: &Value, number: u32) -> String {
    let meta = &beside["params"]["_meta"];
    let id = format!("poll {number}");
    json!({ "jsonrpc": "2.0", "id": id, "method": "prompts/list", "params": { "_meta": meta } })
        .to_string()
}

const HOW: &str =
    "says how long results may be kept, numbers them, and has the client report which one it used";
/// What a notification says has changed.
const CHANGED: [&str; 2] = ["tools/list", "resources/read test://hosted/one"];
/// Times between polls that show a rhythm.
const FEWEST_GAPS: usize = 3;
/// Of the longest time between two polls.
const LEAST_JITTER: f64 = 0.02;
/// What cannot be told apart by the clock.
const TICK: Duration = Duration::from_millis(2);
