//! What can run when a tool is called: functions of parameters in any order.

use std::{future::ready, marker::PhantomData};

use proofmark_core::json::Raw;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{IntoToolResult, NoArguments, ToolFuture};
use crate::{
    schema::{Schema, schema_of},
    server::{
        Context, Error, FromRequest, Needs, RequestParts,
        extract::{ContextSlot, via},
        scope::Scope,
    },
};

/// The arguments of a tool or a prompt, or the variables of a template, as a parameter of a handler.
///
/// Any type that is `Deserialize` and `JsonSchema` can stand there by itself; this says the same with a name, and takes types that could
/// otherwise be taken for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments<T>(pub T);

/// An async function that can run when a tool is called.
///
/// Its parameters are any of these, in any order, or none: [`Context`], [`State`](crate::server::State),
/// [`Caller`](crate::caller::Caller), what else is [`FromRequest`], and once the arguments: a type that is `Deserialize` and `JsonSchema`, or
/// [`Arguments`] of one. It returns what is [`IntoToolResult`].
///
/// ```
/// use proofmark_sdk::{caller::Caller, server::{Context, Server, State}};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Note { text: String }
/// # #[derive(Default)] struct Notes(std::sync::Mutex<Vec<String>>);
///
/// async fn add(State(notes): State<Notes>, Note { text }: Note, caller: Caller) -> String {
///     notes.0.lock().unwrap().push(text);
///     format!("noted for {:?}", caller.principal())
/// }
///
/// let log = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
/// let server = Server::builder("notes", "1.0.0")
///     .state(Notes::default())
///     .tool("add", "Adds a note", add)
///     .tool("version", "The version", async || "1.0.0")
///     // What a closure captures is cloned for each call.
///     .tool("log", "Remembers", async move |note: Note| { log.lock().unwrap().push(note.text); })
///     .build();
/// # assert!(server.is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the handler of a tool",
    label = "not a handler of a tool",
    note = "a handler is an `async fn` or an `async` closure whose parameters have their types written out, for example `async |context: Context, arguments: MyArguments| …`",
    note = "parameters are, in any order: `Context`, `State<T>`, `Caller`, types that implement `FromRequest`, and at most one type of arguments that derives `Deserialize` and `JsonSchema`",
    note = "what a closure captures must be `Clone + Send + Sync + 'static`: put it into an `Arc`, or give it to the server with `.state(…)` and take `State<T>`",
    note = "what it returns must implement `IntoToolResult`, and its future must be `Send`: hold no `MutexGuard` or `Rc` across an `.await`"
)]
pub trait ToolHandler<Parameters>: Clone + Send + Sync + 'static {
    #[doc(hidden)]
    fn call(self, call: ToolCall<'_>) -> Result<ToolFuture, String>;
    #[doc(hidden)]
    fn input_schema() -> Raw;
    #[doc(hidden)]
    fn output_schema() -> Option<Raw>;
    #[doc(hidden)]
    fn needs(needs: &mut Needs);
}

/// What the parameters of a tool's handler are made from.
#[doc(hidden)]
pub struct ToolCall<'a> {
    schema: &'a Schema,
    scope: &'a Scope,
    context: ContextSlot,
    arguments: Option<&'a str>,
}

/// Why a parameter could not be made.
#[doc(hidden)]
pub enum Rejection {
    /// What is wrong with the arguments.
    Arguments(String),
    Refused(Error),
}

/// A parameter of a tool's handler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool's handler",
    note = "arguments derive both `serde::Deserialize` and `schemars::JsonSchema`",
    note = "other parameters are `Context`, `State<T>`, `Caller`, `Option<Caller>`, or implement `FromRequest`"
)]
pub trait ToolParameter<Via>: Sized {
    #[doc(hidden)]
    const ARGUMENTS: usize = 0;
    #[doc(hidden)]
    const CONTEXTS: usize = 0;
    #[doc(hidden)]
    fn take(call: &mut ToolCall<'_>) -> Result<Self, Rejection>;
    #[doc(hidden)]
    fn input_schema() -> Option<Raw> {
        None
    }
    #[doc(hidden)]
    fn needs(needs: &mut Needs) {
        let _ = needs;
    }
}

impl ToolParameter<via::Itself> for Context {
    const CONTEXTS: usize = 1;

    fn take(call: &mut ToolCall<'_>) -> Result<Self, Rejection> {
        call.context.take().map_err(Rejection::Refused)
    }
}

impl<T: FromRequest> ToolParameter<via::Request> for T {
    fn take(call: &mut ToolCall<'_>) -> Result<Self, Rejection> {
        T::from_request(&RequestParts::new(call.scope)).map_err(Rejection::Refused)
    }

    fn needs(needs: &mut Needs) {
        <T as FromRequest>::needs(needs);
    }
}

impl<T: DeserializeOwned + JsonSchema + 'static> ToolParameter<via::Arguments> for T {
    const ARGUMENTS: usize = 1;

