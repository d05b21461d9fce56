//! `server/tools`: `#embedded-resources`, `#structured-content`, `#tool-names`, `#x-mcp-header`, `#resource-links`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        content::{of_call as of_call_content, tool_blocks},
        mirrored_headers::{UNMARKED, marked},
        request_metadata::to,
        secrets::is_secret,
        shape::{doubtful, each_item, each_result, show, undeclared},
        tool_contents::resource,
        tools::{in_list, none_applies, of_call, of_second_tool},
    },
    mutant::Mutant,
    outcome::{Finding, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    mutation::{Mutation, result_of},
    scenario::MarkedArgument,
};
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use proofmark_record::topic::Topic;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) const S242: Requirement = Requirement {
    id: "S242",
    name: "server-embeds-resources-resources-capability",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "A server that embeds resources has the resources capability.",
    section: "docs/specification/{2025-06-18..2026-07-28}/server/tools.mdx#embedded-resources",
    observed: Observed::By(&S242_CHECK),
};

const S242_CHECK: Check = Check {
    how: "looks for embedded resources in the results of tools",
    seen: seen_everywhere(),
    fix: "declare the resources capability if tools embed resources",
    judge: |evidence| {
        let embedded = tool_blocks(evidence).filter_map(resource);
        let declared = evidence.capability("/resources");
        let outcome = each(embedded, "", |(place, resource)| {
            let expected = "the resources capability";
            (!declared).then(|| Finding::new(expected, show(resource), place))
        });
        none_applies(outcome, "no tool embeds resources")
    },
    mutants: &[Mutant::new(
        "embeds resources that it does not declare",
        Mutation::Says(|context, message| {
            if matches!(context.method, Some("initialize" | "server/discover"))
                && let Some(it) = message.pointer_mut("/result/capabilities")
            {
                it.as_object_mut().map(|capabilities| capabilities.remove("resources"));
            }
        }),
    )
    .also(&["M048", "M057"])],
};

pub(super) const A132: Requirement = Requirement {
    id: "A132",
    name: "tool-may-embed-resources",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "A tool may embed resources.",
    section: "docs/specification/{2025-06-18..2026-07-28}/server/tools.mdx#embedded-resources",
    observed: Observed::By(&A132_CHECK),
};

const A132_CHECK: Check = Check {
    how: "looks at every block of content that tools give",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(tool_blocks(evidence), "embedded resources", |(_, block)| {
            block["type"] == "resource"
        })
    },
    mutants: &[Mutant::new(
        "never embeds",
        Mutation::Says(|context, message| {
            let Some(result) = result_of(context, message, "tools/call") else { return };
            for block in result["content"].as_array_mut().into_iter().flatten() {
                if block["type"] == "resource" {
                    *block = json!({ "type": "text", "text": "no resource" });
                }
            }
        }),
    )
    .also(&["M068"])],
};

pub(super) const S243: Requirement = Requirement {
    id: "S243",
    name: "structured-content-repeated-json-text-block",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Structured content is repeated as JSON in a text block.",
    section: "docs/specification/{2025-06-18..2026-07-28}/server/tools.mdx#structured-content",
    observed: Observed::By(&S243_CHECK),
};

const S243_CHECK: Check = Check {
    how: "compares structuredContent with the text blocks beside it",
    seen: seen_everywhere(),
    fix: "repeat structuredContent as JSON in a text block, for older clients",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let structured = evidence.results("tools/call").filter_map(|(answer, result)| {
            Some((answer, result, result.get("structuredContent")?))
        });
        none_applies(
            each(structured, "", |(answer, result, content)| {
                let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
                let repeated = blocks.filter_map(|block| block.get("text")?.as_str()).any(|text| {
                    serde_json::from_str::<Value>(text).is_ok_and(|value| value == *content)
                });
                (!repeated).then(|| {
                    Finding::new(
                        "a text block with the same as JSON",
                        show(&result["content"]),
                        answer.place,
                    )
                })
            }),
            "no call gave structuredContent",
        )
    },
    mutants: &[of_call("does not repeat structured content", |result| {
        result["structuredContent"] = json!({ "unrepeated": true });
    })],
};

