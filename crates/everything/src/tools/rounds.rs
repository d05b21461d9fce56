//! Tools that ask by name, so that their questions can be told apart wherever they travel.
//!
//! They are written like any tool that asks; that a question ends the run in the modern era is nothing they know of.

use proofmark_sdk::{
    core::{
        revision::ClientCapability,
        types::{ElicitAction, ElicitContent, ElicitSchema, ElicitValue},
    },
    server::{Context, Error, NoArguments, ToolEntry},
};

use super::{asking, fixture, forms};

pub(super) fn all() -> Vec<ToolEntry> {
    vec![
        fixture("test_missing_capability", "Needs a client whose model can be asked")
            .handler(missing_capability),
        fixture("test_streaming_elicitation", "Asks the user for a confirmation")
            .handler(confirmation),
        fixture("test_input_required_result_elicitation", "Asks for a name and greets")
            .handler(elicitation),
        fixture("test_input_required_result_sampling", "Asks the model for a capital")
            .handler(sampling),
        fixture("test_input_required_result_list_roots", "Asks where the client works")
            .handler(list_roots),
        fixture("test_input_required_result_request_state", "Asks for a confirmation")
            .handler(request_state),
        fixture("test_input_required_result_multiple_inputs", "Asks three things at once")
            .handler(multiple_inputs),
        fixture("test_input_required_result_multi_round", "Asks a second time, after an answer")
            .handler(multi_round),
        fixture("test_input_required_result_tampered_state", "Asks for a confirmation")
            .handler(confirmation),
        fixture("test_input_required_result_capabilities", "Asks only what the client can answer")
            .handler(capabilities),
    ]
}

async fn missing_capability(context: Context, _: NoArguments) -> Result<&'static str, Error> {
    context.require(ClientCapability::Sampling)?;
    Ok("The client's model can be asked")
}

async fn elicitation(context: Context, _: NoArguments) -> Result<String, Error> {
    Ok(match name(&context).await? {
        Some(name) => format!("Hello, {name}!"),
        None => "Hello, whoever you are!".to_owned(),
    })
}

async fn sampling(context: Context, _: NoArguments) -> Result<String, Error> {
    Ok(format!("The model says: {}", capital(&context).await?))
}

async fn list_roots(context: Context, _: NoArguments) -> Result<String, Error> {
    Ok(format!("Roots: {}", roots(&context).await?))
}

async fn confirmation(context: Context, _: NoArguments) -> Result<&'static str, Error> {
    Ok(if confirmed(&context).await? { "Confirmed" } else { "Not confirmed" })
}

async fn request_state(context: Context, _: NoArguments) -> Result<String, Error> {
    let confirmed = confirmed(&context).await?;
    Ok(format!("state-ok, confirmed: {confirmed}"))
}

async fn multiple_inputs(context: Context, _: NoArguments) -> Result<String, Error> {
    let (name, capital, roots) = tokio::join!(name(&context), capital(&context), roots(&context));
    let name = name?.unwrap_or_else(|| "nobody".to_owned());
    Ok(format!("Name: {name}, capital: {}, roots: {}", capital?, roots?))
}

async fn multi_round(context: Context, _: NoArguments) -> Result<String, Error> {
    let name = field(&context, "step1", "Step 1: What is your name?", "name").await?;
    let color = field(&context, "step2", "Step 2: What is your favorite color?", "color").await?;
    let told = |answer: Option<String>| answer.unwrap_or_else(|| "untold".to_owned());
    Ok(format!("Name: {}, color: {}", told(name), told(color)))
}

async fn capabilities(context: Context, _: NoArguments) -> Result<String, Error> {
    let can = |capability| context.client_can(capability);
    let mut told = Vec::new();
    if can(ClientCapability::Sampling) {
        told.push(format!("capital: {}", capital(&context).await?));
    }
    if can(ClientCapability::Elicitation) {
        told.push(format!("confirmed: {}", confirmed(&context).await?));
    }
    if can(ClientCapability::Roots) {
        told.push(format!("roots: {}", roots(&context).await?));
    }
    Ok(format!("The client told [{}]", told.join(", ")))
}

async fn name(context: &Context) -> Result<Option<String>, Error> {
    field(context, "user_name", "What is your name?", "name").await
}

/// One text from the user; `None` if they would not tell.
pub(super) async fn field(
    context: &Context,
    key: &'static str,
    message: &str,
    field: &str,
) -> Result<Option<String>, Error> {
    let entered = entered(&context.named(key), message, forms::text(field)).await?;
    Ok(match entered.and_then(|mut entered| entered.remove(field)) {
        Some(ElicitValue::String(text)) => Some(text),
        _ => None,
    })
}

async fn confirmed(context: &Context) -> Result<bool, Error> {
    agreed(context, "confirm", "Go on?", "ok").await
}

/// A yes or no from the user; who would not tell does not agree.
pub(super) async fn agreed(
    context: &Context,
    key: &'static str,
    message: &str,
    field: &str,
) -> Result<bool, Error> {
    let entered = entered(&context.named(key), message, forms::confirmation(field)).await?;
    Ok(entered.is_some_and(|entered| entered.get(field) == Some(&ElicitValue::Boolean(true))))
}

async fn entered(
    context: &Context,
    message: &str,
    form: ElicitSchema,
) -> Result<Option<ElicitContent>, Error> {
    let answer = context.elicit(asking::request(message.to_owned(), form)).await?;
    Ok(answer.content.filter(|_| answer.action == ElicitAction::Accept))
}

async fn capital(context: &Context) -> Result<String, Error> {
    let question = asking::question("What is the capital of France?".to_owned());
    asking::text_of(&context.named("capital_question").sample(question).await?)
}

async fn roots(context: &Context) -> Result<String, Error> {
    Ok(asking::uris(&context.named("client_roots").roots().await?))
}
