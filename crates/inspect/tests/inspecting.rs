//! The inspector as a browser uses it, against servers that are right, wrong and hostile.
#![cfg(unix)]

#[path = "shared/site.rs"]
mod site;

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use proofmark_core::revision::Revision;
use proofmark_inspect::server::{Reach, ServerEntry};
use proofmark_sdk::transport::http::{HttpServer, HttpSettings};
use serde_json::{Value, json};
use site::{Started, shell};

#[test]
fn a_tool_is_called_over_http_and_every_message_is_kept_and_judged() {
    let (runtime, address) = everything();
    let site = Started::new(vec![ServerEntry::url("everything", format!("http://{address}/mcp"))]);
    site.wait("connected");
    let asked = json!({"call": "a", "method": "tools/call", "params": {"name": "test_simple_text", "arguments": {}}});
    let answer = site.browser.post("/api/servers/1/request", &asked).json();
    assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
    let timeline = site.browser.get("/api/timeline").json();
    let entries = timeline["entries"].as_array().unwrap();
    let request = entries.iter().find(|it| it["label"] == "tools/call test_simple_text").unwrap();
    let answered = entries.iter().find(|it| it["answers"] == request["seq"]).unwrap();
    assert!(answered["took"].as_u64().unwrap() > 0);
    assert!(entries.iter().any(|it| it["kind"] == "http" && it["label"] == "status 200"));
    std::thread::sleep(Duration::from_secs(1));
    let verdicts = site.browser.get("/api/verdicts").json();
    assert_eq!(verdicts[0]["verdicts"], json!([]), "both sides are right");
    for path in [
        "/",
        "/s/1",
        "/s/1/tools?name=test_simple_text",
        "/s/1/resources",
        "/s/1/prompts",
        "/timeline",
        "/console",
        "/questions",
        "/s/1/check",
        "/s/1/doctor",
    ] {
        let page = site.browser.get(path);
        assert_eq!(page.status, 200, "{path}");
        assert!(!page.body.contains(" style=") && !page.body.contains(" onclick="), "{path}");
    }
    let wrong = json!({"schema": {"type": "object", "required": ["a"]}, "value": {}});
    let told = site.browser.post("/api/validate", &wrong).json();
    assert!(told["broken"][0].as_str().unwrap().contains("\"a\""), "{told}");
    let tests = site.browser.get("/api/servers/1/tests").body;
    assert!(tests.contains("call: test_simple_text"), "{tests}");
    drop(runtime);
}

#[test]
fn two_revisions_are_compared_and_a_session_is_said_again_and_shared() {
    let (runtime, address) = everything();
    let url = format!("http://{address}/mcp");
    let mut legacy = ServerEntry::url("legacy", &url);
    legacy.revision = Revision::ALL.iter().copied().find(|it| it.as_str() == "2025-06-18");
    let site = Started::new(vec![ServerEntry::url("newest", &url), legacy]);
    let is_ready = |it: &Value| (0..2).all(|at| it["servers"][at]["state"] == "connected");
    site.until("/api/state", is_ready);
    site.until_page("/s/2/tools", "test_simple_text");
    let asked = json!({"call": "a", "method": "tools/call", "params": {"name": "test_simple_text", "arguments": {}}});
    for server in [1, 2] {
        let path = format!("/api/servers/{server}/request");
        assert!(site.browser.post(&path, &asked).json()["result"].is_object());
    }
    let page = site.browser.get("/compare?a=1&b=2");
    assert!(page.body.contains("2026-07-28") && page.body.contains("2025-06-18"), "{}", page.body);
    assert!(page.body.contains("differs"), "{}", page.body);
    let said = site.browser.post("/api/servers/2/replay", &json!({"from": 1})).json();
    let exchanges = said["exchanges"].as_array().unwrap();
    let call = exchanges.iter().find(|it| it["params"]["name"] == "test_simple_text").unwrap();
    let places = call["differences"].as_array().unwrap().iter();
    assert!(places.clone().all(|it| it["path"] == "/result/resultType"), "{call}");
    let shared = site.browser.get("/api/servers/1/shared");
    assert!(shared.header("content-disposition").unwrap().contains("attachment"));
    assert!(shared.body.contains("tools/call test_simple_text"), "{}", shared.body);
    assert!(!shared.body.contains("<script"), "{}", shared.body);
    // What was saved is opened again, as a recording that can be said, too.
    let text = site.browser.get("/api/servers/1/transcript").body;
    let opened = json!({"name": "opened", "text": text});
    assert_eq!(site.browser.post("/api/transcripts", &opened).json()["id"], 3);
    let said = site.browser.post("/api/servers/1/replay", &json!({"from": 3})).json();
    assert!(!said["exchanges"].as_array().unwrap().is_empty(), "{said}");
    drop(runtime);
}

#[test]
fn questions_are_answered_by_rule() {
    let (runtime, address) = everything();
    let site = Started::new(vec![ServerEntry::url("everything", format!("http://{address}/mcp"))]);
    site.wait("connected");
    let asked = json!({"call": "a", "method": "tools/call", "params": {"name": "test_elicitation", "arguments": {"message": "who?"}}});
    for (rule, said) in [("accept", "accept"), ("decline", "decline")] {
        assert_eq!(site.browser.post("/api/rules", &json!({"form": rule})).status, 200);
        let answer = site.browser.post("/api/servers/1/request", &asked).json();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(text.contains(said), "{answer}");
    }
    assert!(site.browser.get("/questions").body.contains("<option value=\"decline\" selected"));
    assert_eq!(site.browser.post("/api/rules", &json!({"form": "maybe"})).status, 422);
    drop(runtime);
}

