use std::{collections::BTreeSet, fs, path::Path};

use proofmark_core::revision::Revision;
use serde_json::json;

use super::*;
use crate::{catalogue, requirement::Level, shapes::blame::BLAMED};

#[test]
fn what_rows_name_is_in_the_catalogue_and_observed() {
    for blamed in BLAMED {
        let Some(requirement) = catalogue::find(blamed.id) else {
            panic!("there is no {}", blamed.id);
        };
        let same = requirement.party == blamed.party && requirement.span == blamed.span;
        assert!(same, "{} binds others in the catalogue", blamed.id);
        assert_eq!(requirement.level, Level::Must, "{}", blamed.id);
        for side in [Side::Client, Side::Server] {
            let observed = requirement.check(side).is_some();
            assert_eq!(observed, blamed.party.includes(side), "{} of a {side}", blamed.id);
        }
    }
}

#[test]
fn every_id_that_a_row_names_is_known() {
    let mut seen = BTreeSet::new();
    for object in all_objects() {
        let members = object.members.iter().chain(object.common.iter().copied().flatten());
        let named = members.flat_map(|it| it.blame.iter().chain(it.missing).chain(it.kinds));
        for id in named.chain([&object.family]) {
            assert!(BLAMED.iter().any(|it| it.id == *id), "{id} of {}", object.name);
            seen.insert(*id);
        }
    }
    let unused: Vec<_> = BLAMED.iter().filter(|it| !seen.contains(it.id)).collect();
    let unused: Vec<_> = unused.into_iter().filter(|it| it.id != "M003").collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn messages_that_another_implementation_takes_differ_nowhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/messages");
    let mut compared = 0;
    for revision in Revision::ALL.iter().copied() {
        for entry in fs::read_dir(folder.join(revision.as_str())).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let message: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let mut parts = name.trim_end_matches(".json").split('.');
            let method = parts.next().unwrap().replace('-', "/");
            let kind = match name.trim_end_matches(".json").rsplit('.').next() {
                Some("request") => MessageKind::Request(&method),
                Some("notification") => MessageKind::Notification(&method),
                _ => MessageKind::Result(&method),
            };
            for side in [Side::Client, Side::Server] {
                compared += usize::from(known(revision, side, kind));
                let found = departures(revision, side, kind, &message);
                assert_eq!(found, [], "{revision} {name}");
            }
        }
    }
    assert!(compared > 200, "only {compared} were compared");
}

#[test]
fn a_member_of_another_type_is_found_where_it_is() {
    let rows = [
        (json!({ "tools": [{ "inputSchema": OBJECT() }] }), "/result/tools/0/name", "M067"),
        (
            json!({ "tools": [{ "name": 1, "inputSchema": OBJECT() }] }),
            "/result/tools/0/name",
            "M067",
        ),
        (
            json!({ "tools": [{ "name": "a", "inputSchema": { "type": "array" } }] }),
            "/result/tools/0/inputSchema/type",
            "M469",
        ),
        (
            json!({ "tools": [{ "name": "a", "inputSchema": OBJECT(), "description": null }] }),
            "/result/tools/0/description",
            "M603",
        ),
        (
            json!({ "tools": [{ "name": "a", "inputSchema": OBJECT(), "annotations": { "readOnlyHint": "yes" } }] }),
            "/result/tools/0/annotations/readOnlyHint",
            "M526",
        ),
        (json!({ "tools": {} }), "/result/tools", "M066"),
        (json!({ "tools": [], "nextCursor": null }), "/result/nextCursor", "M601"),
        (json!({ "tools": [], "_meta": "a" }), "/result/_meta", "M601"),
    ];
    for (result, path, requirement) in rows {
        let found = of_result(Revision::ALL[2], "tools/list", &result);
        let found: Vec<_> = found.iter().map(|it| (it.path.as_str(), it.requirement)).collect();
        assert_eq!(found, [(path, requirement)], "{result}");
    }
}

#[test]
fn members_that_the_table_does_not_know_are_legal() {
    let result = json!({ "tools": [{ "name": "a", "inputSchema": OBJECT(), "icons": 7, "x": null }],
        "ttlMs": "soon" });
    assert_eq!(of_result(Revision::ALL[2], "tools/list", &result), []);
    let icons = of_result(Revision::ALL[3], "tools/list", &result);
    assert_eq!(icons.len(), 1, "{icons:?}");
}

