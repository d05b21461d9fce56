//! What servers ask of clients, in requests of the handshake era and in input requests of the modern one.

use serde_json::{Value, json};

use super::{
    Check,
    envelope::server_requests,
    rounds::input_requests,
    shape::{lacks, lacks_text, show},
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::evidence::{Evidence, Place};

pub(crate) const M381: Check = Check {
    how: "looks at every sampling request",
    fix: "give messages and maxTokens",
    judge: |evidence| {
        asked(evidence, SAMPLING, |place, params| {
            lacks(place, params, "messages", "an array", Value::is_array)
                .or_else(|| lacks(place, params, "maxTokens", "a number", Value::is_number))
        })
    },
    mutants: &[sampling("asks a model without a limit", |params| {
        params.as_object_mut().map(|params| params.remove("maxTokens"));
    })],
};

pub(crate) const M380: Check = Check {
    how: "looks at the priorities of every sampling request",
    fix: "keep priorities between 0 and 1",
    judge: |evidence| {
        asked(evidence, SAMPLING, |place, params| {
            let preferences = params.get("modelPreferences")?.as_object()?;
            let odd = preferences.iter().find(|(name, value)| {
                let priority = value.as_f64();
                name.ends_with("Priority") && !priority.is_some_and(|it| (0.0..=1.0).contains(&it))
            })?;
            Some(Finding::new("a priority between 0 and 1", show(odd.1), place))
        })
    },
    mutants: &[sampling("wants speed above all", |params| {
        params["modelPreferences"] = json!({ "speedPriority": 2 });
    })],
};

pub(crate) const M384: Check = Check {
    how: "declares no tools for sampling in one conversation, and looks at what is asked there",
    fix: "send tools only to clients that declare sampling.tools",
    judge: |evidence| {
        asked(evidence, SAMPLING, |place, params| {
            let tools = params.get("tools").or_else(|| params.get("toolChoice"))?;
            (!declares(evidence, place, "/sampling/tools")).then_some(())?;
            Some(Finding::new("no tools for a client without them", show(tools), place))
        })
    },
    mutants: &[sampling("gives a model tools that its client does not know", |params| {
        params["tools"] = json!([{ "name": "a", "inputSchema": { "type": "object" } }]);
    })],
};

pub(crate) const M393: Check = Check {
    how: "looks at the messages of every sampling request",
    fix: "give each message a role, user or assistant, and content",
    judge: |evidence| {
        asked(evidence, SAMPLING, |place, params| {
            let messages = params.get("messages")?.as_array()?;
            let odd = messages.iter().find(|message| {
                let known = message["role"] == "user" || message["role"] == "assistant";
                !known || message.get("content").is_none()
            })?;
            Some(Finding::new("a role and content", show(odd), place))
        })
    },
    mutants: &[sampling("puts words into the system's mouth", |params| {
        params["messages"][0]["role"] = json!("system");
    })],
};

pub(crate) const M412: Check = Check {
    how: "looks at every elicitation",
    fix: "say in message what you ask for",
    judge: |evidence| {
        asked(evidence, ELICITATION, |place, params| {
            lacks_text(place, params, "message").or_else(|| {
                let mode = params.get("mode")?;
                let known = mode == "form" || mode == "url";
                (!known).then(|| Finding::new("form or url", show(mode), place))
            })
        })
    },
    mutants: &[elicitation("asks without a word", |params| {
        params.as_object_mut().map(|params| params.remove("message"));
    })
    .also(&["M415"])],
};

pub(crate) const M414: Check = Check {
    how: "looks at every elicitation with a form",
    fix: "give requestedSchema",
    judge: |evidence| {
        asked(evidence, ELICITATION, |place, params| {
            let form = params.get("mode").is_none_or(|mode| mode == "form");
            let missing = || lacks(place, params, "requestedSchema", "an object", Value::is_object);
            form.then(missing).flatten()
        })
    },
    mutants: &[elicitation("has a form without fields", |params| {
        params.as_object_mut().map(|params| params.remove("requestedSchema"));
    })],
};

pub(crate) const M411: Check = Check {
    how: "declares forms only in one conversation, and looks at the mode of every elicitation there",
    fix: "use no mode that the client did not declare",
    judge: |evidence| {
        asked(evidence, ELICITATION, |place, params| {
            let mode = params.get("mode").filter(|mode| *mode == "url")?;
            (!declares(evidence, place, "/elicitation/url")).then_some(())?;
            Some(Finding::new("a form", show(mode), place))
        })
    },
    mutants: &[elicitation("sends a client without a browser away", |params| {
        *params = json!({ "mode": "url", "message": "Go", "url": "https://example.com",
            "elicitationId": "a" });
    })
    .also(&["M244", "M417"])],
};

pub(crate) const M397: Check = Check {
    how: "looks at the fields of every form",
    fix: "ask for a flat object of strings, numbers, booleans and choices",
    judge: |evidence| {
        fields(evidence, |place, field| {
            let kind = field.get("type").and_then(Value::as_str).unwrap_or_default();
            let choice = kind == "array" && field.get("items").is_some();
            let right = ["string", "number", "integer", "boolean"].contains(&kind) || choice;
            (!right).then(|| Finding::new("a primitive field", show(field), place))
        })
    },
    mutants: &[elicitation("asks for an object in a form", |params| {
        for field in params
            .pointer_mut("/requestedSchema/properties")
            .and_then(Value::as_object_mut)
            .into_iter()
            .flat_map(|fields| fields.values_mut())
        {
            *field = json!({ "type": "object", "properties": {} });
        }
    })
    .also(&["S228"])],
};

pub(crate) const M398: Check = Check {
    how: "looks at the fields of every form",
    fix: "use the formats email, uri, date and date-time only",
    judge: |evidence| {
        fields(evidence, |place, field| {
            let format = field.get("format")?;
            let known = ["email", "uri", "date", "date-time"].iter().any(|it| format == it);
            (!known).then(|| Finding::new("email, uri, date or date-time", show(format), place))
        })
    },
    mutants: &[elicitation("asks for a time of day", |params| {
        for field in params
            .pointer_mut("/requestedSchema/properties")
            .and_then(Value::as_object_mut)
            .into_iter()
            .flat_map(|fields| fields.values_mut())
            .take(1)
        {
            *field = json!({ "type": "string", "format": "time" });
        }
    })],
};

/// Judges everything that was asked with this method.
pub(super) fn asked(
    evidence: &Evidence,
    method: &'static str,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    let outcome = each(all(evidence, method), "", |(place, request)| match request.get("params") {
        Some(params) => judge(place, params),
        None => Some(Finding::new("params", show(request), place)),
    });
    none_applies(outcome, &format!("nothing that was called asks with {method}"))
}

