//! What the client's model is asked, put together step by step.

use proofmark_core::types::{
    CreateMessageParams, ModelHint, Role, SamplingBlock, SamplingMessage, TextContent,
};

/// What the client's model is to continue, for [`Context::sample`](super::Context::sample):
/// `sampling("Summarise this: …").system("You are brief.").max_tokens(200)`.
pub fn sampling(text: impl Into<String>) -> Sampling {
    let params = CreateMessageParams { max_tokens: TOKENS, ..CreateMessageParams::default() };
    Sampling(params).user(text)
}

/// A conversation for the client's model that is being put together; see [`sampling`].
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling(CreateMessageParams);

impl Sampling {
    /// Something that the user says next.
    pub fn user(self, text: impl Into<String>) -> Self {
        self.says(Role::User, text)
    }

    /// Something that the model said, as an example or from before.
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.says(Role::Assistant, text)
    }

    /// How the model is to be; the client may change or drop it.
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.0.system_prompt = Some(prompt.into());
        self
    }

    /// The most that the model may say; without it, a thousand tokens.
    pub fn max_tokens(mut self, tokens: u64) -> Self {
        self.0.max_tokens = tokens;
        self
    }

    pub fn temperature(mut self, temperature: f64) -> Self {
        self.0.temperature = Some(temperature);
        self
    }

    pub fn stop_at(mut self, text: impl Into<String>) -> Self {
        self.0.stop_sequences.get_or_insert_default().push(text.into());
        self
    }

    /// A model that would do, by a part of its name. Those that are named first are preferred.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        let preferences = self.0.model_preferences.get_or_insert_default();
        preferences.hints.get_or_insert_default().push(ModelHint { name: Some(name.into()) });
        self
    }

    fn says(mut self, role: Role, text: impl Into<String>) -> Self {
        let content =
            SamplingBlock::Text(TextContent { text: text.into(), ..TextContent::default() }).into();
        self.0.messages.push(SamplingMessage { role, content, meta: None });
        self
    }
}

impl From<Sampling> for CreateMessageParams {
    fn from(sampling: Sampling) -> Self {
        sampling.0
    }
}

const TOKENS: u64 = 1000;
