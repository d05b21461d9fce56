//! Servers in lines of JSON that do not keep what they promise.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use futures_util::TryStreamExt;
use proofmark_sdk::{
    client::{Client, Error, Target},
    core::{
        revision::{Era, Revision},
        session::client::Preference,
        types::Tool,
    },
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

#[tokio::test]
async fn output_that_breaks_its_schema_is_an_error() {
    for (structured, complaint) in [
        (json!({"structuredContent": {"sum": "three"}}), "is not what its schema promises"),
        (json!({}), "promises structured output and gave none"),
    ] {
        let (client, _) = connect(move |method, _| {
            if method == "tools/list" {
                return json!({"tools": [{"name": "add", "inputSchema": {"type": "object"},
                    "outputSchema": {"type": "object", "properties": {"sum": {"type": "number"}},
                        "required": ["sum"]}}]});
            }
            let mut result = json!({"content": []});
            result.as_object_mut().unwrap().extend(structured.as_object().unwrap().clone());
            result
        })
        .await;
        client.call_tool("add", ()).await.unwrap();
        client.list_tools(None).await.unwrap();
        let error = client.call_tool("add", ()).await.unwrap_err();
        assert!(error.to_string().contains(complaint), "{error}");
    }
}

#[tokio::test]
async fn an_error_of_a_tool_need_not_keep_its_schema() {
    let (client, _) = connect(|method, _| match method {
        "tools/list" => json!({"tools": [{"name": "add", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "required": ["sum"]}}]}),
        _ => json!({"content": [], "isError": true}),
    })
    .await;
    client.list_tools(None).await.unwrap();
    assert_eq!(client.call_tool("add", ()).await.unwrap().is_error, Some(true));
}

#[tokio::test]
async fn a_list_without_end_is_given_up() {
    let (client, _) = connect(|_, _| json!({"tools": [], "nextCursor": "again"})).await;
    let listed: Result<Vec<Tool>, Error> = client.tools().try_collect().await;
    let error = listed.unwrap_err();
    assert!(matches!(error, Error::TooManyPages { limit: 64 }), "{error}");
}

#[tokio::test]
async fn a_result_of_another_shape_is_named() {
    let (client, _) = connect(|_, _| json!({"tools": "none"})).await;
    let error = client.list_tools(None).await.unwrap_err();
    assert!(
        error.to_string().starts_with("the result of `tools/list` could not be read"),
        "{error}"
    );
}

#[tokio::test]
async fn a_trace_rides_along() {
    let (client, mut heard) = connect(|_, _| json!({"content": []})).await;
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    client.call_tool("add", ()).trace(parent, Some("a=b")).await.unwrap();
    let call = loop {
        let message = heard.recv().await.unwrap();
        if message["method"] == "tools/call" {
            break message;
        }
    };
    assert_eq!(call["params"]["_meta"], json!({"traceparent": parent, "tracestate": "a=b"}));
}

#[tokio::test]
async fn params_that_are_no_object_are_never_sent() {
    let (client, _) = connect(|_, _| json!({"content": []})).await;
    client.call_tool("add", json!({"a": 1})).await.unwrap();
    let endless = std::collections::BTreeMap::from([((1, 2), 3)]);
    let error = client.call_tool("add", endless).await.unwrap_err();
    assert!(error.to_string().starts_with("`tools/call` cannot be asked"), "{error}");
}

/// A client of a server that answers as told; and everything that the server hears.
async fn connect(
    answer: impl Fn(&str, &Value) -> Value + Send + 'static,
) -> (Client, tokio::sync::mpsc::UnboundedReceiver<Value>) {
    let (near, far) = duplex(64 * 1024);
    let (tell, heard) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let (reader, mut writer) = split(far);
        let mut lines = BufReader::new(reader).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            let message: Value = serde_json::from_str(&line).unwrap();
            let _unheard = tell.send(message.clone());
            let Some(id) = message.get("id") else { continue };
            let method = message["method"].as_str().unwrap();
            let result = match method {
                "initialize" => json!({
                    "protocolVersion": message["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "script", "version": "1"},
                }),
                method => answer(method, &message["params"]),
            };
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
            writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    });
    let (reader, writer) = split(near);
    let client = Client::builder("test", "1")
        .preference(Preference::Legacy(Revision::newest(Era::Legacy)))
        .connect(Target::streams(reader, writer));
    (client.await.unwrap(), heard)
}
