//! Framing, ids, results, cancellation, errors, schemas and standard input and output.

use super::row;
use crate::jsonrpc::ErrorCode;
use crate::revision::{
    Batches::{self, Accepted, Removed},
    CancellationRules, CodeRanges, Dialect,
    ErrorWithoutId::{HttpRejection, Never, UnreadableId},
    IdReuse,
    Level::{Must, Should, Unstated},
    PerConnection, RequestMethod, Requests, SchemaLimits, ServerCancels, StdioRules, Termination,
    VersionRefusal::{CounterOffer, Error},
};

#[test]
fn batches_came_and_went_in_one_revision() {
    row(|rules| rules.batches, [Batches::Unstated, Accepted, Removed, Removed, Removed]);
    row(|rules| rules.batches.accepted(), [false, true, false, false, false]);
}

#[test]
fn utf8_is_demanded_since_streamable_http() {
    row(|rules| rules.utf8, [Unstated, Must, Must, Must, Must]);
}

#[test]
fn an_id_is_free_again_once_sessions_are_gone() {
    let never = IdReuse::Never;
    row(|rules| rules.id_reuse, [never, never, never, never, IdReuse::OnceAnswered]);
}

#[test]
fn an_error_may_lack_its_id_more_and_more_often() {
    let expected = [Never, HttpRejection, HttpRejection, UnreadableId, UnreadableId];
    row(|rules| rules.error_without_id, expected);
}

#[test]
fn modern_requests_cannot_do_without_params() {
    row(|rules| rules.params_required, [false, false, false, false, true]);
}

#[test]
fn modern_results_name_their_type_and_their_server() {
    row(|rules| rules.result.result_type, [false, false, false, false, true]);
    row(|rules| rules.result.server_info, [false, false, false, false, true]);
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
    let none = Requests::NONE;
    row(|rules| rules.result.cache_hints, [none, none, none, none, kept]);
}

#[test]
fn what_was_negotiated_became_binding() {
    row(|rules| rules.negotiated_only, [Should, Should, Must, Must, Must]);
}

#[test]
fn cancellation_follows_the_direction_of_requests() {
    let first = CancellationRules {
        by_server: ServerCancels::OwnRequests,
        not_for_tasks: false,
        id_optional_in_schema: false,
        silences_request: false,
    };
    let with_tasks =
        CancellationRules { not_for_tasks: true, id_optional_in_schema: true, ..first };
    let modern = CancellationRules {
        by_server: ServerCancels::Subscriptions,
        not_for_tasks: true,
        id_optional_in_schema: false,
        silences_request: true,
    };
    row(|rules| rules.cancellation, [first, first, first, with_tasks, modern]);
}

#[test]
fn giving_up_should_cancel_since_timeouts_have_a_section() {
    row(|rules| rules.timeout_cancels, [Unstated, Should, Should, Should, Should]);
}

#[test]
fn progress_has_a_message_since_its_second_revision() {
    row(|rules| rules.progress_message, [false, true, true, true, true]);
}

#[test]
fn a_modern_cursor_may_be_empty() {
    row(|rules| rules.empty_cursor, [false, false, false, false, true]);
}

#[test]
fn modern_lists_are_the_same_on_every_connection() {
    let unstated = PerConnection::Unstated;
    let expected = [unstated, unstated, unstated, unstated, PerConnection::Forbidden];
    row(|rules| rules.lists_per_connection, expected);
}

#[test]
fn each_revision_defines_its_own_codes() {
    let first: &[i64] = &[-32002, -1];
    let with_urls: &[i64] = &[-32042, -32002, -1];
    let modern: &[i64] = &[-32022, -32021, -32020];
    let expected = [first, first, first, with_urls, modern].map(<[i64]>::to_vec);
    row(|rules| numbers(rules.error_codes), expected);
}

#[test]
fn retired_codes_are_those_of_the_legacy_servers() {
    let expected = [vec![], vec![], vec![], vec![], vec![-32042, -32002]];
    row(|rules| numbers(rules.retired_error_codes), expected);
}

#[test]
fn a_missing_resource_is_a_bad_parameter_since_the_modern_era() {
    let expected = [-32002, -32002, -32002, -32002, -32602];
    row(|rules| rules.resource_not_found.0, expected);
}

#[test]
fn the_range_of_server_errors_is_divided_in_the_modern_era() {
    let open = CodeRanges::Unstated;
    row(|rules| rules.code_ranges, [open, open, open, open, CodeRanges::Partitioned]);
}

#[test]
fn a_request_that_explains_itself_badly_is_refused_with_a_code() {
    let modern = |code| [None, None, None, None, Some(ErrorCode(code))];
    row(|rules| rules.refusals.meta_missing, modern(-32602));
    row(|rules| rules.refusals.capability_missing, modern(-32021));
    row(|rules| rules.refusals.header_mismatch, modern(-32020));
    row(
        |rules| rules.refusals.version_unsupported,
        [CounterOffer, CounterOffer, CounterOffer, CounterOffer, Error(ErrorCode(-32022))],
    );
}

#[test]
fn schemas_have_a_dialect_and_later_guards() {
    let dialect = Dialect::Draft2020_12;
    let none = Dialect::Unstated;
    row(|rules| rules.schema_dialect, [none, none, none, dialect, dialect]);
    let open = SchemaLimits::Unstated;
    row(|rules| rules.schema_limits, [open, open, open, open, SchemaLimits::Guarded]);
}

#[test]
fn processes_end_more_gently_over_time() {
    let first = StdioRules {
        exits_on_end_of_input: Unstated,
        termination: Termination::Signals,
        restarts: Unstated,
        stderr_is_no_failure: Unstated,
    };
    let calmer = StdioRules { stderr_is_no_failure: Should, ..first };
    let modern = StdioRules {
        exits_on_end_of_input: Should,
        termination: Termination::Platform,
        restarts: Should,
        stderr_is_no_failure: Should,
    };
    row(|rules| rules.stdio, [first, first, first, calmer, modern]);
}

fn numbers(codes: &[ErrorCode]) -> Vec<i64> {
    super::sorted(&codes.iter().map(|code| code.0).collect::<Vec<_>>())
}
