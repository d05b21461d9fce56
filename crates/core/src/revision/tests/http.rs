//! The transports over HTTP.

use super::row;
use crate::revision::{
    Disconnect::{Cancels, Continues},
    EarlyClose::{self, Discouraged, WithRetry},
    HttpSse::{Defined, Deprecated, OldClientsOnly},
    PostedNotifications::{self, All},
    RequestMethod, Requests,
    Resumption::{Gone, Optional, Pollable},
    Revision,
    SseFallback::{AnyClientError, Listed, ListedUnlessModern},
    VersionHeader,
};

#[test]
fn streamable_http_came_second() {
    row(|rules| rules.http.defined, [false, true, true, true, true]);
}

#[test]
fn http_with_sse_is_hosted_for_old_clients_ever_since() {
    let expected = [Defined, Deprecated, Deprecated, Deprecated, OldClientsOnly];
    row(|rules| rules.http_sse, expected);
}

#[test]
fn clients_look_for_the_old_transport_more_carefully_over_time() {
    let expected = [AnyClientError, AnyClientError, AnyClientError, Listed, ListedUnlessModern];
    row(|rules| rules.http.sse_fallback, expected);
}

#[test]
fn the_modern_era_only_posts() {
    row(|rules| rules.http.get_stream, [true, true, true, true, false]);
    row(|rules| rules.http.sessions, [true, true, true, true, false]);
}

#[test]
fn the_session_header_changed_its_spelling_once() {
    let usual = "Mcp-Session-Id";
    row(|rules| rules.http.session_header, [usual, usual, usual, "MCP-Session-Id", usual]);
}

#[test]
fn servers_ask_and_clients_answer_over_http_until_the_modern_era() {
    row(|rules| rules.http.server_requests, [true, true, true, true, false]);
    row(|rules| rules.http.client_responses, [true, true, true, true, false]);
    row(|rules| rules.http.client_notifications, [All, All, All, All, PostedNotifications::None]);
}

#[test]
fn streams_can_be_resumed_then_polled_then_neither() {
    row(|rules| rules.http.resumption, [Optional, Optional, Optional, Pollable, Gone]);
}

#[test]
fn streams_stay_open_until_their_response_except_where_they_are_polled() {
    let expected = [Discouraged, Discouraged, Discouraged, WithRetry, EarlyClose::Never];
    row(|rules| rules.http.early_close, expected);
}

#[test]
fn a_lost_connection_cancels_only_in_the_modern_era() {
    let expected = [Continues, Continues, Continues, Continues, Cancels];
    row(|rules| rules.http.disconnect, expected);
}

#[test]
fn the_version_header_is_needed_ever_more_often() {
    let after = VersionHeader::AfterInitialize { assumed: Revision::V2025_03_26 };
    let expected = [
        VersionHeader::Unstated,
        VersionHeader::MetadataDiscovery,
        after,
        after,
        VersionHeader::Always,
    ];
    row(|rules| rules.http.version_header, expected);
}

#[test]
fn modern_headers_repeat_the_body() {
    row(|rules| rules.http.routing_headers, [false, false, false, false, true]);
    let none = Requests::NONE;
    let named = Requests::of(&[
        RequestMethod::ToolsCall,
        RequestMethod::ResourcesRead,
        RequestMethod::PromptsGet,
        RequestMethod::TasksCancel,
        RequestMethod::TasksGet,
        RequestMethod::TasksUpdate,
    ]);
    row(|rules| rules.http.name_header, [none, none, none, none, named]);
}

#[test]
fn modern_streams_ask_not_to_be_buffered() {
    row(|rules| rules.http.unbuffered, [false, false, false, false, true]);
}
