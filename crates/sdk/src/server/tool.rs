//! Tools: what they are called, what they take, and what runs when they are called.

use std::{marker::PhantomData, sync::Arc};

use proofmark_core::{
    json::Raw,
    streamable_http::HeaderParameters,
    types::{
        CallToolResult, ContentBlock, Icon, TaskSupport, Tool, ToolAnnotations, ToolExecution,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Context, Error};
use crate::{
    BoxFuture,
    schema::{Schema, SchemaError, SchemaLimits, schema_of},
};

/// A tool that is about to be defined: `tool("add").description("Adds two numbers").handler(add)`.
pub fn tool(name: impl Into<String>) -> ToolBuilder {
    ToolBuilder {
        tool: Tool::new(name, Raw::from_json("{}").expect("an empty object is JSON")),
        input_schema: None,
        as_task: TaskSupport::Forbidden,
        task_start: TaskStart::AtOnce,
    }
}

/// For a handler of a tool that takes no arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArguments {}

/// A tool that is about to be defined.
#[derive(Clone, Debug)]
pub struct ToolBuilder {
    tool: Tool,
    input_schema: Option<Raw>,
    as_task: TaskSupport,
    task_start: TaskStart,
}

impl ToolBuilder {
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.tool.description = Some(description.into());
        self
    }

    /// A name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.tool.title = Some(title.into());
        self
    }

    pub fn icons(mut self, icons: Vec<Icon>) -> Self {
        self.tool.icons = Some(icons);
        self
    }

    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.tool.annotations = Some(annotations);
        self
    }

    /// Promises that the tool changes nothing.
    pub fn read_only(mut self) -> Self {
        self.tool.annotations.get_or_insert_default().read_only_hint = Some(true);
        self
    }

    /// A JSON Schema written by hand, instead of the one that the type of the arguments implies. It is served exactly as it is given.
    pub fn input_schema(mut self, schema: Raw) -> Self {
        self.input_schema = Some(schema);
        self
    }

    /// What `structuredContent` looks like; every result is checked against it.
    pub fn output<T: JsonSchema>(self) -> Self {
        self.output_schema(schema_of::<T>())
    }

    /// What `structuredContent` looks like, as a JSON Schema written by hand.
    pub fn output_schema(mut self, schema: Raw) -> Self {
        self.tool.output_schema = Some(schema);
        self
    }

    /// Whether the tool may, or must, be run as a task (2025-11-25).
    pub fn task_support(mut self, support: TaskSupport) -> Self {
        self.tool.execution = Some(ToolExecution { task_support: Some(support) });
        self
    }

    /// Whether calls become tasks of the extension (2026-07-28): when the client knows tasks, or always, so that other clients are refused.
    ///
    /// Such a tool can ask the client while it runs, and clients need not stay connected.
    pub fn as_task(mut self, support: TaskSupport) -> Self {
        self.as_task = support;
        self
    }

    /// Leaves it to the handler when a call becomes a task of the extension: with [`Context::become_task`].
    ///
    /// Until then the call is an ordinary request. It can be answered at once if there is little to do, and what it asks is asked before
    /// there is a task. Together with [`as_task`](Self::as_task), which still says which clients may call the tool.
    ///
    /// ```
    /// # use proofmark_sdk::{core::types::TaskSupport, server::{Context, Error, NoArguments, tool}};
    /// # async fn work(_: usize) -> String { String::new() }
    /// let search = tool("search").as_task(TaskSupport::Optional).task_when_told().handler(
    ///     async |context: Context, _: NoArguments| {
    ///         let places = context.roots().await?.roots.len();
    ///         if places > 1 {
    ///             context.become_task()?; // the handler begins again, and knows the roots by then
    ///         }
    ///         Ok::<_, Error>(work(places).await)
    ///     },
    /// );
    /// # let _ = search;
    /// ```
    pub fn task_when_told(mut self) -> Self {
        self.task_start = TaskStart::WhenTold;
        self
    }

    /// What runs when the tool is called. The arguments are checked against the schema before.
    pub fn handler<A, F, Fut, R>(self, handler: F) -> ToolEntry
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(Context, A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult,
    {
        let mut tool = self.tool;
        tool.input_schema = self.input_schema.unwrap_or_else(schema_of::<A>);
        let run = Typed { handler, arguments: PhantomData };
        ToolEntry { tool, as_task: self.as_task, task_start: self.task_start, run: Arc::new(run) }
    }
}

