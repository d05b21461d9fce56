//! What handlers return.

use proofmark_sdk::{
    client::Client,
    core::revision::Revision,
    server::{Context, Error, Json, Server, Uri},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Weather {
    celsius: f64,
}

#[tokio::test]
async fn results_of_many_types_need_no_wrapping() {
    /// An error that is no `std::error::Error` itself, as that of `anyhow` is not.
    struct Loose(String);

    impl From<Loose> for Box<dyn std::error::Error> {
        fn from(loose: Loose) -> Self {
            loose.0.into()
        }
    }

    let server = Server::builder("s", "1")
        .tool("nothing", "", async || {})
        .tool("number", "", async || 42_u8)
        .tool("truth", "", async || true)
        .tool("text", "", async || Err::<(), _>("a text as an error"))
        .tool("loose", "", async || Err::<String, _>(Loose("a loose error".to_owned())))
        .tool("parse", "", async || Ok::<i32, Error>("x".parse::<i32>()?))
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    assert!(client.call_tool("nothing", ()).await.unwrap().content.is_empty());
    assert_eq!(client.call::<u8>("number", ()).await.unwrap(), 42);
    assert!(client.call::<bool>("truth", ()).await.unwrap());
    for (tool, message) in [
        ("text", "a text as an error"),
        ("loose", "a loose error"),
        ("parse", "invalid digit found in string"),
    ] {
        let error = client.call::<i32>(tool, ()).await.unwrap_err();
        assert_eq!(error.to_string(), format!("`{tool}` failed: {message}"));
    }
}

#[tokio::test]
async fn json_says_what_it_looks_like() {
    let server = Server::builder("s", "1")
        .tool("weather", "", async || Json(Weather { celsius: 21.5 }))
        .tool("fallible", "", async || Ok::<_, Error>(Json(Weather { celsius: 1.0 })))
        .tool("list", "", async || Json([1, 2]))
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let tools = client.all_tools().await.unwrap();
    let promised: Vec<_> = tools.iter().map(|tool| tool.output_schema.is_some()).collect();
    assert_eq!(promised, [true, true, false], "only objects are output schemas");
    assert_eq!(client.call::<Weather>("weather", ()).await.unwrap(), Weather { celsius: 21.5 });
    assert_eq!(client.call::<Vec<u8>>("list", ()).await.unwrap(), [1, 2]);
}

#[tokio::test]
async fn what_is_not_there_has_the_code_of_its_revision() {
    let server = Server::builder("s", "1")
        .template("one://{id}", "", async |_: u8| None::<String>)
        .template("two://{id}", "", async |uri: Uri| Err::<String, _>(Error::not_found(uri.0)))
        .build()
        .unwrap();
    for revision in Revision::ALL.iter().copied() {
        let client = Client::in_memory(&server).revision(revision).await.unwrap();
        for uri in ["one://1", "two://1"] {
            let error = client.read_resource(uri).await.unwrap_err();
            let refusal = error.refusal().unwrap();
            assert_eq!(refusal.code, revision.rules().resource_not_found, "{revision} {uri}");
        }
    }
}

#[tokio::test]
async fn progress_takes_numbers_as_they_are() {
    let work = async |context: Context| {
        let items = ["a", "b"];
        context.progress(1, items.len(), "half");
        context.progress(2.0, Some(2.0), None);
    };
    let server = Server::builder("s", "1").tool("work", "", work).build().unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let mut heard = Vec::new();
    client
        .call_tool("work", ())
        .on_progress(|step| heard.push((step.progress, step.total, step.message)))
        .await
        .unwrap();
    assert_eq!(heard[0], (1.0, Some(2.0), Some("half".to_owned())));
    assert_eq!(heard.len(), 2);
}

#[tokio::test]
async fn resources_can_be_bytes_and_json() {
    let server = Server::builder("s", "1")
        .resource("a://bytes", "", async || vec![1_u8, 2])
        .resource("a://json", "", async || Json(Weather { celsius: 3.0 }))
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let read = async |uri: &str| {
        serde_json::to_value(&client.read_resource(uri).await.unwrap().contents[0]).unwrap()
    };
    assert_eq!(read("a://bytes").await["blob"], "AQI=");
    let json = read("a://json").await;
    assert_eq!(
        (&json["text"], &json["mimeType"]),
        (&r#"{"celsius":3.0}"#.into(), &"application/json".into())
    );
}
