//! `server/tools`: `#capabilities`, `#tool`, `#list-changed-notification`, `#input-required-tool-results`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        capabilities::{hides, lists_only_if_declared, notifies_only_if_declared, remove},
        change_notifications::{List, announces, keeps_quiet_about, without},
        client::each_retry,
        input_rounds::{wanting, wants},
        mirrored_headers::all_marks,
        optional_features::{ALLOWED, silent_about, told},
        results::result,
        schemas::{of_schema, wrong},
        shape::{each_item, lacks, lacks_text, show},
        stateless::{SAME, is_bare, lists, other, refuse, same_everywhere, whole_lists},
        tools::{in_list, of_first_tool, take},
    },
    json_schema::is_schema,
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2025_11_25, V2026_07_28};
use proofmark_record::evidence::PeerMessage;
use serde_json::{Value, json};

pub(super) const M065: Requirement = Requirement {
    id: "M065",
    name: "server-tools-declares-tools-capability",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A server with tools declares the tools capability.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#capabilities",
    observed: Observed::By(&M065_CHECK),
};

const M065_CHECK: Check = Check {
    how: "asks for tools although none are declared",
    seen: seen_in(&["tour"]),
    fix: "declare the tools capability, or answer tools/list with -32601",
    judge: |evidence| lists_only_if_declared(evidence, "tools", "tools/list"),
    mutants: &[hides("has tools that it does not declare", |context, message| {
        remove(context, message, "/tools", None);
    })],
};

pub(super) const M481: Requirement = Requirement {
    id: "M481",
    name: "server-declares-tools-answers-tools-list",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A server that declares tools answers tools/list.",
    section: "docs/specification/2026-07-28/server/tools.mdx#capabilities",
    observed: Observed::By(&M481_CHECK),
};

const M481_CHECK: Check = Check {
    how: "asks for the tools",
    seen: seen_in(&["lists"]),
    fix: "answer tools/list where tools are declared",
    judge: |evidence| lists(evidence, "tools", "tools/list"),
    mutants: &[Mutant::new(
        "does not list its tools",
        Mutation::Says(|context, message| {
            refuse(context.method == Some("tools/list") && is_bare(context.params), message);
        }),
    )],
};

pub(super) const M482: Requirement = Requirement {
    id: "M482",
    name: "tool-list-does-not-vary-by-connection-nor",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The tool list does not vary by connection nor through other requests.",
    section: "docs/specification/2026-07-28/server/tools.mdx#capabilities",
    observed: Observed::By(&M482_CHECK),
};

const M482_CHECK: Check = Check {
    how: "compares the tools on two connections",
    seen: seen_in(&["lists"]).momentary(),
    fix: SAME,
    judge: |evidence| same_everywhere(evidence, "tools/list"),
    mutants: &[result("has other tools for others", |context, result| {
        if context.method == Some("tools/list") {
            other(is_bare(context.params), &mut result["tools"]);
        }
    })],
};

pub(super) const S261: Requirement = Requirement {
    id: "S261",
    name: "tools-listed-stable-order",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Tools are listed in a stable order.",
    section: "docs/specification/2026-07-28/server/tools.mdx#capabilities",
    observed: Observed::By(&S261_CHECK),
};

const S261_CHECK: Check = Check {
    how: "asks for the tools several times and compares their order",
    seen: seen_in(&["lists"]).momentary(),
    fix: "list tools in the same order each time",
    judge: |evidence| {
        let lists: Vec<_> = whole_lists(evidence, "tools/list").collect();
        if lists.len() < 2 {
            return Outcome::Unobserved("the tools were not listed twice".to_owned());
        }
        let names = |items: &[Value]| -> Vec<String> {
            items.iter().map(|tool| tool["name"].to_string()).collect()
        };
        let first = names(lists[0].1);
        each(&lists[1..], "", |(asked, items)| {
            let now = names(items);
            // Another set of tools is not another order.
            let (mut one, mut other) = (first.clone(), now.clone());
            one.sort();
            other.sort();
            let moved = one == other && first != now;
            moved.then(|| Finding::new("the same order as before", "another one", asked.place))
        })
    },
    mutants: &[result("shuffles its tools", |context, result| {
        if context.method == Some("tools/list")
            && is_bare(context.params)
            && let Some(tools) = result["tools"].as_array_mut()
        {
            tools.reverse();
        }
    })],
};

pub(super) const A135: Requirement = Requirement {
    id: "A135",
    name: "tool-list-may-empty-may-change",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The tool list may be empty and may change.",
    section: "docs/specification/2026-07-28/server/tools.mdx#capabilities",
    observed: Observed::By(&A135_CHECK),
};

