//! Which member survives in which revision, one row each.

use proofmark_core::revision::Revision;
use serde_json::Value;

use super::maximal;

/// In which message, where, and whether each revision, oldest first, has a member there.
///
/// Forms are not touched where the revision has no elicitation: there they are never sent.
type Row = (&'static str, &'static str, [u8; 5]);

#[test]
fn results_keep_what_the_revision_knows() {
    check(
        maximal::results,
        &[
            ("tools-list", "/result/tools/0/title", [0, 0, 1, 1, 1]),
            ("tools-list", "/result/tools/0/icons", [0, 0, 0, 1, 1]),
            ("tools-list", "/result/tools/0/_meta", [0, 0, 1, 1, 1]),
            ("tools-list", "/result/tools/0/annotations", [0, 1, 1, 1, 1]),
            ("tools-list", "/result/tools/0/outputSchema", [0, 0, 1, 1, 1]),
            ("tools-list", "/result/tools/0/execution", [0, 0, 0, 1, 0]),
            ("tools-list", "/result/nextCursor", [1, 1, 1, 1, 1]),
            ("tools-list", "/result/_meta", [1, 1, 1, 1, 1]),
            ("tools-list", "/result/ttlMs", [0, 0, 0, 0, 1]),
            ("tools-list", "/result/cacheScope", [0, 0, 0, 0, 1]),
            ("tools-list", "/result/resultType", [0, 0, 0, 0, 1]),
            ("prompts-list", "/result/prompts/0/title", [0, 0, 1, 1, 1]),
            ("prompts-list", "/result/prompts/0/icons", [0, 0, 0, 1, 1]),
            ("prompts-list", "/result/prompts/0/_meta", [0, 0, 1, 1, 1]),
            ("prompts-list", "/result/prompts/0/arguments/0/title", [0, 0, 1, 1, 1]),
            ("prompts-list", "/result/ttlMs", [0, 0, 0, 0, 1]),
            ("resources-list", "/result/resources/0/title", [0, 0, 1, 1, 1]),
            ("resources-list", "/result/resources/0/icons", [0, 0, 0, 1, 1]),
            ("resources-list", "/result/resources/0/_meta", [0, 0, 1, 1, 1]),
            ("resources-list", "/result/resources/0/annotations/priority", [1, 1, 1, 1, 1]),
            ("resources-list", "/result/resources/0/annotations/lastModified", [0, 0, 1, 1, 1]),
            ("resources-list", "/result/resources/0/size", [1, 1, 1, 1, 1]),
            ("resources-list", "/result/cacheScope", [0, 0, 0, 0, 1]),
            ("resources-templates-list", "/result/resourceTemplates/0/title", [0, 0, 1, 1, 1]),
            ("resources-templates-list", "/result/resourceTemplates/0/icons", [0, 0, 0, 1, 1]),
            (
                "resources-templates-list",
                "/result/resourceTemplates/0/annotations/lastModified",
                [0, 0, 1, 1, 1],
            ),
            ("resources-templates-list", "/result/ttlMs", [0, 0, 0, 0, 1]),
            ("resources-read", "/result/contents/0/_meta", [0, 0, 1, 1, 1]),
            ("resources-read", "/result/contents/1/_meta", [0, 0, 1, 1, 1]),
            ("resources-read", "/result/ttlMs", [0, 0, 0, 0, 1]),
            ("tools-call", "/result/structuredContent", [0, 0, 1, 1, 1]),
            ("tools-call", "/result/isError", [1, 1, 1, 1, 1]),
            ("tools-call", "/result/content/0/_meta", [0, 0, 1, 1, 1]),
            ("tools-call", "/result/content/0/annotations/lastModified", [0, 0, 1, 1, 1]),
            ("tools-call", "/result/content/1/data", [1, 1, 1, 1, 1]),
            ("tools-call", "/result/content/2/data", [0, 1, 1, 1, 1]),
            ("tools-call", "/result/content/2/text", [1, 0, 0, 0, 0]),
            ("tools-call", "/result/content/3/uri", [0, 0, 1, 1, 1]),
            ("tools-call", "/result/content/3/icons", [0, 0, 0, 1, 1]),
            ("tools-call", "/result/content/3/text", [1, 1, 0, 0, 0]),
            ("tools-call", "/result/content/4/resource/_meta", [0, 0, 1, 1, 1]),
            ("prompts-get", "/result/messages/2/content/data", [0, 1, 1, 1, 1]),
            ("prompts-get", "/result/messages/3/content/uri", [0, 0, 1, 1, 1]),
            ("initialize", "/result/serverInfo/title", [0, 0, 1, 1, 1]),
            ("initialize", "/result/serverInfo/icons", [0, 0, 0, 1, 1]),
            ("initialize", "/result/serverInfo/description", [0, 0, 0, 1, 1]),
            ("initialize", "/result/serverInfo/websiteUrl", [0, 0, 0, 1, 1]),
            ("initialize", "/result/capabilities/completions", [0, 1, 1, 1, 1]),
            ("initialize", "/result/capabilities/tasks", [0, 0, 0, 1, 0]),
            ("initialize", "/result/capabilities/tasks/requests/tools/call", [0, 0, 0, 1, 0]),
            ("initialize", "/result/capabilities/extensions", [0, 0, 0, 0, 1]),
            ("initialize", "/result/capabilities/tools/listChanged", [1, 1, 1, 1, 1]),
            ("server-discover", "/result/capabilities/extensions", [0, 0, 0, 0, 1]),
            ("server-discover", "/result/ttlMs", [0, 0, 0, 0, 1]),
            ("completion-complete", "/result/completion/values/99", [1, 1, 1, 1, 1]),
            ("completion-complete", "/result/completion/values/100", [0, 0, 0, 0, 0]),
            ("tools-call.input-required", "/result/inputRequests/e/params/task", [0, 0, 0, 1, 0]),
            ("tools-call.input-required", "/result/inputRequests/e/params/_meta", [1, 1, 1, 1, 0]),
            (
                "tools-call.input-required",
                "/result/inputRequests/s/params/tools/0/execution",
                [0, 0, 0, 1, 0],
            ),
            ("tools-call.task", "/result/task/_meta", [0, 0, 0, 0, 0]),
            ("tools-call.task", "/result/_meta", [1, 1, 1, 1, 1]),
        ],
    );
}

