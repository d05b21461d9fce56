//! What a client without a handshake repeats of the body in headers.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::{
    hosted_at,
    http::{body, mutated, posts},
    stateless::modern,
};
use crate::{
    checks::{Check, shape::show},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{
    hosted::{HostedScenario, NEW_MARK},
    http_request::HttpRequest,
    mutation::{Mutation, Passing},
    scenario::{MarkedArgument, request_metadata::name_member},
};
use proofmark_record::{
    event::{Frame, header},
    evidence::{Evidence, HttpExchange, PeerRequest, Place},
    meta::VERSION,
    text::excerpt,
};

pub(crate) const M185: Check = Check {
    how: "looks at the headers of every POST that carries a request",
    fix: "send MCP-Protocol-Version and Mcp-Method with every request",
    judge: |evidence| {
        each_request(evidence, |exchange, _| {
            let names = ["mcp-protocol-version", "mcp-method"];
            let missing = names.into_iter().find(|name| header(exchange.asked, name).is_none())?;
            Some(Finding::new(missing, "no such header", exchange.place))
        })
    },
    mutants: &[mutated("says nothing in headers", |request| {
        if says(request, "tools/list") {
            request.remove("mcp-method");
        }
    })
    .also(&["M194"])],
};

pub(crate) const M186: Check = Check {
    how: "looks at the body of every POST",
    fix: "post one request or one notification at a time",
    judge: |evidence| {
        let ordinary =
            posts(evidence).filter(|it| !super::stateless::is_puzzle(evidence, it.place));
        each(ordinary, super::http::NOTHING, |exchange| {
            let frame = body(evidence, &exchange)?;
            let right = frame.json.as_ref().is_ok_and(|it| it.get("method").is_some());
            let expected = "one request or one notification";
            (!right).then(|| Finding::new(expected, excerpt(&frame.bytes), exchange.place))
        })
    },
    mutants: &[mutated("posts batches", |request| {
        if says(request, "tools/list") {
            let message = String::from_utf8_lossy(&request.body).into_owned();
            request.body = format!("[{message}]").into_bytes();
        }
    })],
};

pub(crate) const M189: Check = Check {
    how: "looks for MCP-Protocol-Version in every POST that carries a request",
    fix: "send MCP-Protocol-Version with every request",
    judge: |evidence| {
        each_request(evidence, |exchange, _| {
            let known = header(exchange.asked, "mcp-protocol-version").is_some();
            let expected = "MCP-Protocol-Version";
            (!known).then(|| Finding::new(expected, "no such header", exchange.place))
        })
    },
    mutants: &[mutated("does not say what it speaks in a header", |request| {
        if says(request, "tools/list") {
            request.remove("mcp-protocol-version");
        }
    })
    .also(&["M185"])],
};

pub(crate) const M190: Check = Check {
    how: "compares MCP-Protocol-Version with the version in _meta",
    fix: "send the same version in the header and in _meta",
    judge: |evidence| {
        each_request(evidence, |exchange, message| {
            let told = header(exchange.asked, "mcp-protocol-version")?;
            let version = message["params"]["_meta"].get(VERSION)?.as_str()?;
            (told != version).then(|| Finding::new(version, told, exchange.place))
        })
    },
    mutants: &[mutated("says one version in the header and another in the body", |request| {
        if says(request, "tools/list") {
            request.set("mcp-protocol-version", proofmark_converse::scenario::NONSENSE_VERSION);
        }
    })],
};

pub(crate) const M194: Check = Check {
    how: "compares Mcp-Method with the method of every request",
    fix: "send Mcp-Method with every request, with the method of the body",
    judge: |evidence| {
        each_request(evidence, |exchange, message| {
            let method = message.get("method")?.as_str()?;
            let told = header(exchange.asked, "mcp-method");
            let actual = told.unwrap_or("no such header");
            (told != Some(method))
                .then(|| Finding::new(format!("Mcp-Method: {method}"), actual, exchange.place))
        })
    },
    mutants: &[mutated("names another method", |request| {
        if says(request, "tools/list") {
            request.set("mcp-method", "prompts/list");
        }
    })],
};

pub(crate) const M195: Check = Check {
    how: "compares Mcp-Name with what is called, read or got",
    fix: "send Mcp-Name with tools/call, prompts/get and resources/read",
    judge: |evidence| {
        each_name(evidence, |exchange, name| {
            let told = header(exchange.asked, "mcp-name");
            let actual = told.unwrap_or("no such header");
            let right =
                told.is_some_and(|told| decoded(told).as_deref() == Some(name) || told == name);
            (!right).then(|| Finding::new(format!("Mcp-Name: {name}"), actual, exchange.place))
        })
    },
    mutants: &[
        mutated("does not name what it calls", |request| {
            if says(request, "tools/call") {
                request.remove("mcp-name");
            }
        })
        .also(&["M196"]),
        mutated("names what it does not call", |request| {
            if says(request, "tools/call") {
                request.set("mcp-name", "something_else");
            }
        })
        .also(&["M196"]),
    ],
};

pub(crate) const M196: Check = Check {
    how: "offers a tool whose name no header can hold",
    fix: "send such a name as =?base64?…?=",
    judge: |evidence| {
        let odd = named(evidence).filter(|(_, name)| !is_plain(name));
        each(odd, NO_ODD_NAME, |(exchange, name)| {
            let told = header(exchange.asked, "mcp-name").unwrap_or_default();
            let right = decoded(told).as_deref() == Some(name);
            (!right).then(|| Finding::new(sentinel(name), told, exchange.place))
        })
    },
    mutants: &[mutated("writes any name as it is", |request| {
        let name = request.header("mcp-name").and_then(decoded);
        if let Some(name) = name {
            request.set("mcp-name", &name);
        }
    })],
};

pub(crate) const M197: Check = Check {
    how: "offers a tool with arguments that are marked for headers",
    fix: "repeat marked arguments as Mcp-Param headers",
    judge: mirrors,
    mutants: &[NEVER_MIRRORS.also(&["M206", "M207", "M210", "M211", "S089"])],
};

pub(crate) const M211: Check = Check {
    how: M197.how,
    fix: M197.fix,
    judge: mirrors,
    mutants: &[NEVER_MIRRORS.also(&["M197", "M206", "M207", "M210", "S089"])],
};

pub(crate) const M203: Check = Check {
    how: "looks at the integers in Mcp-Param headers",
    fix: "mark no argument whose integers are beyond 2^53-1",
    judge: |evidence| {
        let numbers = marked(evidence).filter(|(_, _, value)| value.is_number());
        each(numbers, NOT_MARKED, |(exchange, marked, value)| {
            let safe = value.as_i64().is_some_and(|it| it.unsigned_abs() < 1 << 53);
            let told = header(exchange.asked, &marked.header())?;
            (!safe).then(|| Finding::new("an integer within 2^53-1", told, exchange.place))
        })
    },
    mutants: &[Mutant::new(
        "counts higher than headers can",
        Mutation::Head(|request| {
            let Ok(mut message) = serde_json::from_slice::<Value>(&request.body) else { return };
            if let Some(count) = message.pointer_mut("/params/arguments/count") {
                *count = json!(HUGE);
                request.body = message.to_string().into_bytes();
                request.set("mcp-param-count", &HUGE.to_string());
            }
        }),
    )],
};

pub(crate) const M206: Check = Check {
    how: "compares Mcp-Param headers with the arguments that they repeat",
    fix: "write strings as they are, integers in decimal and booleans in lower case",
    judge: |evidence| {
        let plain = marked(evidence).filter_map(|(exchange, marked, value)| {
            let text = text(value).filter(|text| is_plain(text))?;
            Some((exchange, marked, text))
        });
        each(plain, NOT_MARKED, |(exchange, marked, text)| {
            let told = header(exchange.asked, &marked.header());
            // Whoever encodes what need not be has still encoded it.
            let right =
                told.is_some_and(|told| told == text || decoded(told).as_ref() == Some(&text));
            let actual = told.unwrap_or("no such header");
            (!right).then(|| {
                Finding::new(format!("{}: {text}", marked.header()), actual, exchange.place)
            })
        })
    },
    mutants: &[mutated("shouts its booleans", |request| {
        if let Some(flag) = request.header("mcp-param-flag").map(str::to_ascii_uppercase) {
            request.set("mcp-param-flag", &flag);
        }
    })],
};

pub(crate) const M207: Check = Check {
    how: "has arguments repeated that no header can hold",
    fix: "send such a value as =?base64?…?= of its UTF-8",
    judge: |evidence| encodes(evidence, |text| !is_plain(text) && !is_sentinel(text)),
    mutants: &[mutated("writes what headers cannot hold", |request| {
        let told = request.header("mcp-param-text").and_then(decoded);
        if let Some(text) = told.filter(|text| !is_sentinel(text)) {
            request.set("mcp-param-text", &text);
        }
    })],
};

pub(crate) const M210: Check = Check {
    how: "has an argument repeated that looks as if it were encoded",
    fix: "encode a value that begins with =?base64? and ends with ?=",
    judge: |evidence| encodes(evidence, is_sentinel),
    mutants: &[mutated("takes a value for an encoded one", |request| {
        let told = request.header("mcp-param-region").and_then(decoded);
        if let Some(text) = told.filter(|text| is_sentinel(text)) {
            request.set("mcp-param-region", &text);
        }
    })],
};

pub(crate) const M208: Check = Check {
    how: "looks at the markers of every header that is encoded",
    fix: "write =?base64? and ?= exactly so, in lower case",
    judge: |evidence| {
        let told = posts(evidence).flat_map(|exchange| {
            let named = |(name, _): &&(String, String)| {
                name == "mcp-name" || name.starts_with("mcp-param-")
            };
            exchange.asked.iter().filter(named).map(move |(_, value)| (exchange, value))
        });
        let marked = told.filter(|(_, value)| {
            let lower = value.to_ascii_lowercase();
            lower.starts_with("=?base64") || (lower.starts_with("=?") && lower.contains("?b?"))
        });
        each(marked, NO_ODD_NAME, |(exchange, value)| {
            let right = is_sentinel(value);
            (!right).then(|| Finding::new("=?base64?…?=", value.as_str(), exchange.place))
        })
    },
    mutants: &[mutated("shouts its markers", |request| {
        let told = request.header("mcp-name").filter(|it| it.starts_with("=?base64?"));
        if let Some(told) = told.map(|it| it.replace("base64", "BASE64")) {
            request.set("mcp-name", &told);
        }
    })
    .also(&["M195", "M196"])],
};

pub(crate) const M212: Check = Check {
    how: "has a tool called without some of its marked arguments, and with null for one",
    fix: "send no Mcp-Param header for what is null or not there",
    judge: |evidence| {
        let absent = calls(evidence).flat_map(|(exchange, message, tool)| {
            let arguments = &message["params"]["arguments"];
            let absent =
                MarkedArgument::of(tool).into_iter().filter(|it| it.value(arguments).is_none());
            absent.map(|it| (exchange, it)).collect::<Vec<_>>()
        });
        each(absent, NOT_MARKED, |(exchange, marked)| {
            let told = header(exchange.asked, &marked.header())?;
            let expected = format!("no {}", marked.header());
            Some(Finding::new(expected, told, exchange.place))
        })
    },
    mutants: &[mutated("repeats what is not there", |request| {
        if says(request, "tools/call") && request.header("mcp-param-flag").is_none() {
            request.set("mcp-param-flag", "null");
        }
    })],
};

pub(crate) const M218: Check = Check {
    how: "answers with headers in odd case, and looks at whether the client goes on",
    fix: "compare the names of headers without regard to case",
    judge: |evidence| {
        let listed = evidence.requests_for("tools/list").find(|it| {
            hosted_at(evidence, it.place) == Some(HostedScenario::MARKS) && it.answer.is_some()
        });
        let Some(listed) = listed else {
            return Outcome::Unobserved("the client never listed tools".to_owned());
        };
        let on = evidence
            .requests_for("tools/call")
            .any(|it| it.place.conversation == listed.place.conversation);
        if on {
            return Outcome::Kept;
        }
        let expected = "a call after a list that came with headers in odd case";
        Outcome::Doubtful(Finding::new(expected, "no call", listed.place))
    },
    mutants: &[Mutant::new(
        "knows headers in lower case only",
        Mutation::Request(|request| {
            let marked = request.header("mcp-name").is_some_and(|it| it != "add_numbers");
            if says(request, "tools/call") && marked { Passing::No } else { Passing::Yes }
        }),
    )
    .also(&["M205"])],
};

pub(crate) const M205: Check = Check {
    how: "offers tools whose marks are wrong beside others, to a client that calls whatever it lists",
    fix: "leave tools with a bad x-mcp-header out of the list, and keep the others",
    judge: |evidence| {
        let calls: Vec<_> = evidence
            .requests_for("tools/call")
            .filter(|it| hosted_at(evidence, it.place) == Some(HostedScenario::UNFIT))
            .collect();
        let bad =
            |it: &&PeerRequest<'_>| it.text("/name").is_some_and(|it| it.starts_with("unfit_"));
        if let Some(call) = calls.iter().find(bad) {
            let expected = "no call of a tool whose marks are wrong";
            let actual = call.text("/name").unwrap_or_default();
            return Outcome::Broken(Finding::new(expected, actual, call.place));
        }
        if !calls.is_empty() {
            return Outcome::Kept;
        }
        let listed = evidence
            .requests_for("tools/list")
            .find(|it| hosted_at(evidence, it.place) == Some(HostedScenario::UNFIT));
        let called = evidence.requests_for("tools/call").next().is_some();
        match listed {
            Some(listed) if called => {
                let expected = "a call of a tool whose marks are right";
                Outcome::Doubtful(Finding::new(expected, "no call at all", listed.place))
            }
            _ => Outcome::Unobserved("the client called no tool".to_owned()),
        }
    },
    mutants: &[Mutant::new(
        "calls tools whose marks are wrong",
        Mutation::Head(|request| {
            let Ok(mut message) = serde_json::from_slice::<Value>(&request.body) else { return };
            if message["params"]["name"] == "fit" {
                message["params"]["name"] = json!("unfit_number");
                request.body = message.to_string().into_bytes();
                request.set("mcp-name", "unfit_number");
            }
        }),
    )],
};

fn mirrors(evidence: &Evidence) -> Outcome {
    each(marked(evidence), NOT_MARKED, |(exchange, marked, value)| {
        let told = header(exchange.asked, &marked.header()).is_some();
        let expected = format!("{} for {}", marked.header(), show(value));
        (!told).then(|| Finding::new(expected, "no such header", exchange.place))
    })
}

/// Judges that certain values come between the markers.
fn encodes(evidence: &Evidence, which: fn(&str) -> bool) -> Outcome {
    let texts = marked(evidence).filter_map(|(exchange, marked, value)| {
        Some((exchange, marked, value.as_str().filter(|text| which(text))?))
    });
    each(texts, NOT_MARKED, |(exchange, marked, text)| {
        let told = header(exchange.asked, &marked.header()).unwrap_or("no such header");
        let right = decoded(told).as_deref() == Some(text);
        (!right).then(|| Finding::new(sentinel(text), told, exchange.place))
    })
}

/// Every POST that carries a request without a handshake, with that request.
fn each_request(
    evidence: &Evidence,
    judge: impl Fn(HttpExchange<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    let requests = modern(evidence).count();
    if requests == 0 {
        return Outcome::Unobserved(super::http::NOTHING.to_owned());
    }
    each(carrying(evidence), super::http::NOTHING, |(exchange, message)| judge(exchange, message))
}

fn carrying(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &Value)> {
    posts(evidence).filter_map(|exchange| {
        let [message] = body(evidence, &exchange).map(Frame::messages)? else { return None };
        let counts = proofmark_record::evidence::is_modern(message)
            || !super::stateless::is_puzzle(evidence, exchange.place);
        (counts && message.get("id").is_some()).then_some((exchange, message))
    })
}

fn named(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &str)> {
    carrying(evidence).filter_map(|(exchange, message)| {
        let member = name_member(message["method"].as_str()?)?;
        Some((exchange, message["params"].get(member)?.as_str()?))
    })
}

fn each_name(
    evidence: &Evidence,
    judge: impl Fn(HttpExchange<'_>, &str) -> Option<Finding>,
) -> Outcome {
    each(named(evidence), "the client called, read and got nothing", |(exchange, name)| {
        judge(exchange, name)
    })
}

/// Calls of tools that were listed before, with the tool as the client knows it.
fn calls(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &Value, &Value)> {
    carrying(evidence).filter(|(_, message)| message["method"] == "tools/call").filter_map(
        |(exchange, message)| {
            let lists =
                evidence.requests_for("tools/list").filter_map(|it| it.answer).filter(|answer| {
                    answer.place.conversation == exchange.place.conversation
                        && answer.place.event < exchange.place.event
                });
            let tools = lists.filter_map(|answer| answer.result()?.get("tools")?.as_array());
            let tool = tools.flatten().filter(|it| it["name"] == message["params"]["name"]).last();
            Some((exchange, message, tool?))
        },
    )
}

/// Marked arguments of calls, with their values.
fn marked(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, MarkedArgument, &Value)> {
    calls(evidence).flat_map(|(exchange, message, tool)| {
        let arguments = &message["params"]["arguments"];
        let all = MarkedArgument::of(tool).into_iter();
        all.filter_map(|it| Some((exchange, it.clone(), it.value(arguments)?))).collect::<Vec<_>>()
    })
}

/// What stands in a header for a value.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Whether a header can hold it as it is.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && text.trim() == text
        && !is_sentinel(text)
}

pub(crate) const S089: Check = Check {
    how: "refuses a call with -32020, because the marks of its tool have changed since it was listed",
    fix: "list the tools again when a call is refused with -32020, and make it again with the headers that they demand now",
    judge: |evidence| {
        let refused = evidence.requests_for("tools/call").filter_map(|call| {
            let answer = call.answer.filter(|answer| answer.code() == Some(-32020))?;
            Some((call, answer.place))
        });
        each(refused, NOT_STALE, |(call, refused)| {
            let later = |it: Place, than: Place| {
                it.conversation == than.conversation && it.event > than.event
            };
            let mut lists = evidence.requests_for("tools/list");
            let Some(listed) = lists.find(|it| later(it.place, refused)) else {
                return Some(Finding::new("tools/list after -32020", "none", call.place));
            };
            let again = carrying(evidence).find(|(exchange, message)| {
                later(exchange.place, listed.place)
                    && message["method"] == "tools/call"
                    && message["params"]["name"].as_str() == call.text("/name")
            });
            let Some((exchange, _)) = again else {
                return Some(Finding::new("the call once more", "none", call.place));
            };
            let wanted = format!("Mcp-Param-{NEW_MARK}");
            let told = header(exchange.asked, &wanted.to_ascii_lowercase()).is_some();
            (!told).then(|| Finding::new(wanted, "no such header", exchange.place))
        })
    },
    mutants: &[
        Mutant::new(
            "gives up a call whose headers are wrong",
            Mutation::Request(|request| {
                let again = request.header("mcp-param-addend").is_some();
                if again { Passing::No } else { Passing::Yes }
            }),
        ),
        mutated("makes a call again as it was", |request| request.remove("mcp-param-addend"))
            .also(&["M197", "M206", "M211"]),
    ],
};

fn is_sentinel(text: &str) -> bool {
    text.starts_with("=?base64?") && text.ends_with("?=")
}

fn sentinel(text: &str) -> String {
    format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
}

/// What stands between the markers, if those are right.
fn decoded(value: &str) -> Option<String> {
    let inner = value.strip_prefix("=?base64?")?.strip_suffix("?=")?;
    String::from_utf8(BASE64_STANDARD.decode(inner).ok()?).ok()
}

fn says(request: &HttpRequest, method: &str) -> bool {
    super::http::says(request, method)
}

const NEVER_MIRRORS: Mutant = mutated("repeats no argument", |request| {
    request.headers.retain(|(name, _)| !name.starts_with("mcp-param-"));
});

const NOT_STALE: &str = "the client called nothing whose marks had changed";
const HUGE: i64 = 1 << 53;
const NOT_MARKED: &str = "the client did not call the tool whose arguments are marked; one that can be told what to do finds marks in PROOFMARK_SCENARIO";
const NO_ODD_NAME: &str = "the client named nothing that a header cannot hold; one that can be told what to do finds marks in PROOFMARK_SCENARIO";
