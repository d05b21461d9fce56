//! What the hosted server says in the era without handshakes.

use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};

use super::{Behaviour, fixtures, progress};
use crate::hosted::{
    scenario::{Calls, HostedScenario, Refusal, ResultType, Variation},
    steps::{Step, notification},
};
use proofmark_record::{
    meta::{SERVER_INFO, SUBSCRIPTION, TASKS_EXTENSION, VERSION},
    topic::Topic,
};

impl Behaviour {
    /// What is done about a message that says itself what it speaks.
    pub(super) fn hear_modern(&mut self, message: &Value) -> Vec<Step> {
        let params = &message["params"];
        let method = message["method"].as_str().unwrap_or_default();
        if message.get("id").is_none() {
            return Vec::new();
        }
        let offered = &params["_meta"][VERSION];
        match self.scenario.variation {
            Variation::Refusal(Refusal::Code(code)) => {
                return vec![Step::Fail(code, "this server does not know that")];
            }
            Variation::Refusal(Refusal::Status(status)) => return vec![Step::Status(status)],
            Variation::Refusal(Refusal::Silence) => return vec![Step::Never],
            Variation::Version(version) => return vec![unsupported(version, offered)],
            Variation::Only => {}
        }
        let spoken = self.spoken();
        if *offered != spoken.as_str() {
            return vec![unsupported(spoken.as_str(), offered)];
        }
        if ["resources/read", "prompts/get", "tools/call"].contains(&method)
            && let Some(step) = self.round(params)
        {
            return vec![step];
        }
        if let Some(steps) = self.counted(method, params) {
            return steps;
        }
        if let Some(outcome) = self.extension(method, params) {
            return match outcome {
                Ok(result) => vec![Step::Answer(kept_kind(result))],
                Err(why) => vec![refuse(-32602, why)],
            };
        }
        match method {
            "server/discover" => vec![Step::Answer(cached(self.introduction()))],
            "tools/list" if self.scenario.calls == Calls::Refused => {
                vec![refuse(-32603, "out of order")]
            }
            "tools/list" => self.listed_tools(params),
            "resources/list" => self.listed("resources", &fixtures::resources(), params),
            "resources/templates/list" => {
                self.listed("resourceTemplates", &fixtures::templates(), params)
            }
            "prompts/list" => self.listed("prompts", &fixtures::prompts(), params),
            "resources/read" => or_unknown(fixtures::read(params).map(cached)),
            "prompts/get" => or_unknown(fixtures::prompt(params).map(complete)),
            "completion/complete" => {
                let completion = json!({ "completion": { "values": ["test"] } });
                vec![Step::Answer(complete(completion))]
            }
            "tools/call" => self.called(params),
            "subscriptions/listen" => self.listening(&message["id"], params),
            _ => vec![refuse(-32601, "no such method")],
        }
    }

    /// What is done about a message of the handshake era, by a server that has left it behind.
    pub(super) fn too_old(&self, message: &Value) -> Vec<Step> {
        if message.get("id").is_none() {
            return Vec::new();
        }
        if message["method"] == "initialize" {
            let offered = &message["params"]["protocolVersion"];
            return vec![unsupported(self.spoken().as_str(), offered)];
        }
        vec![refuse(-32602, "_meta does not say what the request speaks")]
    }

    pub(super) fn spoken(&self) -> Revision {
        let demanded = self.revision.filter(|it| it.era() == Era::Modern);
        demanded.unwrap_or_else(|| Revision::newest(Era::Modern))
    }

    fn introduction(&self) -> Value {
        let mut capabilities = self.scenario.capabilities();
        if self.scenario.has_tasks {
            capabilities["extensions"] = json!({ TASKS_EXTENSION: {} });
        }
        json!({
            "supportedVersions": [self.spoken().as_str()],
            "capabilities": capabilities,
            "instructions": "Call add_numbers.",
        })
    }

    fn listed(&mut self, key: &str, items: &[Value], params: &Value) -> Vec<Step> {
        match self.page(key, items, params) {
            Ok(result) => vec![Step::Answer(cached(result))],
            Err((code, text)) => vec![refuse(code, text)],
        }
    }

    fn listed_tools(&mut self, params: &Value) -> Vec<Step> {
        let mut steps = self.listed("tools", &self.tools(), params);
        if let [Step::Answer(result)] = steps.as_mut_slice() {
            match self.scenario.result_type {
                ResultType::Unknown => result["resultType"] = json!(HostedScenario::UNKNOWN_KIND),
                ResultType::Absent => forget_kind(result),
                ResultType::True => {}
            }
        }
        steps
    }

