//! What the hosted server wants of a client that began with a handshake.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Behaviour,
    rounds::{defaults, with_tools, without_tools},
};
use crate::{
    hosted::steps::{Step, notification, request},
    well_known::odd_ids,
};
use proofmark_record::topic::Topic;

impl Behaviour {
    /// What this server wants of the client, once.
    pub(super) fn questions(&mut self) -> Vec<Step> {
        if std::mem::replace(&mut self.asked, true) {
            return Vec::new();
        }
        (self.scenario.questions)(self)
    }

    /// A question that is not to be answered any more.
    pub(in crate::hosted) fn cancelled_question(&self) -> Vec<Step> {
        let id = json!("to-be-cancelled");
        let cancel = Some(json!({ "requestId": id, "reason": "not needed" }));
        vec![
            Step::Tell(Topic::Slow, request(&id, "sampling/createMessage", Some(sampling()))),
            Step::Pause(self.quiet),
            Step::Tell(Topic::Cancel, notification("notifications/cancelled", cancel)),
            Step::Pause(CANCELLED),
            Step::Ask(Topic::StillThere, request(&json!("after-cancel"), "ping", None)),
        ]
    }

    pub(in crate::hosted) fn everything(&self) -> Vec<Step> {
        let ask =
            |topic, id: Value, method: &str, params| Step::Ask(topic, request(&id, method, params));
        let news = |method: &str, params| Step::Tell(Topic::News, notification(method, params));
        let mut steps = vec![
            ask(Topic::Ping, json!(1), "ping", None),
            ask(Topic::PingByString, json!("ping-by-string"), "ping", None),
            news("notifications/tools/list_changed", None),
            news("notifications/resources/list_changed", None),
            news("notifications/prompts/list_changed", None),
            news(
                "notifications/message",
                Some(json!({ "level": "info", "logger": "hosted", "data": { "a": 1 } })),
            ),
            ask(Topic::AskRoots, json!(2), "roots/list", None),
            ask(Topic::AskSampling, json!(3), "sampling/createMessage", Some(watched())),
        ];
        // Not waited for one by one: a client that loses one is not to lose the time for the others.
        steps.extend(
            odd_ids().iter().map(|id| Step::Tell(Topic::PingById, request(id, "ping", None))),
        );
        let rules = self.agreed.rules();
        if rules.sampling.tools {
            let params = Some(with_tools());
            let (topic, id) = (Topic::AskSamplingTools, json!("with-tools"));
            steps.push(ask(topic, id, "sampling/createMessage", params));
            if self.declared.pointer("/sampling/tools").is_some() {
                let (topic, id) = (Topic::AskSamplingTools, json!("without-tools"));
                let params = Some(without_tools());
                steps.push(ask(topic, id, "sampling/createMessage", params));
                let sample = |topic, id: &str, messages| {
                    let params = Some(json!({ "messages": messages, "maxTokens": 20 }));
                    ask(topic, json!(id), "sampling/createMessage", params)
                };
                steps.push(sample(Topic::MissingToolResult, "no-tool-result", unanswered()));
                steps.push(sample(Topic::MixedToolResult, "mixed-tool-result", mixed()));
            }
        }
        let malformed = Some(json!({ "messages": "none", "maxTokens": "few" }));
        let (topic, id) = (Topic::WrongParams, json!("wrong-params"));
        steps.push(ask(topic, id, "sampling/createMessage", malformed));
        if let Some(elicitation) = &rules.elicitation {
            let elicit = |topic, id, params| ask(topic, id, "elicitation/create", Some(params));
            steps.push(elicit(Topic::AskElicitation, json!(4), form()));
            if elicitation.all_defaults {
                steps.push(elicit(Topic::AskElicitation, json!("with-defaults"), defaults()));
            }
            if elicitation.url_mode {
                let mut link = self.link();
                link["elicitationId"] = json!("visit-1");
                steps.push(elicit(Topic::AskUrl, json!("visit"), link));
            }
            if elicitation.completion {
                let over = Some(json!({ "elicitationId": "never-asked-for" }));
                let over = notification("notifications/elicitation/complete", over);
                steps.push(Step::Tell(Topic::CompleteUnknownVisit, over));
                steps.push(ask(Topic::AfterVisit, json!("after-visit"), "ping", None));
            }
        }
        steps.extend([
            ask(Topic::UnknownMethod, json!(5), "proofmark/no-such-method", Some(json!({}))),
            Step::Tell(
                Topic::UnknownNotification,
                notification("notifications/proofmark/unknown", None),
            ),
            Step::Tell(
                Topic::CancelUnknown,
                notification(
                    "notifications/cancelled",
                    Some(json!({ "requestId": "never-sent", "reason": "nothing to cancel" })),
                ),
            ),
            Step::Tell(Topic::OddNotification, notification("ping", None)),
            Step::Tell(Topic::OddNotification, notification("roots/list", None)),
            Step::Tell(
                Topic::OddNotification,
                notification("notifications/cancelled", Some(json!({}))),
            ),
            Step::Pause(self.quiet),
            ask(Topic::StillThere, json!("last-ping"), "ping", None),
        ]);
        steps
    }