#[test]
fn requests_of_servers_keep_what_the_revision_knows() {
    check(
        maximal::server_requests,
        &[
            ("elicitation-create", "/params/mode", [1, 1, 0, 1, 1]),
            ("elicitation-create", "/params/task", [0, 0, 0, 1, 0]),
            ("elicitation-create", "/params/_meta", [1, 1, 1, 1, 0]),
            ("elicitation-create", "/params/requestedSchema/properties/s/default", [1, 1, 0, 1, 1]),
            ("elicitation-create", "/params/requestedSchema/properties/n/default", [1, 1, 0, 1, 1]),
            ("elicitation-create", "/params/requestedSchema/properties/b/default", [1, 1, 1, 1, 1]),
            ("elicitation-create", "/params/requestedSchema/$schema", [1, 1, 0, 1, 1]),
            ("elicitation-create.url", "/params/elicitationId", [1, 1, 0, 1, 0]),
            ("elicitation-create.url", "/params/task", [0, 0, 0, 1, 0]),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/text/pattern",
                [1, 1, 0, 1, 0],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/plain/default",
                [1, 1, 0, 1, 1],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/plain/enum",
                [1, 1, 1, 1, 1],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/named/enumNames",
                [1, 1, 1, 1, 1],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/titled/oneOf",
                [1, 1, 0, 1, 1],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/titled/enumNames",
                [0, 0, 1, 0, 0],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/many",
                [1, 1, 1, 1, 1],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/many/items",
                [1, 1, 0, 1, 1],
            ),
            (
                "elicitation-create.choices",
                "/params/requestedSchema/properties/more",
                [1, 1, 0, 1, 1],
            ),
            ("sampling-createMessage", "/params/tools", [0, 0, 0, 1, 1]),
            ("sampling-createMessage", "/params/toolChoice", [0, 0, 0, 1, 1]),
            ("sampling-createMessage", "/params/task", [0, 0, 0, 1, 0]),
            ("sampling-createMessage", "/params/messages/0/_meta", [0, 0, 0, 1, 1]),
            ("sampling-createMessage", "/params/messages/0/content/1", [0, 0, 0, 1, 1]),
            ("sampling-createMessage", "/params/messages/2/content/data", [0, 1, 1, 0, 0]),
            (
                "sampling-createMessage",
                "/params/messages/2/content/structuredContent",
                [0, 0, 0, 1, 1],
            ),
            ("sampling-createMessage", "/params/messages/3", [1, 1, 1, 0, 0]),
        ],
    );
}

