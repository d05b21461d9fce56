//! What servers may offer and need not: each is looked for, and nobody is blamed.

use serde_json::{Value, json};

use super::{
    Check,
    claims::to,
    content::prompt_blocks,
    names::{keys, with_key},
    questions::{ELICITATION, all, elicitation, forms},
    rounds::{input_requests, wanting},
    urls::COMPLETE,
};
use crate::{
    mutant::Mutant,
    outcome::{Outcome, offered},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{
    evidence::{Answer, Evidence},
    meta::SERVER_INFO,
    topic::Topic,
};

pub(crate) const A032: Check = Check {
    how: "looks for $schema in the schemas of tools",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.listed("tools/list"), "schemas that name their dialect", |tool| {
            tool.message.pointer("/inputSchema/$schema").is_some()
        })
    },
    mutants: &[in_list("never names the dialect of a schema", |result| {
        for tool in result["tools"].as_array_mut().into_iter().flatten() {
            tool["inputSchema"].as_object_mut().map(|schema| schema.remove("$schema"));
        }
    })],
};

pub(crate) const A034: Check = Check {
    how: "looks at the keys of _meta in every message",
    fix: ALLOWED,
    judge: |evidence| {
        // A finding would be one that shows it.
        let found = keys(evidence, |place, _, name| {
            let inside = name.contains(['-', '_', '.']);
            inside.then(|| crate::outcome::Finding::new("", "", place))
        });
        let shown = matches!(found, Outcome::Broken(_));
        offered([shown].into_iter(), "names with hyphens, underscores or dots", |it| it)
    },
    // Elsewhere the key of tasks is one.
    mutants: &[with_key("has a key with a hyphen inside", "com.example/a-b").modern()],
};

pub(crate) const A068: Check = Check {
    how: "gives every call a progress token",
    fix: ALLOWED,
    judge: |evidence| told(evidence, PROGRESS, "progress"),
    mutants: &[silent_about("reports no progress to those who ask for it", |method| {
        method == PROGRESS
    })],
};

pub(crate) const A069: Check = Check {
    how: "looks for progress and log messages while requests run",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.heard_methods(), "news of requests that run", |(_, method)| {
            method == PROGRESS || method == LOG
        })
    },
    mutants: &[silent_about("says nothing while it works", |method| {
        method == PROGRESS || method == LOG
    })],
};

pub(crate) const A070: Check = Check {
    how: "looks at every report of progress",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.told(PROGRESS), "fractions of progress", |heard| {
            let params = &heard.message["params"];
            ["progress", "total"].iter().any(|it| params[*it].is_f64())
        })
    },
    mutants: &[of_progress("reports half a step", |params| {
        let progress = params["progress"].as_f64().unwrap_or_default();
        params["progress"] = json!(progress + 0.25);
    })],
};

pub(crate) const A073: Check = Check {
    how: "looks at every report of progress",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.told(PROGRESS), "progress without a total", |heard| {
            heard.message.pointer("/params/total").is_none()
        })
    },
    mutants: &[of_progress("does not say how much there is to do", |params| {
        params.as_object_mut().map(|params| params.remove("total"));
    })],
};

pub(crate) const A141: Check = Check {
    how: "calls tools with a logLevel",
    fix: ALLOWED,
    judge: |evidence| told(evidence, LOG, "log messages"),
    mutants: &[silent_about("logs nothing", |method| method == LOG)],
};

pub(crate) const A084: Check = Check {
    how: "looks at every result that is input_required",
    fix: ALLOWED,
    judge: |evidence| {
        offered(wanting(evidence), "input requests", |(_, _, result)| {
            result.get("inputRequests").is_some()
        })
    },
    mutants: &[done_if("never says what it wants", |_, result| {
        result.get("inputRequests").is_some()
    })
    .also(&["M541"])],
};

pub(crate) const A085: Check = Check {
    how: "looks at every result that is input_required",
    fix: ALLOWED,
    judge: |evidence| {
        offered(wanting(evidence), "states of requests", |(_, _, result)| {
            result.get("requestState").is_some()
        })
    },
    mutants: &[done_if("hands out no state", |_, result| result.get("requestState").is_some())],
};

pub(crate) const A087: Check = Check {
    how: "answers what was asked for, and looks whether more is",
    fix: ALLOWED,
    judge: |evidence| {
        offered(wanting(evidence), "requests of more than two rounds", |(asked, ..)| {
            asked.params.is_some_and(|params| params.get("inputResponses").is_some())
        })
    },
    mutants: &[done_if("asks only once", |context, result| {
        let retried = context.params.get("inputResponses").is_some();
        retried && result["resultType"] == "input_required"
    })
    .also(&["M271", "M272", "S138", "S139", "S140", "S142"])],
};

pub(crate) const A117: Check = Check {
    how: "looks for elicitations among the input requests",
    fix: ALLOWED,
    judge: |evidence| {
        offered(input_requests(evidence), "elicitations as input requests", |(_, _, request)| {
            request["method"] == ELICITATION
        })
    },
    mutants: &[done_if("never asks the user", |_, result| {
        result["inputRequests"].to_string().contains(ELICITATION)
    })
    .also(&["M541"])],
};

