//! `basic/patterns/mrtr`: `#supported-requests`, `#server-requirements-basic-workflow`.

use super::shared::{done, refused_state};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        envelope::server_requests,
        input_rounds::{M275_CHECK, WANTS_NOTHING, input_requests, needed, wanting, wants},
        optional_features::{ALLOWED, done_if},
        request_metadata::to,
        shape::show,
        stateless::at_last,
        tools::none_applies,
        users::{NO_OTHER, give, lets_in, untried},
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::topic::Topic;
use serde_json::{Value, json};

pub(super) const M267: Requirement = Requirement {
    id: "M267",
    name: "roots-list-sampling-createmessage",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "roots/list, sampling/createMessage and elicitation/create only travel inside an InputRequiredResult.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx",
    observed: Observed::By(&M267_CHECK),
};

const M267_CHECK: Check = Check {
    how: "looks for questions among everything that the server sends",
    seen: seen_everywhere(),
    fix: "put questions into inputRequests",
    judge: |evidence| {
        let asked = server_requests(evidence).find(|heard| {
            let method = heard.message["method"].as_str().unwrap_or_default();
            ["roots/list", "sampling/createMessage", "elicitation/create"].contains(&method)
        });
        asked.map_or(Outcome::Kept, |heard| {
            Outcome::Broken(Finding::new(
                "no question of its own",
                show(heard.message),
                heard.place,
            ))
        })
    },
    mutants: &[extra("asks for roots with a request", |_, message| {
        at_last(message, &json!({ "jsonrpc": "2.0", "id": "own", "method": "roots/list" }))
    })
    .also(&["M157", "M159", "S193"])],
};

pub(super) const M268: Requirement = Requirement {
    id: "M268",
    name: "no-method-besides-tools-call-prompts-get",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "No method besides tools/call, prompts/get and resources/read is answered input_required.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#supported-requests",
    observed: Observed::By(&M268_CHECK),
};

const M268_CHECK: Check = Check {
    how: "looks for input_required among all results",
    seen: seen_everywhere(),
    fix: "ask for input only in answers to tools/call, prompts/get and resources/read",
    judge: |evidence| {
        let outcome = each(wanting(evidence), "", |(asked, answer, _)| {
            let may = ["tools/call", "prompts/get", "resources/read"].contains(&asked.method);
            (!may).then(|| {
                let expected = format!("no input_required for {}", asked.method);
                Finding::new(expected, show(answer.message), answer.place)
            })
        });
        none_applies(outcome, WANTS_NOTHING)
    },
    mutants: &[to("wants something before it is discovered", "last-ping", |message| {
        message["result"]["resultType"] = json!("input_required");
        message["result"]["requestState"] = json!("a");
    })],
};

pub(super) const M269: Requirement = Requirement {
    id: "M269",
    name: "inputrequests-keys-unique-result",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "inputRequests keys are unique in the result.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::By(&M269_CHECK),
};

const M269_CHECK: Check = Check {
    how: "reads the keys of inputRequests as they were written",
    seen: seen_everywhere(),
    fix: "give each input request a key of its own",
    judge: |evidence| {
        let asking = evidence.frames().filter_map(|(place, frame)| {
            let asks = frame.json.as_ref().ok()?.pointer("/result/inputRequests")?.is_object();
            asks.then_some((place, frame))
        });
        let outcome = each(asking, "", |(place, frame)| {
            let written = serde_json::from_slice::<written::Message>(&frame.bytes).ok()?;
            let twice = written.twice()?;
            Some(Finding::new("each key once", format!("{} twice", show(&json!(twice))), place))
        });
        none_applies(outcome, "nothing that was asked for needs more than one round")
    },
    mutants: &[Mutant::new(
        "asks twice under one key",
        Mutation::Writes(|context, message| {
            let text = message.to_string();
            if context.params["name"] != "test_list_roots" {
                return vec![text];
            }
            let again = "\"inputRequests\":{\"a\":{\"method\":\"roots/list\"},\"a\":";
            vec![text.replacen(
                "\"inputRequests\":{\"",
                &format!("{again}{{\"method\":\"roots/list\"}},\""),
                1,
            )]
        }),
    )],
};

pub(super) const M270: Requirement = Requirement {
    id: "M270",
    name: "each-input-request-elicitation-sampling-or",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Each input request is an elicitation, a sampling or a roots request.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::By(&M270_CHECK),
};

const M270_CHECK: Check = Check {
    how: "looks at every input request",
    seen: seen_everywhere(),
    fix: "ask for elicitation, sampling and roots only",
    judge: |evidence| {
        let outcome = each(input_requests(evidence), "", |(_, answer, request)| {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            (needed(method).is_none()).then(|| {
                let expected = "elicitation/create, sampling/createMessage or roots/list";
                Finding::new(expected, show(request), answer.place)
            })
        });
        none_applies(outcome, WANTS_NOTHING)
    },
    mutants: &[wanting_roots("asks for the client's tools", |result| {
        for (_, request) in result["inputRequests"].as_object_mut().into_iter().flatten() {
            request["method"] = json!("tools/list");
        }
    })],
};

pub(super) const M272: Requirement = Requirement {
    id: "M272",
    name: "requeststate-matters-integrity-protected-one",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A requestState that matters is integrity protected, and one that fails the check is rejected.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::By(&M272_CHECK),
};

const M272_CHECK: Check = Check {
    how: "gives a requestState back with one character changed",
    seen: seen_in(&["rounds"]),
    fix: "protect requestState with a signature or a MAC, and refuse what does not fit",
    judge: |evidence| refused_state(evidence, Topic::TamperedState),
    mutants: &[to("takes any state", "tampered-state", done).also(&["M271"])],
};

