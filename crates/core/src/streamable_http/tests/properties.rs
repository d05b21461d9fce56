use std::net::{IpAddr, SocketAddr};

use proptest::prelude::*;

use super::*;

/// Headers that admission looks at, with values near those it knows.
fn headers() -> impl Strategy<Value = HeaderMap> {
    let name = prop::sample::select(vec![
        "host",
        "origin",
        "accept",
        "content-type",
        "content-length",
        "mcp-session-id",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "last-event-id",
    ]);
    let known = prop::sample::select(vec![
        "localhost",
        "http://localhost",
        "*/*",
        "application/json",
        "12",
        "2026-07-28",
        "2025-06-18",
        "tools/call",
        "a",
        "=?base64?YQ==?=",
        "=?base64?!?=",
    ]);
    let any_value = prop::collection::vec(prop_oneof![Just(b'\t'), 32..127u8, 128..=255u8], 0..24);
    let value = prop_oneof![known.prop_map(|it| it.as_bytes().to_vec()), any_value];
    prop::collection::vec((name, value), 0..12).prop_map(|pairs| {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_bytes(&value).unwrap());
        }
        headers
    })
}

fn body() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"_meta":7}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        "[",
        "]",
        ",",
        "{",
        "7",
    ]);
    prop::collection::vec(fragment, 0..4).prop_map(|fragments| fragments.concat())
}

fn fact() -> impl Strategy<Value = SessionFact> {
    let revision = prop::sample::select(Revision::ALL).prop_map(live);
    prop_oneof![Just(SessionFact::Absent), Just(SessionFact::Unknown), revision]
}

fn policy() -> impl Strategy<Value = Policy> {
    let revisions = prop::sample::subsequence(Revision::ALL, 0..=Revision::ALL.len());
    let kinds = prop::sample::select(vec![Sessions::Off, Sessions::Optional, Sessions::Required]);
    (revisions, kinds).prop_map(|(revisions, sessions)| Policy {
        revisions: revisions.into(),
        sessions,
        ..Policy::default()
    })
}

proptest! {
    #[test]
    fn whatever_is_sent_is_admitted_in_a_served_revision_or_refused_as_the_senders_fault(
        headers in headers(),
        body in body(),
        session in fact(),
        policy in policy(),
    ) {
        let method = Method::POST;
        let uri = Uri::from_static("/mcp");
        let head = Head { method: &method, uri: &uri, headers: &headers };
        let mut rejections = Vec::new();
        rejections.extend(admit_head(&head, &policy).err());
        rejections.extend(admit_get(&head, session, &policy).err());
        rejections.extend(admit_delete(&head, session, &policy).err());
        let parsed = jsonrpc::parse(body.as_bytes(), &Limits::default());
        match admit_post(&head, parsed.as_ref(), session, &policy) {
            Ok(admission) => {
                let revision = admission.conversation.revision();
                let in_session = matches!(admission.conversation, Conversation::Legacy { .. });
                prop_assert!(in_session || revision.is_none_or(|it| policy.serves(it)));
            }
            Err(rejection) => rejections.push(rejection),
        }
        for rejection in rejections {
            prop_assert!(rejection.status.is_client_error());
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&rejection.body()).is_ok());
        }
    }

    #[test]
    fn no_host_but_loopback_passes_the_default(
        host in "(127|0|1)?[.]?(localhost|evil|0[.]0[.]1|[0-9.]{0,8}|\\[?::1\\]?)[.@]?(:[0-9]{0,6})?",
    ) {
        if post("").with("host", &host).admit_head().is_ok() {
            let name = host.strip_prefix("localhost").map(|rest| rest.strip_prefix(':').unwrap_or(rest));
            let named = name.is_some_and(|port| port.is_empty() || port.parse::<u16>().is_ok());
            let address = host.parse().map(|it: SocketAddr| it.ip()).or_else(|_| {
                host.trim_matches(['[', ']']).parse::<IpAddr>()
            });
            prop_assert!(named || address.is_ok_and(|it| it.is_loopback()), "{host}");
        }
    }
}
