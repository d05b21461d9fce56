//! The transports over HTTP, and the status for every situation.

use super::history;
use crate::revision::{
    Disconnect::{Cancels, Continues},
    EarlyClose::{self, Discouraged, WithRetry},
    PostedNotifications::{self, All},
    RequestMethod, Requests,
    Resumption::{Gone, Optional, Pollable},
    Revision,
    Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28},
    SseFallback::{AnyClientError, Listed, ListedUnlessModern},
    Statuses, VersionHeader,
};

#[test]
fn clients_look_for_the_old_transport_more_carefully_over_time() {
    history(
        |rules| rules.http.sse_fallback,
        AnyClientError,
        [(V2025_11_25, Listed), (V2026_07_28, ListedUnlessModern)],
    );
}

#[test]
fn the_modern_era_only_posts() {
    history(|rules| rules.http.get_stream, true, [(V2026_07_28, false)]);
    history(|rules| rules.http.sessions, true, [(V2026_07_28, false)]);
}

#[test]
fn clients_post_notifications_until_the_modern_era() {
    history(
        |rules| rules.http.client_notifications,
        All,
        [(V2026_07_28, PostedNotifications::None)],
    );
}

#[test]
fn streams_can_be_resumed_then_polled_then_neither() {
    history(
        |rules| rules.http.resumption,
        Optional,
        [(V2025_11_25, Pollable), (V2026_07_28, Gone)],
    );
}

#[test]
fn streams_stay_open_until_their_response_except_where_they_are_polled() {
    history(
        |rules| rules.http.early_close,
        Discouraged,
        [(V2025_11_25, WithRetry), (V2026_07_28, EarlyClose::Never)],
    );
}

#[test]
fn a_lost_connection_cancels_only_in_the_modern_era() {
    history(|rules| rules.http.disconnect, Continues, [(V2026_07_28, Cancels)]);
}

#[test]
fn the_version_header_is_needed_ever_more_often() {
    history(
        |rules| rules.http.version_header,
        VersionHeader::Unstated,
        [
            (V2025_03_26, VersionHeader::MetadataDiscovery),
            (V2025_06_18, VersionHeader::AfterInitialize { assumed: Revision::ASSUMED_OVER_HTTP }),
            (V2026_07_28, VersionHeader::Always),
        ],
    );
}

#[test]
fn modern_headers_repeat_the_body() {
    history(|rules| rules.http.routing_headers, false, [(V2026_07_28, true)]);
    let named = Requests::of(&[
        RequestMethod::ToolsCall,
        RequestMethod::ResourcesRead,
        RequestMethod::PromptsGet,
        RequestMethod::TasksCancel,
        RequestMethod::TasksGet,
        RequestMethod::TasksUpdate,
    ]);
    history(|rules| rules.http.name_header, Requests::NONE, [(V2026_07_28, named)]);
}

#[test]
fn modern_streams_ask_not_to_be_buffered() {
    history(|rules| rules.http.unbuffered, false, [(V2026_07_28, true)]);
}

macro_rules! situations {
    ($($name:ident: $field:ident = $first:literal $(, $since:ident = $changed:literal)*;)+) => {
        $(
            #[test]
            fn $name() {
                history(|rules| rules.http.status.$field, $first, [$(($since, $changed))*]);
            }
        )+

        /// Fails to compile when a situation has no row.
        #[expect(dead_code, reason = "it is the pattern that matters")]
        fn no_situation_is_left_out(statuses: Statuses) {
            let Statuses { $($field: _),+ } = statuses;
        }
    };
}

situations! {
    an_answer_is_ok: answered = 200;
    a_notification_is_accepted: notification_accepted = 202;
    a_response_is_accepted_while_clients_have_any: response_accepted = 202, V2026_07_28 = 400;
    a_notification_is_refused_with_some_error: notification_refused = 400;
    an_ordinary_error_has_no_status_of_its_own: error = 200;
    an_unknown_method_is_not_found_in_the_modern_era: method_not_found = 200, V2026_07_28 = 404;
    missing_metadata_is_a_bad_request: meta_missing = 400;
    a_missing_capability_is_a_bad_request: capability_missing = 400;
    an_unsupported_version_is_a_bad_request: version_unsupported = 400;
    a_missing_version_header_is_forgiven_until_the_modern_era:
        version_header_missing = 200, V2026_07_28 = 400;
    a_header_that_contradicts_the_body_is_a_bad_request: header_mismatch = 400;
    a_missing_session_is_a_bad_request: session_missing = 400;
    an_ended_session_is_not_found: session_unknown = 404;
    get_without_a_stream_is_not_allowed: get_unsupported = 405;
    delete_may_be_not_allowed: delete_unsupported = 405;
    a_deleted_session_leaves_nothing_to_say: deleted = 204, V2026_07_28 = 405;
    a_foreign_origin_is_forbidden: origin_refused = 403;
    nothing_acceptable_is_not_acceptable: not_acceptable = 406;
    a_foreign_content_type_is_unsupported: wrong_content_type = 415;
    broken_json_is_a_bad_request: parse_error = 400;
    a_batch_is_a_bad_request_where_it_is_refused: batch_refused = 400;
}
