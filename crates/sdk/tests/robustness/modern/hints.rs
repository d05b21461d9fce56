//! How long answers may be kept, in which order they come, and which trace they belong to.

use proofmark_sdk::{
    core::types::CacheScope,
    server::{Cache, CacheSettings, Context, NoArguments, Server, TraceContext, prompt, resource},
};
use serde_json::{Value, json};

use crate::common::{HttpTest, Probe, http_with, modern, quick, text};

async fn serve(server: Server) -> HttpTest {
    http_with(server, Probe::default(), "127.0.0.1:0", quick()).await
}

fn small() -> proofmark_sdk::server::ServerBuilder {
    Server::builder("s", "1")
        .tool("t", "", async |_: Context, _: NoArguments| "t")
        .add_prompt(prompt("p").handler(|_, _| async { Ok("p".to_owned()) }))
        .add_resource(resource("test://plain", "plain").text("plain"))
        .add_resource(resource("test://kept", "kept").cache(Cache::public(7)).text("kept"))
}

async fn hints(test: &HttpTest, method: &str, params: Value) -> (Value, Value) {
    let result = test.client.ask(&modern(1, method, params)).await.json()["result"].clone();
    (result["ttlMs"].clone(), result["cacheScope"].clone())
}

#[tokio::test]
async fn by_default_lists_may_be_kept_and_what_is_read_may_not() {
    let test = serve(small().build().unwrap()).await;
    for method in [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let expected = (json!(60_000), json!("public"));
        assert_eq!(hints(&test, method, json!({})).await, expected, "{method}");
    }
    let read = |uri: &str| json!({"uri": uri});
    let plain = hints(&test, "resources/read", read("test://plain")).await;
    assert_eq!(plain, (json!(0), json!("private")));
    let kept = hints(&test, "resources/read", read("test://kept")).await;
    assert_eq!(kept, (json!(7), json!("public")));
    test.stop().await;
}

#[tokio::test]
async fn each_kind_of_answer_has_a_setting() {
    let caching = CacheSettings {
        discover: Cache::private(1),
        tools: Cache::public(2),
        prompts: Cache::private(3),
        resources: Cache { ttl_ms: 4, scope: Some(CacheScope::Public) },
        templates: Cache::private(5),
        skills: Cache::NEVER,
        reads: Cache::public(6),
    };
    let test = serve(small().caching(caching).build().unwrap()).await;
    for (method, ttl_ms, scope) in [
        ("server/discover", 1, "private"),
        ("tools/list", 2, "public"),
        ("prompts/list", 3, "private"),
        ("resources/list", 4, "public"),
        ("resources/templates/list", 5, "private"),
    ] {
        let expected = (json!(ttl_ms), json!(scope));
        assert_eq!(hints(&test, method, json!({})).await, expected, "{method}");
    }
    let read = hints(&test, "resources/read", json!({"uri": "test://plain"})).await;
    assert_eq!(read, (json!(6), json!("public")));
    test.stop().await;
}

#[tokio::test]
async fn legacy_clients_get_no_hints() {
    let test = serve(small().list_ttl_ms(5).build().unwrap()).await;
    let client = test.client.begin("2025-11-25").await;
    let page = client.post(&crate::common::request(1, "tools/list", json!({}))).await.json();
    assert_eq!(page["result"].get("ttlMs"), None);
    assert_eq!(page["result"].get("cacheScope"), None);
    assert_eq!(hints(&test, "tools/list", json!({})).await.0, 5);
    test.stop().await;
}

#[tokio::test]
async fn lists_come_in_the_order_in_which_they_were_made() {
    let mut builder = Server::builder("s", "1");
    let names: Vec<_> = (0..50).map(|at| format!("t{}", at * 7 % 50)).collect();
    for name in &names {
        builder = builder.tool(name, "", async |_: Context, _: NoArguments| "t");
    }
    let test = serve(builder.build().unwrap()).await;
    for _ in 0..3 {
        let page = test.client.ask(&modern(1, "tools/list", json!({}))).await.json();
        let tools = page["result"]["tools"].as_array().unwrap();
        let listed: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(listed, names);
    }
    test.stop().await;
}

#[tokio::test]
async fn a_handler_knows_the_trace_that_its_request_belongs_to() {
    let traced = async |context: Context, _: NoArguments| {
        let TraceContext { traceparent, tracestate, baggage } =
            context.trace().cloned().unwrap_or_default();
        json!([traceparent, tracestate, baggage]).to_string()
    };
    let test = serve(Server::builder("s", "1").tool("traced", "", traced).build().unwrap()).await;
    let call = |trace: Value| {
        let mut call = modern(1, "tools/call", json!({"name": "traced", "arguments": {}}));
        for (key, value) in trace.as_object().unwrap() {
            call["params"]["_meta"][key] = value.clone();
        }
        call
    };
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let whole = json!({"traceparent": parent, "tracestate": "a=b", "baggage": "c=d"});
    for (trace, expected) in [
        (whole.clone(), json!([parent, "a=b", "c=d"])),
        (json!({"traceparent": parent}), json!([parent, null, null])),
        (json!({"traceparent": 7}), json!([null, null, null])),
        (json!({}), json!([null, null, null])),
    ] {
        let answer = test.client.ask(&call(trace)).await.json();
        assert_eq!(text(&answer), expected.to_string());
    }
    // Older revisions give these keys no meaning.
    let client = test.client.begin("2025-11-25").await;
    let params = json!({"name": "traced", "arguments": {}, "_meta": whole});
    let answer = client.post(&crate::common::request(1, "tools/call", params)).await.json();
    assert_eq!(text(&answer), "[null,null,null]");
    test.stop().await;
}
