//! The requirements of `server/utilities/pagination`, how each is judged, and the mutants that prove it.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{LISTS, legacy, turned, unfinished},
        request_metadata::error,
        shape::{refused, show},
        tools::none_applies,
        utilities::unless_seen,
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, all_of, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, between, since},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25, V2026_07_28};
use proofmark_record::{
    evidence::{CheckerRequest, Evidence, PeerRequest, list_key},
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "server/utilities/pagination",
    why: "A client that gets a cursor wrong, or one that never ends, sees a part of the list and takes it for the whole.",
    requirements: &[&M494, &M495, &M496, &M497, &M498, &S030, &S281, &S282, &S283, &S284],
};

const M494: Requirement = Requirement {
    id: "M494",
    name: "client-assumes-no-page-size",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The client assumes no page size.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/pagination.mdx#pagination-model",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const M495: Requirement = Requirement {
    id: "M495",
    name: "pagination-cursors-opaque-sent-back",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Pagination cursors are opaque and sent back unmodified.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/pagination.mdx#implementation-guidelines",
    observed: Observed::By(&M495_CHECK),
};

const M495_CHECK: Check = Check {
    how: "compares every cursor with those that the server gave",
    seen: seen_everywhere(),
    fix: "send cursors back as they came",
    judge: |evidence| {
        let paging = legacy(evidence).filter_map(|it| Some((it, it.params?.get("cursor")?)));
        each(paging, "the client turned no page", |(request, cursor)| {
            let given = legacy(evidence).any(|it| {
                it.method == request.method
                    && it.place.conversation == request.place.conversation
                    && it.place.event < request.place.event
                    && it.answer.and_then(|it| it.result()?.get("nextCursor")) == Some(cursor)
            });
            let expected = "a cursor that the server gave";
            (!given).then(|| Finding::new(expected, show(cursor), request.place))
        })
    },
    mutants: &[Mutant::new(
        "makes cursors up",
        Mutation::Says(|_, message| {
            if let Some(cursor) = message.pointer_mut("/params/cursor") {
                *cursor = json!("2");
            }
        }),
    )
    .also(&["S234", "S284"])],
};

const M496: Requirement = Requirement {
    id: "M496",
    name: "pagination-cursors-not-kept-across-sessions",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Pagination cursors are not kept across sessions.",
    section: "docs/specification/{2024-11-05..2025-11-25}/server/utilities/pagination.mdx#implementation-guidelines",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const M497: Requirement = Requirement {
    id: "M497",
    name: "empty-string-cursor-cursor-not-end",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An empty string cursor is a cursor, not the end.",
    section: "docs/specification/2026-07-28/server/utilities/pagination.mdx#implementation-guidelines",
    observed: Observed::By(&M497_CHECK),
};

const M497_CHECK: Check = Check {
    how: "gives the empty string as a cursor",
    seen: seen_in(&["hosted pages"]),
    fix: "take every nextCursor for a cursor, whatever is in it",
    judge: |evidence| {
        let pages = || LISTS.iter().flat_map(|method| unfinished(evidence, method));
        let is_empty = |it: &PeerRequest<'_>| {
            it.answer.and_then(|it| it.result()?.get("nextCursor")) == Some(&json!(""))
        };
        // A client that turns no page at all took this cursor for nothing.
        let turns = pages().any(|it| !is_empty(&it) && turned(evidence, &it).is_none());
        let empty = pages().filter(|it| turns && is_empty(it));
        each(empty, "the client turned no page with another cursor", |it| turned(evidence, &it))
    },
    mutants: &[Mutant::new(
        "takes an empty cursor for the end",
        Mutation::Writes(|_, message| {
            let empty = message.pointer("/params/cursor") == Some(&json!(""));
            if empty { Vec::new() } else { vec![message.to_string()] }
        }),
    )
    .also(&["S234", "S284"])],
};

const M498: Requirement = Requirement {
    id: "M498",
    name: "resources-list-resources-templates-list",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "resources/list, resources/templates/list, prompts/list and tools/list accept a cursor (descriptive in the text).",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/pagination.mdx#operations-supporting-pagination",
    observed: Observed::By(&M498_CHECK),
};

