//! Tools that ask the client: its model, its user, and where it works.

use proofmark_sdk::{
    core::{
        json::Raw,
        revision::ClientCapability,
        types::{
            ContentBlock, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitContent,
            ElicitFormParams, ElicitParams, ElicitSchema, ListRootsResult, Role, SamplingBlock,
            SamplingContent, SamplingMessage, TextContent, Tool, ToolResultContent,
        },
    },
    server::{Context, Error, NoArguments, ToolEntry},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{fixture, forms};

pub(super) fn all() -> Vec<ToolEntry> {
    vec![
        fixture("test_sampling", "Has the client's model answer a prompt").handler(sampling),
        fixture("test_elicitation", "Asks the user for a name and an address").handler(elicitation),
        fixture("test_elicitation_sep1034_defaults", "Asks the user with a form of defaults")
            .handler(defaults),
        fixture("test_elicitation_sep1330_enums", "Asks the user with every kind of choice")
            .handler(choices),
        fixture("test_sampling_tools", "Has the client's model use a tool").handler(using_tools),
        fixture("test_list_roots", "Asks for the client's roots").handler(roots),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Sampling {
    /// The prompt to send to the model
    prompt: String,
}

async fn sampling(context: Context, Sampling { prompt }: Sampling) -> Result<String, Error> {
    let answer = context.sample(question(prompt)).await?;
    Ok(format!("LLM response: {}", text_of(&answer)?))
}

#[derive(Deserialize, JsonSchema)]
struct Elicitation {
    /// The message to show to the user
    message: String,
}

async fn elicitation(
    context: Context,
    Elicitation { message }: Elicitation,
) -> Result<String, Error> {
    let (action, entered) = elicit(&context, message, forms::contact()).await?;
    Ok(format!("User response: action: {action}, content: {entered}"))
}

async fn defaults(context: Context, _: NoArguments) -> Result<String, Error> {
    let message = "Please review and update the form fields with defaults";
    let (action, entered) = elicit(&context, message.to_owned(), forms::defaults()).await?;
    Ok(format!("Elicitation completed: action={action}, content={entered}"))
}

async fn choices(context: Context, _: NoArguments) -> Result<String, Error> {
    let message = "Please choose from the options";
    let (action, entered) = elicit(&context, message.to_owned(), forms::choices()).await?;
    Ok(format!("Elicitation completed: action={action}, content={entered}"))
}

/// The model may use the tool as often as it likes in its first answer; then it has to come to an end.
async fn using_tools(context: Context, _: NoArguments) -> Result<String, Error> {
    context.require(ClientCapability::SamplingTools)?;
    let schema = Raw::from_json(r#"{"type":"object"}"#)?;
    let mut clock = Tool::new("clock", schema);
    clock.description = Some("Tells the time".to_owned());
    let mut talk = question("What time is it?".to_owned());
    talk.tools = Some(vec![clock]);
    let answer = context.named("first").sample(talk.clone()).await?;
    let results = answer.content.blocks().iter().filter_map(|block| match block {
        SamplingBlock::ToolUse(used) => Some(SamplingBlock::ToolResult(ToolResultContent {
            tool_use_id: used.id.clone(),
            content: vec![ContentBlock::text("It is noon")],
            ..ToolResultContent::default()
        })),
        _ => None,
    });
    let results: Vec<SamplingBlock> = results.collect();
    if results.is_empty() {
        return Ok(format!("LLM response: {}", text_of(&answer)?));
    }
    let said = |role, content| SamplingMessage { role, content, meta: None };
    talk.messages.push(said(Role::Assistant, answer.content));
    talk.messages.push(said(Role::User, SamplingContent::Many(results)));
    let last = context.named("last").sample(talk).await?;
    Ok(format!("LLM response: {}", text_of(&last)?))
}

async fn roots(context: Context, _: NoArguments) -> Result<String, Error> {
    Ok(format!("Roots: {}", uris(&context.roots().await?)))
}

/// What the user did, and what they entered as JSON.
async fn elicit(
    context: &Context,
    message: String,
    form: ElicitSchema,
) -> Result<(&'static str, String), Error> {
    let answer = context.elicit(request(message, form)).await?;
    let action = match answer.action {
        ElicitAction::Accept => "accept",
        ElicitAction::Decline => "decline",
        ElicitAction::Cancel => "cancel",
    };
    let entered: ElicitContent = answer.content.unwrap_or_default();
    Ok((action, serde_json::to_string(&entered)?))
}

/// A prompt for the client's model.
pub(super) fn question(prompt: String) -> CreateMessageParams {
    let prompt = SamplingBlock::Text(TextContent { text: prompt, ..TextContent::default() });
    let message = SamplingMessage { role: Role::User, content: prompt.into(), meta: None };
    CreateMessageParams {
        messages: vec![message],
        max_tokens: 100,
        ..CreateMessageParams::default()
    }
}

/// What the model wrote.
pub(super) fn text_of(answer: &CreateMessageResult) -> Result<String, Error> {
    let texts = answer.content.blocks().iter().filter_map(|block| match block {
        SamplingBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        return Err(Error::text("the model answered without any text"));
    }
    Ok(text)
}

/// A form for the user.
pub(super) fn request(message: String, form: ElicitSchema) -> ElicitParams {
    ElicitParams::Form(ElicitFormParams {
        message,
        requested_schema: form,
        ..ElicitFormParams::default()
    })
}

pub(super) fn uris(ListRootsResult { roots, .. }: &ListRootsResult) -> String {
    roots.iter().map(|root| root.uri.as_str()).collect::<Vec<_>>().join(", ")
}
