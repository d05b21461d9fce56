//! Completion, argument by argument.

use proofmark_sdk::{
    client::Client,
    core::types::{Completion, PromptReference, Reference, ResourceTemplateReference},
    server::{CompletionRequest, Server, State, prompt, resource_template},
};

#[tokio::test]
async fn each_argument_completes_itself() {
    let review = prompt("review")
        .optional_argument("style", "")
        .optional_argument("author", "")
        .suggest("style", ["strict", "friendly", "strange"])
        .complete("author", async |authors: State<Vec<String>>| authors.to_vec())
        .get(async || "");
    let day = resource_template("notes://{day}", "")
        .complete("day", async |request: CompletionRequest| Completion {
            values: vec![format!("not {}", request.value)],
            ..Completion::default()
        })
        .read(async |day: String| day);
    let server = Server::builder("s", "1")
        .state(vec!["ada".to_owned(), "bob".to_owned(), "al".to_owned()])
        .add_prompt(review)
        .add_template(day)
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let prompt = || {
        Reference::Prompt(PromptReference { name: "review".into(), ..PromptReference::default() })
    };
    let complete = async |reference, argument, value| {
        client.complete(reference, argument, value, &[]).await.unwrap().completion.values
    };
    assert_eq!(complete(prompt(), "style", "str").await, ["strict", "strange"]);
    assert_eq!(complete(prompt(), "author", "a").await, ["ada", "al"]);
    assert!(complete(prompt(), "other", "a").await.is_empty());
    let template = ResourceTemplateReference { uri: "notes://{day}".into() };
    assert_eq!(complete(Reference::Resource(template), "day", "x").await, ["not x"]);
}

#[tokio::test]
async fn of_many_suggestions_as_many_are_sent_as_may_be() {
    let many = (0..150).map(|number| number.to_string());
    let server = Server::builder("s", "1")
        .add_prompt(prompt("p").optional_argument("n", "").suggest("n", many).get(async || ""))
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let prompt = PromptReference { name: "p".into(), ..PromptReference::default() };
    let all = client.complete(Reference::Prompt(prompt), "n", "", &[]).await.unwrap().completion;
    assert_eq!((all.values.len(), all.total, all.has_more), (100, Some(150), Some(true)));
}
