//! How the two sides come to an understanding, or do not.

use proofmark_core::{
    revision::{Era, RequestMethod, Revision},
    session::client::{CallError, Failure, Input, Output, Preference},
};
use serde_json::json;

use crate::link::{Pair, SECOND, offer, profile};

#[test]
fn every_revision_can_be_agreed_on() {
    for revision in Revision::ALL {
        let mut pair = Pair::speaking(*revision);
        let server = pair.client.server().unwrap().clone();
        assert_eq!(server.info.as_ref().unwrap().name, "server", "{revision}");
        assert_eq!(server.instructions.as_deref(), Some("be kind"));
        assert!(server.capabilities.as_ref().unwrap().tools.is_some());
        let call = pair.tool("echo");
        assert_eq!(pair.text(call), "done");
        assert_eq!(pair.breaches(), [] as [&str; 0]);
        pair.close();
    }
}

#[test]
fn a_client_of_both_eras_prefers_the_modern_one() {
    let mut pair = Pair::new(Preference::Auto);
    pair.start();
    assert_eq!(pair.client.server().unwrap().revision, Revision::newest(Era::Modern));
    assert_eq!(pair.upward().log.len(), 1);
    assert_eq!(pair.upward().log[0]["method"], "server/discover");
}

#[test]
fn a_modern_server_without_legacy_is_met_in_the_modern_era() {
    let offer = offer().with_revisions(Revision::of(Era::Modern).collect());
    let mut pair = Pair::with(profile(), offer);
    pair.start();
    assert_eq!(pair.client.server().unwrap().revision, Revision::newest(Era::Modern));
}

#[test]
fn a_legacy_client_of_a_modern_server_fails_and_leaves() {
    let mut profile = profile();
    profile.preference = Preference::Legacy(Revision::newest(Era::Legacy));
    let offer = offer().with_revisions(Revision::of(Era::Modern).collect());
    let mut pair = Pair::with(profile, offer);
    pair.start();
    assert!(matches!(&pair.events[..], [Output::Failed(Failure::Refused(_)), Output::Disconnect]));
}

#[test]
fn a_server_that_names_its_legacy_versions_is_spoken_to_in_the_newest_of_them() {
    let offer = offer().with_revisions(Revision::of(Era::Legacy).collect());
    let mut pair = Pair::with(profile(), offer);
    pair.start();
    assert_eq!(pair.client.server().unwrap().revision, Revision::newest(Era::Legacy));
    assert!(pair.server_events.contains(&"initialized".to_owned()));
}

#[test]
fn a_modern_client_of_a_legacy_server_fails_and_leaves() {
    let mut profile = profile();
    profile.preference = Preference::Modern;
    let offer = offer().with_revisions(Revision::of(Era::Legacy).collect());
    let mut pair = Pair::with(profile, offer);
    pair.start();
    let [Output::Failed(Failure::NoMutualVersion { supported }), Output::Disconnect] =
        &pair.events[..]
    else {
        panic!("{:?}", pair.events)
    };
    assert_eq!(supported.len(), Revision::of(Era::Legacy).count());
}

#[test]
fn silence_means_a_legacy_server() {
    let mut pair = Pair::new(Preference::Auto);
    pair.upward().lose = 1;
    pair.start();
    pair.advance(SECOND * 4);
    assert_eq!(pair.events, []);
    pair.advance(SECOND);
    assert_eq!(pair.client.server().unwrap().revision, Revision::newest(Era::Legacy));
    let methods: Vec<_> = pair.upward().log.iter().map(|it| it["method"].clone()).collect();
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized"]);
}

#[test]
fn a_server_that_answers_the_probe_late_is_modern_all_the_same() {
    let mut pair = Pair::new(Preference::Auto);
    pair.delay = SECOND * 3;
    pair.start();
    pair.advance(SECOND * 20);
    assert_eq!(pair.client.server().unwrap().revision, Revision::newest(Era::Modern));
    assert_eq!(pair.breaches(), [] as [&str; 0]);
}

#[test]
fn a_server_without_the_offered_version_counters_and_the_client_stays() {
    let legacy: Vec<_> = Revision::of(Era::Legacy).collect();
    for theirs in &legacy {
        let mut profile = profile();
        profile.preference = Preference::Legacy(Revision::newest(Era::Legacy));
        let mut pair = Pair::with(profile, offer().with_revisions(vec![*theirs]));
        pair.start();
        assert_eq!(pair.client.server().unwrap().revision, *theirs);
        assert_eq!(pair.server.negotiated(), Some(*theirs));
    }
}

