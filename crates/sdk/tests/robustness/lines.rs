//! Bad bytes on a pipe.

use proofmark_sdk::transport::LineSettings;
use serde_json::{Value, json};

use crate::common::{LineClient, MODERN, NEWEST_LEGACY, call, code, modern, request, server, text};

#[tokio::test]
async fn a_bad_line_is_refused_and_the_next_one_answered() {
    let (server, _) = server();
    let mut client = LineClient::begin(&server, NEWEST_LEGACY).await;
    for (line, expected) in [
        (&b"nonsense"[..], -32700),
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xffing\"}", -32700),
        (b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", -32700),
        (b"\0", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\0\"}", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        (b"[]", -32600),
        (b"{}", -32600),
        (b"1", -32600),
    ] {
        client.send_line(line).await;
        let answer = client.message().await;
        assert_eq!(code(&answer), expected, "{:?}: {answer}", String::from_utf8_lossy(line));
        client.assert_alive().await;
    }
}

#[tokio::test]
async fn line_endings_and_blank_lines_do_not_matter() {
    let (server, _) = server();
    let mut client = LineClient::begin(&server, NEWEST_LEGACY).await;
    let ping = request(1, "ping", json!({})).to_string();
    client.send_bytes(format!("\n\r\n  \t \n{ping}\r\n").as_bytes()).await;
    assert_eq!(client.message().await["result"], json!({}));
    client.assert_alive().await;
}

#[tokio::test]
async fn a_message_may_come_byte_by_byte() {
    let (server, _) = server();
    let mut client = LineClient::begin(&server, NEWEST_LEGACY).await;
    let line = format!("{}\n", call("é", "echo", json!({ "text": "ünï" })));
    for byte in line.as_bytes() {
        client.send_bytes(&[*byte]).await;
        tokio::task::yield_now().await;
    }
    let answer = client.message().await;
    assert_eq!((&answer["id"], text(&answer)), (&json!("é"), "ünï"));
}

#[tokio::test]
async fn a_panic_is_the_error_of_its_own_call_only() {
    let (server, probe) = server();
    let mut client = LineClient::begin(&server, NEWEST_LEGACY).await;
    client.send(&call("echo", "echo", json!({ "text": "fine", "delay_ms": 100 }))).await;
    for tool in ["panics", "panics_early"] {
        client.send(&call(tool, tool, json!({}))).await;
    }
    for _ in 0..3 {
        let answer = client.message().await;
        if answer["id"] == "echo" {
            assert_eq!(text(&answer), "fine");
        } else {
            assert_eq!(code(&answer), -32603, "{answer}");
        }
    }
    client.assert_alive().await;
    assert_eq!(probe.ended(), 1);
}

#[tokio::test]
async fn the_first_message_may_be_a_call_with_progress() {
    let (server, _) = server();
    let mut client = LineClient::connect(&server, LineSettings::default());
    let arguments = json!({ "count": 3, "pause_ms": 1 });
    client.send(&modern(1, "tools/call", json!({ "name": "steps", "arguments": arguments }))).await;
    for step in 1..=3 {
        let progress = client.message().await;
        assert_eq!(progress["method"], "notifications/progress", "{progress}");
        assert_eq!(progress["params"]["progress"].as_f64(), Some(f64::from(step)));
    }
    assert_eq!(text(&client.message().await), "all steps");
}

#[tokio::test]
async fn both_eras_are_spoken_on_one_pipe() {
    let (server, _) = server();
    let mut client = LineClient::begin(&server, NEWEST_LEGACY).await;
    let echo = json!({ "name": "echo", "arguments": { "text": "modern" } });
    let answer = client.ask(&modern("m", "tools/call", echo)).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let answer = client.ask(&call("l", "echo", json!({ "text": "legacy" }))).await;
    assert_eq!(answer["result"].get("resultType"), None, "{answer}");
    let discover = client.ask(&modern("d", "server/discover", json!({}))).await;
    let versions = discover["result"]["supportedVersions"].as_array().cloned().unwrap_or_default();
    assert!(versions.contains(&Value::from(MODERN)), "{discover}");
}

#[tokio::test]
async fn a_client_that_asks_much_and_reads_nothing_is_made_to_wait() {
    let (server, _) = server();
    let settings = LineSettings { backlog: 16 * 1024, ..LineSettings::default() };
    let mut client = LineClient::connect(&server, settings);
    let large = "x".repeat(8 * 1024);
    let line = format!(
        "{}\n",
        modern(1, "tools/call", json!({ "name": "echo", "arguments": { "text": large } }))
    );
    let flood = async {
        for _ in 0..200 {
            client.send_bytes(line.as_bytes()).await;
        }
    };
    // The pipe holds 64 KiB each way: what has to be held beyond that would be held by the server.
    let stopped = tokio::time::timeout(std::time::Duration::from_millis(500), flood).await;
    assert!(stopped.is_err(), "the server read everything");
}
