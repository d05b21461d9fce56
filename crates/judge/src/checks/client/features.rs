//! Roots, sampling and elicitation: what a client answers when it is asked.

use serde_json::{Value, json};

use super::{lifecycle::initialize, remove};
use crate::{
    checks::{
        Check,
        shape::{lacks, lacks_text, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::{Mutation, result_of};
use proofmark_record::{
    evidence::{Answer, Evidence, Place},
    topic::Topic,
    transport::Transport,
};

pub(crate) const M071: Check = Check {
    how: "asks for roots, whether they were declared or not",
    fix: "declare roots in initialize, or answer roots/list with -32601",
    judge: |evidence| declared(evidence, Topic::AskRoots, "roots"),
    mutants: &[initialize("has roots that it does not declare", |params| {
        remove(&mut params["capabilities"], "roots");
    })
    .also(&["M075", "S186"])],
};

pub(crate) const M072: Check = Check {
    how: "asks for roots",
    fix: "answer roots/list with an array of roots",
    judge: |evidence| {
        results(evidence, "roots", "roots/list", |answer, result| {
            lacks(answer.place, result, "roots", "an array", Value::is_array)
        })
    },
    mutants: &[result("answers roots/list without roots", "roots/list", |result| {
        remove(result, "roots");
    })],
};

pub(crate) const M073: Check = Check {
    how: "looks at every root",
    fix: "give each root a uri",
    judge: |evidence| each_root(evidence, |place, root| lacks_text(place, root, "uri")),
    mutants: &[result("has a root without a place", "roots/list", |result| {
        remove(&mut result["roots"][0], "uri");
    })],
};

pub(crate) const M375: Check = Check {
    how: "looks at every root",
    fix: "name roots by file:// URIs",
    judge: |evidence| {
        each_root(evidence, |place, root| {
            let uri = root.get("uri")?.as_str()?;
            (!uri.starts_with("file://")).then(|| Finding::new("a file:// URI", show(root), place))
        })
    },
    mutants: &[result("has a root on the web", "roots/list", |result| {
        result["roots"][0]["uri"] = json!("https://example.com/");
    })],
};

pub(crate) const M074: Check = Check {
    how: "asks for roots twice, and looks for the news if they are not the same",
    fix: "send notifications/roots/list_changed when the roots change",
    judge: |evidence| {
        if !has(evidence, "/roots/listChanged") {
            return Outcome::NotApplicable(
                "the client does not declare roots.listChanged".to_owned(),
            );
        }
        let lists: Vec<_> = evidence.results("roots/list").collect();
        let changes = lists.windows(2).filter(|pair| {
            pair[0].0.place.conversation == pair[1].0.place.conversation && pair[0].1 != pair[1].1
        });
        each(changes, UNCHANGED, |pair| {
            let (before, after) = (pair[0].0.place, pair[1].0.place);
            let told = evidence.told("notifications/roots/list_changed").any(|heard| {
                // An answer with the old roots may come after the news, and over HTTP one message may overtake another.
                let in_time =
                    evidence.transport != Transport::Stdio || heard.place.event < after.event;
                heard.place.conversation == before.conversation && in_time
            });
            let expected = "notifications/roots/list_changed";
            (!told).then(|| Finding::new(expected, "other roots, and no word of it", after))
        })
    },
    mutants: &[Mutant::new(
        "changes its roots in silence",
        Mutation::Writes(|_, message| {
            let told = message["method"] == "notifications/roots/list_changed";
            if told { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

pub(crate) const M075: Check = Check {
    how: "looks for notifications/roots/list_changed by clients that do not declare it",
    fix: "declare roots.listChanged",
    judge: |evidence| {
        let outcome = each(evidence.told("notifications/roots/list_changed"), "", |heard| {
            let expected = "no such notification without roots.listChanged";
            (!has(evidence, "/roots/listChanged"))
                .then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("the client sent no such notification".to_owned())
            }
            other => other,
        }
    },
    mutants: &[initialize("does not declare that its roots change", |params| {
        remove(&mut params["capabilities"]["roots"], "listChanged");
    })],
};

pub(crate) const S186: Check = Check {
    how: "asks clients without roots for roots",
    fix: "answer roots/list with -32601",
    judge: |evidence| {
        if has(evidence, "/roots") {
            return Outcome::NotApplicable("the client declares roots".to_owned());
        }
        crate::checks::shape::refused(evidence, Topic::AskRoots, &[-32601], NOT_ASKED)
    },
    mutants: &[initialize("has roots without saying so", |params| {
        remove(&mut params["capabilities"], "roots");
    })
    .also(&["M071", "M075"])],
};

pub(crate) const A021: Check = Check {
    how: "looks at every root",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(roots(evidence), "names of roots", |(_, root)| root.get("name").is_some())
    },
    mutants: &[result("has roots without names", "roots/list", |result| {
        remove(&mut result["roots"][0], "name");
    })],
};

pub(crate) const M076: Check = Check {
    how: "asks for sampling, whether it was declared or not",
    fix: "declare sampling in initialize, or answer it with an error",
    judge: |evidence| declared(evidence, Topic::AskSampling, "sampling"),
    mutants: &[initialize("samples without saying that it can", |params| {
        remove(&mut params["capabilities"], "sampling");
    })
    .also(&["M383", "M385"])],
};

pub(crate) const M077: Check = Check {
    how: "asks for sampling and looks at the result",
    fix: "answer sampling with role, content and model, and with stopReason if it is known",
    judge: |evidence| {
        let outcome = results(evidence, "sampling", "sampling/createMessage", |answer, result| {
            lacks_text(answer.place, result, "role")
                .or_else(|| lacks_text(answer.place, result, "model"))
                .or_else(|| {
                    lacks(answer.place, result, "content", "an object or an array", |content| {
                        content.is_object() || content.is_array()
                    })
                })
        });
        if outcome != Outcome::Kept {
            return outcome;
        }
        // The schemas leave it open.
        let mut all = evidence.results("sampling/createMessage");
        let silent = all.find(|(_, result)| result.get("stopReason").is_none());
        silent.map_or(Outcome::Kept, |(answer, result)| {
            Outcome::Doubtful(Finding::new("a stopReason", show(result), answer.place))
        })
    },
    mutants: &[
        result("does not name the model", "sampling/createMessage", |result| {
            remove(result, "model");
        }),
        result("does not say why it stopped", "sampling/createMessage", |result| {
            remove(result, "stopReason");
        }),
    ],
};

pub(crate) const M078: Check = Check {
    how: "asks for sampling and looks at the content",
    fix: "answer with text, an image or audio",
    judge: |evidence| sampled(evidence, &["text", "image", "audio"]),
    mutants: &[ODD_CONTENT],
};

pub(crate) const M391: Check = Check {
    how: "asks for sampling and looks at the content",
    fix: "answer with text or an image",
    judge: |evidence| sampled(evidence, &["text", "image"]),
    mutants: &[ODD_CONTENT],
};

pub(crate) const M392: Check = Check {
    how: "asks for sampling and looks at the content",
    fix: "answer with text, an image, audio, or the use or result of a tool",
    judge: |evidence| sampled(evidence, &["text", "image", "audio", "tool_use", "tool_result"]),
    mutants: &[ODD_CONTENT],
};

pub(crate) const M396: Check = Check {
    how: "asks for input from the user, whether that was declared or not",
    fix: "declare elicitation in initialize, or answer it with an error",
    judge: |evidence| declared(evidence, Topic::AskElicitation, "elicitation"),
    mutants: &[initialize("asks users without saying that it can", |params| {
        remove(&mut params["capabilities"], "elicitation");
    })],
};

pub(crate) const M401: Check = Check {
    how: "asks for input from the user and looks at the action",
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

pub(crate) const M402: Check = Check {
    how: "asks for input from the user and looks at the content",
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

/// Another answer of the user. A task is none yet.
fn act(result: &mut Value, action: &str, content: Value) {
    if result.get("action").is_some() {
        result["action"] = json!(action);
        result["content"] = content;
    }
}

fn declared(evidence: &Evidence, topic: Topic, capability: &str) -> Outcome {
    let capable = has(evidence, &format!("/{capability}"));
    each(evidence.asked(topic), NOT_ASKED, |asked| {
        let answer = asked.answer?;
        let undeclared = answer.result().is_some() && !capable;
        let expected = format!("an error, for {capability} was not declared");
        undeclared.then(|| Finding::new(expected, show(answer.message), answer.place))
    })
}

fn results(
    evidence: &Evidence,
    capability: &str,
    method: &str,
    judge: impl Fn(Answer<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    if !has(evidence, &format!("/{capability}")) {
        return Outcome::NotApplicable(format!("the client does not declare {capability}"));
    }
    each(evidence.results(method), NOT_ASKED, |(answer, result)| judge(answer, result))
}

fn sampled(evidence: &Evidence, kinds: &[&str]) -> Outcome {
    results(evidence, "sampling", "sampling/createMessage", |answer, result| {
        let content = result.get("content")?;
        let blocks = match content {
            Value::Array(blocks) => blocks.as_slice(),
            block => std::slice::from_ref(block),
        };
        let odd = blocks.iter().find(|block| {
            !block.get("type").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind))
        })?;
        Some(Finding::new(kinds.join(" or "), show(odd), answer.place))
    })
}

fn roots(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    evidence
        .results("roots/list")
        .filter_map(|(answer, result)| Some((answer.place, result.get("roots")?.as_array()?)))
        .flat_map(|(place, roots)| roots.iter().map(move |root| (place, root)))
}

pub(super) fn each_root(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    if !has(evidence, "/roots") {
        return Outcome::NotApplicable("the client does not declare roots".to_owned());
    }
    each(roots(evidence), "the client gave no root", |(place, root)| judge(place, root))
}

/// A capability of the client by its path.
fn has(evidence: &Evidence, path: &str) -> bool {
    evidence.capability(path)
}

pub(super) const fn result(
    name: &'static str,
    method: &'static str,
    change: fn(&mut Value),
) -> Mutant {
    let of: proofmark_converse::mutation::Part = match method.as_bytes() {
        b"roots/list" => |context, message| result_of(context, message, "roots/list"),
        b"elicitation/create" => {
            |context, message| result_of(context, message, "elicitation/create")
        }
        _ => |context, message| result_of(context, message, "sampling/createMessage"),
    };
    Mutant::new(name, Mutation::Part { of, change })
}

const ODD_CONTENT: Mutant = result("answers with a smell", "sampling/createMessage", |result| {
    result["content"]["type"] = json!("smell");
});

const NOT_ASKED: &str = "the client could not be asked: it opened no stream and made no call that would carry a question";
const UNCHANGED: &str = "the roots did not change; a client that can be told what to do finds roots in PROOFMARK_SCENARIO";
