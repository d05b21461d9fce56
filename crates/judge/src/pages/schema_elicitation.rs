//! The requirements of `schema/elicitation`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        client::{result, results},
        client_inputs::{contents, filled},
        optional_features::ALLOWED,
        server_requests::{elicitation, fields, forms},
        shape::{doubtful, show},
        tools::none_applies,
        urls::{NOTHING_REQUIRED, elicitations, of_error, required},
    },
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, only, since},
};
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25};
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "schema/elicitation",
    why: "Clients draw a form from the schema of a question; what it does not foresee cannot be drawn.",
    requirements: &[&M398, &M399, &M400, &M401, &M402, &M403, &M420, &M528, &A112],
};

const M398: Requirement = Requirement {
    id: "M398",
    name: "elicitation-string-formats-email-uri-date-or",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Elicitation string formats are email, uri, date or date-time only.",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#StringSchema",
    observed: Observed::By(&M398_CHECK),
};

const M398_CHECK: Check = Check {
    how: "looks at the fields of every form",
    seen: seen_everywhere(),
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

const M399: Requirement = Requirement {
    id: "M399",
    name: "enum-fields-use-enum-optional-enumnames-no",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_06_18),
    text: "[2025-06-18] Enum fields use enum with optional enumNames, no default.",
    section: "schema/2025-06-18/schema.ts#EnumSchema",
    observed: Observed::By(&M399_CHECK),
};

const M399_CHECK: Check = Check {
    how: "looks at the fields of every form that offer a choice",
    seen: seen_everywhere(),
    fix: "offer a choice as a string with enum, names for it in enumNames if you like, and no default",
    judge: |evidence| {
        let expected = "a string with enum, perhaps enumNames, and no default";
        let outcome = fields(evidence, |place, field| {
            is_choice(field).then_some(())?;
            let values = field.get("enum").and_then(Value::as_array);
            let right = values.is_some_and(|values| values.iter().all(Value::is_string))
                && named_as_often(field)
                && ["oneOf", "anyOf", "items"].iter().all(|it| field.get(it).is_none());
            (!right).then(|| Finding::new(expected, show(field), place))
        });
        if !matches!(outcome, Outcome::Kept) {
            return none_applies(outcome, "no form was seen");
        }
        // The schema does not name it, and does not forbid what it does not name.
        doubtful(fields(evidence, |place, field| {
            let chosen = is_choice(field) && field.get("default").is_some();
            chosen.then(|| Finding::new(expected, show(field), place))
        }))
    },
    mutants: &[
        elicitation("offers titled choices before there were any", |params| {
            first(params, json!({ "type": "string", "oneOf": [{ "const": "a", "title": "A" }] }));
        }),
        elicitation("chooses in advance before that was possible", |params| {
            first(params, json!({ "type": "string", "enum": ["a", "b"], "default": "a" }));
        }),
    ],
};

const M400: Requirement = Requirement {
    id: "M400",
    name: "enum-fields-take-one-single-or-multi-select",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Enum fields take one of the single- or multi-select forms, titled (oneOf or anyOf with const and title) or not; enumNames is legacy.",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#EnumSchema",
    observed: Observed::By(&M400_CHECK),
};

const M400_CHECK: Check = Check {
    how: "looks at the fields of every form that offer a choice",
    seen: seen_everywhere(),
    fix: "offer choices as enum, as oneOf with const and title, or as a list of items of either kind",
    judge: |evidence| {
        let outcome = fields(evidence, |place, field| {
            is_choice(field).then_some(())?;
            let right = if field["type"] == "array" {
                let items = &field["items"];
                (items["type"] == "string" && is_plain(items, "enum")) || is_titled(items, "anyOf")
            } else {
                let plain = is_plain(field, "enum") && named_as_often(field);
                field["type"] == "string" && (plain || is_titled(field, "oneOf"))
            };
            let expected = "one of the forms that a choice can have";
            (!right).then(|| Finding::new(expected, show(field), place))
        });
        none_applies(outcome, "no form was seen")
    },
    mutants: &[
        elicitation("offers choices without titles where titles belong", |params| {
            first(params, json!({ "type": "string", "oneOf": [{ "const": "a" }] }));
        }),
        elicitation("has fewer names than choices", |params| {
            first(params, json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["A"] }));
        }),
    ],
};

const M401: Requirement = Requirement {
    id: "M401",
    name: "elicitation-result-action-accept-decline-or",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "An elicitation result has action accept, decline or cancel.",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#ElicitResult",
    observed: Observed::By(&M401_CHECK),
};

const M401_CHECK: Check = Check {
    how: "asks for input from the user and looks at the action",
    seen: seen_everywhere(),
    fix: "answer elicitation with accept, decline or cancel",
    judge: |evidence| {
        results(evidence, "elicitation", "elicitation/create", |answer, result| {
            let action = result.get("action").and_then(Value::as_str).unwrap_or_default();
            let right = ["accept", "decline", "cancel"].contains(&action);
            (!right).then(|| Finding::new("accept, decline or cancel", show(result), answer.place))
        })
    },
    mutants: &[result("answers elicitation with yes", "elicitation/create", |result| {
        result["action"] = json!("yes");
    })
    .also(&["M402"])],
};

const M402: Requirement = Requirement {
    id: "M402",
    name: "elicitation-content-appears-only-accept-form",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Elicitation content appears only with accept in form mode and matches the schema.",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#ElicitResult",
    observed: Observed::By(&M402_CHECK),
};