const M498_CHECK: Check = Check {
    how: "asks for pages of every list with a cursor: those that exist, and one that does not",
    seen: seen_in(&["tour"]),
    fix: "accept a cursor in every list; refuse an unknown one with -32602",
    judge: |evidence| {
        let paged = evidence.asked_all().filter(|asked| {
            list_key(asked.method).is_some()
                && asked.params.is_some_and(|params| params.get("cursor").is_some())
        });
        let outcome = each(paged, "", |asked| {
            let expected = "a page, or the error -32602";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let refused = matches!(answer.code(), Some(-32601 | -32600 | -32603));
            let real = asked.topic != Topic::BogusCursor && answer.result().is_none();
            (refused || real).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, "the server has no lists")
    },
    mutants: &[Mutant::new(
        "knows no cursors",
        Mutation::Says(|context, message| {
            if context.method == Some("resources/templates/list")
                && context.params.get("cursor").is_some()
            {
                *message = error(&message["id"], -32601);
            }
        }),
    )
    .also(&["S030", "S282"])],
};

const S030: Requirement = Requirement {
    id: "S030",
    name: "invalid-cursor-answered-32602",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "An invalid cursor is answered with -32602.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/pagination.mdx#error-handling",
    observed: Observed::By(&S030_CHECK),
};

const S030_CHECK: Check = Check {
    how: "asks each list for a page under a cursor that the server never gave",
    seen: seen_in(&["tour"]),
    fix: "answer a cursor that is not yours with the error -32602",
    judge: |evidence| {
        refused(evidence, Topic::BogusCursor, &[-32602], "the server declares no list")
    },
    mutants: &[Mutant::new(
        "takes any cursor",
        Mutation::Says(|context, message| {
            if context.params["cursor"] == "proofmark-no-such-cursor"
                && context.method == Some("prompts/list")
            {
                *message =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "prompts": [] } });
            }
        }),
    )
    .also(&["S282"])],
};

const S281: Requirement = Requirement {
    id: "S281",
    name: "pagination-cursors-stable",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Pagination cursors are stable.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/pagination.mdx#implementation-guidelines",
    observed: Observed::By(&S281_CHECK),
};

const S281_CHECK: Check = Check {
    how: "turns the pages of each list, and asks for a page twice with the same cursor",
    seen: seen_in(&["tour"]),
    fix: "give the same page for the same cursor as long as the list is the same, and each item on one page",
    judge: |evidence| {
        let again = evidence.asked(Topic::CursorAgain);
        let outcome = each(again, "", |asked| {
            let cursor = asked.params?.get("cursor")?;
            let first = evidence.asked(Topic::List).find(|it| {
                it.method == asked.method
                    && it.params.and_then(|it| it.get("cursor")) == Some(cursor)
            })?;
            let key = list_key(asked.method)?;
            let before = names(first.answer?.result()?.get(key)?);
            let answer = asked.answer?;
            let now = answer.result().and_then(|it| it.get(key)).map(names);
            (now.as_ref() != Some(&before)).then(|| {
                let expected = format!("{} again", before.join(", "));
                Finding::new(expected, show(answer.message), answer.place)
            })
        });
        let walked = each(evidence.asked(Topic::List), "", |asked| repeats(evidence, &asked));
        all_of([none_applies(outcome, "no list has more than one page"), unless_seen(walked, "")])
    },
    mutants: &[
        paged("has always a next page", |context, result| {
            if context.params.get("cursor").is_some() && result.get("nextCursor").is_none() {
                result["nextCursor"] = context.params["cursor"].clone();
            }
        }),
        paged("repeats an item on the next page", |context, result| {
            if context.params["cursor"].is_string()
                && context.method == Some("tools/list")
                && let Some(tools) = result["tools"].as_array_mut()
            {
                let first = json!({ "name": "test_simple_text", "description": "Once more",
                    "inputSchema": { "type": "object" } });
                tools.insert(0, first);
            }
        })
        .also(&["M482", "S246"]),
        Mutant {
            transport: Some(Transport::Http),
            ..Mutant::new(
                "forgets its cursors",
                Mutation::Answer {
                    id: "cursor-again",
                    change: |message| *message = error(&message["id"], -32602),
                },
            )
            .of(Variant::Paged)
            .also(&["M498"])
        },
    ],
};

const S282: Requirement = Requirement {
    id: "S282",
    name: "bad-pagination-cursors-handled-gracefully",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Bad pagination cursors are handled gracefully.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/pagination.mdx#implementation-guidelines",
    observed: Observed::By(&S282_CHECK),
};

const S282_CHECK: Check = Check {
    how: "asks each list for a page under a cursor that the server never gave, and goes on",
    seen: seen_in(&["tour"]),
    fix: "answer a bad cursor with an error and go on serving",
    judge: |evidence| {
        each(evidence.asked(Topic::BogusCursor), "the server declares no list", |asked| {
            (asked.answer.is_none()).then(|| Finding::new("an answer", "none", asked.place))
        })
    },
    mutants: &[Mutant::new(
        "is struck dumb by a bad cursor",
        Mutation::Hears(|message| {
            let odd = message["params"]["cursor"] == "proofmark-no-such-cursor";
            (odd && message["method"] == "prompts/list").then(Vec::new)
        }),
    )
    .also(&["M498", "S030"])],
};

