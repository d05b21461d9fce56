//! What can run when a resource is read, a prompt is wanted or an argument is completed: functions of parameters in any order.

use proofmark_core::{
    types::PromptArgument,
    uri_template::{Captures, Value},
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{
    Arguments, CompletionRequest, Context, Error, FromRequest, Needs, RequestParts,
    extract::{ContextSlot, via},
    prompt::arguments_of,
    scope::Scope,
    strings::{Given, from_strings},
};
use crate::BoxFuture;

/// What a handler is for. The compiler finds the right one; no code names them.
#[doc(hidden)]
pub mod kind {
    /// Suggestions for an argument or a variable.
    #[derive(Debug)]
    pub enum Completion {}
    /// The messages of a prompt.
    #[derive(Debug)]
    pub enum Prompt {}
    /// The contents of a resource.
    #[derive(Debug)]
    pub enum Resource {}
}

/// An async function that can run when a resource is read, a prompt is wanted or an argument is completed.
///
/// Its parameters are any of these, in any order, or none: [`Context`], [`State`](super::State), [`Caller`](crate::caller::Caller), and what
/// else is [`FromRequest`]. Besides, in the handler of
///
/// - a resource or template: [`Uri`], and once the variables of the template: [`Captures`], or a type that is `Deserialize`. A template
///   with one variable gives a `String` or a number, too;
/// - a prompt: once the arguments, a type that is `Deserialize` and `JsonSchema`;
/// - completion: [`CompletionRequest`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a handler here",
    label = "not a handler",
    note = "a handler is an `async fn` or an `async` closure whose parameters have their types written out, for example `async |uri: Uri, State(notes): State<Notes>| …`",
    note = "what a closure captures must be `Clone + Send + Sync + 'static`: put it into an `Arc`, or give it to the server with `.state(…)` and take `State<T>`"
)]
pub trait Handler<Kind, Parameters>: Clone + Send + Sync + 'static {
    /// What it returns.
    type Output;

    #[doc(hidden)]
    fn call(self, request: HandlerRequest<'_>) -> Result<BoxFuture<'static, Self::Output>, Error>
    where
        Self::Output: 'static;
    #[doc(hidden)]
    fn arguments() -> Option<Vec<PromptArgument>>;
    #[doc(hidden)]
    fn needs(needs: &mut Needs);
}

/// The URI of the resource that is read, as a parameter of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri(pub String);

impl std::fmt::Display for Uri {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the parameters of a handler are made from.
#[doc(hidden)]
pub struct HandlerRequest<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) context: ContextSlot,
    pub(crate) subject: Subject<'a>,
}

/// What a request is about.
pub(crate) enum Subject<'a> {
    Completion(&'a CompletionRequest),
    Prompt(Vec<(String, String)>),
    Resource { uri: &'a str, captures: Captures },
}

impl<'a> HandlerRequest<'a> {
    pub(crate) fn new(scope: &'a Scope, context: Context, subject: Subject<'a>) -> Self {
        Self { scope, context: ContextSlot::new(context), subject }
    }

    fn given(&mut self) -> Vec<(String, Given)> {
        match &mut self.subject {
            Subject::Completion(_) => Vec::new(),
            Subject::Prompt(given) => {
                let text = |(name, value)| (name, Given::Text(value));
                std::mem::take(given).into_iter().map(text).collect()
            }
            Subject::Resource { captures, .. } => {
                captures.iter().map(|(name, value)| (name.to_owned(), captured(value))).collect()
            }
        }
    }
}

fn captured(value: &Value) -> Given {
    match value {
        Value::Text(text) => Given::Text(text.clone()),
        Value::List(items) => Given::List(items.clone()),
        Value::Map(pairs) => Given::List(pairs.iter().map(|(_, value)| value.clone()).collect()),
    }
}

/// A parameter of a handler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of this handler",
    note = "parameters are `Context`, `State<T>`, `Caller`, types that implement `FromRequest`, `Uri` and `Captures` (resources), `CompletionRequest` (completion), and once a type of arguments that derives `Deserialize`, and for prompts `JsonSchema` too"
)]
pub trait Parameter<Kind, Via>: Sized {
    #[doc(hidden)]
    const ARGUMENTS: usize = 0;
    #[doc(hidden)]
    const CONTEXTS: usize = 0;
    #[doc(hidden)]
    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error>;
    #[doc(hidden)]
    fn arguments() -> Option<Vec<PromptArgument>> {
        None
    }
    #[doc(hidden)]
    fn needs(needs: &mut Needs) {
        let _ = needs;
    }
}

