//! `server/resources`: `#error-handling`, `#security-considerations`, `#https`, `#file`, `#reading-resources`, `#annotations`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        optional_features::{ALLOWED, of_resource, resources},
        request_metadata::to,
        resources::{of_contents, read},
        shape::{refused, show, undeclared},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25, V2026_07_28};
use proofmark_record::{meta::SERVER_INFO, topic::Topic};
use serde_json::{Value, json};

pub(super) const M457: Requirement = Requirement {
    id: "M457",
    name: "missing-resource-32602",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A missing resource is -32602.",
    section: "docs/specification/2026-07-28/server/resources.mdx#error-handling",
    observed: Observed::By(&M457_CHECK),
};

const M457_CHECK: Check = Check {
    how: "reads a resource that does not exist",
    seen: seen_in(&["tour"]),
    fix: "answer an unknown resource with the error -32602",
    judge: |evidence| {
        undeclared(evidence, "resources").unwrap_or_else(|| {
            refused(evidence, Topic::UnknownResource, &[-32602], "no unknown resource was read")
        })
    },
    mutants: &[Mutant::new(
        "takes an unknown resource for its own mistake",
        Mutation::Says(|context, message| {
            if context.params["uri"] == "proofmark://no/such/resource"
                && context.method == Some("resources/read")
            {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

pub(super) const M458: Requirement = Requirement {
    id: "M458",
    name: "missing-resource-never-gives-empty-contents",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A missing resource never gives an empty contents array.",
    section: "docs/specification/2026-07-28/server/resources.mdx#error-handling",
    observed: Observed::By(&M458_CHECK),
};

const M458_CHECK: Check = Check {
    how: "reads a resource that does not exist",
    seen: seen_in(&["tour"]),
    fix: "answer with an error, not with nothing",
    judge: |evidence| {
        undeclared(evidence, "resources").unwrap_or_else(|| {
            each(evidence.asked(Topic::UnknownResource), "it was not tried", |asked| {
                let answer = asked.answer?;
                let contents = answer.result()?.get("contents")?.as_array()?;
                let expected = "an error";
                contents.is_empty().then(|| Finding::new(expected, "empty contents", answer.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "finds nothing and says so",
        Mutation::Says(|context, message| {
            if context.params["uri"] == "proofmark://no/such/resource"
                && context.method == Some("resources/read")
            {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                "resultType": "complete", "contents": [], "ttlMs": 0, "cacheScope": "public",
                "_meta": { SERVER_INFO: { "name": "a", "version": "1" } } } });
            }
        }),
    )
    .also(&["M457"])],
};

pub(super) const S033: Requirement = Requirement {
    id: "S033",
    name: "client-still-understands-32002-from-older",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client still understands -32002 from an older server as resource not found.",
    section: "docs/specification/2026-07-28/basic/index.mdx#error-codes ; docs/specification/2026-07-28/server/resources.mdx#error-handling",
    observed: Observed::Unobservable(
        "what a client makes of the code of an error is between it and its user",
    ),
};

pub(super) const S237: Requirement = Requirement {
    id: "S237",
    name: "missing-resource-32002",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A missing resource is -32002.",
    section: "docs/specification/{2024-11-05..2025-11-25}/server/resources.mdx#error-handling",
    observed: Observed::By(&S237_CHECK),
};

const S237_CHECK: Check = Check {
    how: "reads a resource that does not exist",
    seen: seen_in(&["tour"]),
    fix: "answer an unknown resource with the error -32002",
    judge: |evidence| {
        undeclared(evidence, "resources").unwrap_or_else(|| {
            refused(evidence, Topic::UnknownResource, &[-32002], "no unknown resource was read")
        })
    },
    mutants: &[Mutant::new(
        "finds every resource",
        Mutation::Says(|context, message| {
            if context.params["uri"] == "proofmark://no/such/resource" {
                *message =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "contents": [] } });
            }
        }),
    )],
};

pub(super) const S238: Requirement = Requirement {
    id: "S238",
    name: "internal-resource-errors-32603",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Internal resource errors are -32603.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#error-handling",
    observed: Observed::Unobservable(
        "a sound server does not fail inside, whatever a client sends",
    ),
};

pub(super) const M459: Requirement = Requirement {
    id: "M459",
    name: "resource-uris-validated",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Resource URIs are validated.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#security-considerations",
    observed: Observed::By(&M459_CHECK),
};

const M459_CHECK: Check = Check {
    how: "reads a resource by what is no URI",
    seen: seen_in(&["tour"]),
    fix: "validate URIs before you read what they name",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "resources") {
            return outcome;
        }
        each(evidence.asked(Topic::OddUri), "it was not tried", |asked| {
            let answer = asked.answer?;
            answer.result().map(|_| Finding::new("an error", show(answer.message), answer.place))
        })
    },
    mutants: &[to("reads what is no URI", "odd-uri", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
            "contents": [{ "uri": "::", "mimeType": "text/plain", "text": "a" }] } });
    })],
};

pub(super) const M460: Requirement = Requirement {
    id: "M460",
    name: "binary-data-properly-encoded",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Binary data is properly encoded (blob is base64).",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#security-considerations",
    observed: Observed::By(&M460_CHECK),
};