const S283: Requirement = Requirement {
    id: "S283",
    name: "missing-nextcursor-ends-list",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A missing nextCursor ends the list.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/pagination.mdx#implementation-guidelines",
    observed: Observed::By(&S283_CHECK),
};

const S283_CHECK: Check = Check {
    how: "looks for requests for a page after the last one",
    seen: seen_everywhere(),
    fix: "stop when there is no nextCursor",
    judge: |evidence| {
        let last = legacy(evidence).filter(|request| {
            let paged = request.params.is_some_and(|it| it.get("cursor").is_some());
            let result = request.answer.and_then(proofmark_record::evidence::Answer::result);
            paged && result.is_some_and(|it| it.get("nextCursor").is_none())
        });
        each(last, "the client did not get to the last page of a list", |request| {
            let next = legacy(evidence).find(|it| {
                it.method == request.method
                    && it.place.conversation == request.place.conversation
                    && it.place.event > request.place.event
            })?;
            let further = next.params.is_some_and(|it| it.get("cursor").is_some());
            further.then(|| Finding::new("the end of the list", next.method, next.place))
        })
    },
    mutants: &[Mutant::new(
        "asks for the last page again and again",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["method"] == "resources/list" && message.pointer("/params/cursor").is_some()
            {
                let mut again = message.clone();
                again["id"] = json!("again");
                texts.push(again.to_string());
            }
            texts
        }),
    )],
};

const S284: Requirement = Requirement {
    id: "S284",
    name: "client-handles-lists-without-pages",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The client handles lists with and without pages.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/pagination.mdx#implementation-guidelines",
    observed: Observed::By(&S284_CHECK),
};

const S284_CHECK: Check = Check {
    how: "gives lists in pages in one run and whole in the others",
    seen: seen_in(&["hosted pages"]),
    fix: "take lists both ways",
    judge: |evidence| {
        let paged = LISTS.iter().flat_map(|method| unfinished(evidence, method));
        each(paged, "the client listed nothing in pages", |it| turned(evidence, &it))
    },
    mutants: &[TURNS_NO_PAGE.also(&["S234"])],
};

/// A page that has what an earlier page of the same list had, or leads back to one.
fn repeats(evidence: &Evidence, asked: &CheckerRequest<'_>) -> Option<Finding> {
    let key = list_key(asked.method)?;
    asked.params?.get("cursor")?;
    let answer = asked.answer?;
    let result = answer.result()?;
    let earlier = || {
        evidence.asked(Topic::List).filter(|it| {
            it.method == asked.method
                && it.place.conversation == asked.place.conversation
                && it.place.event < asked.place.event
        })
    };
    let changes = format!("notifications/{}/list_changed", asked.method.split('/').next()?);
    if evidence.told(&changes).any(|it| {
        it.place.conversation == asked.place.conversation && it.place.event < answer.place.event
    }) {
        return None;
    }
    let next = result.get("nextCursor").filter(|it| it.is_string());
    let came_from = |it: CheckerRequest<'_>| it.params.and_then(|it| it.get("cursor")).cloned();
    let mut cursors = earlier().filter_map(came_from).chain(came_from(*asked));
    if let Some(next) = next
        && cursors.any(|it| it == *next)
    {
        let actual = format!("the cursor {} again", show(next));
        return Some(Finding::new("a page that was not there before", actual, answer.place));
    }
    let before: Vec<_> =
        earlier().filter_map(|it| Some(names(it.answer?.result()?.get(key)?))).flatten().collect();
    let twice = names(result.get(key)?).into_iter().find(|name| before.contains(name))?;
    let actual = format!("{} once more", show(&json!(twice)));
    Some(Finding::new("each item on one page", actual, answer.place))
}

/// Changes the pages of a server that has several.
const fn paged(name: &'static str, says: fn(&Context<'_>, &mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Result(says)).over(Transport::Http).of(Variant::Paged)
}

fn names(items: &Value) -> Vec<String> {
    let items = items.as_array().into_iter().flatten();
    let named = items.filter_map(|item| {
        ["uri", "uriTemplate", "name"].iter().find_map(|member| item.get(member)?.as_str())
    });
    named.map(str::to_owned).collect()
}

const TURNS_NO_PAGE: Mutant = Mutant::new(
    "looks at first pages only",
    Mutation::Writes(|_, message| {
        let turns = message.pointer("/params/cursor").is_some();
        if turns { Vec::new() } else { vec![message.to_string()] }
    }),
);
