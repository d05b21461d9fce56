//! Pages that users are sent to.

use proofmark_core::revision::NotificationMethod;
use serde_json::{Value, json};

use super::{
    Check,
    claims::error,
    questions::{ELICITATION, all},
    shape::{lacks_text, show},
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    evidence::{Answer, Evidence, Place},
    wire::Url,
};

pub(crate) const M415: Check = Check {
    how: "declares that users can be sent to pages, and looks at every elicitation that does",
    fix: "give a URL elicitation mode, message and url, and where completions are told an elicitationId",
    judge: |evidence| {
        let told = tells_completion(evidence);
        sent(evidence, |place, params| {
            let identified = || lacks_text(place, params, "elicitationId");
            lacks_text(place, params, "message")
                .or_else(|| lacks_text(place, params, "url"))
                .or_else(|| told.then(identified).flatten())
        })
    },
    mutants: &[
        page("sends users nowhere", |params| {
            params.as_object_mut().map(|params| params.remove("url"));
        })
        .also(&["M416", "S223"]),
        page("does not say which page it means", |params| {
            params.as_object_mut().map(|params| params.remove("elicitationId"));
        })
        .also(&["M417"]),
    ],
};

pub(crate) const M416: Check = Check {
    how: "reads the url of every URL elicitation",
    fix: "give an absolute URL",
    judge: |evidence| {
        sent(evidence, |place, params| {
            let url = params.get("url").unwrap_or(&Value::Null);
            let right = url.as_str().is_some_and(is_url);
            (!right).then(|| Finding::new("a URL", show(url), place))
        })
    },
    mutants: &[page("sends users to half an address", |params| params["url"] = json!("/connect"))
        .also(&["S223"])],
};

pub(crate) const S223: Check = Check {
    how: "reads the url of every URL elicitation",
    fix: "send users to https pages",
    judge: |evidence| {
        sent(evidence, |place, params| {
            let url = params.get("url")?.as_str()?;
            let near = url.parse::<Url>().is_ok_and(|url| LOCAL.contains(&url.host.as_str()));
            let safe = url.to_ascii_lowercase().starts_with("https://");
            // On the user's own machine it is development.
            (!safe && !near).then(|| Finding::new("https", show(&json!(url)), place))
        })
    },
    mutants: &[page("sends users to an open page", |params| {
        params["url"] = json!("http://example.com/connect");
    })],
};

pub(crate) const M417: Check = Check {
    how: "compares every notifications/elicitation/complete with what the same client was asked",
    fix: "tell only the client that was asked that it is done",
    judge: |evidence| {
        let done = evidence
            .told(COMPLETE)
            .filter_map(|heard| Some((heard, heard.message.pointer("/params/elicitationId")?)));
        let outcome = each(done, "", |(heard, id)| {
            let mut known = identified(evidence);
            let asked =
                known.any(|(place, it)| place.conversation == heard.place.conversation && it == id);
            (!asked).then(|| {
                let expected = "an elicitation of the same client";
                Finding::new(expected, show(heard.message), heard.place)
            })
        });
        none_applies(outcome, NOTHING_DONE)
    },
    mutants: &[Mutant::new(
        "tells everybody that somebody is done",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "last-ping" {
                let done = json!({ "jsonrpc": "2.0", "method": COMPLETE,
                    "params": { "elicitationId": "of-another-client" } });
                texts.push(done.to_string());
            }
            texts
        }),
    )],
};

pub(crate) const M418: Check = Check {
    how: "looks at every notifications/elicitation/complete",
    fix: "say in elicitationId what is done",
    judge: |evidence| {
        let outcome = each(evidence.told(COMPLETE), "", |heard| {
            let params = heard.message.get("params").unwrap_or(&Value::Null);
            lacks_text(heard.place, params, "elicitationId")
        });
        none_applies(outcome, NOTHING_DONE)
    },
    mutants: &[Mutant::new(
        "does not say what is done",
        Mutation::Says(|_, message| {
            if message["method"] == COMPLETE {
                message["params"] = json!({});
            }
        }),
    )],
};