    fn take(call: &mut ToolCall<'_>) -> Result<Self, Rejection> {
        decode(call.schema, call.arguments).map_err(Rejection::Arguments)
    }

    fn input_schema() -> Option<Raw> {
        Some(schema_of::<T>())
    }
}

impl<T: DeserializeOwned + JsonSchema + 'static> ToolParameter<via::Itself> for Arguments<T> {
    const ARGUMENTS: usize = 1;

    fn take(call: &mut ToolCall<'_>) -> Result<Self, Rejection> {
        decode(call.schema, call.arguments).map(Self).map_err(Rejection::Arguments)
    }

    fn input_schema() -> Option<Raw> {
        Some(schema_of::<T>())
    }
}

/// Checks arguments against the schema and decodes them. The error says what is wrong where.
fn decode<A: DeserializeOwned>(schema: &Schema, arguments: Option<&str>) -> Result<A, String> {
    let text = arguments.unwrap_or("{}");
    if let Some(decoded) = schema.decode_fast(text) {
        return Ok(decoded);
    }
    schema.check_arguments(text)?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Checks arguments that no parameter takes.
fn check(schema: &Schema, arguments: Option<&str>) -> Result<(), String> {
    schema.check_arguments(arguments.unwrap_or("{}"))
}

macro_rules! handlers {
    ($($parameter:ident $via:ident $value:ident),*) => {
        impl<F, Fut, R, $($parameter, $via,)*> ToolHandler<($(($parameter, $via),)*)> for F
        where
            F: FnOnce($($parameter),*) -> Fut + Clone + Send + Sync + 'static,
            Fut: Future<Output = R> + Send + 'static,
            R: IntoToolResult,
            $($parameter: ToolParameter<$via>,)*
        {
            fn call(self, call: ToolCall<'_>) -> Result<ToolFuture, String> {
                const {
                    assert!(
                        0 $(+ $parameter::ARGUMENTS)* <= 1,
                        "a handler takes the arguments once: put all of them into one struct"
                    );
                    assert!(0 $(+ $parameter::CONTEXTS)* <= 1, "a handler takes one `Context`");
                }
                let mut call = call;
                let _ = &mut call;
                if 0 $(+ $parameter::ARGUMENTS)* == 0 {
                    check(call.schema, call.arguments)?;
                }
                $(
                    let $value = match $parameter::take(&mut call) {
                        Ok(value) => value,
                        Err(Rejection::Arguments(why)) => return Err(why),
                        Err(Rejection::Refused(error)) => return Ok(refused(error)),
                    };
                )*
                let future = self($($value),*);
                Ok(Box::pin(async move { future.await.into_tool_result() }))
            }

            fn input_schema() -> Raw {
                let schema: Option<Raw> = None;
                $(let schema = schema.or_else($parameter::input_schema);)*
                schema.unwrap_or_else(schema_of::<NoArguments>)
            }

            fn output_schema() -> Option<Raw> {
                R::output_schema()
            }

            fn needs(needs: &mut Needs) {
                let _ = &needs;
                $($parameter::needs(needs);)*
            }
        }
    };
}

handlers!();
handlers!(A VA a);
handlers!(A VA a, B VB b);
handlers!(A VA a, B VB b, C VC c);
handlers!(A VA a, B VB b, C VC c, D VD d);
handlers!(A VA a, B VB b, C VC c, D VD d, E VE e);
handlers!(A VA a, B VB b, C VC c, D VD d, E VE e, G VG g);

// Out of line, because hardly any call is refused here.
#[cold]
#[inline(never)]
fn refused(error: Error) -> ToolFuture {
    Box::pin(ready(Err(error)))
}

/// A handler without its type.
pub(super) trait Run: Send + Sync {
    fn run(
        &self,
        schema: &Schema,
        scope: &Scope,
        context: Context,
        arguments: Option<&str>,
    ) -> Result<ToolFuture, String>;
}

pub(super) struct Typed<H, P> {
    pub(super) handler: H,
    pub(super) parameters: PhantomData<fn(P)>,
}

impl<P, H: ToolHandler<P>> Run for Typed<H, P> {
    fn run(
        &self,
        schema: &Schema,
        scope: &Scope,
        context: Context,
        arguments: Option<&str>,
    ) -> Result<ToolFuture, String> {
        let context = ContextSlot::new(context);
        self.handler.clone().call(ToolCall { schema, scope, context, arguments })
    }
}

/// What runs for a tool of a server elsewhere.
pub(super) struct Relaying<F>(pub(super) F);

impl<F> Run for Relaying<F>
where
    F: Fn(Context, Option<String>) -> ToolFuture + Send + Sync,
{
    fn run(
        &self,
        schema: &Schema,
        _: &Scope,
        context: Context,
        arguments: Option<&str>,
    ) -> Result<ToolFuture, String> {
        check(schema, arguments)?;
        Ok((self.0)(context, arguments.map(str::to_owned)))
    }
}
