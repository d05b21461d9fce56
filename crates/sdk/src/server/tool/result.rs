//! What the handlers of tools may return.

use proofmark_core::{
    json::Raw,
    types::{CallToolResult, ContentBlock},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{schema::object_schema_of, server::Error};

/// What a tool's handler may return.
///
/// Text, numbers, `()`, content blocks, [`Json`] of a type, and a `Result` of these whose error is an [`Error`] or converts into one, as
/// every `std::error::Error` and `anyhow::Error` does.
#[diagnostic::on_unimplemented(
    message = "a tool's handler cannot return `{Self}`",
    note = "return text, a number, `()`, `Json(value)` for structured content, content blocks, `CallToolResult`, or a `Result` of one of these",
    note = "an error converts into `proofmark_sdk::server::Error` if it implements `std::error::Error`; for others write `.map_err(Error::text)`"
)]
pub trait IntoToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, Error>;

    /// What `structuredContent` looks like, where the type says so.
    fn output_schema() -> Option<Raw> {
        None
    }
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, Error> {
        Ok(self)
    }
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<CallToolResult, Error> {
        Ok(CallToolResult::text(self))
    }
}

impl IntoToolResult for &str {
    fn into_tool_result(self) -> Result<CallToolResult, Error> {
        Ok(CallToolResult::text(self))
    }
}

impl IntoToolResult for ContentBlock {
    fn into_tool_result(self) -> Result<CallToolResult, Error> {
        vec![self].into_tool_result()
    }
}

impl IntoToolResult for Vec<ContentBlock> {
    fn into_tool_result(self) -> Result<CallToolResult, Error> {
        Ok(CallToolResult { content: self, ..CallToolResult::default() })
    }
}

impl<T: IntoToolResult, E: Into<Error>> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> Result<CallToolResult, Error> {
        self.map_err(Into::into)?.into_tool_result()
    }

    fn output_schema() -> Option<Raw> {
        T::output_schema()
    }
}

/// Structured content, with the same as text for clients that do not know it.
///
/// Its type is the tool's output schema, if it is written as an object and the tool has no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<CallToolResult, Error> {
        let structured = Raw::new(&self.0)?;
        Ok(CallToolResult {
            content: vec![ContentBlock::text(structured.as_str())],
            structured_content: Some(structured),
            ..CallToolResult::default()
        })
    }
    fn output_schema() -> Option<Raw> {
        object_schema_of::<T>()
    }
}

/// Nothing to say.
impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<CallToolResult, Error> {
        Ok(CallToolResult::default())
    }
}

macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl IntoToolResult for $type {
            fn into_tool_result(self) -> Result<CallToolResult, Error> {
                Ok(CallToolResult::text(self.to_string()))
            }
        }
    )*};
}

as_text!(bool, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
as_text!(std::borrow::Cow<'_, str>);