pub(crate) const M421: Check = Check {
    how: "looks at every error -32042",
    fix: "use -32042 only where a URL elicitation is required",
    judge: |evidence| {
        let outcome = each(required(evidence), "", |(answer, _)| {
            let mut listed = elicitations(answer).into_iter().flatten();
            let page = listed.any(|it| it.get("url").is_some());
            let expected = "an error about pages that users must visit";
            (!page).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, NOTHING_REQUIRED)
    },
    mutants: &[Mutant::new(
        "calls an unknown method by the wrong number",
        Mutation::Says(|context, message| {
            if context.method == Some("proofmark/no-such-method") {
                *message = error(&message["id"], -32042);
            }
        }),
    )
    .also(&["M110", "M422", "M528"])],
};

pub(crate) const M422: Check = Check {
    how: "looks at every error -32042",
    fix: "list in data.elicitations what users must do first",
    judge: |evidence| {
        let outcome = each(required(evidence), "", |(answer, _)| {
            let listed = elicitations(answer).is_some_and(|listed| !listed.is_empty());
            let expected = "data.elicitations";
            (!listed).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, NOTHING_REQUIRED)
    },
    mutants: &[of_error("does not say what is required", |error| error["data"] = json!({}))
        .also(&["M421", "M528"])],
};

pub(crate) const M528: Check = Check {
    how: "looks at the data of every error -32042",
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

pub(crate) const M423: Check = Check {
    how: "looks at everything that an error -32042 lists",
    fix: "list URL elicitations, each with mode url and an elicitationId",
    judge: |evidence| {
        let listed = required(evidence).flat_map(|(answer, _)| {
            let listed = elicitations(answer).into_iter().flatten();
            listed.map(move |it| (answer.place, it))
        });
        let outcome = each(listed, "", |(place, it)| {
            let expected = "mode url, a url and an elicitationId";
            let has = |member: &str| it.get(member).is_some_and(Value::is_string);
            let right = it["mode"] == "url" && has("url") && has("elicitationId");
            (!right).then(|| Finding::new(expected, show(it), place))
        });
        none_applies(outcome, NOTHING_REQUIRED)
    },
    mutants: &[of_error("requires a page that it does not name", |error| {
        for it in error["data"]["elicitations"].as_array_mut().into_iter().flatten() {
            it.as_object_mut().map(|it| it.remove("elicitationId"));
        }
    })],
};

pub(crate) const M424: Check = Check {
    how: "looks at the code of every error that lists elicitations",
    fix: "use -32042 where a URL elicitation is required",
    judge: |evidence| {
        let answers = evidence.asked_all().filter_map(|asked| asked.answer);
        let listing = answers.filter(|answer| elicitations(*answer).is_some());
        let outcome = each(listing, "", |answer| {
            let right = answer.code() == Some(-32042);
            (!right).then(|| Finding::new("-32042", show(answer.message), answer.place))
        });
        none_applies(outcome, NOTHING_REQUIRED)
    },
    mutants: &[of_error("has a number of its own for what is required", |error| {
        error["code"] = json!(-32000);
    })],
};

/// Judges every URL elicitation.
fn sent(evidence: &Evidence, judge: impl Fn(Place, &Value) -> Option<Finding>) -> Outcome {
    let pages = all(evidence, ELICITATION).filter_map(|(place, request)| {
        let params = request.get("params")?;
        (params.get("mode")? == "url").then_some((place, params))
    });
    let outcome = each(pages, "", |(place, params)| judge(place, params));
    none_applies(outcome, "nobody was sent to a page")
}

/// The ids of all URL elicitations, asked for and required.
fn identified(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    let asked = all(evidence, ELICITATION)
        .filter_map(|(place, request)| Some((place, request.pointer("/params/elicitationId")?)));
    let listed = required(evidence).flat_map(|(answer, _)| {
        let listed = elicitations(answer).into_iter().flatten();
        listed.filter_map(move |it| Some((answer.place, it.get("elicitationId")?)))
    });
    asked.chain(listed)
}

/// Every error that says that users must visit a page first.
fn required(evidence: &Evidence) -> impl Iterator<Item = (Answer<'_>, &Value)> {
    evidence.asked_all().filter_map(|asked| {
        let answer = asked.answer?;
        (answer.code() == Some(-32042)).then_some((answer, answer.error()?))
    })
}

fn elicitations(answer: Answer<'_>) -> Option<&Vec<Value>> {
    answer.error()?.pointer("/data/elicitations")?.as_array()
}

fn tells_completion(evidence: &Evidence) -> bool {
    let known = evidence.revision.rules().server_notifications;
    known.contains(NotificationMethod::ElicitationComplete)
}

fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let whole = !rest.trim_start_matches('/').is_empty();
    named && whole && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// Changes the elicitations that send users to a page.
pub(super) const fn page(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        super::questions::question(message, ELICITATION).filter(|it| it["mode"] == "url")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Changes the error that requires a page.
const fn of_error(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        message.get_mut("error").filter(|error| error["code"] == -32042)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(super) const COMPLETE: &str = "notifications/elicitation/complete";
const LOCAL: [&str; 3] = ["127.0.0.1", "localhost", "::1"];
const NOTHING_DONE: &str = "the server tells nobody that an elicitation is done";
const NOTHING_REQUIRED: &str = "nothing that was called requires a page first";
