//! Calls that take several rounds: what the hosted server asks for before it answers.

use serde_json::{Value, json};

use super::{
    Behaviour,
    asking::{form, sampling},
};
use crate::hosted::{scenario::InputRequests, steps::Step};
use proofmark_record::meta::CAPABILITIES;

impl Behaviour {
    /// What is asked for next; `None` when everything was.
    ///
    /// First everything that the client declares, then nothing but a state, then something without a state.
    pub(super) fn round(&mut self, params: &Value) -> Option<Step> {
        let can = &params["_meta"][CAPABILITIES];
        let input = self.scenario.input?;
        let kinds = self.kinds(can, input);
        // A client that loses its state is not asked forever.
        self.rounds += 1;
        if self.rounds > MOST_ROUNDS {
            return None;
        }
        let given = &params["inputResponses"];
        match params["requestState"].as_str() {
            None if input == InputRequests::Undeclared => {
                let next = kinds.into_iter().nth(self.uninvited)?;
                self.uninvited += 1;
                Some(asked(vec![next], None))
            }
            None if given.get(LAST).is_some() => None,
            None => Some(asked(kinds, Some(FIRST_STATE))),
            Some(state) if state == FIRST_STATE => Some(asked(Vec::new(), Some(SECOND_STATE))),
            Some(state) if state == SECOND_STATE => {
                let (_, last) = kinds.into_iter().next()?;
                Some(asked(vec![(LAST, last)], None))
            }
            Some(_) => None,
        }
    }

    /// Everything that can be asked for and that the client says it can give, or that it does not say so of.
    fn kinds(&self, can: &Value, wanted: InputRequests) -> Vec<(&'static str, Value)> {
        let has = |path: &str| can.pointer(path).is_some_and(|it| !it.is_null());
        let forms = has("/elicitation") && (!has("/elicitation/url") || has("/elicitation/form"));
        let form_with_mode = {
            let mut form = defaults();
            form["mode"] = json!("form");
            form
        };
        let all = [
            ("who", forms, "elicitation/create", form()),
            ("defaults", forms, "elicitation/create", form_with_mode),
            ("where", has("/roots"), "roots/list", Value::Null),
            ("what", has("/sampling"), "sampling/createMessage", sampling()),
            ("tool", has("/sampling/tools"), "sampling/createMessage", with_tools()),
            ("no tool", has("/sampling/tools"), "sampling/createMessage", without_tools()),
            ("link", has("/elicitation/url"), "elicitation/create", self.link()),
        ];
        let wanted = all.into_iter().filter(|(_, declared, ..)| match wanted {
            InputRequests::Declared => *declared,
            InputRequests::Undeclared => !declared,
        });
        wanted
            .map(|(key, _, method, params)| {
                let mut request = json!({ "method": method });
                if !params.is_null() {
                    request["params"] = params;
                }
                (key, request)
            })
            .collect()
    }
}

fn asked(kinds: Vec<(&'static str, Value)>, state: Option<&str>) -> Step {
    let mut result = json!({});
    if !kinds.is_empty() {
        result["inputRequests"] = kinds.into_iter().map(|(key, it)| (key.to_owned(), it)).collect();
    }
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    Step::Answer(super::modern::typed(result, "input_required"))
}

/// A form with something in every field.
pub(super) fn defaults() -> Value {
    json!({ "message": "Is this right?", "requestedSchema": { "type": "object",
        "properties": {
            "name": { "type": "string", "default": "Somebody" },
            "age": { "type": "integer", "default": 42 },
            "score": { "type": "number", "default": 95.5 },
            "member": { "type": "boolean", "default": true },
            "status": { "type": "string", "enum": ["active", "inactive"], "default": "active" },
        } } })
}

pub(super) fn with_tools() -> Value {
    let mut params = sampling();
    params["tools"] = json!([{ "name": "look", "inputSchema": { "type": "object" } }]);
    params["toolChoice"] = json!({ "mode": "auto" });
    params
}

/// There are tools, and none of them is to be used.
pub(super) fn without_tools() -> Value {
    let mut params = with_tools();
    params["toolChoice"] = json!({ "mode": "none" });
    params
}

const LAST: &str = "last";
/// Opaque to clients.
const FIRST_STATE: &str = " {\"round\": 1, \"é\": \"\\u0000\"}\n=?base64?AA==?= ";
const SECOND_STATE: &str = "";
/// In one run of the client.
const MOST_ROUNDS: u32 = 40;
