//! `server/prompts`: `#capabilities`, `#list-changed-notification`, `#image-content`, `#audio-content`, `#embedded-resources`, `#security`,
//! `#error-handling`.

use super::shared::M058_CHECK;
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        capabilities::{hides, notifies_only_if_declared, remove},
        change_notifications::{List, announces, keeps_quiet_about, without},
        content::{not_applicable, of_call, of_kind, prompt_blocks},
        optional_features::{ALLOWED, silent_about, told},
        results::result,
        shape::{lacks_text, refused, show, undeclared},
        stateless::{SAME, is_bare, lists, other, refuse, same_everywhere},
        tool_contents::resource,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2026_07_28};
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::{Value, json};

pub(super) const M058: Requirement = Requirement {
    id: "M058",
    name: "server-prompts-declares-prompts-capability",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A server with prompts declares the prompts capability.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#capabilities",
    observed: Observed::By(&M058_CHECK),
};

pub(super) const M453: Requirement = Requirement {
    id: "M453",
    name: "server-declares-prompts-answers-prompts-list",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A server that declares prompts answers prompts/list.",
    section: "docs/specification/2026-07-28/server/prompts.mdx#capabilities",
    observed: Observed::By(&M453_CHECK),
};

const M453_CHECK: Check = Check {
    how: "asks for the prompts",
    seen: seen_in(&["lists"]),
    fix: "answer prompts/list where prompts are declared",
    judge: |evidence| lists(evidence, "prompts", "prompts/list"),
    mutants: &[Mutant::new(
        "does not list its prompts",
        Mutation::Says(|context, message| {
            refuse(context.method == Some("prompts/list") && is_bare(context.params), message);
        }),
    )],
};

pub(super) const M454: Requirement = Requirement {
    id: "M454",
    name: "prompt-list-does-not-vary-by-connection-nor",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The prompt list does not vary by connection nor through other requests.",
    section: "docs/specification/2026-07-28/server/prompts.mdx#capabilities",
    observed: Observed::By(&M454_CHECK),
};

const M454_CHECK: Check = Check {
    how: "compares the prompts on two connections",
    seen: seen_in(&["lists"]).momentary(),
    fix: SAME,
    judge: |evidence| same_everywhere(evidence, "prompts/list"),
    mutants: &[result("has other prompts for others", |context, result| {
        if context.method == Some("prompts/list") {
            other(is_bare(context.params), &mut result["prompts"]);
        }
    })],
};

pub(super) const A119: Requirement = Requirement {
    id: "A119",
    name: "prompt-list-may-empty-may-change",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The prompt list may be empty and may change.",
    section: "docs/specification/2026-07-28/server/prompts.mdx#capabilities",
    observed: Observed::By(&A119_CHECK),
};

const A119_CHECK: Check = Check {
    how: "listens for changes of the prompts",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| told(evidence, PROMPTS_OFFERS, "changes of prompts"),
    mutants: &[silent_about("never changes its prompts", |method| method == PROMPTS_OFFERS)
        .also(&["S024"])],
};

pub(super) const A120: Requirement = Requirement {
    id: "A120",
    name: "prompt-list-may-vary-authorization-presented",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The prompt list may vary with the authorization presented.",
    section: "docs/specification/2026-07-28/server/prompts.mdx#capabilities",
    observed: Observed::Unobservable(
        "it takes two users, and what differs between them is known to the server alone",
    ),
};

pub(super) const M064: Requirement = Requirement {
    id: "M064",
    name: "prompts-list-changed-only-used-by-server",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "prompts/list_changed is only used by a server that declares prompts.listChanged.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#list-changed-notification",
    observed: Observed::By(&M064_CHECK),
};

const M064_CHECK: Check = Check {
    how: "looks for notifications/prompts/list_changed in every conversation",
    seen: seen_everywhere(),
    fix: "declare prompts.listChanged, or do not send the notification",
    judge: |evidence| {
        notifies_only_if_declared(
            evidence,
            "/prompts/listChanged",
            "notifications/prompts/list_changed",
        )
    },
    mutants: &[hides("announces changes of prompts without declaring it", |context, message| {
        remove(context, message, "/prompts", Some("listChanged"));
    })],
};

pub(super) const S024: Requirement = Requirement {
    id: "S024",
    name: "server-declared-prompts-listchanged-notifies",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A server that declared prompts.listChanged notifies when its prompt list changes (2026-07-28: on listen streams that asked).",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#list-changed-notification",
    observed: Observed::By(&S024_CHECK),
};

const S024_CHECK: Check = Check {
    how: "compares the list of prompts before and after everything else",
    seen: seen_in(&["tour"]),
    fix: "send notifications/prompts/list_changed when the list changes",
    judge: |evidence| announces(evidence, &PROMPTS),
    mutants: &[keeps_quiet_about("keeps new prompts to itself", |_, message| {
        without(PROMPTS.notification, message)
    })],
};

pub(super) const M449: Requirement = Requirement {
    id: "M449",
    name: "image-data-base64-mime-type",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Image data is base64 with a MIME type.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#image-content",
    observed: Observed::By(&M449_CHECK),
};

const M449_CHECK: Check = Check {
    how: "decodes the data of every image",
    seen: seen_everywhere(),
    fix: "write image data as base64 and name its MIME type",
    judge: |evidence| media(evidence, "image"),
    mutants: &[of_call("shows an image that is no base64", "test_image_content", |block| {
        block["data"] = json!("not base64!");
    })],
};

