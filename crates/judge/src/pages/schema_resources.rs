//! The requirements of `schema/resources`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        content::{fields, of_call},
        resources::{of_contents, read},
        shape::{doubtful, each_item, each_result, lacks, lacks_text, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_06_18, V2026_07_28};
use proofmark_record::{
    evidence::PeerMessage,
    meta::{SERVER_INFO, SUBSCRIPTION},
};
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "schema/resources",
    why: "Clients list and read resources by these members alone.",
    requirements: &[
        &M049, &M050, &M051, &M052, &M053, &M054, &M288, &M466, &M522, &S022, &A017, &A018,
    ],
};

const M049: Requirement = Requirement {
    id: "M049",
    name: "resources-list-returns-resources-array",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "resources/list returns a resources array.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ListResourcesResult",
    observed: Observed::By(&M049_CHECK),
};

const M049_CHECK: Check = Check {
    how: "asks for the resources",
    seen: seen_everywhere(),
    fix: "answer resources/list with an array in resources",
    judge: |evidence| {
        each_result(evidence, "resources", "resources/list", |answer, result| {
            lacks(answer.place, result, "resources", "an array", Value::is_array)
        })
    },
    mutants: &[listed("lists resources as an object", |result| result["resources"] = json!({}))],
};

const M050: Requirement = Requirement {
    id: "M050",
    name: "every-listed-resource-uri-name",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Every listed resource has uri and name.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Resource",
    observed: Observed::By(&M050_CHECK),
};

const M050_CHECK: Check = Check {
    how: "looks at every listed resource",
    seen: seen_everywhere(),
    fix: "give each resource uri and name",
    judge: |evidence| {
        each_item(evidence, "resources", "resources/list", |PeerMessage { place, message }| {
            lacks_text(place, message, "uri").or_else(|| lacks_text(place, message, "name"))
        })
    },
    mutants: &[listed("has a resource without a name", |result| {
        remove(&mut result["resources"][0], "name");
    })],
};

const M051: Requirement = Requirement {
    id: "M051",
    name: "resources-read-returns-contents-array",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "resources/read returns a contents array (2026-07-28: unless the result is input_required).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ReadResourceResult",
    observed: Observed::By(&M051_CHECK),
};

const M051_CHECK: Check = Check {
    how: "reads resources",
    seen: seen_everywhere(),
    fix: "answer resources/read with an array in contents",
    judge: |evidence| {
        each_result(evidence, "resources", "resources/read", |answer, result| {
            lacks(answer.place, result, "contents", "an array", Value::is_array)
        })
    },
    mutants: &[read("gives contents as an object", |result| result["contents"] = json!({}))],
};

const M052: Requirement = Requirement {
    id: "M052",
    name: "every-contents-item-uri-plus-text-or-blob",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Every contents item has uri plus text or blob.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#TextResourceContents",
    observed: Observed::By(&M052_CHECK),
};

const M052_CHECK: Check = Check {
    how: "looks at everything that was read",
    seen: seen_everywhere(),
    fix: "give each of the contents its uri, and text or blob",
    judge: |evidence| {
        of_contents(evidence, |place, contents| {
            let has = |member: &str| contents.get(member).is_some_and(Value::is_string);
            lacks_text(place, contents, "uri").or_else(|| {
                (!has("text") && !has("blob"))
                    .then(|| Finding::new("text or blob", show(contents), place))
            })
        })
    },
    mutants: &[
        read("gives contents without a uri", |result| remove(&mut result["contents"][0], "uri")),
        read("gives contents without anything in them", |result| {
            remove(&mut result["contents"][0], "text");
            remove(&mut result["contents"][0], "blob");
        }),
    ],
};

const M053: Requirement = Requirement {
    id: "M053",
    name: "resources-templates-list-returns",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "resources/templates/list returns a resourceTemplates array.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ListResourceTemplatesResult",
    observed: Observed::By(&M053_CHECK),
};

const M053_CHECK: Check = Check {
    how: "asks for the templates",
    seen: seen_everywhere(),
    fix: "answer resources/templates/list with an array in resourceTemplates",
    judge: |evidence| {
        each_result(evidence, "resources", "resources/templates/list", |answer, result| {
            lacks(answer.place, result, "resourceTemplates", "an array", Value::is_array)
        })
    },
    mutants: &[templates("lists templates as an object", |result| {
        result["resourceTemplates"] = json!({});
    })],
};

const M054: Requirement = Requirement {
    id: "M054",
    name: "every-template-uritemplate",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Every template has uriTemplate.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ResourceTemplate",
    observed: Observed::By(&M054_CHECK),
};

const M054_CHECK: Check = Check {
    how: "looks at every listed template",
    seen: seen_everywhere(),
    fix: "give each template its uriTemplate",
    judge: |evidence| {
        let outcome = each_item(evidence, "resources", "resources/templates/list", |heard| {
            lacks_text(heard.place, heard.message, "uriTemplate")
        });
        match outcome {
            Outcome::Unobserved(why) => Outcome::NotApplicable(why),
            other => other,
        }
    },
    mutants: &[templates("has a template without a template", |result| {
        remove(&mut result["resourceTemplates"][0], "uriTemplate");
    })],
};

const M288: Requirement = Requirement {
    id: "M288",
    name: "result-closes-subscription-subscriptionid",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The result that closes a subscription has subscriptionId in _meta.",
    section: "schema/2026-07-28/schema.ts#SubscriptionsListenResult",
    observed: Observed::By(&M288_CHECK),
};

