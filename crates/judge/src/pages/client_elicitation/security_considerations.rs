//! `client/elicitation`: `#security-considerations`, `#capabilities`, `#form-mode-security`, `#user-interaction-model`.

use super::shared::{NO_FORM, properties};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{declared, initialize, remove},
        client_inputs::{NO_ELICITATION, contents, filled},
        secrets::is_secret,
        server_requests::{ELICITATION, asked, declares, elicitation, forms},
        shape::{doubtful, show},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, only, since},
};
use proofmark_converse::{mutation::Mutation, scenario::MISFITS};
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25};
use proofmark_record::{
    evidence::{CheckerRequest, Evidence, Place},
    meta::SERVER_INFO,
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M395: Requirement = Requirement {
    id: "M395",
    name: "elicitation-never-asks-sensitive-information",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_06_18),
    text: "[2025-06-18] Elicitation never asks for sensitive information.",
    section: "docs/specification/2025-06-18/client/elicitation.mdx#user-interaction-model ; docs/specification/2025-06-18/client/elicitation.mdx#security-considerations",
    observed: Observed::By(&M395_CHECK),
};

const M395_CHECK: Check = SECRET_FIELDS;

pub(super) const M406: Requirement = Requirement {
    id: "M406",
    name: "user-can-tell-which-server-asking",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The user can tell which server is asking.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#user-interaction-model ; docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#security-considerations",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M434: Requirement = Requirement {
    id: "M434",
    name: "elicitations-bound-client-user",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Elicitations are bound to client and user.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#security-considerations",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S213: Requirement = Requirement {
    id: "S213",
    name: "user-can-tell-which-server-asking-2",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_06_18),
    text: "[2025-06-18] The user can tell which server is asking.",
    section: "docs/specification/2025-06-18/client/elicitation.mdx#user-interaction-model ; docs/specification/2025-06-18/client/elicitation.mdx#security-considerations",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S215: Requirement = Requirement {
    id: "S215",
    name: "both-sides-validate-content-against-schema",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_06_18),
    text: "[2025-06-18] Both sides validate content against the schema.",
    section: "docs/specification/2025-06-18/client/elicitation.mdx#security-considerations",
    observed: Observed::Each {
        server: &Observed::By(&S215_SERVER),
        client: &Observed::By(&S215_CLIENT),
    },
};

const S215_SERVER: Check = VALIDATED;

const S215_CLIENT: Check = Check {
    how: S227_CHECK.how,
    seen: seen_everywhere(),
    fix: S227_CHECK.fix,
    judge: validates,
    mutants: &[filled("sends anything", |content| content["name"] = json!(5)).also(&["M402"])],
};

pub(super) const S216: Requirement = Requirement {
    id: "S216",
    name: "elicitation-user-approval-controls",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Elicitation has user approval controls.",
    section: "docs/specification/{2025-06-18..2026-07-28}/client/elicitation.mdx#security-considerations",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S217: Requirement = Requirement {
    id: "S217",
    name: "elicitation-rate-limited",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2025_06_18, V2025_11_25),
    text: "Elicitation is rate limited.",
    section: "docs/specification/{2025-06-18..2025-11-25}/client/elicitation.mdx#security-considerations",
    observed: Observed::Unobservable(
        "a limit shows only under a load that a check must not put on its peer",
    ),
};