pub(crate) const A113: Check = Check {
    how: "looks at the mode of every form",
    fix: ALLOWED,
    judge: |evidence| {
        let asked = all(evidence, ELICITATION).map(|(_, request)| &request["params"]);
        let asked = asked.filter(|params| params.get("requestedSchema").is_some());
        offered(asked, "forms without a mode", |params| params.get("mode").is_none())
    },
    mutants: &[elicitation("always says that a form is one", |params| {
        if params.get("requestedSchema").is_some() {
            params["mode"] = json!("form");
        }
    })],
};

pub(crate) const A112: Check = Check {
    how: "looks at the fields of every form",
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

pub(crate) const A114: Check = Check {
    how: "agrees to visit pages, and looks for news of it",
    fix: ALLOWED,
    judge: |evidence| told(evidence, COMPLETE, "news of pages that were visited"),
    mutants: &[silent_about("does not say that a user is done", |method| method == COMPLETE)],
};

pub(crate) const A116: Check = Check {
    how: "looks for the error -32042",
    fix: ALLOWED,
    judge: |evidence| {
        let answers = evidence.asked_all().filter_map(|asked| asked.answer);
        offered(answers, "calls that require a page first", |it| it.code() == Some(-32042))
    },
    mutants: &[Mutant::new(
        "requires no page",
        Mutation::Says(|_, message| {
            if message["error"]["code"] == -32042 {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "content": [] } });
            }
        }),
    )],
};

pub(crate) const A042: Check = Check {
    how: "looks at what the server says of itself",
    fix: ALLOWED,
    judge: |evidence| {
        let infos = evidence.asked(Topic::Initialize).filter_map(|asked| info(asked.answer?));
        offered(infos, "a description, icons or a website of itself", |info| {
            ["description", "icons", "websiteUrl"].iter().any(|it| info.get(it).is_some())
        })
    },
    mutants: &[Mutant::new(
        "says nothing of itself but its name",
        Mutation::Says(|context, message| {
            let info = message.pointer_mut("/result/serverInfo").and_then(Value::as_object_mut);
            if context.method == Some("initialize")
                && let Some(info) = info
            {
                info.retain(|name, _| name == "name" || name == "version");
            }
        }),
    )],
};

pub(crate) const A043: Check = Check {
    how: "looks at the capabilities",
    fix: ALLOWED,
    judge: |evidence| {
        let capable = evidence.capability("/experimental");
        offered([capable].into_iter(), "experimental capabilities", |it| it)
    },
    mutants: &[Mutant::new(
        "experiments",
        Mutation::Says(|context, message| {
            if context.method == Some("initialize") && message.get("result").is_some() {
                message["result"]["capabilities"]["experimental"] = json!({ "a": {} });
            }
        }),
    )],
};

pub(crate) const A127: Check = Check {
    how: "looks at everything that is listed",
    fix: ALLOWED,
    judge: |evidence| offered(listed(evidence), "titles", |item| item.get("title").is_some()),
    mutants: &[in_list("has a tool with a title", |result| {
        result["tools"][1]["title"] = json!("A tool");
    })],
};

pub(crate) const A128: Check = Check {
    how: "looks at everything that is listed",
    fix: ALLOWED,
    judge: |evidence| offered(listed(evidence), "icons", |item| item.get("icons").is_some()),
    mutants: &[in_list("has a tool with an icon", |result| {
        result["tools"][1]["icons"] = json!([{ "src": "https://example.com/a.png" }]);
    })],
};

pub(crate) const A125: Check = Check {
    how: "looks at resources and templates",
    fix: ALLOWED,
    judge: |evidence| {
        offered(resources(evidence), "annotations of resources", |item| {
            item.get("annotations").is_some()
        })
    },
    mutants: &[of_resource("finds a resource half as important", |resource| {
        resource["annotations"] = json!({ "priority": 0.5, "audience": ["user"] });
    })],
};

pub(crate) const A126: Check = Check {
    how: "looks at the annotations of resources and templates",
    fix: ALLOWED,
    judge: |evidence| {
        offered(resources(evidence), "when resources changed", |item| {
            item.pointer("/annotations/lastModified").is_some()
        })
    },
    mutants: &[of_resource("says when a resource changed", |resource| {
        resource["annotations"] = json!({ "lastModified": "2025-01-12T15:00:58Z" });
    })],
};

pub(crate) const A121: Check = Check {
    how: "looks at the types of resources",
    fix: ALLOWED,
    judge: |evidence| {
        offered(resources(evidence), "special files", |item| {
            item.get("mimeType").and_then(Value::as_str).is_some_and(|it| it.starts_with("inode/"))
        })
    },
    mutants: &[of_resource("has a directory", |resource| {
        resource["mimeType"] = json!("inode/directory");
    })],
};

pub(crate) const A124: Check = Check {
    how: "reads resources",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.results("resources/read"), "several contents at once", |(_, result)| {
            result.get("contents").and_then(Value::as_array).is_some_and(|it| it.len() > 1)
        })
    },
    mutants: &[Mutant::new(
        "gives two contents for one resource",
        Mutation::Result(|context, result| {
            let read = context.method == Some("resources/read");
            let contents = result.get_mut("contents").filter(|_| read);
            if let Some(contents) = contents.and_then(Value::as_array_mut)
                && let Some(first) = contents.first().cloned()
            {
                contents.push(first);
            }
        }),
    )],
};