#[test]
fn a_client_that_cannot_live_with_the_counter_offer_leaves() {
    let legacy: Vec<_> = Revision::of(Era::Legacy).collect();
    let mut profile = profile().with_revisions(vec![legacy[0]]);
    profile.preference = Preference::Legacy(legacy[0]);
    let mut pair = Pair::with(profile, offer().with_revisions(vec![legacy[1]]));
    pair.start();
    let version = legacy[1].as_str().to_owned();
    assert_eq!(
        pair.events,
        [Output::Failed(Failure::VersionNotAccepted(version)), Output::Disconnect]
    );
    assert_eq!(pair.upward().log.len(), 1);
}

#[test]
fn a_version_that_does_not_exist_is_not_accepted() {
    for version in ["1999-01-01", Revision::newest(Era::Modern).as_str()] {
        let mut pair = Pair::new(Preference::Legacy(Revision::newest(Era::Legacy)));
        pair.upward().lose = 1;
        pair.start();
        pair.say_to_client(&json!({"jsonrpc": "2.0", "id": 1, "result": {
            "protocolVersion": version, "capabilities": {},
            "serverInfo": {"name": "odd", "version": "1"}}}));
        let failure = Failure::VersionNotAccepted(version.into());
        assert_eq!(pair.events, [Output::Failed(failure), Output::Disconnect]);
    }
}

#[test]
fn a_request_before_initialize_is_refused() {
    let mut pair = Pair::new(Preference::Auto);
    let request = json!({"jsonrpc": "2.0", "id": 77, "method": "tools/list"});
    pair.say_to_server(&request);
    assert_eq!(pair.downward().log[0]["error"]["code"], -32600);
}

#[test]
fn a_call_before_the_conversation_is_not_sent() {
    let mut pair = Pair::new(Preference::Auto);
    let call = pair.tool("echo");
    assert_eq!(*pair.outcome(call), Err(CallError::NotConnected));
    assert!(pair.upward().log.is_empty());
}

#[test]
fn a_link_that_is_cut_during_the_handshake_fails_it() {
    let mut pair = Pair::new(Preference::Auto);
    pair.upward().lose = 1;
    pair.start();
    pair.client_input(Input::Closed);
    assert_eq!(pair.events, [Output::Failed(Failure::Closed)]);
    let call = pair.tool("echo");
    assert_eq!(*pair.outcome(call), Err(CallError::Closed));
}

#[test]
fn the_log_level_can_be_set_at_once() {
    let mut pair = Pair::speaking(Revision::newest(Era::Legacy));
    let call = pair.begin(RequestMethod::LoggingSetLevel, &json!({"level": "error"}));
    pair.run();
    assert!(pair.outcome(call).is_ok());
    pair.tool("log");
    assert!(!pair.events.iter().any(|event| matches!(event, Output::Notified { .. })));
}

#[test]
fn a_modern_server_logs_only_for_clients_that_want_it() {
    let mut pair = Pair::speaking(Revision::newest(Era::Modern));
    pair.tool("log");
    assert!(!pair.events.iter().any(|event| matches!(event, Output::Notified { .. })));
    let mut profile = profile();
    profile.log_level = Some(proofmark_core::types::LoggingLevel::Info);
    let mut pair = Pair::with(profile, offer());
    pair.start();
    pair.tool("log");
    assert!(pair.events.iter().any(|event| matches!(event, Output::Notified { .. })));
}

#[test]
fn every_spelling_of_an_id_comes_back_as_it_went() {
    let mut pair = Pair::speaking(Revision::newest(Era::Legacy));
    for id in [json!(500), json!("500"), json!(""), json!("é\n")] {
        pair.say_to_server(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        assert_eq!(pair.downward().log.last().unwrap()["id"], id);
    }
}

#[test]
fn each_revision_is_told_only_what_it_knows_of_the_client() {
    for revision in Revision::ALL {
        let mut pair = Pair::speaking(*revision);
        let params = pair.upward().log[0]["params"].clone();
        let declared = match revision.era() {
            Era::Legacy => &params["capabilities"],
            Era::Modern => &params["_meta"]["io.modelcontextprotocol/clientCapabilities"],
        };
        let rules = revision.rules();
        assert_eq!(declared["elicitation"].is_object(), rules.elicitation.is_some(), "{revision}");
        let modes = rules.elicitation.is_some_and(|elicitation| elicitation.url_mode);
        assert_eq!(declared["elicitation"]["url"].is_object(), modes, "{revision}");
        assert_eq!(declared["sampling"]["tools"].is_object(), rules.sampling.tools, "{revision}");
        let legacy = revision.era() == Era::Legacy;
        assert_eq!(declared["roots"]["listChanged"].is_boolean(), legacy, "{revision}");
    }
}

#[test]
fn a_server_of_one_revision_is_met_in_it() {
    for revision in Revision::ALL {
        let mut pair = Pair::with(profile(), offer().with_revisions(vec![*revision]));
        pair.start();
        assert_eq!(pair.client.server().unwrap().revision, *revision);
        let call = pair.tool("echo");
        assert_eq!(pair.text(call), "done");
        assert_eq!(pair.breaches(), [] as [&str; 0], "{revision}");
    }
}
