//! What is looked at in clients only, or in another way than in servers.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        shape::show,
        tasks_requesting::{S112_SERVER, about},
        tools::none_applies,
        utilities::notifications,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::{
    hosted::{HostedScenario, MESSAGES, REMOTE_SCHEMA},
    http_request::HttpRequest,
    mutation::{Context, Mutation, result_of},
    scenario::NONSENSE_VERSION,
};
use proofmark_record::{
    event::{Border, EventKind},
    evidence::{Answer, Evidence, HttpExchange, PeerRequest, Place, Round, is_modern, list_key},
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};
use std::time::Duration;

/// What the server was like that the client met.
pub(crate) fn hosted_at(evidence: &Evidence, place: Place) -> Option<HostedScenario> {
    HostedScenario::at(evidence, place)
}

/// Requests of the era that begins with a handshake.
pub(crate) fn legacy(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests().filter(|request| !request.is_modern())
}

pub(crate) fn handshakes(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests_for("initialize")
}

/// Whether the client ended by itself, rather than being ended.
pub(crate) fn ended_by_itself(evidence: &Evidence, conversation: usize) -> bool {
    let events = &evidence.conversations[conversation].events;
    events.iter().any(|event| matches!(event.kind, EventKind::Exited(_)))
}

/// A mutant that says something more beside its answer to a ping.
pub(crate) const fn also_says(
    name: &'static str,
    writes: fn(&Context<'_>, &Value) -> Vec<String>,
) -> Mutant {
    Mutant::new(name, Mutation::Writes(writes))
}

pub(crate) fn beside(message: &Value, other: &Value) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "ping-by-string" {
        texts.push(other.to_string());
    }
    texts
}

pub(crate) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(crate) fn remove(object: &mut Value, member: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(member);
    }
}

/// Requests whose answer is a page that is not the last.
pub(crate) fn unfinished<'e>(
    evidence: &'e Evidence,
    method: &'static str,
) -> impl Iterator<Item = PeerRequest<'e>> {
    evidence.requests_for(method).filter(|it| {
        let result = it.answer.and_then(Answer::result);
        hosted_at(evidence, it.place) == Some(HostedScenario::PAGES)
            && result.is_some_and(|it| it.get("nextCursor").is_some())
    })
}

/// A finding if the next page was never asked for.
pub(crate) fn turned(evidence: &Evidence, request: &PeerRequest<'_>) -> Option<Finding> {
    let answer = request.answer?;
    let next = answer.result()?.get("nextCursor")?;
    let turned = evidence.requests_for(request.method).any(|it| {
        it.place.conversation == request.place.conversation
            && it.place.event > answer.place.event
            && it.params.and_then(|it| it.get("cursor")) == Some(next)
    });
    let expected = format!("{} from {}", list_key(request.method)?, show(next));
    (!turned).then(|| Finding::new(expected, "the page was never asked for", answer.place))
}

/// A look at a task that came too soon after another.
pub(crate) fn hasty<'e>(
    evidence: &Evidence,
    asked: impl Iterator<Item = PeerRequest<'e>>,
    interval: &str,
) -> Option<Finding> {
    let looks: Vec<_> = asked.filter(|it| it.method == "tasks/get").collect();
    looks.windows(2).find_map(|pair| {
        let answer = pair[0].answer?;
        let wished = Duration::from_millis(answer.result()?.get(interval)?.as_u64()?);
        let waited = evidence.at(pair[1].place)?.saturating_sub(evidence.at(answer.place)?);
        let expected = format!("{} ms from one look at a task to the next", wished.as_millis());
        let actual = || format!("{} ms", waited.as_millis());
        // Clocks differ. What the wire takes of the time is added to it, never taken off.
        (waited < wished / 2).then(|| Finding::new(expected, actual(), pair[1].place))
    })
}

/// Whether a subscription was ended before the server died.
pub(crate) fn is_over(evidence: &Evidence, listen: &PeerRequest<'_>) -> bool {
    let mut cancelled = notifications(evidence, "notifications/cancelled").filter(|heard| {
        heard.place.conversation == listen.place.conversation
            && heard.message.pointer("/params/requestId") == Some(listen.id)
    });
    listen.answer.is_some() || cancelled.next().is_some()
}

pub(crate) fn declared(evidence: &Evidence, topic: Topic, capability: &str) -> Outcome {
    let capable = has(evidence, &format!("/{capability}"));
    each(evidence.asked(topic), NOT_ASKED, |asked| {
        let answer = asked.answer?;
        let undeclared = answer.result().is_some() && !capable;
        let expected = format!("an error, for {capability} was not declared");
        undeclared.then(|| Finding::new(expected, show(answer.message), answer.place))
    })
}