/// When a call that may become a task does so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskStart {
    AtOnce,
    /// When its handler says so.
    WhenTold,
}

/// A tool and what it does.
#[derive(Clone)]
pub struct ToolEntry {
    pub(crate) tool: Tool,
    pub(crate) as_task: TaskSupport,
    task_start: TaskStart,
    run: Arc<dyn Run>,
}

/// A tool with its schemas compiled.
pub(crate) struct ReadyTool {
    pub(crate) tool: Tool,
    pub(crate) as_task: TaskSupport,
    pub(crate) task_start: TaskStart,
    input: Schema,
    output: Option<Schema>,
    /// Arguments that are repeated in headers, over HTTP and where the revision knows it.
    pub(crate) headers: HeaderParameters,
    run: Arc<dyn Run>,
}

impl ToolEntry {
    pub(crate) fn compile(
        self,
        headers: HeaderParameters,
        limits: &SchemaLimits,
    ) -> Result<ReadyTool, SchemaError> {
        let input = Schema::compile_input(self.tool.input_schema.as_str(), limits)?;
        let output = self
            .tool
            .output_schema
            .as_ref()
            .map(|schema| Schema::compile(schema.as_str(), limits))
            .transpose()?;
        Ok(ReadyTool {
            tool: self.tool,
            as_task: self.as_task,
            task_start: self.task_start,
            input,
            output,
            headers,
            run: self.run,
        })
    }
}

impl ReadyTool {
    /// Runs the handler. `Err` says what is wrong with the arguments.
    pub(crate) fn call(
        &self,
        context: Context,
        arguments: Option<&str>,
    ) -> Result<ToolFuture, String> {
        self.run.run(&self.input, context, arguments)
    }

    /// Checks what a handler returned against what the tool promises.
    pub(crate) fn check(&self, result: &CallToolResult) -> Result<(), String> {
        let Some(schema) = &self.output else { return Ok(()) };
        if result.is_error == Some(true) {
            return Ok(());
        }
        let structured =
            result.structured_content.as_ref().ok_or("the tool promised structured content")?;
        schema.check_json(structured.as_str()).map_err(|violation| violation.to_string())
    }
}

pub(crate) type ToolFuture = BoxFuture<'static, Result<CallToolResult, Error>>;

trait Run: Send + Sync {
    fn run(
        &self,
        schema: &Schema,
        context: Context,
        arguments: Option<&str>,
    ) -> Result<ToolFuture, String>;
}

/// A handler of arguments of one type.
struct Typed<F, A> {
    handler: F,
    arguments: PhantomData<fn(A)>,
}

impl<A, F, Fut, R> Run for Typed<F, A>
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(Context, A) -> Fut + Send + Sync,
    Fut: Future<Output = R> + Send + 'static,
    R: IntoToolResult,
{
    fn run(
        &self,
        schema: &Schema,
        context: Context,
        arguments: Option<&str>,
    ) -> Result<ToolFuture, String> {
        let arguments = decode::<A>(schema, arguments)?;
        let future = (self.handler)(context, arguments);
        Ok(Box::pin(async move { future.await.into_tool_result() }))
    }
}

/// What a tool's handler may return.
pub trait IntoToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, Error>;
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
}

/// Structured content, with the same as text for clients that do not know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<CallToolResult, Error> {
        let structured = Raw::new(&self.0)?;
        Ok(CallToolResult {
            content: vec![ContentBlock::text(structured.as_str())],
            structured_content: Some(structured),
            ..CallToolResult::default()
        })
    }
}

/// Checks arguments against the schema and decodes them. The error says what is wrong where.
fn decode<A: DeserializeOwned>(schema: &Schema, arguments: Option<&str>) -> Result<A, String> {
    let text = arguments.unwrap_or("{}");
    if let Some(decoded) = schema.decode_fast(text) {
        return Ok(decoded);
    }
    schema.check_json(text).map_err(|violation| violation.to_string())?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}
