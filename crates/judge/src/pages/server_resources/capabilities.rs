//! `server/resources`: `#capabilities`, `#subscriptions`, `#list-changed-notification`, `#meta`, `#custom-uri-schemes`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        capabilities::{hides, lists_only_if_declared, notifies_only_if_declared, remove},
        change_notifications::{List, announces, is_heard, keeps_quiet_about, triggered, without},
        client::{NO_REQUEST, call, meta, modern, remove as remove_client},
        optional_features::{ALLOWED, silent_about, told},
        resources::is_empty,
        results::result,
        shape::{each_item, lacks, lacks_text, show},
        stateless::{SAME, is_bare, lists, other, refuse, same_everywhere},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, all_of, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use proofmark_converse::mutation::{Mutation, result_of};
use proofmark_core::revision::{
    Era,
    Revision::{V2024_11_05, V2025_06_18, V2025_11_25, V2026_07_28},
};
use proofmark_record::{
    evidence::{CheckerRequest, Evidence, PeerMessage, Place},
    meta::{CAPABILITIES, VERSION},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M048: Requirement = Requirement {
    id: "M048",
    name: "server-resources-declares-resources",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A server with resources declares the resources capability.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#capabilities",
    observed: Observed::By(&M048_CHECK),
};

const M048_CHECK: Check = Check {
    how: "asks for resources although none are declared",
    seen: seen_in(&["tour"]),
    fix: "declare the resources capability, or answer resources/list with -32601",
    judge: |evidence| lists_only_if_declared(evidence, "resources", "resources/list"),
    mutants: &[hides("has resources that it does not declare", |context, message| {
        remove(context, message, "/resources", None);
    })
    .also(&["M057", "S242"])],
};

pub(super) const M462: Requirement = Requirement {
    id: "M462",
    name: "server-declares-resources-answers",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A server that declares resources answers resources/list.",
    section: "docs/specification/2026-07-28/server/resources.mdx#capabilities",
    observed: Observed::By(&M462_CHECK),
};

const M462_CHECK: Check = Check {
    how: "asks for the resources",
    seen: seen_in(&["lists"]),
    fix: "answer resources/list where resources are declared",
    judge: |evidence| lists(evidence, "resources", "resources/list"),
    mutants: &[Mutant::new(
        "does not list its resources",
        Mutation::Says(|context, message| {
            refuse(context.method == Some("resources/list") && is_bare(context.params), message);
        }),
    )],
};

pub(super) const M463: Requirement = Requirement {
    id: "M463",
    name: "resource-list-does-not-vary-by-connection",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The resource list does not vary by connection nor through other requests.",
    section: "docs/specification/2026-07-28/server/resources.mdx#capabilities",
    observed: Observed::By(&M463_CHECK),
};

const M463_CHECK: Check = Check {
    how: "compares the resources on two connections",
    seen: seen_in(&["lists"]).momentary(),
    fix: SAME,
    judge: |evidence| same_everywhere(evidence, "resources/list"),
    mutants: &[result("has other resources for others", |context, result| {
        if context.method == Some("resources/list") {
            other(is_bare(context.params), &mut result["resources"]);
        }
    })],
};

pub(super) const A122: Requirement = Requirement {
    id: "A122",
    name: "resource-list-may-empty-may-change",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The resource list may be empty and may change.",
    section: "docs/specification/2026-07-28/server/resources.mdx#capabilities",
    observed: Observed::By(&A122_CHECK),
};

const A122_CHECK: Check = Check {
    how: "listens for changes of the resources",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| told(evidence, RESOURCES_OFFERS, "changes of resources"),
    mutants: &[silent_about("never changes its resources", |method| method == RESOURCES_OFFERS)
        .also(&["S023"])],
};

pub(super) const A123: Requirement = Requirement {
    id: "A123",
    name: "resource-list-may-vary-authorization",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The resource list may vary with the authorization presented.",
    section: "docs/specification/2026-07-28/server/resources.mdx#capabilities",
    observed: Observed::Unobservable(
        "it takes two users, and what differs between them is known to the server alone",
    ),
};

pub(super) const M055: Requirement = Requirement {
    id: "M055",
    name: "subscribed-resource-change-produces",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A subscribed resource's change produces notifications/resources/updated (no capitalised MUST in any official page; 2026-07-28 delivers it on a subscriptions/listen stream).",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#subscriptions",
    observed: Observed::By(&M055_CHECK),
};

const M055_CHECK: Check = Check {
    how: "subscribes to resources, calls tools, and listens for notifications/resources/updated",
    seen: seen_in(&["tour"]),
    fix: "tell subscribers when a resource changes",
    judge: |evidence| {
        if !evidence.capability("/resources/subscribe") {
            let why = "the server does not declare resources.subscribe";
            return Outcome::NotApplicable(why.to_owned());
        }
        let answered =
            |asked: CheckerRequest<'_>| asked.answer.is_some_and(|it| it.result().is_some());
        let subscribed = evidence.asked(Topic::Subscribe).any(answered)
            || evidence.asked(Topic::Listen).next().is_some();
        if !subscribed {
            return Outcome::Unobserved("there was no resource to subscribe to".to_owned());
        }
        let changed = each(evidence.asked(Topic::Read), "", |read| unannounced(evidence, &read));
        let unwanted = each(evidence.told(UPDATED), "", |heard| unwanted(evidence, heard));
        if let Outcome::Broken(finding) = all_of([changed, unwanted]) {
            return Outcome::Doubtful(finding);
        }
        if is_heard(evidence, UPDATED) {
            return Outcome::Kept;
        }
        let triggered = triggered(evidence, "test_trigger_resource_update");
        triggered.map_or_else(
            || {
                Outcome::Unobserved(
                    "no subscribed resource changed while the checker listened".to_owned(),
                )
            },
            // No official page has a keyword here.
            |call| Outcome::Doubtful(Finding::new(UPDATED, "no such notification", call.place)),
        )
    },
    mutants: &[
        keeps_quiet_about("keeps changes of a resource to itself", |_, message| {
            without(UPDATED, message)
        }),
        Mutant::new(
            "tells of what was not subscribed to",
            Mutation::Writes(|_, message| {
                let mut texts = vec![message.to_string()];
                if message["method"] == UPDATED {
                    let mut other = message.clone();
                    other["params"]["uri"] = json!("other://thing");
                    texts.push(other.to_string());
                }
                texts
            }),
        ),
        Mutant::new(
            "changes a resource without a word",
            Mutation::Says(|_, message| {
                let again = message["id"].as_str().is_some_and(|it| it.starts_with("read-again-1"));
                if again && let Some(text) = message.pointer_mut("/result/contents/0/blob") {
                    *text = json!("Y2hhbmdlZA==");
                }
            }),
        ),
    ],
};

/// An update of something that the client never subscribed to. Without handshakes another rule says so.
fn unwanted(evidence: &Evidence, heard: PeerMessage<'_>) -> Option<Finding> {
    if evidence.revision.era() == Era::Modern {
        return None;
    }
    let named = heard.message.pointer("/params/uri")?.as_str()?;
    let wanted = evidence.asked(Topic::Subscribe).any(|asked| {
        let uri = asked.params.and_then(|it| it.get("uri")?.as_str());
        asked.place.conversation == heard.place.conversation
            && uri.is_some_and(|uri| named.starts_with(uri))
    });
    let expected = "updates of what the client subscribed to";
    (!wanted).then(|| Finding::new(expected, show(heard.message), heard.place))
}

/// A resource that was another when it was read again, of which the client was told nothing though it had subscribed.
fn unannounced(evidence: &Evidence, read: &CheckerRequest<'_>) -> Option<Finding> {
    let uri = read.params?.get("uri")?;
    let here = |place: Place| place.conversation == read.place.conversation;
    let contents = |asked: CheckerRequest<'_>| {
        Some((asked.place, asked.answer?.result()?.get("contents")?.to_string()))
    };
    let again = evidence
        .asked(Topic::ReadAgain)
        .filter(|it| here(it.place) && it.params.and_then(|it| it.get("uri")) == Some(uri));
    let again: Vec<_> = again.filter_map(contents).collect();
    let (_, before) = contents(*read)?;
    let [(place, now), (_, once_more)] = again.as_slice() else { return None };
    // Some resources are never the same.
    (*now != before && now == once_more).then_some(())?;
    let told = evidence.told(UPDATED).any(|heard| {
        let named = heard.message.pointer("/params/uri").and_then(Value::as_str);
        let of = uri.as_str().unwrap_or_default();
        here(heard.place) && named.is_some_and(|named| named.starts_with(of))
    });
    let expected = format!("{UPDATED} of {}", show(uri));
    (!told).then(|| Finding::new(expected, "other contents, and no such notification", *place))
}