/// What users were asked to fill in.
pub(super) fn forms(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    all(evidence, ELICITATION).filter_map(|(place, request)| {
        Some((place, request.get("params")?.get("requestedSchema")?))
    })
}

/// Everything that was asked with this method.
pub(super) fn all<'e>(
    evidence: &'e Evidence,
    method: &'static str,
) -> impl Iterator<Item = (Place, &'e Value)> {
    let requests = server_requests(evidence).map(|heard| (heard.place, heard.message));
    let inputs = input_requests(evidence).map(|(_, answer, request)| (answer.place, request));
    requests.chain(inputs).filter(move |(_, request)| request["method"] == method)
}

pub(super) fn fields(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    asked(evidence, ELICITATION, |place, params| {
        let fields = params.pointer("/requestedSchema/properties")?.as_object()?;
        fields.values().find_map(|field| judge(place, field))
    })
}

/// Changes what is asked of a model, in whichever era.
pub(super) const fn sampling(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        question(message, SAMPLING)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Changes what is asked of a user, in whichever era.
pub(super) const fn elicitation(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        question(message, ELICITATION)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Whether the client of a conversation said that it has this.
fn declares(evidence: &Evidence, place: Place, path: &str) -> bool {
    evidence.declared_to_peer(place).is_some_and(|declared| declared.pointer(path).is_some())
}

pub(super) fn question<'m>(message: &'m mut Value, method: &str) -> Option<&'m mut Value> {
    if message["method"] == method {
        return message.get_mut("params");
    }
    let requests = message.pointer_mut("/result/inputRequests")?.as_object_mut()?;
    requests.values_mut().find(|request| request["method"] == method)?.get_mut("params")
}

pub(super) const ELICITATION: &str = "elicitation/create";
pub(super) const SAMPLING: &str = "sampling/createMessage";