pub(super) const M450: Requirement = Requirement {
    id: "M450",
    name: "audio-data-base64-mime-type",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Audio data is base64 with a MIME type.",
    section: "docs/specification/{2025-03-26..2026-07-28}/server/prompts.mdx#audio-content",
    observed: Observed::By(&M450_CHECK),
};

const M450_CHECK: Check = Check {
    how: "decodes the data of every sound",
    seen: seen_everywhere(),
    fix: "write audio data as base64 and name its MIME type",
    judge: |evidence| media(evidence, "audio"),
    mutants: &[of_call("plays a sound that is no base64", "test_audio_content", |block| {
        block["data"] = json!("not base64!");
    })],
};

pub(super) const M451: Requirement = Requirement {
    id: "M451",
    name: "embedded-resource-prompt-uri-mime-type-text",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "An embedded resource in a prompt has uri, MIME type and text or blob.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#embedded-resources",
    observed: Observed::By(&M451_CHECK),
};

const M451_CHECK: Check = Check {
    how: "looks at every resource inside a message of a prompt",
    seen: seen_everywhere(),
    fix: "give an embedded resource a uri, a mimeType, and text or blob",
    judge: |evidence| {
        let embedded = prompt_blocks(evidence).filter_map(resource);
        let outcome = each(embedded, "", |(place, resource)| {
            lacks_text(place, resource, "uri")
                .or_else(|| lacks_text(place, resource, "mimeType"))
                .or_else(|| {
                    let has = |member: &str| resource.get(member).is_some_and(Value::is_string);
                    let empty = !has("text") && !has("blob");
                    empty.then(|| Finding::new("text or blob", show(resource), place))
                })
        });
        none_applies(outcome, "no prompt has a resource inside")
    },
    mutants: &[
        of_prompt("prompts with a resource that has nothing in it", |resource| {
            resource.as_object_mut().map(|resource| resource.remove("text"));
        })
        .also(&["M052"]),
        of_prompt("prompts with a resource of no type", |resource| {
            resource.as_object_mut().map(|resource| resource.remove("mimeType"));
        }),
    ],
};

pub(super) const M452: Requirement = Requirement {
    id: "M452",
    name: "prompt-input-output-checked-against",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Prompt input and output are checked against injection.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#security",
    observed: Observed::Each {
        server: &Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
        client: &Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
};

pub(super) const S230: Requirement = Requirement {
    id: "S230",
    name: "unknown-prompt-32602",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "An unknown prompt is -32602.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#error-handling",
    observed: Observed::By(&S230_CHECK),
};

const S230_CHECK: Check = Check {
    how: "gets a prompt that does not exist",
    seen: seen_in(&["tour"]),
    fix: "answer an unknown prompt with the error -32602",
    judge: |evidence| {
        undeclared(evidence, "prompts").unwrap_or_else(|| {
            refused(evidence, Topic::UnknownPrompt, &[-32602], "no unknown prompt was asked for")
        })
    },
    mutants: &[Mutant::new(
        "has every prompt",
        Mutation::Says(|context, message| {
            if context.method == Some("prompts/get")
                && context.params["name"] == "proofmark-no-such-prompt"
            {
                *message =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "messages": [] } });
            }
        }),
    )],
};

pub(super) const S231: Requirement = Requirement {
    id: "S231",
    name: "missing-required-prompt-argument-32602",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A missing required prompt argument is -32602.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#error-handling",
    observed: Observed::By(&S231_CHECK),
};

const S231_CHECK: Check = Check {
    how: "gets a prompt without the arguments that it requires",
    seen: seen_in(&["tour"]),
    fix: "answer a missing argument with the error -32602",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "prompts") {
            return outcome;
        }
        match refused(evidence, Topic::MissingArgument, &[-32602], "no prompt requires an argument")
        {
            Outcome::Unobserved(why) => Outcome::NotApplicable(why),
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "does without required arguments",
        Mutation::Says(|context, message| {
            let bare =
                context.params["arguments"].as_object().is_some_and(serde_json::Map::is_empty);
            if context.method == Some("prompts/get") && bare && message.get("error").is_some() {
                *message =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "messages": [] } });
            }
        }),
    )
    .also(&["S233"])],
};

pub(super) const S232: Requirement = Requirement {
    id: "S232",
    name: "internal-prompt-errors-32603",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Internal prompt errors are -32603.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#error-handling",
    observed: Observed::Unobservable(
        "a sound server does not fail inside, whatever a client sends",
    ),
};

fn media(evidence: &Evidence, kind: &str) -> Outcome {
    let outcome = each(of_kind(evidence, kind), "", |(place, block)| {
        let data = block.get("data")?.as_str()?;
        if BASE64_STANDARD.decode(data).is_err() {
            return Some(Finding::new("base64", show(&block["data"]), place));
        }
        lacks_text(place, block, "mimeType")
    });
    not_applicable(outcome, &format!("no {kind} was seen"))
}

/// Changes the resource in the first message of every prompt that has one.
const fn of_prompt(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "prompts/get")?.pointer_mut("/messages/0/content/resource")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const PROMPTS: List = List {
    capability: "/prompts/listChanged",
    method: "prompts/list",
    notification: "notifications/prompts/list_changed",
    trigger: "test_trigger_prompt_change",
};

const PROMPTS_OFFERS: &str = "notifications/prompts/list_changed";