pub(super) const M464: Requirement = Requirement {
    id: "M464",
    name: "resources-subscribe-resources-unsubscribe",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "resources/subscribe and resources/unsubscribe take a uri and return an empty result.",
    section: "docs/specification/{2024-11-05..2025-11-25}/server/resources.mdx#subscriptions ; schema/{2024-11-05..2025-11-25}/schema.ts#SubscribeRequest",
    observed: Observed::By(&M464_CHECK),
};

const M464_CHECK: Check = Check {
    how: "subscribes to a resource and ends the subscription",
    seen: seen_in(&["tour"]),
    fix: "answer resources/subscribe and resources/unsubscribe with {}",
    judge: |evidence| {
        if !evidence.capability("/resources/subscribe") {
            return Outcome::NotApplicable(
                "the server does not declare resources.subscribe".to_owned(),
            );
        }
        let asked = evidence.asked(Topic::Subscribe).chain(evidence.asked(Topic::Unsubscribe));
        each(asked, "there was no resource to subscribe to", |asked| {
            let Some(answer) = asked.answer else {
                return Some(Finding::new("an empty result", "no answer", asked.place));
            };
            let empty = answer.result().is_some_and(is_empty);
            (!empty).then(|| Finding::new("an empty result", show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "has much to say about subscriptions",
        Mutation::Says(|context, message| {
            if let Some(result) = result_of(context, message, "resources/subscribe") {
                *result = json!({ "subscribed": true });
            }
        }),
    )],
};

pub(super) const M057: Requirement = Requirement {
    id: "M057",
    name: "resources-list-changed-only-used-by-server",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "resources/list_changed is only used by a server that declares resources.listChanged.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#list-changed-notification",
    observed: Observed::By(&M057_CHECK),
};

const M057_CHECK: Check = Check {
    how: "looks for notifications/resources/list_changed in every conversation",
    seen: seen_everywhere(),
    fix: "declare resources.listChanged, or do not send the notification",
    judge: |evidence| {
        notifies_only_if_declared(
            evidence,
            "/resources/listChanged",
            "notifications/resources/list_changed",
        )
    },
    mutants: &[hides("announces changes of resources without declaring it", |context, message| {
        remove(context, message, "/resources", Some("listChanged"));
    })],
};

pub(super) const S023: Requirement = Requirement {
    id: "S023",
    name: "server-declared-resources-listchanged",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A server that declared resources.listChanged notifies when its resource list changes.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#list-changed-notification",
    observed: Observed::By(&S023_CHECK),
};

const S023_CHECK: Check = Check {
    how: "compares the list of resources before and after everything else",
    seen: seen_in(&["tour"]),
    fix: "send notifications/resources/list_changed when the list changes",
    judge: |evidence| announces(evidence, &RESOURCES),
    mutants: &[keeps_quiet_about("keeps new resources to itself", |_, message| {
        without(RESOURCES.notification, message)
    })],
};

pub(super) const M124: Requirement = Requirement {
    id: "M124",
    name: "each-request-2",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Each request has io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities in params._meta.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta ; docs/specification/2026-07-28/basic/patterns/mrtr.mdx ; docs/specification/2026-07-28/server/prompts.mdx ; docs/specification/2026-07-28/server/resources.mdx",
    observed: Observed::By(&M124_CHECK),
};

const M124_CHECK: Check = Check {
    how: "looks at _meta of every request",
    seen: seen_in(&["hosted behave"]),
    fix: "put the protocol version and the capabilities into _meta of every request",
    judge: |evidence| {
        each(modern(evidence), NO_REQUEST, |request| {
            let meta = meta(&request);
            lacks_text(request.place, meta, VERSION)
                .or_else(|| lacks(request.place, meta, CAPABILITIES, "an object", Value::is_object))
        })
    },
    mutants: &[
        call("does not say what it can", |meta| remove_client(meta, CAPABILITIES)),
        call("does not say what it speaks", |meta| remove_client(meta, VERSION)),
    ],
};

pub(super) const M456: Requirement = Requirement {
    id: "M456",
    name: "custom-uri-schemes-obey-rfc-3986",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Custom URI schemes obey RFC 3986.",
    section: "docs/specification/{2025-06-18..2026-07-28}/server/resources.mdx#custom-uri-schemes",
    observed: Observed::By(&M456_CHECK),
};

const M456_CHECK: Check = Check {
    how: "looks at the URI of every resource",
    seen: seen_everywhere(),
    fix: "write URIs as RFC 3986 has them: a scheme first, and no spaces",
    judge: |evidence| {
        each_item(evidence, "resources", "resources/list", |resource| {
            let uri = resource.message.get("uri")?.as_str()?;
            let scheme = uri.split(':').next().filter(|scheme| scheme.len() < uri.len())?;
            let right = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
                && !uri.contains(|c: char| c.is_whitespace() || c.is_control());
            (!right).then(|| Finding::new("a URI", show(&json!(uri)), resource.place))
        })
    },
    mutants: &[Mutant::new(
        "has a resource with spaces in its URI",
        Mutation::Says(|context, message| {
            if context.method == Some("resources/list")
                && let Some(uri) = message.pointer_mut("/result/resources/1/uri")
            {
                *uri = json!("test://a b");
            }
        }),
    )
    .also(&["M464", "M050"])],
};

const UPDATED: &str = "notifications/resources/updated";

const RESOURCES: List = List {
    capability: "/resources/listChanged",
    method: "resources/list",
    notification: "notifications/resources/list_changed",
    trigger: "test_trigger_resource_change",
};

const RESOURCES_OFFERS: &str = "notifications/resources/list_changed";