impl<Kind> Parameter<Kind, via::Itself> for Context {
    const CONTEXTS: usize = 1;

    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error> {
        request.context.take()
    }
}

impl<Kind, T: FromRequest> Parameter<Kind, via::Request> for T {
    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error> {
        T::from_request(&RequestParts::new(request.scope))
    }

    fn needs(needs: &mut Needs) {
        <T as FromRequest>::needs(needs);
    }
}

impl Parameter<kind::Resource, via::Itself> for Uri {
    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error> {
        match &request.subject {
            Subject::Resource { uri, .. } => Ok(Self((*uri).to_owned())),
            Subject::Completion(_) | Subject::Prompt(_) => Err(Error::text("there is no URI")),
        }
    }
}

impl Parameter<kind::Resource, via::Itself> for Captures {
    const ARGUMENTS: usize = 1;

    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error> {
        match &mut request.subject {
            Subject::Resource { captures, .. } => Ok(std::mem::take(captures)),
            Subject::Completion(_) | Subject::Prompt(_) => Ok(Self::default()),
        }
    }
}

impl<T: DeserializeOwned> Parameter<kind::Resource, via::Arguments> for T {
    const ARGUMENTS: usize = 1;

    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error> {
        from_strings(request.given()).map_err(Error::invalid_params)
    }
}

impl<T: DeserializeOwned + JsonSchema> Parameter<kind::Prompt, via::Arguments> for T {
    const ARGUMENTS: usize = 1;

    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error> {
        from_strings(request.given()).map_err(Error::invalid_params)
    }

    fn arguments() -> Option<Vec<PromptArgument>> {
        Some(arguments_of::<T>())
    }
}

impl<T: Parameter<kind::Prompt, via::Arguments>> Parameter<kind::Prompt, via::Itself>
    for Arguments<T>
{
    const ARGUMENTS: usize = 1;

    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error> {
        T::take(request).map(Self)
    }

    fn arguments() -> Option<Vec<PromptArgument>> {
        T::arguments()
    }
}

impl<T: Parameter<kind::Resource, via::Arguments>> Parameter<kind::Resource, via::Itself>
    for Arguments<T>
{
    const ARGUMENTS: usize = 1;

    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error> {
        T::take(request).map(Self)
    }
}

impl Parameter<kind::Completion, via::Itself> for CompletionRequest {
    fn take(request: &mut HandlerRequest<'_>) -> Result<Self, Error> {
        match request.subject {
            Subject::Completion(completion) => Ok(completion.clone()),
            Subject::Prompt(_) | Subject::Resource { .. } => {
                Err(Error::text("nothing is to be completed"))
            }
        }
    }
}

macro_rules! handlers {
    ($($parameter:ident $via:ident $value:ident),*) => {
        impl<Kind, F, Fut, R, $($parameter, $via,)*> Handler<Kind, ($(($parameter, $via),)*)> for F
        where
            F: FnOnce($($parameter),*) -> Fut + Clone + Send + Sync + 'static,
            Fut: Future<Output = R> + Send + 'static,
            $($parameter: Parameter<Kind, $via>,)*
        {
            type Output = R;

            fn call(self, request: HandlerRequest<'_>) -> Result<BoxFuture<'static, R>, Error>
            where
                R: 'static,
            {
                const {
                    assert!(
                        0 $(+ $parameter::ARGUMENTS)* <= 1,
                        "a handler takes the arguments once: put all of them into one struct"
                    );
                    assert!(0 $(+ $parameter::CONTEXTS)* <= 1, "a handler takes one `Context`");
                }
                let mut request = request;
                let _ = &mut request;
                $(let $value = $parameter::take(&mut request)?;)*
                Ok(Box::pin(self($($value),*)))
            }

            fn arguments() -> Option<Vec<PromptArgument>> {
                let arguments: Option<Vec<PromptArgument>> = None;
                $(let arguments = arguments.or_else($parameter::arguments);)*
                arguments
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