pub(crate) fn results(
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

pub(crate) fn roots(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    evidence
        .results("roots/list")
        .filter_map(|(answer, result)| Some((answer.place, result.get("roots")?.as_array()?)))
        .flat_map(|(place, roots)| roots.iter().map(move |root| (place, root)))
}

pub(crate) fn each_root(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    if !has(evidence, "/roots") {
        return Outcome::NotApplicable("the client does not declare roots".to_owned());
    }
    each(roots(evidence), "the client gave no root", |(place, root)| judge(place, root))
}

/// A capability of the client by its path.
pub(crate) fn has(evidence: &Evidence, path: &str) -> bool {
    evidence.capability(path)
}

pub(crate) const fn result(
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

pub(crate) fn calls(evidence: &Evidence, scenario: HostedScenario) -> bool {
    evidence.requests_for("tools/call").any(|it| hosted_at(evidence, it.place) == Some(scenario))
}

pub(crate) fn each_retry(
    evidence: &Evidence,
    judge: impl Fn(&Round<'_>, &PeerRequest<'_>) -> Option<Finding>,
) -> Outcome {
    let retried = evidence.rounds().filter_map(|round| Some((round, round.retry?)));
    each(retried, NOT_ASKED_ROUNDS, |(round, retry)| judge(&round, &retry))
}

/// Changes the params of whatever is a retry.
pub(crate) const fn retry(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        let others = message["method"] != "tasks/update";
        let params = message.get_mut("params").filter(|_| others)?;
        let is_retry =
            params.get("inputResponses").is_some() || params.get("requestState").is_some();
        is_retry.then_some(params)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(crate) fn posted() -> String {
    format!("POST {MESSAGES}")
}

pub(crate) fn calls_tasks(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests_for("tools/call")
}

/// Calls that became tasks.
pub(crate) fn begun(evidence: &Evidence) -> impl Iterator<Item = (PeerRequest<'_>, &Value)> {
    calls_tasks(evidence).filter_map(|call| {
        let task = call.answer?.result()?.pointer("/task/taskId")?;
        Some((call, task))
    })
}

/// Calls of the tool that a client is told to give up on, each with the event that cancelled it.
pub(crate) fn cancelled(evidence: &Evidence) -> impl Iterator<Item = (PeerRequest<'_>, usize)> {
    slow(evidence).filter_map(|request| {
        let told = evidence.told("notifications/cancelled").find(|heard| {
            heard.place.conversation == request.place.conversation
                && heard.message.pointer("/params/requestId") == Some(request.id)
        })?;
        Some((request, told.place.event))
    })
}

pub(crate) fn slow(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests_for("tools/call").filter(|request| {
        hosted_at(evidence, request.place) == Some(HostedScenario::SLOW)
            && request.text("/name") == Some("slow")
    })
}

pub(crate) fn gives_up(evidence: &Evidence) -> Outcome {
    // What was refused need not be given up.
    let served = slow(evidence).filter(|it| it.answer.is_none_or(|it| it.error().is_none()));
    each(served, NOT_CANCELLED, |request| {
        let told = cancelled(evidence).any(|(it, _)| it.place == request.place);
        // Without sessions the end of the connection says it.
        let closes = request.is_modern() && evidence.transport != Transport::Stdio;
        let expected = if closes { "the response is closed" } else { "notifications/cancelled" };
        let given_up = if closes { left(evidence, &request) } else { told };
        (!given_up).then(|| Finding::new(expected, "the call was never cancelled", request.place))
    })
}

/// Whether the client closed the connection before it had its answer.
pub(crate) fn left(evidence: &Evidence, request: &PeerRequest<'_>) -> bool {
    evidence.after(request.place).any(
        |(_, what)| matches!(what, EventKind::Left { exchange } if *exchange == request.exchange),
    )
}

pub(crate) fn unless_cancelled(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::NotApplicable("the client cancelled nothing".to_owned()),
        other => other,
    }
}

/// Requests to servers that are not there to be found out about, and all others that need no handshake.
pub(crate) fn modern(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests().filter(|it| it.is_modern() || !hides_revision(evidence, it.place))
}

pub(crate) fn hides_revision(evidence: &Evidence, place: Place) -> bool {
    hosted_at(evidence, place).is_some_and(|it| it.hides_revision)
}

pub(crate) fn meta<'e>(request: &PeerRequest<'e>) -> &'e Value {
    request.params.and_then(|params| params.get("_meta")).unwrap_or(&Value::Null)
}

/// Changes `_meta` of every call.
pub(crate) const fn call(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (message["method"] == "tools/call").then_some(())?;
        message.pointer_mut("/params/_meta")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Says something more with every call.
pub(crate) const fn beside_call(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Twice { method: "tools/call", change })
}

