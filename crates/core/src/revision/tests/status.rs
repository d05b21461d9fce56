//! The HTTP status for every situation, and how firmly it is stated.

use super::row;
use crate::revision::{
    Basis::{Absent, AnyError, Chosen, May, Must, Should},
    Status, Statuses,
};

macro_rules! situations {
    ($($name:ident: $field:ident = [$(($code:literal, $basis:ident)),+];)+) => {
        $(
            #[test]
            fn $name() {
                row(
                    |rules| rules.http.status.$field,
                    [$(Status { code: $code, basis: $basis }),+],
                );
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
    an_answer_is_ok: answered =
        [(200, Chosen), (200, Chosen), (200, Chosen), (200, Chosen), (200, Chosen)];
    a_notification_is_accepted: notification_accepted =
        [(202, Chosen), (202, Must), (202, Must), (202, Must), (202, Must)];
    a_response_is_accepted_while_clients_have_any: response_accepted =
        [(202, Chosen), (202, Must), (202, Must), (202, Must), (400, Absent)];
    a_notification_is_refused_with_some_error: notification_refused =
        [(400, Chosen), (400, AnyError), (400, AnyError), (400, AnyError), (400, AnyError)];
    an_ordinary_error_has_no_status_of_its_own: error =
        [(200, Chosen), (200, Chosen), (200, Chosen), (200, Chosen), (200, Chosen)];
    an_unknown_method_is_not_found_in_the_modern_era: method_not_found =
        [(200, Chosen), (200, Chosen), (200, Chosen), (200, Chosen), (404, Must)];
    missing_metadata_is_a_bad_request: meta_missing =
        [(400, Absent), (400, Absent), (400, Absent), (400, Absent), (400, Must)];
    a_missing_capability_is_a_bad_request: capability_missing =
        [(400, Absent), (400, Absent), (400, Absent), (400, Absent), (400, Must)];
    an_unsupported_version_is_a_bad_request_since_it_has_a_header: version_unsupported =
        [(400, Absent), (400, Absent), (400, Must), (400, Must), (400, Must)];
    a_missing_version_header_is_forgiven_until_the_modern_era: version_header_missing =
        [(200, Absent), (200, Absent), (200, Should), (200, Should), (400, Must)];
    a_header_that_contradicts_the_body_is_a_bad_request: header_mismatch =
        [(400, Absent), (400, Absent), (400, Chosen), (400, Chosen), (400, Must)];
    a_missing_session_is_a_bad_request: session_missing =
        [(400, Chosen), (400, Should), (400, Should), (400, Should), (400, Absent)];
    an_ended_session_is_not_found: session_unknown =
        [(404, Chosen), (404, Must), (404, Must), (404, Must), (404, Absent)];
    get_without_a_stream_is_not_allowed: get_unsupported =
        [(405, Chosen), (405, Must), (405, Must), (405, Must), (405, Should)];
    delete_may_be_not_allowed: delete_unsupported =
        [(405, Chosen), (405, May), (405, May), (405, May), (405, Should)];
    a_deleted_session_leaves_nothing_to_say: deleted =
        [(204, Chosen), (204, Chosen), (204, Chosen), (204, Chosen), (405, Absent)];
    a_foreign_origin_is_forbidden: origin_refused =
        [(403, Chosen), (403, Chosen), (403, Chosen), (403, Must), (403, Must)];
    a_missing_token_is_unauthorized: unauthorized =
        [(401, Chosen), (401, Must), (401, Must), (401, Must), (401, Must)];
    a_narrow_token_is_forbidden: scope_insufficient =
        [(403, Chosen), (403, Must), (403, Must), (403, Must), (403, Must)];
    a_malformed_authorization_is_a_bad_request: authorization_malformed =
        [(400, Chosen), (400, Must), (400, Must), (400, Must), (400, Must)];
    nothing_acceptable_has_no_stated_status: not_acceptable =
        [(406, Chosen), (406, Chosen), (406, Chosen), (406, Chosen), (406, Chosen)];
    a_foreign_content_type_has_no_stated_status: wrong_content_type =
        [(415, Chosen), (415, Chosen), (415, Chosen), (415, Chosen), (415, Chosen)];
    broken_json_has_no_stated_status: parse_error =
        [(400, Chosen), (400, Chosen), (400, Chosen), (400, Chosen), (400, Chosen)];
    a_batch_is_refused_except_where_it_is_accepted: batch_refused =
        [(400, Chosen), (400, Absent), (400, Chosen), (400, Chosen), (400, Chosen)];
}
