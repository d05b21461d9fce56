//! The requirements of `client/roots`, how each is judged, and the mutants that prove it.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        capabilities::{ASKS_FOR_ROOTS, is_uninvited},
        client::{NOT_ASKED, declared, each_root, has, initialize, remove, result},
        request_metadata::error,
        shape::{doubtful, refused, show},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, between, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25, V2026_07_28};
use proofmark_record::{
    event::EventKind,
    evidence::{CheckerRequest, Evidence},
    topic::Topic,
    transport::Transport,
};
use serde_json::json;

pub(super) const PAGE: Page = Page {
    name: "client/roots",
    why: "Roots tell a server which files it may care about; stale or malformed ones make it look in the wrong place.",
    requirements: &[
        &M071, &M074, &M075, &M375, &M376, &M377, &M378, &S186, &S187, &S188, &S189, &S190, &S191,
        &S192, &S193, &S194, &S195, &S196,
    ],
};

const M071: Requirement = Requirement {
    id: "M071",
    name: "client-roots-declares-roots-capability",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A client with roots declares the roots capability (2026-07-28: on each request, in _meta).",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#capabilities",
    observed: Observed::By(&M071_CHECK),
};

const M071_CHECK: Check = Check {
    how: "asks for roots, whether they were declared or not",
    seen: seen_in(&["hosted ask"]),
    fix: "declare roots in initialize, or answer roots/list with -32601",
    judge: |evidence| declared(evidence, Topic::AskRoots, "roots"),
    mutants: &[initialize("has roots that it does not declare", |params| {
        remove(&mut params["capabilities"], "roots");
    })
    .also(&["M075", "S186"])],
};

const M074: Requirement = Requirement {
    id: "M074",
    name: "client-declared-roots-listchanged-sends",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A client that declared roots.listChanged sends notifications/roots/list_changed when its roots change.",
    section: "docs/specification/{2024-11-05..2025-11-25}/client/roots.mdx#root-list-changes",
    observed: Observed::By(&M074_CHECK),
};