#[test]
fn a_server_that_is_wrong_is_marked_at_the_message_that_proves_it() {
    // Its answer has an id of its own making.
    let script = r#"read a; read b; echo '{"jsonrpc":"2.0","id":"odd","result":{}}'; echo '{"jsonrpc":"1.0","method":"notifications/message"}'; cat"#;
    let mut entry = shell(script);
    entry.timeout = Duration::from_secs(2);
    let site = Started::new(vec![entry]);
    let found = site.until("/api/verdicts", |it| {
        it[0]["verdicts"]
            .as_array()
            .is_some_and(|all| all.iter().any(|it| it["side"] == "server" && it["seq"].is_u64()))
    });
    let verdict = found[0]["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["seq"].is_u64() && it["side"] == "server")
        .unwrap()
        .clone();
    let entry = site.browser.get(&format!("/api/entry/{}", verdict["seq"])).json();
    assert_eq!(entry["direction"], "in", "{verdict}");
    assert!(verdict["fix"].is_string() && verdict["page"].is_string(), "{verdict}");
}

#[test]
fn a_pasted_command_is_not_started_before_it_is_confirmed_word_by_word() {
    let site = Started::new(Vec::new());
    let mark = std::env::temp_dir().join(format!("proofmark-inspect-mark-{}", std::process::id()));
    let text =
        json!({"mcpServers": {"evil": {"command": "touch", "args": [mark.to_str()]}}}).to_string();
    assert_eq!(site.browser.post("/api/import", &json!({"text": text})).status, 200);
    let wanted = format!("touch {}", mark.display());
    for confirm in [json!(null), json!(""), json!("touch"), json!(format!("{wanted} "))] {
        let answer =
            site.browser.post("/api/servers/1/connect", &json!({"confirm": confirm})).json();
        assert_eq!(answer["confirm"], wanted.as_str());
    }
    for path in ["/api/servers/1/check", "/api/servers/1/doctor"] {
        assert_eq!(site.browser.post(path, &json!({})).status, 409, "{path}");
    }
    assert!(!mark.exists(), "nothing was started");
    site.browser.post("/api/servers/1/connect", &json!({"confirm": wanted}));
    let began = Instant::now();
    while !mark.exists() {
        assert!(began.elapsed() < PATIENCE, "what was confirmed is started");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::remove_file(mark).unwrap();
}

#[test]
fn every_string_of_a_hostile_server_is_text() {
    let evil = "<img src=x onerror=alert(1)><script>alert(2)</script>\u{202e}'\"";
    let about = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": evil, "version": evil}, "instructions": evil});
    let tools = json!({"tools": [{"name": evil, "title": evil, "description": evil, "inputSchema": {"type": "object"}}]});
    let script = r#"while read -r line; do
        id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
        case "$line" in
            *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$ABOUT";;
            *tools/list*) printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$TOOLS";;
        esac
    done"#;
    let mut entry = shell(script);
    entry.name = evil.to_owned();
    entry.revision = Revision::ALL.iter().copied().find(|it| it.as_str() == "2025-06-18");
    if let Reach::Command { environment, .. } = &mut entry.reach {
        environment.insert("ABOUT".to_owned(), about.to_string());
        environment.insert("TOOLS".to_owned(), tools.to_string());
    }
    let site = Started::new(vec![entry]);
    site.until("/api/state", |it| it["servers"][0]["state"] == "connected");
    let shown = site.until_page("/s/1/tools", "data-row");
    assert!(shown.contains("&lt;script&gt;alert"), "it is listed, as text");
    for path in ["/", "/s/1", "/s/1/tools", "/timeline", "/s/1/doctor", "/s/1/check"] {
        let page = site.browser.get(path).body;
        assert!(!page.contains("<img src=x") && !page.contains("<script>alert"), "{path}");
    }
}

#[test]
fn a_server_that_floods_does_not_fill_the_memory_and_the_pages_still_answer() {
    let line = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}"#;
    let site = Started::new(vec![shell(&format!("yes '{line}' | head -n 300000; cat"))]);
    site.until("/api/timeline?after=0&most=1", |it| {
        assert_eq!(site.browser.get("/timeline").status, 200);
        it["lost"].as_u64().unwrap() > 0
    });
    let kept = site.browser.get("/api/timeline").json()["entries"].as_array().unwrap().len();
    assert!(kept <= 120_000, "{kept}");
}

fn everything() -> (tokio::runtime::Runtime, SocketAddr) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let server = proofmark_everything::server(proofmark_everything::Options::default())
        .expect("the Everything Server");
    let bound = runtime
        .block_on(HttpServer::bind(server, ([127, 0, 0, 1], 0).into(), HttpSettings::default()))
        .expect("a port");
    let address = bound.address();
    runtime.spawn(bound.run_until(std::future::pending()));
    (runtime, address)
}

const PATIENCE: Duration = Duration::from_secs(60);