    /// Text that is no JSON, and JSON that is no request.
    pub(in crate::hosted) fn babble(&self) -> Vec<Step> {
        let odd = json!({ "jsonrpc": "2.0", "id": "no-request", "method": 5 });
        vec![
            Step::Text(Topic::NotJson, "{\"jsonrpc\":\"2.0\",\"id\":\"cut"),
            Step::Pause(self.quiet),
            Step::Ask(Topic::NotARequest, odd),
            Step::Ask(Topic::StillThere, request(&json!("last-ping"), "ping", None)),
        ]
    }

    /// A page that the user is to visit. A server on a pipe has no address of its own.
    pub(super) fn link(&self) -> Value {
        let host = self.host.as_deref().unwrap_or("127.0.0.1:9");
        json!({ "mode": "url", "message": "Please look at this", "url": format!("http://{host}/visit") })
    }
}

/// Two requests in one message.
pub(in crate::hosted) fn batch() -> Vec<Step> {
    let ping = |id: &str| request(&json!(id), "ping", None);
    vec![
        Step::Ask(Topic::Batch, json!([ping("batch-1"), ping("batch-2")])),
        Step::Tell(
            Topic::BatchOfNotifications,
            json!([notification(
                "notifications/message",
                Some(json!({ "level": "info", "data": "in a batch" }))
            )]),
        ),
        Step::Ask(
            Topic::Batch,
            json!([
                ping("batch-3"),
                notification("ping", None),
                request(&json!("batch-unknown"), "proofmark/no-such-method", None),
                ping("batch-4"),
            ]),
        ),
        Step::Ask(Topic::Batch, json!([ping("batch-alone")])),
        Step::Ask(Topic::StillThere, ping("after-batch")),
    ]
}

/// The first of two.
pub(in crate::hosted) fn roots() -> Vec<Step> {
    vec![Step::Ask(Topic::AskRoots, request(&json!("roots-1"), "roots/list", None))]
}

pub(super) fn sampling() -> Value {
    json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "Say something" } }],
        "maxTokens": 20 })
}

/// A request that wants to hear how it goes.
fn watched() -> Value {
    let mut params = sampling();
    params["_meta"] = json!({ "progressToken": "hosted-progress" });
    params
}

/// A tool is used, and its result is left out.
fn unanswered() -> Value {
    json!([
        { "role": "user", "content": { "type": "text", "text": "Look" } },
        { "role": "assistant",
            "content": { "type": "tool_use", "id": "use-1", "name": "look", "input": {} } },
        { "role": "user", "content": { "type": "text", "text": "And?" } },
    ])
}

/// What came of a tool, and something else beside it.
fn mixed() -> Value {
    let result = json!({ "type": "tool_result", "toolUseId": "use-1",
        "content": [{ "type": "text", "text": "nothing" }] });
    json!([
        { "role": "user", "content": { "type": "text", "text": "Look" } },
        { "role": "assistant",
            "content": { "type": "tool_use", "id": "use-1", "name": "look", "input": {} } },
        { "role": "user", "content": [result, { "type": "text", "text": "And?" }] },
    ])
}

pub(super) fn form() -> Value {
    json!({ "message": "Who are you?", "requestedSchema": { "type": "object",
        "properties": { "name": { "type": "string" } } } })
}

/// How long an answer may take to something that was cancelled.
const CANCELLED: Duration = Duration::from_millis(3500);
