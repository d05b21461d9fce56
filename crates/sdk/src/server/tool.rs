//! Tools: what they are called, what they take, and what runs when they are called.

mod handler;
mod result;

use std::{marker::PhantomData, sync::Arc};

use proofmark_core::{
    json::Raw,
    streamable_http::HeaderParameters,
    types::{CallToolResult, Icon, TaskSupport, Tool, ToolAnnotations, ToolExecution},
};
use schemars::JsonSchema;
use serde::Deserialize;

use self::handler::{Relaying, Run, Typed};
pub use self::{
    handler::{Arguments, Rejection, ToolCall, ToolHandler, ToolParameter},
    result::{IntoToolResult, Json},
};
use super::{Context, Error, Needs, scope::Scope};
use crate::{
    BoxFuture,
    schema::{Schema, SchemaError, SchemaLimits, schema_of},
};

/// A tool that is about to be defined: `tool("add").description("Adds two numbers").handler(add)`.
pub fn tool(name: impl Into<String>) -> ToolBuilder {
    ToolBuilder {
        tool: Tool::new(name, Raw::from_json("{}").expect("an empty object is JSON")),
        input_schema: None,
        hidden_without: None,
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
    hidden_without: Option<String>,
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

    /// Warns that the tool may destroy something.
    pub fn destructive(mut self) -> Self {
        self.tool.annotations.get_or_insert_default().destructive_hint = Some(true);
        self
    }

    /// Promises that to call it again with the same arguments changes nothing more.
    pub fn idempotent(mut self) -> Self {
        self.tool.annotations.get_or_insert_default().idempotent_hint = Some(true);
        self
    }

    /// Says that the tool reaches things outside, such as the web.
    pub fn open_world(mut self) -> Self {
        self.tool.annotations.get_or_insert_default().open_world_hint = Some(true);
        self
    }

    /// Only callers with this scope see it and can use it; to others it does not exist. Lists are then each caller's own, and clients may
    /// not share what they keep of them.
    pub fn hidden_without(mut self, scope: impl Into<String>) -> Self {
        self.hidden_without = Some(scope.into());
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

    /// Whether calls may, or must, be tasks, in every revision that has tasks: [`task_support`](Self::task_support) and
    /// [`as_task`](Self::as_task) together. Clients that know no tasks call an optional one as any other tool.
    pub fn task(self, support: TaskSupport) -> Self {
        self.task_support(support).as_task(support)
    }

    /// Whether the tool may, or must, be run as a task where the client asks for it (2025-11-25).
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
    ///
    /// See [`ToolHandler`] for what it may take and return.
    pub fn handler<P: 'static, H: ToolHandler<P>>(self, handler: H) -> ToolEntry {
        let mut tool = self.tool;
        tool.input_schema = self.input_schema.unwrap_or_else(H::input_schema);
        tool.output_schema = tool.output_schema.or_else(H::output_schema);
        let mut needs = Needs::default();
        H::needs(&mut needs);
        let run = Arc::new(Typed { handler, parameters: PhantomData });
        let Self { hidden_without, as_task, task_start, .. } = self;
        ToolEntry { tool, hidden_without, as_task, task_start, needs, checks: Checks::Here, run }
    }
}

/// Who holds arguments and results to the schemas of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checks {
    Here,
    /// The server that has the tool. Arguments are looked at here where the schema allows it.
    Elsewhere,
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
    pub(crate) hidden_without: Option<String>,
    pub(crate) as_task: TaskSupport,
    task_start: TaskStart,
    pub(crate) needs: Needs,
    checks: Checks,
    run: Arc<dyn Run>,
}

/// A tool with its schemas compiled.
pub(crate) struct ReadyTool {
    pub(crate) tool: Tool,
    pub(crate) hidden_without: Option<String>,
    pub(crate) as_task: TaskSupport,
    pub(crate) task_start: TaskStart,
    input: Schema,
    output: Option<Schema>,
    /// Arguments that are repeated in headers, over HTTP and where the revision knows it.
    pub(crate) headers: HeaderParameters,
    run: Arc<dyn Run>,
}

impl ToolEntry {
    /// A tool of a server elsewhere.
    pub(crate) fn relayed(
        tool: Tool,
        call: impl Fn(Context, Option<String>) -> ToolFuture + Send + Sync + 'static,
    ) -> Self {
        let execution = tool.execution.as_ref();
        let as_task = execution.and_then(|execution| execution.task_support);
        Self {
            as_task: as_task.unwrap_or(TaskSupport::Forbidden),
            tool,
            hidden_without: None,
            task_start: TaskStart::AtOnce,
            needs: Needs::default(),
            checks: Checks::Elsewhere,
            run: Arc::new(Relaying(call)),
        }
    }

    pub(crate) fn compile(
        self,
        headers: HeaderParameters,
        limits: &SchemaLimits,
    ) -> Result<ReadyTool, SchemaError> {
        let elsewhere = self.checks == Checks::Elsewhere;
        let input = match Schema::compile_input(self.tool.input_schema.as_str(), limits) {
            Err(_) if elsewhere => Schema::compile_input(ANY_OBJECT, limits),
            compiled => compiled,
        }?;
        let output = self
            .tool
            .output_schema
            .as_ref()
            .filter(|_| !elsewhere)
            .map(|schema| Schema::compile(schema.as_str(), limits))
            .transpose()?;
        Ok(ReadyTool {
            tool: self.tool,
            hidden_without: self.hidden_without,
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
        scope: &Scope,
        context: Context,
        arguments: Option<&str>,
    ) -> Result<ToolFuture, String> {
        self.run.run(&self.input, scope, context, arguments)
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

const ANY_OBJECT: &str = r#"{"type":"object"}"#;