    fn called(&mut self, params: &Value) -> Vec<Step> {
        self.calls += 1;
        let mut result = complete(fixtures::called(params));
        let mut steps = progress(params);
        if self.scenario.result_type == ResultType::Absent {
            forget_kind(&mut result);
        }
        match self.scenario.calls {
            Calls::Refused => return vec![refuse(-32602, "no such tool")],
            Calls::StaleAtFirst if !std::mem::replace(&mut self.refused, true) => {
                return vec![refuse(-32020, "an argument is to be repeated in a header")];
            }
            // The first is lost with its stream.
            Calls::BrokenOff if self.calls == 1 => {
                return vec![Step::Raw(b": lost\n\n".to_vec()), Step::Cut];
            }
            Calls::Slow if params["name"] == "slow" => {
                steps.extend([Step::AwaitCancellation, Step::Pause(self.quiet)]);
            }
            Calls::Slow => steps.push(Step::Last),
            _ => {}
        }
        steps.push(Step::Answer(result));
        steps
    }

    /// A subscription: what was asked for is told once. The first goes on until the client ends it or is the server's death, the
    /// others are ended.
    fn listening(&mut self, id: &Value, params: &Value) -> Vec<Step> {
        let wanted = &params["notifications"];
        let tell = |method: &str, mut params: Value| {
            params["_meta"] = json!({ SUBSCRIPTION: id });
            Step::Tell(Topic::News, notification(method, Some(params)))
        };
        let acknowledged = json!({ "notifications": wanted });
        let mut steps = vec![tell("notifications/subscriptions/acknowledged", acknowledged)];
        if self.scenario.dies && !std::mem::replace(&mut self.refused, true) {
            // Time to think better of it.
            steps.extend([Step::Pause(self.quiet), Step::Die]);
            return steps;
        }
        for (name, method) in CHANGES {
            if wanted[name] == true {
                steps.push(tell(method, json!({})));
            }
        }
        for uri in wanted["resourceSubscriptions"].as_array().into_iter().flatten() {
            steps.push(tell("notifications/resources/updated", json!({ "uri": uri })));
        }
        if std::mem::replace(&mut self.refused, true) {
            let mut result = complete(json!({}));
            result["_meta"][SUBSCRIPTION] = id.clone();
            steps.push(Step::Answer(result));
        } else {
            steps.push(Step::AwaitCancellation);
            steps.push(Step::Never);
        }
        steps
    }
}

/// A result that is the end of a request.
fn complete(result: Value) -> Value {
    typed(result, "complete")
}

pub(super) fn typed(mut result: Value, kind: &str) -> Value {
    result["resultType"] = json!(kind);
    result["_meta"] = json!({ SERVER_INFO: { "name": "proofmark-hosted", "version": env!("CARGO_PKG_VERSION") } });
    result
}

/// A result that may be of another kind.
fn kept_kind(result: Value) -> Value {
    let kind = result.get("resultType").cloned();
    let mut result = complete(result);
    if let Some(kind) = kind {
        result["resultType"] = kind;
    }
    result
}

/// A result that says how long it may be kept.
fn cached(result: Value) -> Value {
    let mut result = complete(result);
    // A client that asks twice is to be heard twice.
    result["ttlMs"] = json!(0);
    result["cacheScope"] = json!("private");
    result
}

fn unsupported(spoken: &str, offered: &Value) -> Step {
    let data = json!({ "supported": [spoken], "requested": offered });
    let error =
        json!({ "code": -32022, "message": "this version is not spoken here", "data": data });
    Step::Refuse { status: 400, error }
}

fn forget_kind(result: &mut Value) {
    if let Some(result) = result.as_object_mut() {
        result.remove("resultType");
    }
}

fn refuse(code: i64, text: &str) -> Step {
    let status = match code {
        -32601 => 404,
        -32020 => 400,
        -32602 if text.starts_with("_meta") => 400,
        _ => 200,
    };
    Step::Refuse { status, error: json!({ "code": code, "message": text }) }
}

fn or_unknown(result: Option<Value>) -> Vec<Step> {
    vec![result.map_or_else(|| refuse(-32602, "there is no such thing"), Step::Answer)]
}

/// What a subscription can ask for, and what it is told.
const CHANGES: [(&str, &str); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed"),
    ("promptsListChanged", "notifications/prompts/list_changed"),
    ("resourcesListChanged", "notifications/resources/list_changed"),
];