pub(super) const S218: Requirement = Requirement {
    id: "S218",
    name: "user-can-decline-elicitation-at-any-time",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "The user can decline an elicitation at any time.",
    section: "docs/specification/{2025-06-18..2026-07-28}/client/elicitation.mdx#security-considerations",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S219: Requirement = Requirement {
    id: "S219",
    name: "elicitation-shows-clearly-what-asked-why",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "An elicitation shows clearly what is asked and why.",
    section: "docs/specification/{2025-06-18..2026-07-28}/client/elicitation.mdx#security-considerations",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M396: Requirement = Requirement {
    id: "M396",
    name: "client-elicitation-declares-capability",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "A client with elicitation declares the capability (2026-07-28: on each request).",
    section: "docs/specification/{2025-06-18..2026-07-28}/client/elicitation.mdx#capabilities",
    observed: Observed::By(&M396_CHECK),
};

const M396_CHECK: Check = Check {
    how: "asks for input from the user, whether that was declared or not",
    seen: seen_in(&["hosted ask"]),
    fix: "declare elicitation in initialize, or answer it with an error",
    judge: |evidence| declared(evidence, Topic::AskElicitation, "elicitation"),
    mutants: &[initialize("asks users without saying that it can", |params| {
        remove(&mut params["capabilities"], "elicitation");
    })],
};

pub(super) const M410: Requirement = Requirement {
    id: "M410",
    name: "declared-elicitation-capability-covers-form",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The declared elicitation capability covers form or url, and an empty object means form.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#capabilities",
    observed: Observed::By(&M410_CHECK),
};

const M410_CHECK: Check = Check {
    how: "looks at the elicitation capability",
    seen: seen_everywhere(),
    fix: "declare form or url in elicitation, or nothing for form",
    judge: |evidence| {
        let Some(declared) = evidence.capabilities().and_then(|it| it.get("elicitation")) else {
            return Outcome::NotApplicable(NO_ELICITATION.to_owned());
        };
        let modes = declared.as_object();
        let right = modes
            .is_some_and(|it| it.is_empty() || it.contains_key("form") || it.contains_key("url"));
        if right {
            return Outcome::Kept;
        }
        Outcome::Broken(Finding::new("form, url or nothing", show(declared), None))
    },
    mutants: &[initialize("asks users in a way of its own", |params| {
        params["capabilities"]["elicitation"] = json!({ "telepathy": {} });
    })
    .also(&["M413", "M425"])],
};

pub(super) const M411: Requirement = Requirement {
    id: "M411",
    name: "server-uses-no-elicitation-mode-client-did",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The server uses no elicitation mode the client did not declare.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#capabilities",
    observed: Observed::By(&M411_CHECK),
};

const M411_CHECK: Check = Check {
    how: "declares forms only in one conversation, and looks at the mode of every elicitation there",
    seen: seen_everywhere(),
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

pub(super) const M404: Requirement = Requirement {
    id: "M404",
    name: "form-mode-never-asks-secrets-or-payment",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Form mode never asks for secrets or payment credentials.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#user-interaction-model ; docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#form-mode-security",
    observed: Observed::By(&M404_CHECK),
};

const M404_CHECK: Check = SECRET_FIELDS;

pub(super) const S227: Requirement = Requirement {
    id: "S227",
    name: "client-validates-form-answers-against-schema",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The client validates form answers against the schema.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#form-mode-security",
    observed: Observed::By(&S227_CHECK),
};

const S227_CHECK: Check = Check {
    how: "compares the content of every form that is accepted with its schema",
    seen: seen_everywhere(),
    fix: "validate what the user enters before you send it",
    judge: validates,
    mutants: &[filled("sends whatever was entered", |content| {
        if content.get("age").is_some() {
            content["age"] = json!("a lot");
        }
    })],
};

pub(super) const S228: Requirement = Requirement {
    id: "S228",
    name: "server-validates-received-form-data-against",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The server validates received form data against the schema.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#form-mode-security",
    observed: Observed::By(&S228_CHECK),
};

const S228_CHECK: Check = VALIDATED;

pub(super) const M405: Requirement = Requirement {
    id: "M405",
    name: "secrets-collected-url-mode",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Secrets are collected in URL mode.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#user-interaction-model",
    observed: Observed::By(&M405_CHECK),
};

const M405_CHECK: Check = SECRET_FIELDS;

pub(super) const M407: Requirement = Requirement {
    id: "M407",
    name: "elicitation-offers-decline-cancel-clearly",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Elicitation offers decline and cancel clearly.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#user-interaction-model",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M408: Requirement = Requirement {
    id: "M408",
    name: "form-answers-can-reviewed-changed-before",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Form answers can be reviewed and changed before sending.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#user-interaction-model",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M409: Requirement = Requirement {
    id: "M409",
    name: "url-mode-host-shown-consent-taken-before",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "In URL mode the host is shown and consent taken before opening.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#user-interaction-model",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S214: Requirement = Requirement {
    id: "S214",
    name: "answers-can-reviewed-declined-cancelled",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_06_18),
    text: "[2025-06-18] Answers can be reviewed, declined and cancelled.",
    section: "docs/specification/2025-06-18/client/elicitation.mdx#user-interaction-model",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

/// What became of values that do not fit: `Some(None)` if they were not taken, `None` if it cannot be told.
fn took(asked: &CheckerRequest<'_>) -> Option<Option<Finding>> {
    let answer = asked.answer?;
    let Some(result) = answer.result() else { return Some(None) };
    let failed = result.get("isError") == Some(&json!(true));
    let again = result.get("resultType").is_some_and(|it| it == "input_required");
    if failed || again {
        return Some(None);
    }
    let text = result.to_string();
    let repeated = MISFITS.iter().find(|value| text.contains(**value))?;
    let expected = format!("no use of {repeated}, which does not fit the form");
    Some(Some(Finding::new(expected, show(answer.message), answer.place)))
}

fn fields(evidence: &Evidence) -> impl Iterator<Item = (Place, &str, &Value)> {
    forms(evidence).flat_map(|(place, form)| {
        let fields = form.get("properties").and_then(Value::as_object).into_iter().flatten();
        fields.map(move |(name, field)| (place, name.as_str(), field))
    })
}

fn validates(evidence: &Evidence) -> Outcome {
    contents(evidence, |place, schema, content| {
        let wrong = properties(schema)
            .find(|(name, property)| content.get(name).is_some_and(|value| !fits(value, property)));
        if let Some((name, property)) = wrong {
            let actual = format!("{name}: {}", show(&content[name]));
            return Some(Finding::new(show(property), actual, place));
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing =
            required.filter_map(Value::as_str).find(|name| content.get(name).is_none())?;
        Some(Finding::new(format!("{missing}, which is required"), show(content), place))
    })
}

/// Whether a field of a form takes a value.
fn fits(value: &Value, property: &Value) -> bool {
    let kind = match property["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        _ => true,
    };
    let listed = property.get("enum").and_then(Value::as_array);
    kind && listed.is_none_or(|it| it.contains(value))
}

const VALIDATED: Check = Check {
    how: "fills in forms with values that do not fit their fields",
    seen: seen_everywhere(),
    fix: "check what was entered against the schema that you sent",
    judge: |evidence| {
        let mut judged = evidence.asked(Topic::Misfit).filter_map(|it| took(&it)).peekable();
        if judged.peek().is_none() {
            let tried = evidence.asked(Topic::Misfit).next().is_some();
            let why = if tried {
                "the results do not show what became of values that do not fit"
            } else {
                "nothing that was called has a form"
            };
            return Outcome::Unobserved(why.to_owned());
        }
        each(judged, "", |finding| finding)
    },
    mutants: &[Mutant::new(
        "takes any value for any field",
        Mutation::Says(|context, message| {
            let form = context.params["name"] == "test_elicitation";
            let failed = message["result"]["isError"] == true;
            let again = message["result"]["resultType"] == "input_required"
                && context.params.to_string().contains(MISFITS[0]);
            if form && (failed || again) {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "complete", "_meta": { SERVER_INFO: { "name": "a", "version": "1" } },
                    "content": [{ "type": "text", "text": format!("name: {}", MISFITS[0]) }] } });
            }
        }),
    )],
};

const SECRET_FIELDS: Check = Check {
    how: "looks at the names of the fields of every form",
    seen: seen_everywhere(),
    fix: "do not ask for secrets in a form; where there are URL elicitations, send the user to a page",
    judge: |evidence| {
        let outcome = each(fields(evidence), "", |(place, name, field)| {
            let title = field.get("title").and_then(Value::as_str).unwrap_or_default();
            let secret = is_secret(name) || is_secret(title);
            secret.then(|| Finding::new("no field for a secret", show(&json!(name)), place))
        });
        doubtful(none_applies(outcome, NO_FORM))
    },
    mutants: &[elicitation("asks for a password in a form", |params| {
        if let Some(fields) = params.pointer_mut("/requestedSchema/properties") {
            fields["password"] = json!({ "type": "string" });
        }
    })
    .also(&["M395", "M404", "M405"])],
};