#[test]
fn content_of_a_later_revision_is_not_known_yet() {
    let result = json!({ "content": [{ "type": "resource_link", "uri": "a:b", "name": "c" }] });
    let blamed = |revision: usize| {
        let found = of_result(Revision::ALL[revision], "tools/call", &result);
        found.iter().map(|it| it.requirement).collect::<Vec<_>>()
    };
    assert_eq!(blamed(0), ["M467"]);
    assert_eq!(blamed(1), ["M069"]);
    assert!(blamed(2).is_empty() && blamed(3).is_empty());
}

#[test]
fn a_call_that_became_a_task_or_asks_for_input_is_no_result_of_a_tool() {
    let task = json!({ "task": { "taskId": "a", "status": "working", "ttl": null,
        "createdAt": "2025-11-25T00:00:00Z", "lastUpdatedAt": "2025-11-25T00:00:00Z" } });
    assert_eq!(of_result(Revision::ALL[3], "tools/call", &task), []);
    let input = json!({ "resultType": "input_required", "inputRequests": {
        "a": { "method": "roots/list" } } });
    assert_eq!(of_result(Revision::ALL[4], "tools/call", &input), []);
    let odd =
        json!({ "resultType": "input_required", "inputRequests": { "a": { "method": "x" } } });
    assert_eq!(
        of_result(Revision::ALL[4], "tools/call", &odd)[0].path,
        "/result/inputRequests/a/method"
    );
    let of_extension = json!({ "resultType": "task", "taskId": "a" });
    assert_eq!(of_result(Revision::ALL[4], "tools/call", &of_extension), []);
}

#[test]
fn errors_may_have_a_null_id_and_any_data() {
    let error = |error: Value| {
        let message = json!({ "jsonrpc": "2.0", "id": null, "error": error });
        departures(Revision::ALL[4], Side::Server, MessageKind::Error, &message)
    };
    assert_eq!(error(json!({ "code": -32700, "message": "a", "data": [1] })), []);
    assert_eq!(error(json!({ "code": "a", "message": "a" }))[0].requirement, "M092");
    assert_eq!(error(json!({ "code": 1 }))[0].requirement, "M008");
    assert_eq!(error(json!({ "code": -32022, "message": "a" }))[0].requirement, "M147");
}

#[test]
fn what_no_revision_knows_is_not_judged() {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": 7 } });
    let kind = MessageKind::Result("acme/list");
    assert!(!known(Revision::ALL[0], Side::Server, kind));
    assert_eq!(departures(Revision::ALL[0], Side::Server, kind, &message), []);
    assert!(!known(Revision::ALL[0], Side::Client, MessageKind::Result("tools/list")));
}

fn of_result(revision: Revision, method: &str, result: &Value) -> Vec<Departure> {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "result": result });
    departures(revision, Side::Server, MessageKind::Result(method), &message)
}

fn all_objects() -> Vec<&'static Object> {
    let mut all: Vec<&'static Object> = ENVELOPES.to_vec();
    all.extend(MESSAGES.iter().map(|it| it.object));
    let mut shapes: Vec<Shape> = MESSAGES.iter().filter_map(|it| it.result).collect();
    let mut done = 0;
    loop {
        while let Some(object) = all.get(done) {
            let members = object.members.iter().chain(object.common.iter().copied().flatten());
            shapes.extend(members.map(|it| it.shape));
            done += 1;
        }
        let Some(shape) = shapes.pop() else { return all };
        let inside: Vec<&'static Object> = match shape {
            Shape::Object(object) => vec![object],
            Shape::Union(union) => union.variants.iter().map(|it| it.object).collect(),
            Shape::List(item) | Shape::ShortList(item, _) | Shape::Map(item) => {
                shapes.push(*item);
                Vec::new()
            }
            Shape::Either(several) => {
                shapes.extend(several);
                Vec::new()
            }
            _ => Vec::new(),
        };
        for object in inside {
            if !all.iter().any(|it| std::ptr::eq(*it, object)) {
                all.push(object);
            }
        }
    }
}

const OBJECT: fn() -> Value = || json!({ "type": "object" });
