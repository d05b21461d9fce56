//! What only some callers see.

use std::num::NonZeroUsize;

use proofmark_sdk::{
    caller::Caller,
    client::Client,
    core::types::CacheScope,
    server::{Server, prompt, resource, resource_template, tool},
};

fn server() -> Server {
    Server::builder("s", "1")
        .page_size(NonZeroUsize::new(1).unwrap())
        .tool("read", "", async || "read")
        .add_tool(tool("write").hidden_without("write").handler(async || "written"))
        .tool("list", "", async || "listed")
        .add_resource(resource("notes://secret", "").hidden_without("write").text("secret"))
        .add_template(
            resource_template("notes://{id}/secret", "").hidden_without("write").read(async || ""),
        )
        .add_prompt(prompt("secret").hidden_without("write").get(async || "secret"))
        .build()
        .unwrap()
}

#[tokio::test]
async fn what_a_caller_may_not_use_is_not_there() {
    let client = Client::in_memory(&server()).with_caller(Caller::named("ada")).await.unwrap();
    let tools: Vec<_> = client.all_tools().await.unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(tools, ["read", "list"]);
    assert!(client.all_resources().await.unwrap().is_empty());
    assert!(client.all_resource_templates().await.unwrap().is_empty());
    assert!(client.all_prompts().await.unwrap().is_empty());
    let hidden = client.call_tool("write", ()).await.unwrap_err();
    let unknown = client.call_tool("nonsense", ()).await.unwrap_err();
    let (hidden, unknown) = (hidden.refusal().unwrap(), unknown.refusal().unwrap());
    assert_eq!(hidden.code, unknown.code);
    assert_eq!(hidden.message, unknown.message.replace("nonsense", "write"));
    assert!(client.read_resource("notes://secret").await.is_err());
    assert!(client.read_resource("notes://1/secret").await.is_err());
    assert!(client.get_prompt("secret", &[]).await.is_err());
}

#[tokio::test]
async fn what_a_caller_may_use_is_there_page_by_page_and_is_the_callers_own() {
    let caller = Caller::named("ada").with_scopes(["write"]);
    let client = Client::in_memory(&server()).with_caller(caller).await.unwrap();
    let tools: Vec<_> = client.all_tools().await.unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(tools, ["read", "write", "list"]);
    assert_eq!(client.list_tools(None).await.unwrap().cache_scope, Some(CacheScope::Private));
    assert_eq!(client.call::<String>("write", ()).await.unwrap(), "written");
    assert!(client.read_resource("notes://secret").await.is_ok());
    assert!(client.read_resource("notes://1/secret").await.is_ok());
    assert!(client.get_prompt("secret", &[]).await.is_ok());
}

#[tokio::test]
async fn each_list_has_pages_of_its_own_size() {
    use proofmark_sdk::server::PageSizes;

    let size = |count| NonZeroUsize::new(count).unwrap();
    let sizes = PageSizes { tools: size(2), prompts: size(1), ..PageSizes::default() };
    let mut builder = Server::builder("s", "1").page_sizes(sizes);
    for name in ["a", "b", "c"] {
        builder = builder
            .add_tool(tool(name).handler(async || ""))
            .add_prompt(prompt(name).get(async || ""))
            .add_resource(resource(format!("r://{name}"), name).text(name));
    }
    let client = Client::in_memory(&builder.build().unwrap()).await.unwrap();
    assert_eq!(client.list_tools(None).await.unwrap().tools.len(), 2);
    assert_eq!(client.list_prompts(None).await.unwrap().prompts.len(), 1);
    assert_eq!(client.list_resources(None).await.unwrap().resources.len(), 3);
    assert_eq!(client.all_tools().await.unwrap().len(), 3);
}
