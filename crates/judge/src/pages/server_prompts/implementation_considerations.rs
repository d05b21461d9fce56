//! `server/prompts`: `#implementation-considerations`, `#resource-links`.

use super::shared::M058_CHECK;
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        capabilities::{hides, remove},
        client::{hosted_at, turned, unfinished},
        content::prompt_blocks,
        optional_features::ALLOWED,
        shape::{show, undeclared},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_core::revision::Revision::{V2024_11_05, V2026_07_28};
use proofmark_record::{evidence::Place, topic::Topic};
use serde_json::json;

pub(super) const S233: Requirement = Requirement {
    id: "S233",
    name: "prompt-arguments-validated",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Prompt arguments are validated.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#implementation-considerations",
    observed: Observed::By(&S233_CHECK),
};

const S233_CHECK: Check = Check {
    how: "gets a prompt without the arguments that it requires",
    seen: seen_in(&["tour"]),
    fix: "refuse a prompt whose required arguments are missing",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "prompts") {
            return outcome;
        }
        let outcome = each(evidence.asked(Topic::MissingArgument), "", |asked| {
            let answer = asked.answer?;
            answer.result().map(|_| Finding::new("an error", show(answer.message), answer.place))
        });
        none_applies(outcome, "no prompt requires arguments")
    },
    mutants: &[MAKES_UP_ARGUMENTS.also(&["S231"])],
};

pub(super) const S234: Requirement = Requirement {
    id: "S234",
    name: "clients-page-through-prompt-lists",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Clients page through prompt lists.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#implementation-considerations",
    observed: Observed::By(&S234_CHECK),
};

const S234_CHECK: Check = Check {
    how: "gives prompts in pages, and looks at whether the client turns them",
    seen: seen_in(&["hosted pages"]),
    fix: "ask for the next page while there is a nextCursor",
    judge: |evidence| {
        each(unfinished(evidence, "prompts/list"), "the client listed no prompts in pages", |it| {
            turned(evidence, &it)
        })
    },
    mutants: &[Mutant::new(
        "looks at the first prompts only",
        Mutation::Writes(|_, message| {
            let turns =
                message["method"] == "prompts/list" && message.pointer("/params/cursor").is_some();
            if turns { Vec::new() } else { vec![message.to_string()] }
        }),
    )
    .also(&["S284"])],
};

pub(super) const S235: Requirement = Requirement {
    id: "S235",
    name: "prompt-use-respects-capabilities",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Prompt use respects capabilities.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/prompts.mdx#implementation-considerations",
    observed: Observed::Each {
        server: &Observed::By(&S235_SERVER),
        client: &Observed::By(&S235_CLIENT),
    },
};

const S235_SERVER: Check = Check {
    how: "asks for prompts although none are declared",
    seen: seen_in(&["tour"]),
    fix: "offer prompts only if you declare them",
    judge: M058_CHECK.judge,
    mutants: &[hides("offers prompts without declaring them", |context, message| {
        remove(context, message, "/prompts", None);
    })
    .also(&["M058", "M064"])],
};

const S235_CLIENT: Check = Check {
    how: "declares tools and nothing else, and looks for requests for prompts",
    seen: seen_in(&["hosted few"]),
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

pub(super) const A118: Requirement = Requirement {
    id: "A118",
    name: "prompt-messages-may-contain-resource-links",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Prompt messages may contain resource links.",
    section: "docs/specification/2026-07-28/server/prompts.mdx#resource-links",
    observed: Observed::By(&A118_CHECK),
};

const A118_CHECK: Check = Check {
    how: "looks at the messages of prompts",
    seen: seen_everywhere(),
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

const MAKES_UP_ARGUMENTS: Mutant = Mutant::new(
    "makes up arguments of prompts",
    Mutation::Says(|context, message| {
        let missing = context.params.get("arguments") == Some(&json!({}));
        if context.method == Some("prompts/get") && missing {
            *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                "result": { "resultType": "complete", "messages": [] } });
        }
    }),
);