pub(super) const S245: Requirement = Requirement {
    id: "S245",
    name: "tool-names-have-1-128-characters",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Tool names have 1 to 128 characters.",
    section: "docs/specification/{2025-11-25..2026-07-28}/server/tools.mdx#tool-names",
    observed: Observed::By(&S245_CHECK),
};

const S245_CHECK: Check = Check {
    how: "looks at the name of every tool",
    seen: seen_everywhere(),
    fix: "keep names between 1 and 128 characters",
    judge: |evidence| {
        each_item(evidence, "tools", "tools/list", |tool| {
            let name = tool.message.get("name")?.as_str()?;
            let length = name.chars().count();
            (!(1..=128).contains(&length))
                .then(|| Finding::new("1 to 128 characters", format!("{length}"), tool.place))
        })
    },
    mutants: &[of_second_tool("has a tool with a name that never ends", |tool| {
        tool["name"] = json!("x".repeat(129));
    })],
};

pub(super) const S246: Requirement = Requirement {
    id: "S246",
    name: "tool-names-case-sensitive",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Tool names are case-sensitive.",
    section: "docs/specification/{2025-11-25..2026-07-28}/server/tools.mdx#tool-names",
    observed: Observed::Each {
        server: &Observed::By(&S246_SERVER),
        client: &Observed::By(&S246_CLIENT),
    },
};

const S246_SERVER: Check = Check {
    how: "calls a tool by its name in the other case",
    seen: seen_in(&["tour"]),
    fix: "tell names of tools apart by case",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let nothing = "no tool could be called whose name has letters";
        each(evidence.asked(Topic::OtherCase), nothing, |asked| {
            let answer = asked.answer?;
            let failed = answer.result()?.get("isError") == Some(&json!(true));
            let expected = "an unknown tool";
            (!failed).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[to("does not mind the case of a name", "other-case", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
            "resultType": "complete", "content": [], "_meta": {
                proofmark_record::meta::SERVER_INFO: { "name": "a", "version": "1" } } } });
    })],
};

const S246_CLIENT: Check = Check {
    how: "compares the name of every tool that is called with those that were listed",
    seen: seen_everywhere(),
    fix: "call tools by their names exactly, lower and upper case included",
    judge: |evidence| {
        let calls = evidence.requests_for("tools/call");
        each(calls, "the client called no tool", |request| {
            let name = request.text("/name")?;
            let lists = evidence
                .requests_for("tools/list")
                .filter(|it| it.place.conversation == request.place.conversation);
            let tools = lists.filter_map(|it| it.answer?.result()?.get("tools")?.as_array());
            let known: Vec<&str> =
                tools.flatten().filter_map(|tool| tool.get("name")?.as_str()).collect();
            let meant = known.iter().find(|it| it.eq_ignore_ascii_case(name))?;
            (!known.contains(&name)).then(|| Finding::new(*meant, name, request.place))
        })
    },
    mutants: &[Mutant::new(
        "shouts the names of tools",
        Mutation::Says(|_, message| {
            if message["params"]["name"] == "add_numbers" {
                message["params"]["name"] = json!("ADD_NUMBERS");
            }
        }),
    )],
};

pub(super) const S247: Requirement = Requirement {
    id: "S247",
    name: "tool-names-use-only-ascii-letters-digits",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Tool names use only ASCII letters, digits, underscore, hyphen and dot.",
    section: "docs/specification/{2025-11-25..2026-07-28}/server/tools.mdx#tool-names",
    observed: Observed::By(&S247_CHECK),
};

const S247_CHECK: Check = Check {
    how: "looks at the name of every tool",
    seen: seen_everywhere(),
    fix: "use ASCII letters, digits, underscore, hyphen and dot",
    judge: |evidence| {
        each_item(evidence, "tools", "tools/list", |tool| {
            let name = tool.message.get("name")?.as_str()?;
            let right = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            (!name.chars().all(right)).then(|| {
                Finding::new(
                    "ASCII letters, digits, underscore, hyphen and dot",
                    show(&json!(name)),
                    tool.place,
                )
            })
        })
    },
    mutants: &[of_second_tool("has a tool with spaces in its name", |tool| {
        tool["name"] = json!("a tool");
    })],
};

