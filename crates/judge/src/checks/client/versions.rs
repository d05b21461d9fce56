//! The agreement on a version, and what may be used after it.

use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};

use super::{NO_HANDSHAKE, handshakes, hosted_at, legacy, lifecycle::initialize, notification};
use crate::{
    checks::{Check, shape::show},
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation, scenario::NONSENSE_VERSION};
use proofmark_record::evidence::{Evidence, PeerRequest, Place, is_modern};

pub(crate) const M044: Check = Check {
    how: "looks at the version in every initialize, and at what the client does when the server agrees to it",
    fix: "offer a version that you speak",
    judge: |evidence| {
        each(handshakes(evidence), NO_HANDSHAKE, |request| {
            let offered = request.text("/protocolVersion")?;
            let newest = Revision::newest(Era::Modern).as_str();
            if offered.parse::<Revision>().is_err() && offered < newest {
                let expected = "the version of a revision";
                return Some(Finding::new(expected, offered, request.place));
            }
            let agreed = countered(&request) == Some(offered);
            let given_up =
                agreed && !went_on(evidence, &request) && is_version_run(evidence, request.place);
            let actual = format!("the client gave up when the server agreed to {offered}");
            given_up
                .then(|| Finding::new("a version that the client speaks", actual, request.place))
        })
    },
    mutants: &[initialize("offers a version that does not exist", |params| {
        params["protocolVersion"] = json!(NONSENSE_VERSION);
    })
    .also(&["S015"])],
};

pub(crate) const S015: Check = Check {
    how: "counters with every version, and compares what the client goes on with to what it offered by itself",
    fix: "offer your newest version",
    judge: |evidence| {
        let free = handshakes(evidence).filter(|request| is_version_run(evidence, request.place));
        each(free, "the client never met a server of another version", |request| {
            let (offered, countered) = (request.text("/protocolVersion")?, countered(&request)?);
            let newer = went_on(evidence, &request) && countered > offered;
            let expected = format!("{countered}, which the client speaks too");
            newer.then(|| Finding::new(expected, offered, request.place))
        })
    },
    mutants: &[initialize("offers its oldest version", |params| {
        params["protocolVersion"] = json!(Revision::ALL[0].as_str());
    })],
};

pub(crate) const S017: Check = Check {
    how: "counters with the version 1999-01-01",
    fix: "end the conversation when the server's version is none that you speak",
    judge: stops_at_nonsense,
    mutants: &[GOES_ON.also(&["M145", "S021"])],
};

pub(crate) const M145: Check = Check {
    how: S017.how,
    fix: S017.fix,
    judge: stops_at_nonsense,
    mutants: &[GOES_ON.also(&["S017", "S021"])],
};

pub(crate) const S021: Check = Check {
    how: "counters with the version 1999-01-01, and looks at whether the client goes on as if nothing had happened",
    fix: S017.fix,
    judge: stops_at_nonsense,
    mutants: &[GOES_ON.also(&["S017", "M145"])],
};

pub(crate) const A039: Check = Check {
    how: "counters with older versions",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(handshakes(evidence), "older versions than the one it offers", |request| {
            let older = countered(&request).zip(request.text("/protocolVersion"));
            older.is_some_and(|(countered, offered)| countered < offered)
                && went_on(evidence, &request)
        })
    },
    mutants: &[Mutant::new(
        "speaks one version only",
        Mutation::Writes(|_, message| {
            let on = message["method"] == "notifications/initialized";
            if on { Vec::new() } else { vec![message.to_string()] }
        }),
    )
    .also(&["M043", "M044"])],
};

pub(crate) const M144: Check = Check {
    how: "declares only tools in one run, and looks at the requests of the client in all of them",
    fix: "look at the server's capabilities before using them",
    judge: uses_only_declared,
    mutants: &[USES_RESOURCES],
};

pub(crate) const S018: Check =
    Check { how: M144.how, fix: M144.fix, judge: uses_only_declared, mutants: &[USES_RESOURCES] };

fn uses_only_declared(evidence: &Evidence) -> Outcome {
    let needing = legacy(evidence).filter_map(|request| Some((request, needs(request.method)?)));
    let outcome = each(needing, "", |(request, capability)| {
        let handshake = handshakes(evidence)
            .filter(|it| it.place.conversation == request.place.conversation)
            .find_map(|it| it.answer?.result())?;
        let declared = handshake.pointer(capability).is_some_and(|value| *value != json!(false));
        let expected = "nothing that the server did not declare";
        (!declared).then(|| Finding::new(expected, request.method, request.place))
    });
    match outcome {
        Outcome::Unobserved(_) if handshakes(evidence).next().is_some() => {
            Outcome::Unobserved("the client used nothing that has to be declared".to_owned())
        }
        other => other,
    }
}

/// Where the server's result says that it has it.
fn needs(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/list" | "tools/call" => "/capabilities/tools",
        "resources/subscribe" | "resources/unsubscribe" => "/capabilities/resources/subscribe",
        "prompts/list" | "prompts/get" => "/capabilities/prompts",
        "logging/setLevel" => "/capabilities/logging",
        _ if method.starts_with("resources/") => "/capabilities/resources",
        _ => return None,
    })
}

fn stops_at_nonsense(evidence: &Evidence) -> Outcome {
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

fn countered<'e>(request: &PeerRequest<'e>) -> Option<&'e str> {
    request.answer?.result()?.get("protocolVersion")?.as_str()
}

/// Whether the client took the answer for an agreement.
fn went_on(evidence: &Evidence, request: &PeerRequest<'_>) -> bool {
    evidence.told("notifications/initialized").any(|heard| {
        heard.place.conversation == request.place.conversation
            && heard.place.event > request.place.event
    })
}

/// Whether the client was not told what to offer.
fn is_version_run(evidence: &Evidence, place: Place) -> bool {
    let countered = hosted_at(evidence, place).and_then(|it| it.countered_version());
    countered.is_some_and(|version| version != NONSENSE_VERSION)
}

const GOES_ON: Mutant = Mutant::new(
    "takes any version",
    Mutation::Hears(|message| {
        let odd = message.pointer("/result/protocolVersion") == Some(&json!(NONSENSE_VERSION));
        let told = notification("notifications/initialized", &json!({}));
        odd.then(|| vec![told.to_string()])
    }),
);

const USES_RESOURCES: Mutant = Mutant::new(
    "lists resources whatever the server has",
    Mutation::Writes(|_, message: &Value| {
        let mut texts = vec![message.to_string()];
        if message["method"] == "tools/call" {
            let list = json!({ "jsonrpc": "2.0", "id": format!("undeclared {}", message["id"]), "method": "resources/list" });
            texts.push(list.to_string());
        }
        texts
    }),
);
