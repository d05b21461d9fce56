//! How each request finds its era and revision, and what is refused on the way.

use super::*;
use crate::types::InputRequiredResult;

#[test]
fn every_legacy_version_is_echoed() {
    for revision in Revision::of(Era::Legacy) {
        let mut bench = Bench::new();
        let seen = bench.receive(&initialize(revision.as_str(), &json!({})));
        assert_eq!(seen.only()["result"]["protocolVersion"], revision.as_str());
        assert_eq!(seen.events, [format!("negotiated {revision}")]);
        assert_eq!(bench.session.negotiated(), Some(revision));
    }
}

#[test]
fn an_unknown_version_is_countered_and_never_echoed() {
    for version in ["1999-01-01", "", "latest", modern_version()] {
        let mut bench = Bench::new();
        let seen = bench.receive(&initialize(version, &json!({})));
        assert_eq!(seen.only()["result"]["protocolVersion"], newest_legacy(), "{version:?}");
    }
}

#[test]
fn a_second_initialize_is_refused_and_changes_nothing() {
    let mut bench = Bench::agreed(newest_legacy(), &everything());
    let oldest = Revision::of(Era::Legacy).next().unwrap().as_str();
    assert_eq!(bench.receive(&initialize(oldest, &json!({}))).code(), -32600);
    assert_eq!(bench.session.negotiated().unwrap().as_str(), newest_legacy());
    assert!(bench.session.client().unwrap().capabilities.roots.is_some());
}

#[test]
fn a_level_that_does_not_exist_is_refused_in_the_era_that_the_request_names() {
    let mut bench = Bench::new();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": modern_version(),
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/logLevel": "no-such-level"});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list",
        "params": {"_meta": meta}});
    assert_eq!(bench.receive(&request).code(), -32602);
}

#[test]
fn before_initialize_only_a_ping_is_answered() {
    let mut bench = Bench::new();
    assert_eq!(bench.receive(&legacy(1, "ping", &json!({}))).only()["result"], json!({}));
    assert_eq!(bench.receive(&call(2)).code(), -32600);
}

#[test]
fn the_log_level_may_be_set_before_the_client_says_it_is_ready() {
    let mut bench = Bench::new();
    bench.receive(&initialize(newest_legacy(), &json!({})));
    let seen = bench.receive(&legacy(1, "logging/setLevel", &json!({"level": "error"})));
    assert_eq!(seen.only()["result"], json!({}));
}

#[test]
fn the_handshake_is_complete_once() {
    let mut bench = Bench::new();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert!(bench.receive(&ready).is_nothing());
    bench.receive(&initialize(newest_legacy(), &json!({})));
    assert_eq!(bench.receive(&ready).events, ["initialized"]);
    assert!(bench.receive(&ready).is_nothing());
}

#[test]
fn an_unsupported_modern_version_is_refused_with_what_is_supported() {
    let mut bench = Bench::new();
    let mut request = modern(1, "tools/list", json!({}), &json!({}));
    let key = "io.modelcontextprotocol/protocolVersion";
    for version in ["1900-01-01", newest_legacy()] {
        request["params"]["_meta"][key] = version.into();
        let seen = bench.receive(&request);
        assert_eq!((seen.code(), seen.statuses[0]), (-32022, 400));
        let data = &seen.only()["error"]["data"];
        assert_eq!(data["requested"], version);
        assert_eq!(data["supported"][0], modern_version());
        assert_eq!(data["supported"].as_array().unwrap().len(), Revision::ALL.len());
    }
}

#[test]
fn a_modern_request_without_capabilities_is_refused() {
    let mut bench = Bench::new();
    let mut request = modern(1, "tools/list", json!({}), &json!({}));
    let meta = request["params"]["_meta"].as_object_mut().unwrap();
    meta.remove("io.modelcontextprotocol/clientCapabilities");
    let seen = bench.receive(&request);
    assert_eq!((seen.code(), seen.statuses[0]), (-32602, 400));
    let seen = bench.receive(&modern(1, "tools/list", json!({}), &json!({"roots": 7})));
    assert_eq!(seen.code(), -32602);
}

#[test]
fn an_unknown_method_is_not_found_by_status_only_in_the_modern_era() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    let seen = bench.receive(&legacy(1, "no/such", &json!({})));
    assert_eq!((seen.code(), seen.statuses[0]), (-32601, 200));
    let seen = bench.receive(&modern(2, "no/such", json!({}), &json!({})));
    assert_eq!((seen.code(), seen.statuses[0]), (-32601, 404));
}

#[test]
fn methods_that_the_modern_era_removed_are_not_found_there() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/result",
        "tasks/list",
    ] {
        let params = json!({"level": "info", "uri": "a:b", "taskId": "t",
            "protocolVersion": "x", "capabilities": {},
            "clientInfo": {"name": "n", "version": "1"}});
        let seen = bench.receive(&modern(1, method, params, &json!({})));
        assert_eq!((seen.code(), seen.statuses[0]), (-32601, 404), "{method}");
    }
}

#[test]
fn methods_of_the_modern_era_are_not_found_before_it() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    for (method, params) in [
        ("server/discover", json!({})),
        ("subscriptions/listen", json!({"notifications": {}})),
        ("tasks/update", json!({"taskId": "t", "inputResponses": {}})),
    ] {
        assert_eq!(bench.receive(&legacy(1, method, &params)).code(), -32601, "{method}");
    }
}

