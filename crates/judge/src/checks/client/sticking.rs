//! Whether a client keeps to what was agreed and declared, in everything that it says.

use proofmark_core::revision::{NotificationMethod, RequestMethod};
use serde_json::json;

use super::{handshakes, hosted_at};
use crate::{
    checks::{Check, claims, pinging, shape::show, sticking},
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::evidence::Place;

pub(crate) const M143: Check = AGREED;
pub(crate) const S049: Check = AGREED;

const AGREED: Check = Check {
    how: "looks whether the agreed revision has every method that the client uses",
    fix: sticking::M143.fix,
    judge: |evidence| {
        let rules = evidence.revision.rules();
        // Before that, a client may find out what the server speaks.
        let agreed: Vec<Place> = handshakes(evidence)
            .filter_map(|it| Some(it.answer.filter(|it| it.result().is_some())?.place))
            .filter(|at| hosted_at(evidence, *at).is_some_and(|scenario| !scenario.hides_revision))
            .collect();
        let said = evidence.heard_methods().filter(|(heard, _)| {
            agreed.iter().any(|at| {
                at.conversation == heard.place.conversation && at.event < heard.place.event
            })
        });
        each(said, "the client said nothing after its handshake", |(heard, method)| {
            let asks = RequestMethod::parse(method)
                .is_some_and(|method| !rules.client_requests.contains(method));
            let tells = NotificationMethod::parse(method)
                .is_some_and(|method| !rules.client_notifications.contains(method));
            let expected = format!("a method of {}", evidence.revision);
            (asks || tells).then(|| Finding::new(expected, show(heard.message), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "speaks as in a later revision",
        Mutation::Twice {
            method: "tools/list",
            change: |message| {
                message["method"] = json!("subscriptions/listen");
                message["params"] = json!({ "notifications": {} });
            },
        },
    )],
};

pub(crate) const S031: Check = Check {
    mutants: &[claims::to("answers with a trace", "wrong-params", |message| {
        message["error"]["message"] = json!("no\n  at dispatch\n  at main");
    })],
    ..sticking::S031
};

pub(crate) const S235: Check = Check {
    how: "declares tools and nothing else, and looks for requests for prompts",
    fix: "ask for prompts only where the server declares them",
    judge: |evidence| {
        let known: Vec<Place> = evidence
            .requests()
            .filter(|it| hosted_at(evidence, it.place) == Some(HostedScenario::FEW))
            .filter_map(|it| {
                it.answer
                    .filter(|it| it.result().is_some_and(|it| it.get("capabilities").is_some()))
            })
            .map(|answer| answer.place)
            .collect();
        let said = evidence.requests().filter(|it| {
            known
                .iter()
                .any(|at| at.conversation == it.place.conversation && at.event < it.place.event)
        });
        each(said, "the client said nothing to a server without prompts", |request| {
            let wrong = request.method.starts_with("prompts/");
            wrong.then(|| Finding::new("nothing about prompts", request.method, request.place))
        })
    },
    mutants: &[Mutant::new(
        "asks every server for prompts",
        Mutation::Twice {
            method: "tools/call",
            change: |message| {
                message["method"] = json!("prompts/get");
                message["params"] = json!({ "name": "plain" });
            },
        },
    )
    .also(&["M144"])],
};

pub(crate) const S104: Check = Check {
    mutants: &[super::also_says("pings all the time", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["id"] == "ping-by-string" {
            texts.extend(pinging::storm());
        }
        texts
    })],
    ..pinging::S104
};