const M288_CHECK: Check = Check {
    how: "looks at the results of requests to listen, which end them",
    seen: seen_everywhere(),
    fix: "name the subscription in _meta of the result that ends it",
    judge: |evidence| {
        let ended = evidence.asked_by_method("subscriptions/listen").filter_map(|asked| {
            let answer = asked.answer?;
            Some((asked, answer, answer.result()?))
        });
        let outcome = each(ended, "", |(asked, answer, result)| {
            let named = result.get("_meta").and_then(|meta| meta.get(SUBSCRIPTION));
            (named != Some(asked.id)).then(|| {
                let expected = format!("{SUBSCRIPTION} {}", show(asked.id));
                Finding::new(expected, show(answer.message), answer.place)
            })
        });
        match outcome {
            Outcome::Unobserved(_) => Outcome::Unobserved(
                "the server ended no subscription by itself; it would if it were shut down meanwhile"
                    .to_owned(),
            ),
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "ends a subscription without saying which",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "last-ping" {
                let end = json!({ "jsonrpc": "2.0", "id": "listen-all", "result": {
                    "resultType": "complete", "_meta": { SERVER_INFO: { "name": "a", "version": "1" } } } });
                texts.push(end.to_string());
            }
            texts
        }),
    )
    .also(&["M222"])],
};

const M466: Requirement = Requirement {
    id: "M466",
    name: "resources-updated-notification-uri-which-may",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A resources/updated notification has uri, which may be a sub-resource of the one subscribed.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ResourceUpdatedNotification",
    observed: Observed::By(&M466_CHECK),
};

const M466_CHECK: Check = Check {
    how: "looks for notifications/resources/updated in every conversation",
    seen: seen_everywhere(),
    fix: "name the resource in uri",
    judge: |evidence| {
        let updates =
            evidence.heard_methods().filter(|(_, it)| *it == "notifications/resources/updated");
        let outcome = each(updates, "", |(heard, _)| {
            let named = heard.message.pointer("/params/uri").is_some_and(Value::is_string);
            (!named).then(|| Finding::new("a uri", show(heard.message), heard.place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::Unobserved("no subscribed resource changed".to_owned())
            }
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "does not say which resource changed",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "ping-by-string" {
                texts.push("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{}}".to_owned());
            }
            texts
        }),
    )],
};

const M522: Requirement = Requirement {
    id: "M522",
    name: "resource-link-uri-name",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "A resource_link has uri and name.",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#ResourceLink",
    observed: Observed::By(&M522_CHECK),
};

const M522_CHECK: Check = Check {
    how: "looks at every link to a resource",
    seen: seen_everywhere(),
    fix: "give each resource_link uri and name",
    judge: |evidence| fields(evidence, "resource_link", ["uri", "name"]),
    mutants: &[of_call("links to a resource without a name", "test_resource_link", |block| {
        block.as_object_mut().map(|block| block.remove("name")).unwrap_or_default();
    })],
};

const S022: Requirement = Requirement {
    id: "S022",
    name: "contents-item-mimetype",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A contents item has a mimeType (stricter than every official schema, which leaves it optional without a SHOULD).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ResourceContents",
    observed: Observed::By(&S022_CHECK),
};

const S022_CHECK: Check = Check {
    how: "looks at everything that was read",
    seen: seen_everywhere(),
    fix: "say in mimeType what the contents are",
    judge: |evidence| {
        // No official text has this keyword. It is for a type that is known, which one is that was listed.
        let known: Vec<_> = evidence
            .listed("resources/list")
            .filter(|it| it.message.get("mimeType").is_some())
            .filter_map(|it| it.message.get("uri"))
            .collect();
        doubtful(of_contents(evidence, |place, contents| {
            let is_known = contents.get("uri").is_some_and(|uri| known.contains(&uri));
            is_known.then(|| lacks_text(place, contents, "mimeType")).flatten()
        }))
    },
    mutants: &[read("does not say what it gives", |result| {
        remove(&mut result["contents"][0], "mimeType");
    })],
};

const A017: Requirement = Requirement {
    id: "A017",
    name: "resource-may-have-description-mimetype-size",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A resource may have description, mimeType and size (size is in the 2024-11-05 schema though not in its prose).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Resource",
    observed: Observed::By(&A017_CHECK),
};

const A017_CHECK: Check = Check {
    how: "looks at every listed resource",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(
            evidence.listed("resources/list"),
            "description, mimeType or size of resources",
            |it| {
                ["description", "mimeType", "size"]
                    .iter()
                    .any(|member| it.message.get(member).is_some())
            },
        )
    },
    mutants: &[listed("says nothing more about its resources", |result| {
        for resource in result["resources"].as_array_mut().into_iter().flatten() {
            for member in ["description", "mimeType", "size"] {
                remove(resource, member);
            }
        }
    })],
};

const A018: Requirement = Requirement {
    id: "A018",
    name: "template-may-have-name-description-mimetype",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A template may have name, description and mimeType (every official schema requires name).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ResourceTemplate",
    observed: Observed::By(&A018_CHECK),
};

const A018_CHECK: Check = Check {
    how: "looks at every listed template",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(
            evidence.listed("resources/templates/list"),
            "description or mimeType of templates",
            |it| ["description", "mimeType"].iter().any(|member| it.message.get(member).is_some()),
        )
    },
    mutants: &[templates("says nothing more about its templates", |result| {
        for template in result["resourceTemplates"].as_array_mut().into_iter().flatten() {
            for member in ["description", "mimeType"] {
                remove(template, member);
            }
        }
    })],
};

fn remove(object: &mut Value, member: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(member);
    }
}

const fn listed(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "resources/list")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const fn templates(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "resources/templates/list")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
