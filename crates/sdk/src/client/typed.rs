//! Calls whose results are values of Rust types.

use proofmark_core::{
    json::Raw,
    types::{CallToolResult, ContentBlock},
};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IntoDeserializer, value},
};

use super::{
    Client, Error,
    request::{Request, RequestParts, unreadable},
};

impl Client {
    /// Calls a tool and reads its result as a value: the structured content if there is some, else the text, as JSON or as it is.
    ///
    /// A tool that says that it failed is [`Error::ToolFailed`].
    ///
    /// ```
    /// # use proofmark_sdk::{client::Client, server::{Json, Server}};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    /// struct Weather { celsius: f64 }
    /// # let server = Server::builder("s", "1").tool("weather", "", async || Json(Weather { celsius: 21.5 })).build()?;
    /// # let client = Client::in_memory(&server).await?;
    ///
    /// let weather: Weather = client.call("weather", ()).await?;
    /// assert_eq!(weather.celsius, 21.5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call<T: DeserializeOwned + Send + 'static>(
        &self,
        tool: &str,
        arguments: impl Serialize,
    ) -> Request<'_, T> {
        self.call_tool(tool, arguments).read_as(read)
    }
}

fn read<T: DeserializeOwned>(parts: &RequestParts<'_>, raw: Raw) -> Result<T, Error> {
    let unread = |error: &serde_json::Error| unreadable(parts.method(), error);
    let result = CallToolResult::from_raw(&raw).map_err(|error| unread(&error))?;
    drop(raw);
    if result.is_error == Some(true) {
        return Err(Error::ToolFailed { tool: parts.tool_name(), message: text(&result) });
    }
    parts.known_tool().map_or(Ok(()), |tool| tool.check(&result))?;
    if let Some(structured) = &result.structured_content {
        return structured.decode().map_err(|error| unread(&error));
    }
    let text = text(&result);
    serde_json::from_str(&text).or_else(|error| {
        // What is no JSON may still be the text that is wanted.
        let plain: Result<T, value::Error> = T::deserialize(text.as_str().into_deserializer());
        plain.map_err(|_| unread(&error))
    })
}

/// All texts of a result.
fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The part of a call's params that says which tool it is for.
#[derive(Deserialize)]
struct ToolName {
    name: String,
}

impl RequestParts<'_> {
    fn tool_name(&self) -> String {
        let params = self.params().and_then(|params| params.decode::<ToolName>().ok());
        params.map_or_else(String::new, |params| params.name)
    }
}