#[test]
fn both_eras_are_served_on_one_connection() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    bench.receive(&modern(2, "tools/call", json!({"name": "t"}), &json!({})));
    assert_eq!(bench.finish(2).only()["result"]["resultType"], "complete");
    assert_eq!(bench.finish(1).only()["result"], json!({}));
}

#[test]
fn discovery_names_every_version_and_who_answers() {
    let mut bench = Bench::new();
    let seen = bench.receive(&modern(1, "server/discover", json!({}), &json!({})));
    let result = &seen.only()["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["supportedVersions"][0], modern_version());
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "bench");
    assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string());
}

#[test]
fn a_server_without_the_legacy_era_names_its_versions_to_a_legacy_client() {
    let mut bench = Bench::with(offer().with_revisions(Revision::of(Era::Modern).collect()));
    let seen = bench.receive(&initialize(newest_legacy(), &json!({})));
    assert_eq!((seen.code(), seen.statuses[0]), (-32022, 400));
    let data = &seen.only()["error"]["data"];
    let supported: Vec<_> = Revision::of(Era::Modern).rev().collect();
    assert_eq!(*data, json!({"supported": supported, "requested": newest_legacy()}));
}

#[test]
fn a_server_without_the_legacy_era_wants_a_version_on_each_request() {
    let mut bench = Bench::with(offer().with_revisions(Revision::of(Era::Modern).collect()));
    for method in ["tools/list", "ping"] {
        let seen = bench.receive(&legacy(1, method, &json!({})));
        assert_eq!((seen.code(), seen.statuses[0]), (-32602, 400), "{method}");
    }
}

#[test]
fn a_server_without_the_modern_era_does_not_know_its_version() {
    let mut bench = Bench::with(offer().with_revisions(Revision::of(Era::Legacy).collect()));
    let seen = bench.receive(&modern(1, "server/discover", json!({}), &json!({})));
    assert_eq!(seen.code(), -32022);
}

#[test]
fn the_tasks_extension_is_only_for_clients_that_declare_it() {
    let mut bench = Bench::with(offer_with_tasks());
    let declared = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let params = json!({"taskId": "t", "inputResponses": {}});
        let seen = bench.receive(&modern(1, method, params.clone(), &json!({})));
        assert_eq!((seen.code(), seen.statuses[0]), (-32021, 400), "{method}");
        let required = &seen.only()["error"]["data"]["requiredCapabilities"];
        assert_eq!(*required, declared);
        let seen = bench.receive(&modern(1, method, params, &declared));
        assert_eq!(seen.events, ["dispatch 1"], "{method}");
        bench.finish(1);
    }
}

#[test]
fn tasks_that_the_server_does_not_run_are_not_found() {
    let mut bench = Bench::new();
    let declared = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let seen = bench.receive(&modern(1, "tasks/get", json!({"taskId": "t"}), &declared));
    assert_eq!((seen.code(), seen.statuses[0]), (-32601, 404));
}

#[test]
fn a_modern_request_is_told_what_it_got_wrong_about_itself() {
    for (key, value) in [
        ("io.modelcontextprotocol/logLevel", json!("loud")),
        ("progressToken", json!({})),
        ("io.modelcontextprotocol/clientCapabilities", json!([])),
    ] {
        for method in ["tools/list", "tools/call", "server/discover"] {
            let mut request = modern(1, method, json!({"name": "t"}), &json!({}));
            request["params"]["_meta"][key] = value.clone();
            assert_eq!(Bench::new().receive(&request).code(), -32602, "{method} {key}");
        }
    }
}

/// What a modern request leaves behind would add up for as long as the connection lives.
#[test]
fn nothing_is_kept_of_modern_requests_that_are_over() {
    let mut bench = Bench::with(offer_with_tasks());
    let fresh = format!("{:?}", bench.session);
    let params = || json!({"name": "t", "_meta": {"progressToken": 7}});
    for round in 0..20 {
        let id = round * 10;
        // Answered, answered with questions, refused by its handler.
        assert_eq!(bench.receive(&modern(id, "tools/call", params(), &everything())).sent.len(), 0);
        bench.finish(id);
        bench.receive(&modern(id, "tools/call", params(), &everything()));
        let state = Some("state".to_owned());
        let asks = InputRequiredResult { request_state: state, ..InputRequiredResult::default() };
        let outcome = Ok(ServerResult::InputRequired(asks));
        bench.input(Input::Finished { id: Id::Integer(id), outcome });
        bench.receive(&modern(id, "tools/call", params(), &everything()));
        let outcome = Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "no"));
        bench.input(Input::Finished { id: Id::Integer(id), outcome });
        // Cancelled, and given up for its time.
        bench.receive(&modern(id, "tools/call", params(), &everything()));
        assert_eq!(bench.receive(&cancel(id)).events, [format!("cancel {id}")]);
        bench.receive(&modern(id, "tools/call", params(), &everything()));
        assert_eq!(bench.pass(60).code(), -32603);
        // Never begun.
        bench.receive(&modern(id, "no/such", json!({}), &json!({})));
        bench.receive(&modern(id, "tasks/get", json!({"taskId": "a"}), &json!({})));
        bench.receive(&legacy(id, "tools/call", &params()));
        // Subscribed, and not any more.
        let filter = json!({"notifications": {"toolsListChanged": true}});
        bench.receive(&modern(id, "subscriptions/listen", filter, &json!({})));
        assert_ne!(format!("{:?}", bench.session), fresh);
        bench.receive(&cancel(id));
        assert_eq!(format!("{:?}", bench.session), fresh, "{round}");
    }
}
