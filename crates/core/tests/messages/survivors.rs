//! Which member survives in which revision, one row each.

use proofmark_core::revision::Revision;
use serde_json::Value;

use super::maximal;

/// In which message, where, and with which revisions a member comes there, goes, and comes again. A later revision keeps what the one
/// before it has.
///
/// Forms are not touched where the revision has no elicitation: there they are never sent.
type Row = (&'static str, &'static str, &'static [&'static str]);

#[test]
fn results_keep_what_the_revision_knows() {
    check(
        maximal::results,
        &[
            ("tools-list", "/result/tools/0/title", &["2025-06-18"]),
            ("tools-list", "/result/tools/0/icons", &["2025-11-25"]),
            ("tools-list", "/result/tools/0/_meta", &["2025-06-18"]),
            ("tools-list", "/result/tools/0/annotations", &["2025-03-26"]),
            ("tools-list", "/result/tools/0/outputSchema", &["2025-06-18"]),
            ("tools-list", "/result/tools/0/execution", &["2025-11-25", "2026-07-28"]),
            ("tools-list", "/result/nextCursor", &["2024-11-05"]),
            ("tools-list", "/result/_meta", &["2024-11-05"]),
            ("tools-list", "/result/ttlMs", &["2026-07-28"]),
            ("tools-list", "/result/cacheScope", &["2026-07-28"]),
            ("tools-list", "/result/resultType", &["2026-07-28"]),
            ("prompts-list", "/result/prompts/0/title", &["2025-06-18"]),
            ("prompts-list", "/result/prompts/0/icons", &["2025-11-25"]),
            ("prompts-list", "/result/prompts/0/_meta", &["2025-06-18"]),
            ("prompts-list", "/result/prompts/0/arguments/0/title", &["2025-06-18"]),
            ("prompts-list", "/result/ttlMs", &["2026-07-28"]),
            ("resources-list", "/result/resources/0/title", &["2025-06-18"]),
            ("resources-list", "/result/resources/0/icons", &["2025-11-25"]),
            ("resources-list", "/result/resources/0/_meta", &["2025-06-18"]),
            ("resources-list", "/result/resources/0/annotations/priority", &["2024-11-05"]),
            ("resources-list", "/result/resources/0/annotations/lastModified", &["2025-06-18"]),
            ("resources-list", "/result/resources/0/size", &["2024-11-05"]),
            ("resources-list", "/result/cacheScope", &["2026-07-28"]),
            ("resources-templates-list", "/result/resourceTemplates/0/title", &["2025-06-18"]),
            ("resources-templates-list", "/result/resourceTemplates/0/icons", &["2025-11-25"]),
            (
                "resources-templates-list",
                "/result/resourceTemplates/0/annotations/lastModified",
                &["2025-06-18"],
            ),
            ("resources-templates-list", "/result/ttlMs", &["2026-07-28"]),
            ("resources-read", "/result/contents/0/_meta", &["2025-06-18"]),
            ("resources-read", "/result/contents/1/_meta", &["2025-06-18"]),
            ("resources-read", "/result/ttlMs", &["2026-07-28"]),
            ("tools-call", "/result/structuredContent", &["2025-06-18"]),
            ("tools-call", "/result/isError", &["2024-11-05"]),
            ("tools-call", "/result/content/0/_meta", &["2025-06-18"]),
            ("tools-call", "/result/content/0/annotations/lastModified", &["2025-06-18"]),
            ("tools-call", "/result/content/1/data", &["2024-11-05"]),
            ("tools-call", "/result/content/2/data", &["2025-03-26"]),
            ("tools-call", "/result/content/2/text", &["2024-11-05", "2025-03-26"]),
            ("tools-call", "/result/content/3/uri", &["2025-06-18"]),
            ("tools-call", "/result/content/3/icons", &["2025-11-25"]),
            ("tools-call", "/result/content/3/text", &["2024-11-05", "2025-06-18"]),
            ("tools-call", "/result/content/4/resource/_meta", &["2025-06-18"]),
            ("prompts-get", "/result/messages/2/content/data", &["2025-03-26"]),
            ("prompts-get", "/result/messages/3/content/uri", &["2025-06-18"]),
            ("initialize", "/result/serverInfo/title", &["2025-06-18"]),
            ("initialize", "/result/serverInfo/icons", &["2025-11-25"]),
            ("initialize", "/result/serverInfo/description", &["2025-11-25"]),
            ("initialize", "/result/serverInfo/websiteUrl", &["2025-11-25"]),
            ("initialize", "/result/capabilities/completions", &["2025-03-26"]),
            ("initialize", "/result/capabilities/tasks", &["2025-11-25", "2026-07-28"]),
            (
                "initialize",
                "/result/capabilities/tasks/requests/tools/call",
                &["2025-11-25", "2026-07-28"],
            ),
            ("initialize", "/result/capabilities/extensions", &["2026-07-28"]),
            ("initialize", "/result/capabilities/tools/listChanged", &["2024-11-05"]),
            ("server-discover", "/result/capabilities/extensions", &["2026-07-28"]),
            ("server-discover", "/result/ttlMs", &["2026-07-28"]),
            ("completion-complete", "/result/completion/values/99", &["2024-11-05"]),
            ("completion-complete", "/result/completion/values/100", &[]),
            (
                "tools-call.input-required",
                "/result/inputRequests/e/params/task",
                &["2025-11-25", "2026-07-28"],
            ),
            (
                "tools-call.input-required",
                "/result/inputRequests/e/params/_meta",
                &["2024-11-05", "2026-07-28"],
            ),
            (
                "tools-call.input-required",
                "/result/inputRequests/s/params/tools/0/execution",
                &["2025-11-25", "2026-07-28"],
            ),
            ("tools-call.task", "/result/task/_meta", &[]),
            ("tools-call.task", "/result/_meta", &["2024-11-05"]),
        ],
    );
}