const M402_CHECK: Check = Check {
    how: "asks for input from the user and looks at the content",
    seen: seen_everywhere(),
    fix: "give content with accept only, with the properties that were asked for",
    judge: |evidence| {
        results(evidence, "elicitation", "elicitation/create", |answer, result| {
            let content = result.get("content").filter(|content| !content.is_null());
            let accepted = result["action"] == "accept";
            let odd = match content {
                Some(_) if !accepted => true,
                Some(content) => {
                    !content.is_object() || content.get("name").is_some_and(|it| !it.is_string())
                }
                None => false,
            };
            let expected = "content that fits the form, with accept only";
            odd.then(|| Finding::new(expected, show(result), answer.place))
        })
    },
    mutants: &[
        result("declines and yet gives content", "elicitation/create", |result| {
            act(result, "decline", json!({ "name": "somebody" }));
        }),
        result("fills the form with a number", "elicitation/create", |result| {
            act(result, "accept", json!({ "name": 5 }));
        })
        .also(&["S220", "S227"]),
    ],
};

const M403: Requirement = Requirement {
    id: "M403",
    name: "elicitation-content-values-string-number",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Elicitation content values are string, number, boolean or string array (2025-06-18: no arrays).",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#ElicitResult",
    observed: Observed::By(&M403_CHECK),
};

const M403_CHECK: Check = Check {
    how: "looks at the content of every form that is accepted",
    seen: seen_everywhere(),
    fix: "give strings, numbers, booleans or lists of strings",
    judge: |evidence| {
        contents(evidence, |place, _, content| {
            let right = |value: &Value| match value {
                Value::String(_) | Value::Number(_) | Value::Bool(_) => true,
                Value::Array(items) => items.iter().all(Value::is_string),
                _ => false,
            };
            let odd = content.as_object()?.values().find(|value| !right(value))?;
            Some(Finding::new("a string, number, boolean or list of strings", show(odd), place))
        })
    },
    mutants: &[filled("fills a form with objects", |content| {
        content["nested"] = json!({ "a": 1 });
    })],
};

const M420: Requirement = Requirement {
    id: "M420",
    name: "elicitationid-opaque",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] elicitationId is opaque (schema comment).",
    section: "schema/2025-11-25/schema.ts#ElicitRequestURLParams",
    observed: Observed::Unobservable(
        "clients send the id of an elicitation nowhere, so that they have no chance to change it",
    ),
};

const M528: Requirement = Requirement {
    id: "M528",
    name: "32042-error-data-elicitations-array",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] A -32042 error has data with an elicitations array.",
    section: "schema/2025-11-25/schema.ts#URLElicitationRequiredError",
    observed: Observed::By(&M528_CHECK),
};

const M528_CHECK: Check = Check {
    how: "looks at the data of every error -32042",
    seen: seen_everywhere(),
    fix: "give data with an array in elicitations",
    judge: |evidence| {
        let outcome = each(required(evidence), "", |(answer, _)| {
            let listed = elicitations(answer).is_some();
            let expected = "an array in data.elicitations";
            (!listed).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, NOTHING_REQUIRED)
    },
    mutants: &[of_error("lists what is required as an object", |error| {
        error["data"]["elicitations"] = json!({});
    })
    .also(&["M421", "M422", "M424"])],
};

const A112: Requirement = Requirement {
    id: "A112",
    name: "every-elicitation-primitive-may-have-default",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Every elicitation primitive may have a default (2025-06-18: boolean only).",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#StringSchema ; schema/{2025-11-25..2026-07-28}/schema.ts#NumberSchema",
    observed: Observed::By(&A112_CHECK),
};

const A112_CHECK: Check = Check {
    how: "looks at the fields of every form",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        let fields = forms(evidence).flat_map(|(_, form)| {
            form.get("properties").and_then(Value::as_object).into_iter().flatten()
        });
        offered(fields, "defaults in forms", |(_, field)| field.get("default").is_some())
    },
    mutants: &[elicitation("has no defaults", |params| {
        let fields = params.pointer_mut("/requestedSchema/properties");
        let fields = fields.and_then(Value::as_object_mut).into_iter().flatten();
        for (_, field) in fields {
            field.as_object_mut().map(|field| field.remove("default"));
        }
    })],
};

fn is_choice(field: &Value) -> bool {
    ["enum", "oneOf", "anyOf", "items"].iter().any(|it| field.get(it).is_some())
}

fn is_plain(field: &Value, member: &str) -> bool {
    let values = field.get(member).and_then(Value::as_array);
    values.is_some_and(|values| values.iter().all(Value::is_string))
}

fn is_titled(field: &Value, member: &str) -> bool {
    let values = field.get(member).and_then(Value::as_array);
    let titled = |value: &Value| value["const"].is_string() && value["title"].is_string();
    values.is_some_and(|values| values.iter().all(titled))
}

/// As many names as values, if there are names.
fn named_as_often(field: &Value) -> bool {
    let count = |member: &str| field.get(member).and_then(Value::as_array).map(Vec::len);
    field.get("enumNames").is_none() || count("enumNames") == count("enum")
}

/// Puts another field in place of the first one.
fn first(params: &mut Value, other: Value) {
    let fields = params.pointer_mut("/requestedSchema/properties").and_then(Value::as_object_mut);
    if let Some(field) = fields.and_then(|fields| fields.values_mut().next()) {
        *field = other;
    }
}

/// Another answer of the user. A task is none yet.
fn act(result: &mut Value, action: &str, content: Value) {
    if result.get("action").is_some() {
        result["action"] = json!(action);
        result["content"] = content;
    }
}