/// Requests that only a server without handshakes could have refused so, the first of each run.
pub(crate) fn unsupported(
    evidence: &Evidence,
    judge: impl Fn(&PeerRequest<'_>) -> Option<Finding>,
) -> Outcome {
    let refused = modern(evidence).filter(|it| {
        hosted_at(evidence, it.place) == Some(HostedScenario::version(NONSENSE_VERSION))
            && it.answer.and_then(Answer::code) == Some(-32022)
    });
    each(refused.take(1), "the client asked nothing that could be refused", |it| judge(&it))
}

pub(crate) fn falls_back(evidence: &Evidence, request: &PeerRequest<'_>) -> bool {
    evidence.requests_for("initialize").any(|it| {
        it.place.conversation == request.place.conversation && it.place.event > request.place.event
    })
}

/// Whether the client was seen to speak both eras.
pub(crate) fn is_dual(evidence: &Evidence) -> bool {
    evidence.requests_for("initialize").next().is_some()
        && evidence.requests().any(|it| it.is_modern())
}

/// Judges the first request of each run.
pub(crate) fn probes(evidence: &Evidence, which: impl Fn(HostedScenario) -> bool) -> Outcome {
    let firsts = (0..evidence.conversations.len()).filter_map(|conversation| {
        let first = evidence.requests().find(|it| it.place.conversation == conversation)?;
        hosted_at(evidence, first.place).is_none_or(&which).then_some(first)
    });
    each(firsts, "the client sent no request", |first| {
        let right = first.method == "server/discover";
        (!right)
            .then(|| Finding::new("server/discover", show(&Value::from(first.method)), first.place))
    })
}

/// Every request at the endpoint.
pub(crate) fn requests(evidence: &Evidence) -> impl Iterator<Item = HttpExchange<'_>> {
    evidence.exchanges().filter(|it| it.topic != Topic::Elsewhere && !it.topic.is_about_tokens())
}

pub(crate) fn posts(evidence: &Evidence) -> impl Iterator<Item = HttpExchange<'_>> {
    requests(evidence).filter(|exchange| exchange.line.starts_with("POST "))
}

/// The body of a request.
pub(crate) fn body<'e>(
    evidence: &'e Evidence,
    exchange: &HttpExchange<'_>,
) -> Option<&'e proofmark_record::event::Frame> {
    evidence
        .frames_of(exchange.place, exchange.exchange)
        .find(|(_, frame)| frame.border == Border::Body)
        .map(|(_, frame)| frame)
}

pub(crate) fn accepts(accept: &str, kind: &str) -> bool {
    accept
        .split(',')
        .any(|item| item.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind))
}

pub(crate) fn says(request: &HttpRequest, method: &str) -> bool {
    serde_json::from_slice(&request.body).is_ok_and(|it: Value| it["method"] == json!(method))
}

/// A client whose requests are changed and all pass.
pub(crate) const fn mutated(name: &'static str, change: fn(&mut HttpRequest)) -> Mutant {
    Mutant::new(name, Mutation::Head(change))
}

pub(crate) const fn initialize(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(
        name,
        Mutation::Part {
            of: |_, message| {
                (message["method"] == "initialize").then_some(())?;
                message.get_mut("params")
            },
            change,
        },
    )
}

pub(crate) fn stops_at_nonsense(evidence: &Evidence) -> Outcome {
    let countered = handshakes(evidence).filter(|request| {
        hosted_at(evidence, request.place) == Some(HostedScenario::version(NONSENSE_VERSION))
            && request.answer.is_some()
    });
    each(countered, "the client never met a server of an unknown version", |request| {
        let answered = request.answer?.place;
        let further = evidence.heard().find(|heard| {
            heard.place.conversation == answered.conversation
                && heard.place.event > answered.event
                && heard.message.get("method").is_some_and(|method| method != "initialize")
                && !is_modern(heard.message)
        })?;
        let expected = "nothing more, for the server speaks a version that does not exist";
        Some(Finding::new(expected, show(further.message), further.place))
    })
}

pub(crate) fn countered<'e>(request: &PeerRequest<'e>) -> Option<&'e str> {
    request.answer?.result()?.get("protocolVersion")?.as_str()
}

/// Whether the client took the answer for an agreement.
pub(crate) fn went_on(evidence: &Evidence, request: &PeerRequest<'_>) -> bool {
    evidence.told("notifications/initialized").any(|heard| {
        heard.place.conversation == request.place.conversation
            && heard.place.event > request.place.event
    })
}

pub(crate) const LISTS: [&str; 4] =
    ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