const A135_CHECK: Check = Check {
    how: "listens for changes of the tools",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| told(evidence, TOOLS_OFFERS, "changes of tools"),
    mutants: &[
        silent_about("never changes its tools", |method| method == TOOLS_OFFERS).also(&["S025"])
    ],
};

pub(super) const A136: Requirement = Requirement {
    id: "A136",
    name: "tool-list-may-vary-authorization-presented",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The tool list may vary with the authorization presented.",
    section: "docs/specification/2026-07-28/server/tools.mdx#capabilities",
    observed: Observed::Unobservable(
        "it takes two users, and what differs between them is known to the server alone",
    ),
};

pub(super) const M067: Requirement = Requirement {
    id: "M067",
    name: "every-tool-name-description-inputschema",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Every tool has name, description and inputSchema (every official schema leaves description optional: report its absence as a warning).",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#tool ; schema/{2024-11-05..2026-07-28}/schema.ts#Tool",
    observed: Observed::By(&M067_CHECK),
};

const M067_CHECK: Check = Check {
    how: "looks at every listed tool",
    seen: seen_everywhere(),
    fix: "give each tool a name, an inputSchema and, for the sake of the model, a description",
    judge: |evidence| {
        let must = each_item(evidence, "tools", "tools/list", |PeerMessage { place, message }| {
            lacks_text(place, message, "name")
                .or_else(|| lacks(place, message, "inputSchema", "an object", Value::is_object))
        });
        if must != Outcome::Kept {
            return must;
        }
        // Every official schema leaves the description optional.
        let undescribed =
            evidence.listed("tools/list").find(|tool| tool.message.get("description").is_none());
        undescribed.map_or(Outcome::Kept, |tool| {
            Outcome::Doubtful(Finding::new("a description", show(tool.message), tool.place))
        })
    },
    mutants: &[
        of_first_tool("has a tool without a schema", |tool| drop(take(tool, "inputSchema"))),
        of_first_tool("has a tool without a name", |tool| drop(take(tool, "name"))),
        of_first_tool("has a tool that nobody describes", |tool| drop(take(tool, "description"))),
    ],
};

pub(super) const M472: Requirement = Requirement {
    id: "M472",
    name: "inputschema-valid-schema-object-not-null",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "inputSchema is a valid schema object, not null.",
    section: "docs/specification/{2025-11-25..2026-07-28}/server/tools.mdx#tool",
    observed: Observed::By(&M472_CHECK),
};

const M472_CHECK: Check = Check {
    how: "holds the inputSchema of every tool to the meta-schema of its dialect",
    seen: seen_everywhere(),
    fix: "give each tool an inputSchema that is a JSON Schema and an object",
    judge: |evidence| {
        each_item(evidence, "tools", "tools/list", |tool| {
            let schema = tool.message.get("inputSchema")?;
            if !schema.is_object() {
                return Some(Finding::new("a schema object", show(schema), tool.place));
            }
            wrong(tool.place, schema, is_schema(schema))
        })
    },
    mutants: &[of_schema("has null for an inputSchema", |schema| *schema = Value::Null)
        .also(&["M067", "M112", "M115", "M469"])],
};

pub(super) const M473: Requirement = Requirement {
    id: "M473",
    name: "tool-annotations-untrusted-unless-server",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Tool annotations are untrusted unless the server is trusted.",
    section: "docs/specification/{2025-03-26..2026-07-28}/server/tools.mdx#tool",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const A020: Requirement = Requirement {
    id: "A020",
    name: "tool-may-have-annotations",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "A tool may have annotations.",
    section: "docs/specification/{2025-03-26..2026-07-28}/server/tools.mdx#tool ; schema/{2025-03-26..2026-07-28}/schema.ts#Tool",
    observed: Observed::By(&A020_CHECK),
};

const A020_CHECK: Check = Check {
    how: "looks at every tool",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.listed("tools/list"), "annotations of tools", |tool| {
            tool.message.get("annotations").is_some()
        })
    },
    mutants: &[in_list("has no annotations", |result| {
        for tool in result["tools"].as_array_mut().into_iter().flatten() {
            take(tool, "annotations");
        }
    })],
};

pub(super) const A061: Requirement = Requirement {
    id: "A061",
    name: "tool-parameter-may-marked-x-mcp-header",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A tool parameter may be marked with x-mcp-header.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#custom-headers-from-tool-parameters ; docs/specification/2026-07-28/server/tools.mdx#tool",
    observed: Observed::By(&A061_CHECK),
};

