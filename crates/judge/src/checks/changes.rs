//! Changes that the server announces: of its lists, and of resources that somebody subscribed to.

use serde_json::{Value, json};

use super::Check;
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Asked, Evidence, list_key},
    topic::Topic,
};

pub(crate) const M055: Check = Check {
    how: "subscribes to resources, calls tools, and listens for notifications/resources/updated",
    fix: "tell subscribers when a resource changes",
    judge: |evidence| {
        if !evidence.capability("/resources/subscribe") {
            let why = "the server does not declare resources.subscribe";
            return Outcome::NotApplicable(why.to_owned());
        }
        let answered = |asked: Asked<'_>| asked.answer.is_some_and(|it| it.result().is_some());
        let subscribed = evidence.asked(Topic::Subscribe).any(answered)
            || evidence.asked(Topic::Listen).next().is_some();
        if !subscribed {
            return Outcome::Unobserved("there was no resource to subscribe to".to_owned());
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
    mutants: &[keeps_quiet_about("keeps changes of a resource to itself", |_, message| {
        without(UPDATED, message)
    })],
};

pub(crate) const S023: Check = Check {
    how: "compares the list of resources before and after everything else",
    fix: "send notifications/resources/list_changed when the list changes",
    judge: |evidence| announces(evidence, &RESOURCES),
    mutants: &[keeps_quiet_about("keeps new resources to itself", |_, message| {
        without(RESOURCES.notification, message)
    })],
};

pub(crate) const S024: Check = Check {
    how: "compares the list of prompts before and after everything else",
    fix: "send notifications/prompts/list_changed when the list changes",
    judge: |evidence| announces(evidence, &PROMPTS),
    mutants: &[keeps_quiet_about("keeps new prompts to itself", |_, message| {
        without(PROMPTS.notification, message)
    })],
};

pub(crate) const S025: Check = Check {
    how: "compares the list of tools before and after everything else",
    fix: "send notifications/tools/list_changed when the list changes",
    judge: |evidence| announces(evidence, &TOOLS),
    mutants: &[
        keeps_quiet_about("keeps new tools to itself", |_, message| {
            without(TOOLS.notification, message)
        }),
        Mutant::new(
            "has a new tool that nobody is told of",
            Mutation::Writes(|context, message| {
                if message["method"] == TOOLS.notification {
                    return Vec::new();
                }
                let mut message = message.clone();
                let name = format!("new-{}", message["id"]);
                let tools = message.pointer_mut("/result/tools").and_then(Value::as_array_mut);
                if context.method == Some("tools/list")
                    && let Some(tools) = tools
                {
                    tools.push(json!({ "name": name, "description": "It is new",
                        "inputSchema": { "type": "object" } }));
                }
                vec![message.to_string()]
            }),
        ),
    ],
};

/// A list and how its changes are announced.
struct List {
    capability: &'static str,
    method: &'static str,
    notification: &'static str,
    /// The tool of the Everything Server that announces a change.
    trigger: &'static str,
}

fn announces(evidence: &Evidence, list: &List) -> Outcome {
    if !evidence.capability(list.capability) {
        let capability = &list.capability[1..];
        return Outcome::NotApplicable(format!("the server does not declare {capability}"));
    }
    if is_heard(evidence, list.notification) {
        return Outcome::Kept;
    }
    let items = |asked: Asked<'_>| {
        let result = asked.answer?.result()?;
        Some((asked.place, result.get(list_key(list.method)?)?.to_string()))
    };
    let of = |topic| evidence.asked(topic).filter(|asked| asked.method == list.method);
    let before = of(Topic::List).find_map(items);
    let after = of(Topic::ListAgain).find_map(items);
    if let (Some((_, before)), Some((place, after))) = (before, after)
        && before != after
    {
        let actual = "the list changed without one";
        return Outcome::Broken(Finding::new(list.notification, actual, place));
    }
    triggered(evidence, list.trigger).map_or_else(
        || Outcome::Unobserved("the list did not change while the checker looked".to_owned()),
        |call| Outcome::Broken(Finding::new(list.notification, "no such notification", call.place)),
    )
}

/// A successful call of a tool that exists to cause a change.
fn triggered<'e>(evidence: &'e Evidence, tool: &str) -> Option<Asked<'e>> {
    evidence.asked(Topic::Call).find(|call| {
        let named = call.params.is_some_and(|params| params["name"] == tool);
        let result = call.answer.and_then(proofmark_record::evidence::Answer::result);
        named && result.is_some_and(|result| result.get("isError") != Some(&Value::Bool(true)))
    })
}

fn is_heard(evidence: &Evidence, notification: &str) -> bool {
    evidence.heard_methods().any(|(_, method)| method == notification)
}

const fn keeps_quiet_about(name: &'static str, writes: Writes) -> Mutant {
    Mutant::new(name, Mutation::Writes(writes))
}

type Writes = fn(&proofmark_converse::mutation::Context<'_>, &Value) -> Vec<String>;

/// Everything but notifications of this name.
fn without(notification: &str, message: &Value) -> Vec<String> {
    if message["method"] == notification { Vec::new() } else { vec![message.to_string()] }
}

const UPDATED: &str = "notifications/resources/updated";
const PROMPTS: List = List {
    capability: "/prompts/listChanged",
    method: "prompts/list",
    notification: "notifications/prompts/list_changed",
    trigger: "test_trigger_prompt_change",
};
const RESOURCES: List = List {
    capability: "/resources/listChanged",
    method: "resources/list",
    notification: "notifications/resources/list_changed",
    trigger: "test_trigger_resource_change",
};
const TOOLS: List = List {
    capability: "/tools/listChanged",
    method: "tools/list",
    notification: "notifications/tools/list_changed",
    trigger: "test_trigger_tool_change",
};