#[test]
fn requests_of_servers_keep_what_the_revision_knows() {
    check(
        maximal::server_requests,
        &[
            ("elicitation-create", "/params/mode", &["2024-11-05", "2025-06-18", "2025-11-25"]),
            ("elicitation-create", "/params/task", &["2025-11-25", "2026-07-28"]),
            ("elicitation-create", "/params/_meta", &["2024-11-05", "2026-07-28"]),
            (
                "elicitation-create",
                "/params/requestedSchema/properties/s/default",
                &["2024-11-05", "2025-06-18", "2025-11-25"],
            ),
            (
                "elicitation-create",
                "/params/requestedSchema/properties/n/default",
                &["2024-11-05", "2025-06-18", "2025-11-25"],
            ),
            ("elicitation-create", "/params/requestedSchema/properties/b/default", &["2024-11-05"]),
            (
                "elicitation-create",
                "/params/requestedSchema/$schema",
                &["2024-11-05", "2025-06-18", "2025-11-25"],
            ),
            (
                "elicitation-create.url",
                "/params/elicitationId",
                &["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"],
            ),
            ("elicitation-create.url", "/params/task", &["2025-11-25", "2026-07-28"]),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/text/pattern",
                &["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/plain/default",
                &["2024-11-05", "2025-06-18", "2025-11-25"],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/plain/enum",
                &["2024-11-05"],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/named/enumNames",
                &["2024-11-05"],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/titled/oneOf",
                &["2024-11-05", "2025-06-18", "2025-11-25"],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/titled/enumNames",
                &["2025-06-18", "2025-11-25"],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/many",
                &["2024-11-05"],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/many/items",
                &["2024-11-05", "2025-06-18", "2025-11-25"],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/more",
                &["2024-11-05", "2025-06-18", "2025-11-25"],
            ),
            ("sampling-createMessage", "/params/tools", &["2025-11-25"]),
            ("sampling-createMessage", "/params/toolChoice", &["2025-11-25"]),
            ("sampling-createMessage", "/params/task", &["2025-11-25", "2026-07-28"]),
            ("sampling-createMessage", "/params/messages/0/_meta", &["2025-11-25"]),
            ("sampling-createMessage", "/params/messages/0/content/1", &["2025-11-25"]),
            (
                "sampling-createMessage",
                "/params/messages/2/content/data",
                &["2025-03-26", "2025-11-25"],
            ),
            (
                "sampling-createMessage",
                "/params/messages/2/content/structuredContent",
                &["2025-11-25"],
            ),
            ("sampling-createMessage", "/params/messages/3", &["2024-11-05", "2025-11-25"]),
        ],
    );
}

