//! Resources and templates: lists, contents, subscriptions.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::{
    Check,
    shape::{each_item, each_result, lacks, lacks_text, refused, show, undeclared},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{
    evidence::{Evidence, Heard, Place},
    topic::Topic,
};

pub(crate) const M049: Check = Check {
    how: "asks for the resources",
    fix: "answer resources/list with an array in resources",
    judge: |evidence| {
        each_result(evidence, "resources", "resources/list", |answer, result| {
            lacks(answer.place, result, "resources", "an array", Value::is_array)
        })
    },
    mutants: &[listed("lists resources as an object", |result| result["resources"] = json!({}))],
};

pub(crate) const M050: Check = Check {
    how: "looks at every listed resource",
    fix: "give each resource uri and name",
    judge: |evidence| {
        each_item(evidence, "resources", "resources/list", |Heard { place, message }| {
            lacks_text(place, message, "uri").or_else(|| lacks_text(place, message, "name"))
        })
    },
    mutants: &[listed("has a resource without a name", |result| {
        remove(&mut result["resources"][0], "name");
    })],
};

pub(crate) const M051: Check = Check {
    how: "reads resources",
    fix: "answer resources/read with an array in contents",
    judge: |evidence| {
        each_result(evidence, "resources", "resources/read", |answer, result| {
            lacks(answer.place, result, "contents", "an array", Value::is_array)
        })
    },
    mutants: &[read("gives contents as an object", |result| result["contents"] = json!({}))],
};

pub(crate) const M052: Check = Check {
    how: "looks at everything that was read",
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

pub(crate) const S022: Check = Check {
    how: "looks at everything that was read",
    fix: "say in mimeType what the contents are",
    judge: |evidence| {
        // No official text has this keyword.
        super::shape::doubtful(of_contents(evidence, |place, contents| {
            lacks_text(place, contents, "mimeType")
        }))
    },
    mutants: &[read("does not say what it gives", |result| {
        remove(&mut result["contents"][0], "mimeType");
    })],
};

pub(crate) const M460: Check = Check {
    how: "decodes every blob that was read",
    fix: "write blobs as base64",
    judge: |evidence| {
        let outcome = of_contents(evidence, |place, contents| {
            let blob = contents.get("blob")?.as_str()?;
            BASE64_STANDARD
                .decode(blob)
                .is_err()
                .then(|| Finding::new("base64", show(&contents["blob"]), place))
        });
        let blobs = evidence
            .results("resources/read")
            .any(|(_, result)| result.to_string().contains("\"blob\""));
        if outcome == Outcome::Kept && !blobs {
            return Outcome::NotApplicable("nothing binary was read".to_owned());
        }
        outcome
    },
    mutants: &[read("gives blobs as they are", |result| {
        for contents in result["contents"].as_array_mut().into_iter().flatten() {
            if contents.get("blob").is_some() {
                contents["blob"] = json!("not base64!");
            }
        }
    })],
};

pub(crate) const M053: Check = Check {
    how: "asks for the templates",
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

pub(crate) const M054: Check = Check {
    how: "looks at every listed template",
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

pub(crate) const S237: Check = Check {
    how: "reads a resource that does not exist",
    fix: "answer an unknown resource with the error -32002",
    judge: |evidence| {
        undeclared(evidence, "resources").unwrap_or_else(|| {
            refused(evidence, Topic::UnknownResource, &[-32002], "no unknown resource was read")
        })
    },
    mutants: &[Mutant::new(
        "finds every resource",
        Mutation::Says(|context, message| {
            if context.params["uri"] == "proofmark://no/such/resource" {
                *message =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "contents": [] } });
            }
        }),
    )],
};

pub(crate) const M464: Check = Check {
    how: "subscribes to a resource and ends the subscription",
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

pub(crate) const M466: Check = Check {
    how: "looks for notifications/resources/updated in every conversation",
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

pub(crate) const A017: Check = Check {
    how: "looks at every listed resource",
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

pub(crate) const A018: Check = Check {
    how: "looks at every listed template",
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

/// Nothing but, perhaps, `_meta`.
pub(super) fn is_empty(result: &Value) -> bool {
    result.as_object().is_some_and(|result| result.keys().all(|member| member == "_meta"))
}

fn of_contents(evidence: &Evidence, judge: impl Fn(Place, &Value) -> Option<Finding>) -> Outcome {
    each_result(evidence, "resources", "resources/read", |answer, result| {
        let contents = result.get("contents")?.as_array()?;
        contents.iter().find_map(|contents| judge(answer.place, contents))
    })
}

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

const fn read(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "resources/read")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
