//! Batches, results, metadata, cancellation, errors and schemas.

use super::{history, sorted};
use crate::jsonrpc::ErrorCode;
use crate::revision::{
    Batches::{self, Accepted, Removed},
    Dialect, RequestMethod, Requests,
    Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28},
    ServerCancels,
};

#[test]
fn batches_came_and_went_in_one_revision() {
    history(
        |rules| rules.batches,
        Batches::Unstated,
        [(V2025_03_26, Accepted), (V2025_06_18, Removed)],
    );
    history(|rules| rules.batches.accepted(), false, [(V2025_03_26, true), (V2025_06_18, false)]);
}

#[test]
fn modern_results_name_their_type_and_their_server() {
    history(|rules| rules.result.result_type, false, [(V2026_07_28, true)]);
}

#[test]
fn modern_lists_reads_and_discovery_say_how_long_they_keep() {
    let kept = Requests::of(&[
        RequestMethod::ServerDiscover,
        RequestMethod::ToolsList,
        RequestMethod::PromptsList,
        RequestMethod::ResourcesList,
        RequestMethod::ResourcesTemplatesList,
        RequestMethod::ResourcesRead,
        RequestMethod::SkillsList,
        RequestMethod::SkillsGet,
    ]);
    history(|rules| rules.result.cache_hints, Requests::NONE, [(V2026_07_28, kept)]);
}

#[test]
fn modern_requests_explain_themselves() {
    let required = ["clientCapabilities", "protocolVersion"]
        .map(|key| format!("io.modelcontextprotocol/{key}"))
        .to_vec();
    history(|rules| keys(rules.meta.required), vec![], [(V2026_07_28, required)]);
    history(
        |rules| keys(rules.meta.recommended),
        vec![],
        [(V2026_07_28, vec!["io.modelcontextprotocol/clientInfo".to_owned()])],
    );
    let with_level = ["io.modelcontextprotocol/logLevel", "progressToken"];
    history(
        |rules| keys(rules.meta.optional),
        vec!["progressToken".to_owned()],
        [(V2026_07_28, keys(&with_level))],
    );
}

#[test]
fn objects_have_metadata_since_its_keys_have_a_grammar() {
    history(|rules| rules.meta.on_objects, false, [(V2025_06_18, true)]);
}

#[test]
fn trace_context_is_the_exception_without_a_prefix() {
    let trace = keys(&["baggage", "traceparent", "tracestate"]);
    history(|rules| keys(rules.meta.trace_context), vec![], [(V2026_07_28, trace)]);
}

#[test]
fn cancellation_follows_the_direction_of_requests() {
    history(
        |rules| rules.server_cancels,
        ServerCancels::OwnRequests,
        [(V2026_07_28, ServerCancels::Subscriptions)],
    );
}

#[test]
fn progress_has_a_message_since_its_second_revision() {
    history(|rules| rules.progress_message, false, [(V2025_03_26, true)]);
}

#[test]
fn each_revision_defines_its_own_codes() {
    history(
        |rules| sorted(&rules.error_codes.iter().map(|code| code.0).collect::<Vec<_>>()),
        vec![-32002, -1],
        [(V2025_11_25, vec![-32042, -32002, -1]), (V2026_07_28, vec![-32022, -32021, -32020])],
    );
}

#[test]
fn a_missing_resource_is_a_bad_parameter_since_the_modern_era() {
    history(
        |rules| rules.resource_not_found,
        ErrorCode(-32002),
        [(V2026_07_28, ErrorCode(-32602))],
    );
}

#[test]
fn schemas_have_a_dialect() {
    history(
        |rules| rules.schema_dialect,
        Dialect::Unstated,
        [(V2025_11_25, Dialect::Draft2020_12)],
    );
}

fn keys(keys: &[&str]) -> Vec<String> {
    sorted(keys).into_iter().map(str::to_owned).collect()
}