const M074_CHECK: Check = Check {
    how: "asks for roots twice, and looks for the news if they are not the same",
    seen: seen_everywhere(),
    fix: "send notifications/roots/list_changed when the roots change",
    judge: |evidence| {
        if !has(evidence, "/roots/listChanged") {
            return Outcome::NotApplicable(
                "the client does not declare roots.listChanged".to_owned(),
            );
        }
        let lists: Vec<_> = evidence.results("roots/list").collect();
        let changes = lists.windows(2).filter(|pair| {
            pair[0].0.place.conversation == pair[1].0.place.conversation && pair[0].1 != pair[1].1
        });
        each(changes, UNCHANGED, |pair| {
            let (before, after) = (pair[0].0.place, pair[1].0.place);
            let told = evidence.told("notifications/roots/list_changed").any(|heard| {
                // An answer with the old roots may come after the news, and over HTTP one message may overtake another.
                let in_time =
                    evidence.transport != Transport::Stdio || heard.place.event < after.event;
                heard.place.conversation == before.conversation && in_time
            });
            let expected = "notifications/roots/list_changed";
            (!told).then(|| Finding::new(expected, "other roots, and no word of it", after))
        })
    },
    mutants: &[Mutant::new(
        "changes its roots in silence",
        Mutation::Writes(|_, message| {
            let told = message["method"] == "notifications/roots/list_changed";
            if told { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

const M075: Requirement = Requirement {
    id: "M075",
    name: "roots-list-changed-only-used-by-client",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "roots/list_changed is only used by a client that declares roots.listChanged.",
    section: "docs/specification/{2024-11-05..2025-11-25}/client/roots.mdx#root-list-changes ; docs/specification/{2024-11-05..2025-11-25}/client/roots.mdx#capabilities",
    observed: Observed::By(&M075_CHECK),
};

const M075_CHECK: Check = Check {
    how: "looks for notifications/roots/list_changed by clients that do not declare it",
    seen: seen_everywhere(),
    fix: "declare roots.listChanged",
    judge: |evidence| {
        let outcome = each(evidence.told("notifications/roots/list_changed"), "", |heard| {
            let expected = "no such notification without roots.listChanged";
            (!has(evidence, "/roots/listChanged"))
                .then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("the client sent no such notification".to_owned())
            }
            other => other,
        }
    },
    mutants: &[initialize("does not declare that its roots change", |params| {
        remove(&mut params["capabilities"]["roots"], "listChanged");
    })],
};

const M375: Requirement = Requirement {
    id: "M375",
    name: "root-uri-uses-file",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A root URI uses file://.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#root",
    observed: Observed::By(&M375_CHECK),
};

const M375_CHECK: Check = Check {
    how: "looks at every root",
    seen: seen_everywhere(),
    fix: "name roots by file:// URIs",
    judge: |evidence| {
        each_root(evidence, |place, root| {
            let uri = root.get("uri")?.as_str()?;
            (!uri.starts_with("file://")).then(|| Finding::new("a file:// URI", show(root), place))
        })
    },
    mutants: &[result("has a root on the web", "roots/list", |result| {
        result["roots"][0]["uri"] = json!("https://example.com/");
    })],
};

const M376: Requirement = Requirement {
    id: "M376",
    name: "only-permitted-roots-exposed-under-access",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Only permitted roots are exposed, under access control.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#security-considerations",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

const M377: Requirement = Requirement {
    id: "M377",
    name: "root-uris-checked-against-path-traversal",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Root URIs are checked against path traversal.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#security-considerations",
    observed: Observed::By(&M377_CHECK),
};

const M377_CHECK: Check = Check {
    how: "looks for steps upwards in the URI of every root",
    seen: seen_everywhere(),
    fix: "resolve the path of a root before you give it away",
    judge: |evidence| {
        // A path that leads upwards is no proof that the server did not look at it.
        doubtful(each_root(evidence, |place, root| {
            let uri = root.get("uri")?.as_str()?.to_ascii_lowercase().replace("%2e", ".");
            let upwards = uri.split(['/', '\\']).any(|step| step == "..");
            upwards.then(|| Finding::new("a path without steps upwards", show(root), place))
        }))
    },
    mutants: &[result("has a root that leads upwards", "roots/list", |result| {
        result["roots"][0]["uri"] = json!("file:///everything/%2e%2E/");
    })],
};

const M378: Requirement = Requirement {
    id: "M378",
    name: "root-accessibility-monitored",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Root accessibility is monitored.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#security-considerations",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const S186: Requirement = Requirement {
    id: "S186",
    name: "roots-list-without-support-answered-32601",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "roots/list without support is answered -32601.",
    section: "docs/specification/{2024-11-05..2025-11-25}/client/roots.mdx#error-handling",
    observed: Observed::By(&S186_CHECK),
};

const S186_CHECK: Check = Check {
    how: "asks clients without roots for roots",
    seen: seen_in(&["hosted ask"]),
    fix: "answer roots/list with -32601",
    judge: |evidence| {
        if has(evidence, "/roots") {
            return Outcome::NotApplicable("the client declares roots".to_owned());
        }
        refused(evidence, Topic::AskRoots, &[-32601], NOT_ASKED)
    },
    mutants: &[initialize("has roots without saying so", |params| {
        remove(&mut params["capabilities"], "roots");
    })
    .also(&["M071", "M075"])],
};

const S187: Requirement = Requirement {
    id: "S187",
    name: "internal-errors-roots-list-32603",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Internal errors in roots/list are -32603.",
    section: "docs/specification/{2024-11-05..2025-11-25}/client/roots.mdx#error-handling",
    observed: Observed::Unobservable("a sound client does not fail inside, whatever a server asks"),
};

const S188: Requirement = Requirement {
    id: "S188",
    name: "server-copes-roots-vanish",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The server copes with roots that vanish.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#security-considerations",
    observed: Observed::By(&S188_CHECK),
};

const S188_CHECK: Check = Check {
    how: "has no roots any more, and calls again what asked for them before",
    seen: seen_in(&["answers"]),
    fix: "expect that roots are gone",
    judge: |evidence| {
        let outcome = each(evidence.asked(Topic::AfterRoots), "", |asked| {
            let expected = "an answer that is no internal error";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let broke = answer.code() == Some(-32603);
            broke.then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, "nothing that was called asks for roots")
    },
    mutants: &[Mutant::new(
        "breaks where there are no roots",
        Mutation::Says(|context, message| {
            if context.params["_meta"]["progressToken"] == "after-roots" {
                *message = error(&message["id"], -32603);
            }
        }),
    )],
};

const S189: Requirement = Requirement {
    id: "S189",
    name: "server-stays-within-roots-checks-paths",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The server stays within the roots and checks paths against them.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#security-considerations ; docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#implementation-guidelines",
    observed: Observed::Unobservable(
        "what a server touches on its own machine cannot be seen from outside",
    ),
};

const S190: Requirement = Requirement {
    id: "S190",
    name: "users-consent-before-roots-exposed",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Users consent before roots are exposed.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#implementation-guidelines",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

const S191: Requirement = Requirement {
    id: "S191",
    name: "there-clear-interface-roots",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "There is a clear interface for roots.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#implementation-guidelines",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

const S192: Requirement = Requirement {
    id: "S192",
    name: "root-accessibility-checked-changes-watched",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Root accessibility is checked and changes are watched.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#implementation-guidelines",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const S193: Requirement = Requirement {
    id: "S193",
    name: "server-checks-roots-capability-before-use",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The server checks the roots capability before use.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#implementation-guidelines",
    observed: Observed::By(&S193_CHECK),
};

const S193_CHECK: Check = Check {
    how: "calls, as a client without roots, what asked an able client something",
    seen: seen_everywhere(),
    fix: "look at the client's capabilities before asking it for roots",
    judge: |evidence| {
        if evidence.declared().is_none() {
            return Outcome::Unobserved("no handshake succeeded".to_owned());
        }
        let asked = evidence
            .heard_methods()
            .find(|(heard, method)| *method == "roots/list" && is_uninvited(evidence, *heard));
        asked.map_or(Outcome::Kept, |(heard, _)| {
            let expected = "no roots/list to a client without roots";
            Outcome::Broken(Finding::new(expected, show(heard.message), heard.place))
        })
    },
    mutants: &[ASKS_FOR_ROOTS.also(&["M144", "S018"])],
};

const S194: Requirement = Requirement {
    id: "S194",
    name: "root-list-changes-handled",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Root list changes are handled.",
    section: "docs/specification/{2024-11-05..2025-11-25}/client/roots.mdx#implementation-guidelines",
    observed: Observed::By(&S194_CHECK),
};

const S194_CHECK: Check = Check {
    how: "says that its roots changed, and calls again what asked for them before",
    seen: seen_in(&["answers"]).momentary(),
    fix: "ask for the roots again when a client says that they changed",
    judge: |evidence| {
        let again = evidence.asked(Topic::AfterRoots).filter(|it| is_rooted(evidence, it));
        let outcome = each(again, "", |asked| {
            asked.answer?;
            let events = &evidence.conversations[asked.place.conversation].events;
            let changed = events.iter().position(|event| {
                matches!(event.kind, EventKind::Sent { topic: Topic::RootsChanged, .. })
            })?;
            let mut later = evidence.requests_for("roots/list").filter(|request| {
                request.place.conversation == asked.place.conversation
                    && request.place.event > changed
            });
            let expected = "another request for the roots";
            later.next().is_none().then(|| Finding::new(expected, "none", asked.place))
        });
        none_applies(outcome, "nothing that was called asks for roots")
    },
    mutants: &[Mutant::new(
        "remembers roots that changed",
        Mutation::Hears(|message| {
            let again = message.pointer("/params/_meta/progressToken")? == "after-roots";
            again.then(|| {
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "content": [] } });
                vec![answer.to_string()]
            })
        }),
    )],
};

const S195: Requirement = Requirement {
    id: "S195",
    name: "root-information-cached-sensibly",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Root information is cached sensibly.",
    section: "docs/specification/{2024-11-05..2026-07-28}/client/roots.mdx#implementation-guidelines",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const S196: Requirement = Requirement {
    id: "S196",
    name: "roots-deprecated-not-new-code-migrated",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Roots are deprecated: not for new code, and to be migrated.",
    section: "docs/specification/2026-07-28/client/roots.mdx",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

/// Whether the same call asked for the roots before. A server may also ask at a time of its own, which says nothing about the call.
fn is_rooted(evidence: &Evidence, again: &CheckerRequest<'_>) -> bool {
    let name = again.params.and_then(|it| it.get("name"));
    evidence.asked(Topic::Call).any(|call| {
        let Some(answer) = call.answer else { return false };
        let during = call.place.event..answer.place.event;
        call.place.conversation == again.place.conversation
            && call.params.and_then(|it| it.get("name")) == name
            && evidence.requests_for("roots/list").any(|request| {
                request.place.conversation == call.place.conversation
                    && during.contains(&request.place.event)
            })
    })
}

const UNCHANGED: &str = "the roots did not change; a client that can be told what to do finds roots in PROOFMARK_SCENARIO";