#[test]
fn notifications_keep_what_the_revision_knows() {
    check(
        maximal::notifications,
        &[
            ("notifications-progress", "/params/message", &["2025-03-26"]),
            ("notifications-progress", "/params/total", &["2024-11-05"]),
            ("notifications-tasks-status", "/params/resultType", &[]),
        ],
    );
}

#[test]
fn requests_of_clients_keep_what_the_revision_knows() {
    const VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
    const RELATED: &str = "/params/_meta/io.modelcontextprotocol~1related-task";
    check(
        maximal::client_requests,
        &[
            ("tools-call", "/params/task", &["2025-11-25", "2026-07-28"]),
            ("tools-call", "/params/inputResponses", &["2026-07-28"]),
            ("tools-call", "/params/requestState", &["2026-07-28"]),
            ("tools-call", "/params/_meta/progressToken", &["2024-11-05"]),
            ("tools-call", "/params/_meta/com.example~1k", &["2024-11-05"]),
            ("tools-call", VERSION, &["2026-07-28"]),
            ("tools-call", RELATED, &["2025-11-25", "2026-07-28"]),
            ("tools-list", VERSION, &["2026-07-28"]),
            ("prompts-get", "/params/inputResponses", &["2026-07-28"]),
            ("prompts-get", "/params/requestState", &["2026-07-28"]),
            ("resources-read", "/params/inputResponses", &["2026-07-28"]),
            ("resources-read", "/params/requestState", &["2026-07-28"]),
            ("completion-complete", "/params/context", &["2025-06-18"]),
            ("completion-complete", "/params/ref/title", &["2025-06-18"]),
            ("initialize", "/params/clientInfo/title", &["2025-06-18"]),
            ("initialize", "/params/clientInfo/websiteUrl", &["2025-11-25"]),
            ("initialize", "/params/capabilities/roots/listChanged", &["2024-11-05", "2026-07-28"]),
            ("initialize", "/params/capabilities/sampling", &["2024-11-05"]),
            ("initialize", "/params/capabilities/sampling/tools", &["2025-11-25"]),
            ("initialize", "/params/capabilities/sampling/context", &["2025-11-25"]),
            ("initialize", "/params/capabilities/elicitation", &["2025-06-18"]),
            ("initialize", "/params/capabilities/elicitation/form", &["2025-11-25"]),
            ("initialize", "/params/capabilities/elicitation/url", &["2025-11-25"]),
            (
                "initialize",
                "/params/capabilities/tasks/requests/sampling/createMessage",
                &["2025-11-25", "2026-07-28"],
            ),
            (
                "initialize",
                "/params/capabilities/tasks/requests/elicitation/create",
                &["2025-11-25", "2026-07-28"],
            ),
            ("initialize", "/params/capabilities/extensions", &["2026-07-28"]),
        ],
    );
}

#[test]
fn answers_of_clients_keep_what_the_revision_knows() {
    check(
        maximal::client_results,
        &[
            (
                "elicitation-create",
                "/result/content/l/1",
                &["2024-11-05", "2025-06-18", "2025-11-25"],
            ),
            ("elicitation-create", "/result/_meta", &["2024-11-05", "2026-07-28"]),
            ("roots-list", "/result/roots/0/_meta", &["2025-06-18"]),
            ("roots-list", "/result/_meta", &["2024-11-05", "2026-07-28"]),
            ("sampling-createMessage", "/result/content/2", &["2025-11-25"]),
            ("sampling-createMessage", "/result/content/text", &["2024-11-05", "2025-11-25"]),
            ("sampling-createMessage", "/result/_meta", &["2024-11-05"]),
        ],
    );
}

#[track_caller]
fn check(messages: fn(Revision) -> Vec<(&'static str, Value)>, rows: &[Row]) {
    let all: Vec<_> =
        Revision::ALL.iter().map(|revision| (revision, messages(*revision))).collect();
    for (name, pointer, changes) in rows {
        let mut expected = false;
        for (revision, messages) in &all {
            expected ^= changes.contains(&revision.as_str());
            let (_, message) = messages.iter().find(|(at, _)| at == name).expect(name);
            let survives = message.pointer(pointer).is_some();
            assert_eq!(survives, expected, "{name} {pointer} in {revision}");
        }
    }
}