pub(super) const M273: Requirement = Requirement {
    id: "M273",
    name: "requeststate-may-used-once-limited-one-use",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A requestState that may be used once is limited to one use by the server.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::Unobservable(
        "which states may be used only once is known to the server alone",
    ),
};

pub(super) const M274: Requirement = Requirement {
    id: "M274",
    name: "inputrequiredresult-inputrequests-or",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An InputRequiredResult has inputRequests or requestState or both.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow ; schema/2026-07-28/schema.ts#InputRequiredResult",
    observed: Observed::By(&M274_CHECK),
};

const M274_CHECK: Check = Check {
    how: "looks at every result that is input_required",
    seen: seen_everywhere(),
    fix: "give inputRequests or requestState with it",
    judge: |evidence| {
        let outcome = each(wanting(evidence), "", |(_, answer, result)| {
            let has = |member: &str| result.get(member).is_some();
            let empty = !has("inputRequests") && !has("requestState");
            let expected = "inputRequests or requestState";
            empty.then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, WANTS_NOTHING)
    },
    mutants: &[wanting_roots("wants it knows not what", |result| {
        if let Some(result) = result.as_object_mut() {
            result.remove("inputRequests");
            result.remove("requestState");
        }
    })],
};

pub(super) const M275: Requirement = Requirement {
    id: "M275",
    name: "no-input-request-sent-client-declared",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "No input request is sent that the client's declared capabilities do not cover.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::By(&M275_CHECK),
};

pub(super) const M276: Requirement = Requirement {
    id: "M276",
    name: "server-does-not-assume-client-will-fulfil-or",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server does not assume the client will fulfil or retry.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S136: Requirement = Requirement {
    id: "S136",
    name: "requeststate-bound-principal",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "requestState is bound to the principal.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::By(&S136_CHECK),
};

const S136_CHECK: Check = Check {
    how: "goes on with a requestState of one user with the token of another",
    seen: seen_in(&["users"]),
    fix: "seal the user into requestState, and refuse it from any other",
    judge: |evidence| {
        untried(evidence).unwrap_or_else(|| match refused_state(evidence, Topic::OthersState) {
            Outcome::Unobserved(_) => Outcome::Unobserved(NO_OTHER.to_owned()),
            other => other,
        })
    },
    mutants: &[lets_in("takes a state from any user", |context, reply| {
        let mut message = json!({ "id": "others-state" });
        done(&mut message);
        give(context, reply, "others-state", &message["result"]);
    })],
};

pub(super) const S137: Requirement = Requirement {
    id: "S137",
    name: "requeststate-expires-soon",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "requestState expires soon.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::Unobservable("it would take longer to see than a run may last"),
};

pub(super) const S138: Requirement = Requirement {
    id: "S138",
    name: "requeststate-bound-originating-request",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "requestState is bound to its originating request.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::By(&S138_CHECK),
};

const S138_CHECK: Check = Check {
    how: "gives the requestState of one request with another one",
    seen: seen_in(&["rounds"]),
    fix: "bind requestState to the request that it belongs to",
    judge: |evidence| refused_state(evidence, Topic::ForeignState),
    mutants: &[to("takes the state of another request", "foreign-state", done).also(&["M271"])],
};

pub(super) const A084: Requirement = Requirement {
    id: "A084",
    name: "inputrequiredresult-may-have-inputrequests",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An InputRequiredResult may have inputRequests.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::By(&A084_CHECK),
};

const A084_CHECK: Check = Check {
    how: "looks at every result that is input_required",
    seen: seen_everywhere(),
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

pub(super) const A085: Requirement = Requirement {
    id: "A085",
    name: "inputrequiredresult-may-have-requeststate",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An InputRequiredResult may have requestState.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::By(&A085_CHECK),
};

const A085_CHECK: Check = Check {
    how: "looks at every result that is input_required",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(wanting(evidence), "states of requests", |(_, _, result)| {
            result.get("requestState").is_some()
        })
    },
    mutants: &[done_if("hands out no state", |_, result| result.get("requestState").is_some())],
};

pub(super) const A086: Requirement = Requirement {
    id: "A086",
    name: "requeststate-protection-may-left-out-when",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "requestState protection may be left out when tampering can only make the request fail.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const A087: Requirement = Requirement {
    id: "A087",
    name: "input-required-may-returned-again-on-retry",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "input_required may be returned again on a retry.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow",
    observed: Observed::By(&A087_CHECK),
};

const A087_CHECK: Check = Check {
    how: "answers what was asked for, and looks whether more is",
    seen: seen_everywhere(),
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

/// Changes the first answer of the tool that asks for roots.
const fn wanting_roots(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (context.params["name"] == "test_list_roots").then_some(())?;
        result_of(context, message, "tools/call").filter(|result| wants(result))
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Messages with the keys that were written, also where one was written twice.
mod written {
    use std::{collections::BTreeSet, fmt};

    use serde::{
        Deserialize, Deserializer,
        de::{IgnoredAny, MapAccess, Visitor},
    };

    #[derive(Deserialize)]
    pub(super) struct Message {
        result: Body,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        input_requests: Keys,
    }

    struct Keys(Vec<String>);

    impl Message {
        pub(super) fn twice(&self) -> Option<&str> {
            let mut seen = BTreeSet::new();
            self.result.input_requests.0.iter().map(String::as_str).find(|key| !seen.insert(*key))
        }
    }

    impl<'de> Deserialize<'de> for Keys {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            struct Reader;
            impl<'de> Visitor<'de> for Reader {
                type Value = Keys;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                    let mut keys = Vec::new();
                    while let Some((key, IgnoredAny)) = map.next_entry()? {
                        keys.push(key);
                    }
                    Ok(Keys(keys))
                }
            }
            from.deserialize_map(Reader)
        }
    }
}