pub(crate) const A118: Check = Check {
    how: "looks at the messages of prompts",
    fix: ALLOWED,
    judge: |evidence| {
        offered(prompt_blocks(evidence), "links in prompts", |(_, block)| {
            block["type"] == "resource_link"
        })
    },
    mutants: &[Mutant::new(
        "links to a resource in a prompt",
        Mutation::Result(|context, result| {
            if context.params["name"] == "test_simple_prompt" {
                result["messages"][0]["content"] = json!({ "type": "resource_link",
                    "uri": "test://static-text", "name": "Static Text Resource" });
            }
        }),
    )],
};

pub(crate) const A119: Check = Check {
    how: "listens for changes of the prompts",
    fix: ALLOWED,
    judge: |evidence| told(evidence, PROMPTS, "changes of prompts"),
    mutants: &[
        silent_about("never changes its prompts", |method| method == PROMPTS).also(&["S024"])
    ],
};

pub(crate) const A122: Check = Check {
    how: "listens for changes of the resources",
    fix: ALLOWED,
    judge: |evidence| told(evidence, RESOURCES, "changes of resources"),
    mutants: &[
        silent_about("never changes its resources", |method| method == RESOURCES).also(&["S023"])
    ],
};

pub(crate) const A135: Check = Check {
    how: "listens for changes of the tools",
    fix: ALLOWED,
    judge: |evidence| told(evidence, TOOLS, "changes of tools"),
    mutants: &[silent_about("never changes its tools", |method| method == TOOLS).also(&["S025"])],
};

pub(crate) const A129: Check = Check {
    how: "looks at the outputSchema of every tool",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.listed("tools/list"), "results that are no objects", |tool| {
            let schema = tool.message.get("outputSchema");
            schema.is_some_and(|schema| schema["type"] != "object")
        })
    },
    mutants: &[in_list("promises a string", |result| {
        // The tool that always fails need not keep it.
        result["tools"][1]["outputSchema"] = json!({ "type": "string" });
    })],
};

pub(crate) const A130: Check = Check {
    how: "looks at the structuredContent of every call",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.results("tools/call"), "structure that is no object", |(_, result)| {
            result.get("structuredContent").is_some_and(|content| !content.is_object())
        })
    },
    mutants: &[Mutant::new(
        "structures its text as a string",
        Mutation::Call {
            tool: "test_simple_text",
            part: "",
            change: |result| {
                result["content"][0]["text"] = json!("\"a\"");
                result["structuredContent"] = json!("a");
            },
        },
    )],
};

pub(crate) const A046: Check = BOTH_ERAS;
pub(crate) const A048: Check = BOTH_ERAS;

const BOTH_ERAS: Check = Check {
    how: "initializes as clients of earlier revisions do, while others talk in the modern way",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::OlderInitialize), "earlier revisions, too", |asked| {
            asked.answer.is_some_and(|answer| answer.result().is_some())
        })
    },
    mutants: &[to("speaks to modern clients only", "older-initialize", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"],
            "error": { "code": -32601, "message": "this server speaks 2026-07-28" } });
    })],
};

/// Whether a notification was ever sent.
fn told(evidence: &Evidence, method: &str, what: &str) -> Outcome {
    offered(evidence.heard_methods(), what, |(_, it)| it == method)
}

fn listed(evidence: &Evidence) -> impl Iterator<Item = &Value> {
    let tools = evidence.listed("tools/list").chain(evidence.listed("prompts/list"));
    tools.map(|heard| heard.message).chain(resources(evidence))
}

fn resources(evidence: &Evidence) -> impl Iterator<Item = &Value> {
    let plain = evidence.listed("resources/list");
    plain.chain(evidence.listed("resources/templates/list")).map(|heard| heard.message)
}

/// What a server says of itself, in whichever era.
fn info(answer: Answer<'_>) -> Option<&Value> {
    let result = answer.result()?;
    result.get("serverInfo").or_else(|| result.get("_meta")?.get(SERVER_INFO))
}

const fn in_list(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const fn of_resource(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "resources/list")?.pointer_mut("/resources/1")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const fn of_progress(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (message["method"] == PROGRESS).then(|| message.get_mut("params")).flatten()
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Never sends some notifications.
const fn silent_about(name: &'static str, about: fn(&str) -> bool) -> Mutant {
    Mutant::new(name, Mutation::Silent(about))
}

/// Answers as if all were done where it would ask for something.
const fn done_if(name: &'static str, asks: fn(&Context<'_>, &Value) -> bool) -> Mutant {
    Mutant::new(name, Mutation::Done(asks))
}

const ALLOWED: &str = "nothing: this is allowed";
const LOG: &str = "notifications/message";
const PROGRESS: &str = "notifications/progress";
const PROMPTS: &str = "notifications/prompts/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";
const TOOLS: &str = "notifications/tools/list_changed";