const A061_CHECK: Check = Check {
    how: "looks at the schemas of tools",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| offered(all_marks(evidence).into_iter(), "marked arguments", |_| true),
    mutants: &[Mutant::new(
        "marks nothing",
        Mutation::Result(|context, result| {
            let tools = result.get_mut("tools").filter(|_| context.method == Some("tools/list"));
            let tools = tools.and_then(Value::as_array_mut);
            let properties = tools
                .into_iter()
                .flatten()
                .filter_map(|tool| tool.pointer_mut("/inputSchema/properties")?.as_object_mut());
            for (_, property) in properties.flatten() {
                property.as_object_mut().map(|property| property.remove("x-mcp-header"));
            }
        }),
    )],
};

pub(super) const M070: Requirement = Requirement {
    id: "M070",
    name: "tools-list-changed-only-used-by-server",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "tools/list_changed is only used by a server that declares tools.listChanged.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#list-changed-notification",
    observed: Observed::By(&M070_CHECK),
};

const M070_CHECK: Check = Check {
    how: "looks for notifications/tools/list_changed in every conversation",
    seen: seen_everywhere(),
    fix: "declare tools.listChanged, or do not send the notification",
    judge: |evidence| {
        notifies_only_if_declared(
            evidence,
            "/tools/listChanged",
            "notifications/tools/list_changed",
        )
    },
    mutants: &[hides("announces changes of tools without declaring it", |context, message| {
        remove(context, message, "/tools", Some("listChanged"));
    })],
};

pub(super) const S025: Requirement = Requirement {
    id: "S025",
    name: "server-declared-tools-listchanged-notifies",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A server that declared tools.listChanged notifies when its tool list changes (2026-07-28: on listen streams that asked).",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/tools.mdx#list-changed-notification",
    observed: Observed::By(&S025_CHECK),
};

const S025_CHECK: Check = Check {
    how: "compares the list of tools before and after everything else",
    seen: seen_in(&["tour"]),
    fix: "send notifications/tools/list_changed when the list changes",
    judge: |evidence| announces(evidence, &TOOLS),
    mutants: &[
        keeps_quiet_about("keeps new tools to itself", |_, message| {
            without(TOOLS.notification, message)
        }),
        Mutant::new(
            "has a new tool that nobody is told of",
            Mutation::Writes(|context, message| {
                if message["method"] == TOOLS.notification {
                    return Vec::new();
                }
                let mut message = message.clone();
                let name = format!("new-{}", message["id"]);
                let tools = message.pointer_mut("/result/tools").and_then(Value::as_array_mut);
                if context.method == Some("tools/list")
                    && let Some(tools) = tools
                {
                    tools.push(json!({ "name": name, "description": "It is new",
                        "inputSchema": { "type": "object" } }));
                }
                vec![message.to_string()]
            }),
        ),
    ],
};

pub(super) const M282: Requirement = Requirement {
    id: "M282",
    name: "multi-round-trip-retry-new-request-id",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A multi round-trip retry has a new request id.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#client-requirements-basic-workflow ; docs/specification/2026-07-28/server/tools.mdx#input-required-tool-results",
    observed: Observed::By(&M282_CHECK),
};

const M282_CHECK: Check = Check {
    how: "compares the id of every retry with that of the request before",
    seen: seen_everywhere(),
    fix: "give the retry an id of its own",
    judge: |evidence| {
        each_retry(evidence, |round, retry| {
            let same = round.request.id == retry.id;
            same.then(|| Finding::new("another id", show(retry.id), retry.place))
        })
    },
    mutants: &[Mutant::new(
        "retries under the same id",
        Mutation::Says(|_, message| {
            // The reference counts its requests, and asks nothing else in between.
            let retries = message.pointer("/params/inputResponses").is_some()
                && message["method"] != "tasks/update";
            if let Some(id) = message["id"].as_i64().filter(|_| retries) {
                message["id"] = json!(id - 1);
            }
        }),
    )],
};

pub(super) const A083: Requirement = Requirement {
    id: "A083",
    name: "tools-call-prompts-get-resources-read-may",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "tools/call, prompts/get and resources/read may be answered input_required.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow ; docs/specification/2026-07-28/server/prompts.mdx#getting-a-prompt ; docs/specification/2026-07-28/server/resources.mdx#reading-resources ; docs/specification/2026-07-28/server/tools.mdx#input-required-tool-results",
    observed: Observed::By(&A083_CHECK),
};

const A083_CHECK: Check = Check {
    how: "looks for input_required among the results",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| offered(wanting(evidence), "results that ask for something first", |_| true),
    mutants: &[result("asks for nothing", |_, result| {
        if wants(result) {
            *result = json!({ "resultType": "complete", "content": [], "messages": [],
                "contents": [], "_meta": result["_meta"] });
        }
    })],
};

const TOOLS: List = List {
    capability: "/tools/listChanged",
    method: "tools/list",
    notification: "notifications/tools/list_changed",
    trigger: "test_trigger_tool_change",
};

const TOOLS_OFFERS: &str = "notifications/tools/list_changed";
