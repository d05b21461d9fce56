//! `server/utilities/caching`: `#cacheable-results`, `#time-to-live-ttl-field`, `#cache-key`, `#freshness-calculation`, `#cache-scope-
//! field`, `#interaction-with-notifications`.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        caching::{hints, unhinted},
        shape::{lacks, show},
        tools::none_applies,
    },
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::evidence::{Answer, Evidence};
use serde_json::{Value, json};

pub(super) const M499: Requirement = Requirement {
    id: "M499",
    name: "complete-server-discover-result-ttlms",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A complete server/discover result has ttlMs and cacheScope.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cacheable-results",
    observed: Observed::By(&M499_CHECK),
};

const M499_CHECK: Check = Check {
    how: "looks at every result of server/discover",
    seen: seen_everywhere(),
    fix: HINT,
    judge: |evidence| hinted(evidence, "server/discover"),
    mutants: &[unhinted("does not say how long a discovery lasts", |context, result| {
        drop_hint(context.method == Some("server/discover"), result);
    })
    .also(&["M150"])],
};

pub(super) const M500: Requirement = Requirement {
    id: "M500",
    name: "complete-tools-list-result-ttlms-cachescope",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A complete tools/list result has ttlMs and cacheScope.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cacheable-results",
    observed: Observed::By(&M500_CHECK),
};

const M500_CHECK: Check = Check {
    how: "looks at every result of tools/list",
    seen: seen_everywhere(),
    fix: HINT,
    judge: |evidence| hinted(evidence, "tools/list"),
    mutants: &[unhinted("does not say how long a list of tools lasts", |context, result| {
        drop_hint(context.method == Some("tools/list"), result);
    })],
};

pub(super) const M501: Requirement = Requirement {
    id: "M501",
    name: "complete-prompts-list-result-ttlms",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A complete prompts/list result has ttlMs and cacheScope.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cacheable-results",
    observed: Observed::By(&M501_CHECK),
};

const M501_CHECK: Check = Check {
    how: "looks at every result of prompts/list",
    seen: seen_everywhere(),
    fix: HINT,
    judge: |evidence| hinted(evidence, "prompts/list"),
    mutants: &[unhinted("does not say how long a list of prompts lasts", |context, result| {
        drop_hint(context.method == Some("prompts/list"), result);
    })],
};

pub(super) const M502: Requirement = Requirement {
    id: "M502",
    name: "complete-resources-list-result-ttlms",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A complete resources/list result has ttlMs and cacheScope.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cacheable-results",
    observed: Observed::By(&M502_CHECK),
};

const M502_CHECK: Check = Check {
    how: "looks at every result of resources/list",
    seen: seen_everywhere(),
    fix: HINT,
    judge: |evidence| hinted(evidence, "resources/list"),
    mutants: &[unhinted("does not say how long a list of resources lasts", |context, result| {
        drop_hint(context.method == Some("resources/list"), result);
    })],
};

pub(super) const M503: Requirement = Requirement {
    id: "M503",
    name: "complete-resources-templates-list-result",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A complete resources/templates/list result has ttlMs and cacheScope.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cacheable-results",
    observed: Observed::By(&M503_CHECK),
};

const M503_CHECK: Check = Check {
    how: "looks at every result of resources/templates/list",
    seen: seen_everywhere(),
    fix: HINT,
    judge: |evidence| hinted(evidence, "resources/templates/list"),
    mutants: &[unhinted("does not say how long a list of templates lasts", |context, result| {
        drop_hint(context.method == Some("resources/templates/list"), result);
    })],
};

pub(super) const M504: Requirement = Requirement {
    id: "M504",
    name: "complete-resources-read-result-ttlms",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A complete resources/read result has ttlMs and cacheScope.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cacheable-results",
    observed: Observed::By(&M504_CHECK),
};

const M504_CHECK: Check = Check {
    how: "looks at every result of resources/read",
    seen: seen_everywhere(),
    fix: HINT,
    judge: |evidence| hinted(evidence, "resources/read"),
    mutants: &[unhinted("does not say how long contents last", |context, result| {
        drop_hint(context.method == Some("resources/read"), result);
    })],
};

pub(super) const M505: Requirement = Requirement {
    id: "M505",
    name: "ttlms-integer-at-least-0",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "ttlMs is an integer of at least 0.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#time-to-live-ttl-field ; schema/2026-07-28/schema.ts#CacheableResult",
    observed: Observed::By(&M505_CHECK),
};

const M505_CHECK: Check = Check {
    how: "looks at ttlMs of every result",
    seen: seen_everywhere(),
    fix: "give ttlMs in whole milliseconds, at least 0",
    judge: |evidence| {
        each(hints(evidence, "ttlMs"), "no result has ttlMs", |(place, ttl)| {
            ttl.as_u64()
                .is_none()
                .then(|| Finding::new("an integer of at least 0", show(ttl), place))
        })
    },
    mutants: &[
        unhinted("lets its results expire before they are made", |context, result| {
            if context.method == Some("prompts/list") {
                result["ttlMs"] = json!(-1);
            }
        }),
        unhinted("counts in parts of milliseconds", |context, result| {
            if context.method == Some("prompts/list") {
                result["ttlMs"] = json!(1.5);
            }
        }),
    ],
};

pub(super) const A145: Requirement = Requirement {
    id: "A145",
    name: "cached-data-may-change-at-server-before-ttl",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Cached data may change at the server before the TTL ends.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#time-to-live-ttl-field",
    observed: Observed::Unobservable(
        "when the data behind a result change is known to the server alone",
    ),
};

pub(super) const A147: Requirement = Requirement {
    id: "A147",
    name: "stale-cached-data-may-served-on-errors",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Stale cached data may be served on errors.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#freshness-calculation",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M510: Requirement = Requirement {
    id: "M510",
    name: "results-cachescope-private-not-shared-across",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Results with cacheScope private are not shared across authorization contexts.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cache-scope-field",
    observed: Observed::Unobservable(
        "a client that serves two users is needed, and one run of a client is for one",
    ),
};

pub(super) const A148: Requirement = Requirement {
    id: "A148",
    name: "results-cachescope-public-may-shared-between",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Results with cacheScope public may be shared between users.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cache-scope-field",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const A149: Requirement = Requirement {
    id: "A149",
    name: "results-cachescope-private-may-reused-same",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Results with cacheScope private may be reused in the same context.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#cache-scope-field",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const A150: Requirement = Requirement {
    id: "A150",
    name: "ttlms-may-used-or-without-listchanged",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "ttlMs may be used with or without listChanged.",
    section: "docs/specification/2026-07-28/server/utilities/caching.mdx#interaction-with-notifications",
    observed: Observed::Unobservable("a permission: ttlMs is right with and without listChanged"),
};

/// Complete results say how long and for whom.
fn hinted(evidence: &Evidence, method: &str) -> Outcome {
    let complete = |(_, result): &(Answer<'_>, &Value)| {
        result.get("resultType").is_none_or(|kind| kind == "complete")
    };
    let outcome = each(evidence.results(method).filter(complete), "", |(answer, result)| {
        lacks(answer.place, result, "ttlMs", "a number", Value::is_number)
            .or_else(|| lacks(answer.place, result, "cacheScope", "a string", Value::is_string))
    });
    none_applies(outcome, &format!("there was no result of {method}"))
}

fn drop_hint(is_it: bool, result: &mut Value) {
    if is_it && let Some(result) = result.as_object_mut() {
        result.remove("ttlMs");
    }
}

const HINT: &str = "give ttlMs and cacheScope with every complete result";