pub(crate) const S112_CLIENT: Check = Check {
    how: "says how long to wait before a task is looked at again, and measures how long it is",
    seen: seen_everywhere(),
    fix: S112_SERVER.fix,
    judge: |evidence| {
        let outcome = each(begun(evidence), "", |(call, task)| {
            hasty(evidence, about(evidence, &call, task), "pollInterval")
        });
        none_applies(outcome, NO_WISH)
    },
    mutants: &[LOOKS_TWICE],
};

pub(crate) const LOOKS_TWICE: Mutant = Mutant::new(
    "looks at its tasks all the time",
    Mutation::Twice { method: "tasks/get", change: |_| () },
);

pub(crate) const NOT_ASKED: &str = "the client could not be asked: it opened no stream and made no call that would carry a question";

pub(crate) const NOT_ASKED_ROUNDS: &str =
    "the client made no call that it retried when it was asked for something first";

pub(crate) const ELSEWHERE: Mutant = mutated("posts to where it opened the stream", |request| {
    if request.path == MESSAGES {
        "/mcp".clone_into(&mut request.path);
    }
});

pub(crate) const NO_WISH: &str = "the client wished for no task";

pub(crate) const S020_CLIENT: Check = Check {
    how: "takes long over a call that the client is told to give up",
    seen: seen_in(&["hosted slow"]).momentary(),
    fix: "send notifications/cancelled when you stop waiting; without a handshake and over HTTP, close the response",
    judge: gives_up,
    mutants: &[NEVER_CANCELS.also(&["S078"]), NEVER_CANCELS.modern().also(&["M161", "S096"])],
};

pub(crate) const NEVER_CANCELS: Mutant = Mutant::new(
    "gives up without a word",
    Mutation::Writes(|_, message: &Value| {
        let told = message["method"] == "notifications/cancelled";
        if told { Vec::new() } else { vec![message.to_string()] }
    }),
);

pub(crate) const NOT_CANCELLED: &str = "the client did not call the tool slow and give up; one that can be told what to do finds slow in PROOFMARK_SCENARIO";

pub(crate) const M158_CHECK: Check = Check {
    how: "looks for responses among the messages of the client",
    seen: seen_in(&["hosted behave"]),
    fix: "answer what a server asks for by a retry; send no responses",
    judge: |evidence| {
        let all = evidence.heard().filter(|heard| !hides_revision(evidence, heard.place));
        each(all, NO_REQUEST, |heard| {
            let says = |member: &str| heard.message.get(member).is_some();
            let responds = !says("method") && (says("result") || says("error"));
            responds.then(|| {
                Finding::new("a request or a notification", show(heard.message), heard.place)
            })
        })
    },
    mutants: &[beside_call("answers what nobody asked", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} });
    })
    .also(&["M006", "M157", "M158"])],
};

pub(crate) const NO_REQUEST: &str = "the client sent no request";

pub(crate) const REMOTE: Check = Check {
    how: "lists a tool whose schema refers to a URL of the server, and looks at who comes",
    seen: seen_everywhere(),
    fix: "do not fetch what a $ref points to, unless somebody has allowed it",
    judge: |evidence| {
        if evidence.transport == Transport::Stdio {
            return Outcome::Unobserved("only a server that listens sees who comes".to_owned());
        }
        let listed = evidence.requests_for("tools/list").filter(|list| {
            let here = hosted_at(evidence, list.place) == Some(HostedScenario::FEW);
            here && list.answer.is_some_and(|it| it.message.to_string().contains(REMOTE_SCHEMA))
        });
        each(listed.take(1), "the client did not list the tools", |list| {
            let fetched = evidence.exchanges().find(|it| {
                it.place.conversation == list.place.conversation && it.line.contains(REMOTE_SCHEMA)
            })?;
            Some(Finding::new("nobody", fetched.line, fetched.place))
        })
    },
    mutants: &[Mutant::new("fetches what schemas refer to", Mutation::Visits(REMOTE_SCHEMA))
        .over(Transport::Http)
        .also(&["M116", "M117", "S260"])],
};

pub(crate) const NOTHING: &str = "the client sent nothing over HTTP";

pub(crate) const S017_CHECK: Check = Check {
    how: "counters with the version 1999-01-01",
    seen: seen_in(&["hosted version 1999-01-01"]),
    fix: "end the conversation when the server's version is none that you speak",
    judge: stops_at_nonsense,
    mutants: &[GOES_ON.also(&["M145", "S021"])],
};

pub(crate) const GOES_ON: Mutant = Mutant::new(
    "takes any version",
    Mutation::Hears(|message| {
        let odd = message.pointer("/result/protocolVersion") == Some(&json!(NONSENSE_VERSION));
        let told = notification("notifications/initialized", &json!({}));
        odd.then(|| vec![told.to_string()])
    }),
);
