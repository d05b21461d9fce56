//! What a client makes of text that is no message, and of schemas in words that not everybody knows.

use serde_json::json;

use super::hosted_at;
use crate::{
    checks::{
        Check, errors,
        shape::{doubtful, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::{event::What, topic::Topic};

pub(crate) const M108: Check = Check {
    how: "sends half a message, and looks at what the client says to that",
    fix: "answer what is not JSON with the error -32700, or not at all",
    judge: |evidence| {
        let sent = |wanted: Topic, conversation: usize| {
            let mut sent = evidence.events().filter(move |(place, event)| {
                place.conversation == conversation
                    && matches!(event.what, What::Sent { topic, .. } if topic == wanted)
            });
            sent.next().map(|(place, _)| place.event)
        };
        // Nothing else is answered without an id.
        let answers = evidence.frames().flat_map(|(place, frame)| {
            let said = frame.messages().iter().map(move |message| (place, message));
            said.filter(|(_, it)| it.get("error").is_some() && it["id"].is_null())
        });
        let answers = answers.filter(|(place, message)| {
            // What is no request is answered so, if its id was not read.
            let of_another = message["error"]["code"] == -32600
                && sent(Topic::NotARequest, place.conversation).is_some_and(|it| it < place.event);
            sent(Topic::NotJson, place.conversation).is_some() && !of_another
        });
        let outcome = each(answers, "", |(at, message)| {
            let right = message["error"]["code"] == -32700;
            (!right).then(|| Finding::new("the error -32700", show(message), at))
        });
        match doubtful(outcome) {
            // What cannot be read may have been an answer, and answers have none.
            Outcome::Unobserved(_) => Outcome::NotApplicable(
                "the client is silent about what may have been no request".to_owned(),
            ),
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "takes broken JSON for wrong params",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "no-request" {
                let answer = json!({ "jsonrpc": "2.0", "id": null,
                    "error": { "code": -32602, "message": "what?" } });
                texts.push(answer.to_string());
            }
            texts
        }),
    )],
};

pub(crate) const M109: Check = Check {
    how: "sends a request whose method is a number",
    fix: errors::M109.fix,
    judge: |evidence| {
        let stayed = evidence.asked(Topic::StillThere).any(|ping| {
            hosted_at(evidence, ping.place) == Some(HostedScenario::BABBLE) && ping.answer.is_some()
        });
        if !stayed {
            let why = "the client did not answer the ping that followed, or could not be asked";
            return Outcome::Unobserved(why.to_owned());
        }
        errors::rejected(evidence, Topic::NotARequest, &[-32600])
    },
    mutants: &[Mutant::new(
        "takes what is no request for an unknown method",
        Mutation::Says(|_, message| {
            if message["id"] == "no-request" {
                message["error"]["code"] = json!(-32601);
            }
        }),
    )],
};

pub(crate) const M112: Check = Check {
    how: "lists a tool whose schema is in words of 2020-12 and does not say so, and looks whether it is called",
    fix: "read schemas without $schema as those of 2020-12",
    judge: |evidence| {
        let calls = |scenario: Option<HostedScenario>| {
            evidence.requests_for("tools/call").any(|call| {
                let here = hosted_at(evidence, call.place);
                call.text("/name") == Some("add_numbers")
                    && (scenario.is_none() || scenario == here)
            })
        };
        if !calls(None) {
            return Outcome::Unobserved("the client called nothing at all".to_owned());
        }
        let listed = evidence
            .requests_for("tools/list")
            .filter(|list| hosted_at(evidence, list.place) == Some(HostedScenario::FEW));
        doubtful(each(listed, "the client did not list the tools", |list| {
            let expected = "a call of the tool";
            (!calls(Some(HostedScenario::FEW))).then(|| Finding::new(expected, "none", list.place))
        }))
    },
    mutants: &[Mutant::new(
        "cannot read schemas with definitions",
        Mutation::Hears(|message| {
            message.pointer("/result/tools/0/inputSchema/$defs").is_some().then(Vec::new)
        }),
    )],
};

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proofmark_core::revision::{Era, Revision};
    use serde_json::Value;

    use super::*;
    use proofmark_record::{
        event::{Border, Conversation, Event, Frame},
        evidence::Evidence,
        side::Side,
        transport::Transport,
    };

    #[test]
    fn what_is_no_request_is_judged_by_the_answer_that_names_it_whatever_comes_between() {
        let right = json!({ "jsonrpc": "2.0", "id": "no-request", "error": { "code": -32600 } });
        assert_eq!((M109.judge)(&babbled(&[&late_about_text(), &right])), Outcome::Kept);
        let wrong = json!({ "jsonrpc": "2.0", "id": "no-request", "error": { "code": -32601 } });
        let doubtful = (M109.judge)(&babbled(&[&right_without_id(), &wrong]));
        assert!(matches!(doubtful, Outcome::Doubtful(_)), "{doubtful:?}");
        assert_eq!(
            (M109.judge)(&babbled(&[&late_about_text(), &right_without_id()])),
            Outcome::Kept
        );
    }

    #[test]
    fn an_answer_about_what_is_no_request_is_none_about_what_is_no_json() {
        assert_eq!(
            (M108.judge)(&babbled(&[&late_about_text(), &right_without_id()])),
            Outcome::Kept
        );
        let alone = (M108.judge)(&babbled(&[&right_without_id()]));
        assert!(matches!(alone, Outcome::NotApplicable(_)), "{alone:?}");
    }

    fn late_about_text() -> Value {
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700 } })
    }

    fn right_without_id() -> Value {
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32600 } })
    }

    /// A conversation in which a client says these things about the babble, after news of something else.
    fn babbled(said: &[&Value]) -> Evidence {
        let frame = |text: &str| Frame::new(text, Border::Line);
        let sent = |topic, text: &str| What::Sent { topic, exchange: 0, frame: frame(text) };
        let received = |text: &str| What::Received { exchange: 0, frame: frame(text) };
        let odd = json!({ "jsonrpc": "2.0", "id": "no-request", "method": 5 });
        let ping = json!({ "jsonrpc": "2.0", "id": "last-ping", "method": "ping" });
        let alive = json!({ "jsonrpc": "2.0", "id": "last-ping", "result": {} });
        let news = json!({ "jsonrpc": "2.0", "method": "notifications/progress" });
        let mut events = vec![
            sent(Topic::NotJson, "{"),
            sent(Topic::NotARequest, &odd.to_string()),
            sent(Topic::News, &news.to_string()),
        ];
        events.extend(said.iter().map(|it| received(&it.to_string())));
        events.push(sent(Topic::StillThere, &ping.to_string()));
        events.push(received(&alive.to_string()));
        let events = events.into_iter().map(|what| Event { at: Duration::ZERO, what }).collect();
        let scenario = HostedScenario::BABBLE.label();
        Evidence {
            side: Side::Client,
            revision: Revision::newest(Era::Legacy),
            transport: Transport::Http,
            conversations: vec![Conversation { scenario, events }],
        }
    }
}