pub(super) const S248: Requirement = Requirement {
    id: "S248",
    name: "tool-names-unique-server",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Tool names are unique in a server.",
    section: "docs/specification/{2025-11-25..2026-07-28}/server/tools.mdx#tool-names",
    observed: Observed::By(&S248_CHECK),
};

const S248_CHECK: Check = Check {
    how: "compares the names of all tools of one list",
    seen: seen_everywhere(),
    fix: "give each tool a name of its own",
    judge: |evidence| {
        each_result(evidence, "tools", "tools/list", |answer, result| {
            let mut seen = BTreeSet::new();
            let names = result
                .get("tools")?
                .as_array()?
                .iter()
                .filter_map(|tool| tool.get("name")?.as_str());
            let twice = names.into_iter().find(|name| !seen.insert(*name))?;
            Some(Finding::new(
                "a name once",
                format!("{} twice", show(&json!(twice))),
                answer.place,
            ))
        })
    },
    mutants: &[in_list("lists a tool twice", |result| {
        let first = result["tools"][0].clone();
        if let Some(tools) = result["tools"].as_array_mut() {
            tools.push(first);
        }
    })],
};

pub(super) const S249: Requirement = Requirement {
    id: "S249",
    name: "aggregator-resolves-tool-name-clashes",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An aggregator resolves tool name clashes.",
    section: "docs/specification/2026-07-28/server/tools.mdx#tool-names",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S250: Requirement = Requirement {
    id: "S250",
    name: "serverinfo-name-not-used-tell-servers-apart",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "serverInfo.name is not used to tell servers apart.",
    section: "docs/specification/2026-07-28/server/tools.mdx#tool-names",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const A133: Requirement = Requirement {
    id: "A133",
    name: "aggregator-may-meet-clashing-names",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An aggregator may meet clashing names.",
    section: "docs/specification/2026-07-28/server/tools.mdx#tool-names",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S251: Requirement = Requirement {
    id: "S251",
    name: "secrets-not-marked-x-mcp-header",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Secrets are not marked x-mcp-header.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header",
    observed: Observed::By(&S251_CHECK),
};

const S251_CHECK: Check = Check {
    how: "looks at the names of marked arguments",
    seen: seen_everywhere(),
    fix: "do not mark arguments that are secrets: headers are seen by everybody on the way",
    judge: |evidence| {
        let tools = evidence.listed("tools/list");
        let marks = tools.flat_map(|tool| {
            MarkedArgument::of(tool.message).into_iter().map(move |mark| (tool.place, mark))
        });
        let outcome = each(marks, "", |(place, mark)| {
            let secret = mark.path.iter().any(|name| is_secret(name)) || is_secret(&mark.token);
            let expected = "no secret among what is repeated in headers";
            secret.then(|| Finding::new(expected, show(&json!(mark.token)), place))
        });
        doubtful(none_applies(outcome, UNMARKED))
    },
    mutants: &[marked("repeats a password in a header", |property| {
        property["x-mcp-header"] = json!("Password");
    })],
};

pub(super) const A131: Requirement = Requirement {
    id: "A131",
    name: "tool-may-return-resource-links",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "A tool may return resource links.",
    section: "docs/specification/{2025-06-18..2026-07-28}/server/tools.mdx#resource-links",
    observed: Observed::By(&A131_CHECK),
};

const A131_CHECK: Check = Check {
    how: "looks at every block of content that tools give",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(tool_blocks(evidence), "links to resources", |(_, block)| {
            block["type"] == "resource_link"
        })
    },
    mutants: &[of_call_content("never links", "test_resource_link", |block| {
        *block = json!({ "type": "text", "text": "no link" });
    })],
};