#[test]
fn notifications_keep_what_the_revision_knows() {
    check(
        maximal::notifications,
        &[
            ("notifications-progress", "/params/message", [0, 1, 1, 1, 1]),
            ("notifications-progress", "/params/total", [1, 1, 1, 1, 1]),
            ("notifications-tasks-status", "/params/resultType", [0, 0, 0, 0, 0]),
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
            ("tools-call", "/params/task", [0, 0, 0, 1, 0]),
            ("tools-call", "/params/inputResponses", [0, 0, 0, 0, 1]),
            ("tools-call", "/params/requestState", [0, 0, 0, 0, 1]),
            ("tools-call", "/params/_meta/progressToken", [1, 1, 1, 1, 1]),
            ("tools-call", "/params/_meta/com.example~1k", [1, 1, 1, 1, 1]),
            ("tools-call", VERSION, [0, 0, 0, 0, 1]),
            ("tools-call", RELATED, [0, 0, 0, 1, 0]),
            ("tools-list", VERSION, [0, 0, 0, 0, 1]),
            ("prompts-get", "/params/inputResponses", [0, 0, 0, 0, 1]),
            ("prompts-get", "/params/requestState", [0, 0, 0, 0, 1]),
            ("resources-read", "/params/inputResponses", [0, 0, 0, 0, 1]),
            ("resources-read", "/params/requestState", [0, 0, 0, 0, 1]),
            ("completion-complete", "/params/context", [0, 0, 1, 1, 1]),
            ("completion-complete", "/params/ref/title", [0, 0, 1, 1, 1]),
            ("initialize", "/params/clientInfo/title", [0, 0, 1, 1, 1]),
            ("initialize", "/params/clientInfo/websiteUrl", [0, 0, 0, 1, 1]),
            ("initialize", "/params/capabilities/roots/listChanged", [1, 1, 1, 1, 0]),
            ("initialize", "/params/capabilities/sampling", [1, 1, 1, 1, 1]),
            ("initialize", "/params/capabilities/sampling/tools", [0, 0, 0, 1, 1]),
            ("initialize", "/params/capabilities/sampling/context", [0, 0, 0, 1, 1]),
            ("initialize", "/params/capabilities/elicitation", [0, 0, 1, 1, 1]),
            ("initialize", "/params/capabilities/elicitation/form", [0, 0, 0, 1, 1]),
            ("initialize", "/params/capabilities/elicitation/url", [0, 0, 0, 1, 1]),
            (
                "initialize",
                "/params/capabilities/tasks/requests/sampling/createMessage",
                [0, 0, 0, 1, 0],
            ),
            (
                "initialize",
                "/params/capabilities/tasks/requests/elicitation/create",
                [0, 0, 0, 1, 0],
            ),
            ("initialize", "/params/capabilities/extensions", [0, 0, 0, 0, 1]),
        ],
    );
}

#[test]
fn answers_of_clients_keep_what_the_revision_knows() {
    check(
        maximal::client_results,
        &[
            ("elicitation-create", "/result/content/l/1", [1, 1, 0, 1, 1]),
            ("elicitation-create", "/result/_meta", [1, 1, 1, 1, 0]),
            ("roots-list", "/result/roots/0/_meta", [0, 0, 1, 1, 1]),
            ("roots-list", "/result/_meta", [1, 1, 1, 1, 0]),
            ("sampling-createMessage", "/result/content/2", [0, 0, 0, 1, 1]),
            ("sampling-createMessage", "/result/content/text", [1, 1, 1, 0, 0]),
            ("sampling-createMessage", "/result/_meta", [1, 1, 1, 1, 1]),
        ],
    );
}

#[track_caller]
fn check(messages: fn(Revision) -> Vec<(&'static str, Value)>, rows: &[Row]) {
    let all: Vec<_> = Revision::ALL.iter().map(|revision| messages(*revision)).collect();
    for (name, pointer, expected) in rows {
        let survives: Vec<u8> = all
            .iter()
            .map(|messages| {
                let (_, message) = messages.iter().find(|(at, _)| at == name).expect(name);
                message.pointer(pointer).is_some().into()
            })
            .collect();
        assert_eq!(survives, expected, "{name} {pointer}");
    }
}