const M460_CHECK: Check = Check {
    how: "decodes every blob that was read",
    seen: seen_everywhere(),
    fix: "write blobs as base64",
    judge: |evidence| {
        let outcome = of_contents(evidence, |place, contents| {
            let blob = contents.get("blob")?.as_str()?;
            BASE64_STANDARD
                .decode(blob)
                .is_err()
                .then(|| Finding::new("base64", show(&contents["blob"]), place))
        });
        let blobs = evidence
            .results("resources/read")
            .any(|(_, result)| result.to_string().contains("\"blob\""));
        if outcome == Outcome::Kept && !blobs {
            return Outcome::NotApplicable("nothing binary was read".to_owned());
        }
        outcome
    },
    mutants: &[read("gives blobs as they are", |result| {
        for contents in result["contents"].as_array_mut().into_iter().flatten() {
            if contents.get("blob").is_some() {
                contents["blob"] = json!("not base64!");
            }
        }
    })],
};

pub(super) const M461: Requirement = Requirement {
    id: "M461",
    name: "file-paths-file-resources-sanitised-against",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "File paths of file:// resources are sanitised against traversal.",
    section: "docs/specification/2026-07-28/server/resources.mdx#security-considerations",
    observed: Observed::By(&M461_CHECK),
};

const M461_CHECK: Check = Check {
    how: "asks for a file outside of the directories that resources come from",
    seen: seen_in(&["tour"]),
    fix: "resolve paths before you open them, and refuse those that lead out of what you serve",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "resources") {
            return outcome;
        }
        let outcome = each(evidence.asked(Topic::Traversal), "", |asked| {
            let answer = asked.answer?;
            let told = answer.result()?.to_string();
            let leaked = told.contains("root:") && told.contains(":0:0:");
            leaked.then(|| Finding::new("an error", show(answer.message), answer.place))
        });
        none_applies(outcome, "the server has no resources that are files")
    },
    mutants: &[Mutant::new(
        "serves any file",
        Mutation::Says(|context, message| {
            if context.method == Some("resources/list") && message.get("result").is_some() {
                message["result"]["resources"][0]["uri"] = json!("file:///srv/a.txt");
            }
            let uri = context.params["uri"].as_str().unwrap_or_default();
            if context.method == Some("resources/read") && uri.starts_with("file:///srv/") {
                let text =
                    if uri.contains("passwd") { "root:x:0:0:root:/root:/bin/sh" } else { "a" };
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                    "contents": [{ "uri": uri, "mimeType": "text/plain", "text": text }],
                    "_meta": { SERVER_INFO: { "name": "a", "version": "1" } } } });
            }
        }),
    )
    .also(&["S258"])],
};

pub(super) const S239: Requirement = Requirement {
    id: "S239",
    name: "sensitive-resources-access-controlled",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Sensitive resources are access controlled and permissions checked first.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#security-considerations",
    observed: Observed::Unobservable(
        "which resources are sensitive, and for whom, is known to the server alone",
    ),
};

pub(super) const S236: Requirement = Requirement {
    id: "S236",
    name: "https-uris-used-only-what-client-can-fetch",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "https URIs are used only for what the client can fetch itself.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#https",
    observed: Observed::Unobservable("what a message means can only be judged by people"),
};

pub(super) const A121: Requirement = Requirement {
    id: "A121",
    name: "xdg-mime-types-such-inode-directory-may-mark",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "XDG MIME types such as inode/directory may mark special files.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#file",
    observed: Observed::By(&A121_CHECK),
};

const A121_CHECK: Check = Check {
    how: "looks at the types of resources",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(resources(evidence), "special files", |item| {
            item.get("mimeType").and_then(Value::as_str).is_some_and(|it| it.starts_with("inode/"))
        })
    },
    mutants: &[of_resource("has a directory", |resource| {
        resource["mimeType"] = json!("inode/directory");
    })],
};

pub(super) const A124: Requirement = Requirement {
    id: "A124",
    name: "one-resources-read-may-return-several",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "One resources/read may return several contents.",
    section: "docs/specification/2026-07-28/server/resources.mdx#reading-resources",
    observed: Observed::By(&A124_CHECK),
};

const A124_CHECK: Check = Check {
    how: "reads resources",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.results("resources/read"), "several contents at once", |(_, result)| {
            result.get("contents").and_then(Value::as_array).is_some_and(|it| it.len() > 1)
        })
    },
    mutants: &[Mutant::new(
        "gives two contents for one resource",
        Mutation::Result(|context, result| {
            let read = context.method == Some("resources/read");
            let contents = result.get_mut("contents").filter(|_| read);
            if let Some(contents) = contents.and_then(Value::as_array_mut)
                && let Some(first) = contents.first().cloned()
            {
                contents.push(first);
            }
        }),
    )],
};

pub(super) const A125: Requirement = Requirement {
    id: "A125",
    name: "resources-templates-content-may-have",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Resources, templates and content may have annotations: audience of user and assistant, priority 0 to 1.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Resource ; docs/specification/{2025-06-18..2026-07-28}/server/resources.mdx#annotations",
    observed: Observed::By(&A125_CHECK),
};

const A125_CHECK: Check = Check {
    how: "looks at resources and templates",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(resources(evidence), "annotations of resources", |item| {
            item.get("annotations").is_some()
        })
    },
    mutants: &[of_resource("finds a resource half as important", |resource| {
        resource["annotations"] = json!({ "priority": 0.5, "audience": ["user"] });
    })],
};
