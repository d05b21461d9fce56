//! The prompts.

use std::future::ready;

use proofmark_sdk::{
    core::types::{ContentBlock, PromptMessage, ResourceContents},
    server::{Context, Error, PromptArguments, PromptEntry, prompt, user_message},
};

use crate::{
    assets::{PNG, PNG_TYPE},
    tools,
};

pub(crate) fn all() -> Vec<PromptEntry> {
    vec![
        prompt(SIMPLE)
            .description("A prompt without arguments")
            .handler(|_, _| ready(Ok("This is a simple prompt for testing.".to_owned()))),
        prompt(WITH_ARGUMENTS)
            .description("A prompt with required arguments")
            .argument("arg1", "First test argument")
            .argument("arg2", "Second test argument")
            .handler(|_, given| ready(with_arguments(&given))),
        prompt(WITH_EMBEDDED_RESOURCE)
            .description("A prompt with a resource inside")
            .argument("resourceUri", "URI of the resource to embed")
            .handler(|_, given| ready(with_embedded_resource(&given))),
        prompt(WITH_IMAGE)
            .description("A prompt with an image inside")
            .handler(|_, _| ready(Ok(with_image()))),
        prompt(ASKING)
            .description("A prompt that asks the user before it says anything")
            .handler(|context, _| asking(context)),
    ]
}

/// The names of the arguments that a prompt takes; `None` if there is no such prompt.
pub(crate) fn arguments_of(name: &str) -> Option<&'static [&'static str]> {
    match name {
        ASKING | SIMPLE | WITH_IMAGE => Some(&[]),
        WITH_ARGUMENTS => Some(&["arg1", "arg2"]),
        WITH_EMBEDDED_RESOURCE => Some(&["resourceUri"]),
        _ => None,
    }
}

fn with_arguments(given: &PromptArguments) -> Result<String, Error> {
    let (arg1, arg2) = (argument(given, "arg1")?, argument(given, "arg2")?);
    Ok(format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))
}

fn with_embedded_resource(given: &PromptArguments) -> Result<Vec<PromptMessage>, Error> {
    let resource = ResourceContents::text(
        argument(given, "resourceUri")?,
        Some("text/plain".to_owned()),
        "Embedded resource content for testing.",
    );
    Ok(vec![
        user_message(ContentBlock::resource(resource)),
        user_message(ContentBlock::text("Please process the embedded resource above.")),
    ])
}

async fn asking(context: Context) -> Result<String, Error> {
    let told = tools::told(&context, "user_context", "What context should be used?").await?;
    Ok(match told {
        Some(told) => format!("Please go on, with this context: {told}"),
        None => "Please go on.".to_owned(),
    })
}

fn with_image() -> Vec<PromptMessage> {
    vec![
        user_message(ContentBlock::image(PNG, PNG_TYPE)),
        user_message(ContentBlock::text("Please analyze the image above.")),
    ]
}

fn argument<'a>(given: &'a PromptArguments, name: &str) -> Result<&'a str, Error> {
    given
        .get(name)
        .map(String::as_str)
        .ok_or_else(|| Error::invalid_params(format!("argument `{name}` is missing")))
}

const ASKING: &str = "test_input_required_result_prompt";
const SIMPLE: &str = "test_simple_prompt";
const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";
const WITH_EMBEDDED_RESOURCE: &str = "test_prompt_with_embedded_resource";
const WITH_IMAGE: &str = "test_prompt_with_image";
