//! Resources and templates of resources, and what reads them.

use std::{future::ready, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use proofmark_core::{
    types::{Resource, ResourceContents, ResourceTemplate},
    uri_template::{Captures, TemplateError, UriTemplate},
};

use serde::Serialize;

use super::{
    Cache, Context, Error, Json, Needs,
    completion::{Completions, IntoCompletion},
    handler::{Handler, HandlerRequest, Subject, kind},
};
use crate::BoxFuture;

/// A resource that is about to be defined: `resource("file:///notes.txt", "notes").handler(read)`.
pub fn resource(uri: impl Into<String>, name: impl Into<String>) -> ResourceBuilder {
    ResourceBuilder(Resource::new(uri, name), None, None)
}

/// A template of resources that is about to be defined: `resource_template("users://{id}", "user").handler(read)`.
pub fn resource_template(
    uri_template: impl Into<String>,
    name: impl Into<String>,
) -> TemplateBuilder {
    let template = ResourceTemplate {
        uri_template: uri_template.into(),
        name: name.into(),
        ..ResourceTemplate::default()
    };
    TemplateBuilder(template, Completions::default(), None)
}

/// What reading a resource gives.
pub type Contents = Vec<ResourceContents>;

/// A resource that is about to be defined.
#[derive(Clone, Debug)]
pub struct ResourceBuilder(Resource, Option<Cache>, Option<String>);

/// A template that is about to be defined.
#[derive(Clone, Debug)]
pub struct TemplateBuilder(ResourceTemplate, Completions, Option<String>);

macro_rules! described {
    ($builder:ident) => {
        impl $builder {
            /// A name for people.
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.0.title = Some(title.into());
                self
            }

            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.0.description = Some(description.into());
                self
            }

            pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
                self.0.mime_type = Some(mime_type.into());
                self
            }

            /// Only callers with this scope see it and can read it; to others it does not exist. Lists are then each caller's own, and
            /// clients may not share what they keep of them.
            pub fn hidden_without(mut self, scope: impl Into<String>) -> Self {
                self.2 = Some(scope.into());
                self
            }
        }
    };
}

described!(ResourceBuilder);
described!(TemplateBuilder);

impl ResourceBuilder {
    /// Bytes of the content itself.
    pub fn size(mut self, bytes: u64) -> Self {
        self.0.size = Some(bytes);
        self
    }

    /// How long, and for whom, clients of the modern era may keep what they read.
    pub fn cache(mut self, cache: Cache) -> Self {
        self.1 = Some(cache);
        self
    }

    /// What runs when the resource is read.
    pub fn handler<F, Fut>(self, read: F) -> ResourceEntry
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Contents, Error>> + Send + 'static,
    {
        let read = Arc::new(move |context| -> ReadFuture { Box::pin(read(context)) });
        self.entry(Needs::default(), read)
    }

    /// As [`handler`](Self::handler), for a function of [any parameters](Handler) that returns what is [`IntoContents`].
    pub fn read<P, H>(self, handler: H) -> ResourceEntry
    where
        H: Handler<kind::Resource, P>,
        H::Output: IntoContents + 'static,
    {
        let mut needs = Needs::default();
        H::needs(&mut needs);
        let (uri, mime_type) = (self.0.uri.clone(), self.0.mime_type.clone());
        let read = Arc::new(move |context: Context| {
            call(handler.clone(), context, uri.clone(), Captures::default(), mime_type.clone())
        });
        self.entry(needs, read)
    }

    fn entry(self, needs: Needs, read: Read) -> ResourceEntry {
        let Self(resource, cache, hidden_without) = self;
        ResourceEntry { resource, cache, hidden_without, needs, read }
    }

    /// A resource that always reads the same.
    pub fn contents(self, contents: Contents) -> ResourceEntry {
        self.handler(move |_| ready(Ok(contents.clone())))
    }

    /// A text that never changes.
    pub fn text(self, text: impl Into<String>) -> ResourceEntry {
        let contents = ResourceContents::text(self.0.uri.clone(), self.0.mime_type.clone(), text);
        self.contents(vec![contents])
    }
}

impl TemplateBuilder {
    /// What runs when a resource that fits the template is read, with the values of the template's variables.
    pub fn handler<F, Fut>(self, read: F) -> TemplateEntry
    where
        F: Fn(Context, String, Captures) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Contents, Error>> + Send + 'static,
    {
        let read = Arc::new(move |context, uri, captures| -> ReadFuture {
            Box::pin(read(context, uri, captures))
        });
        self.entry(Needs::default(), read)
    }

    /// As [`handler`](Self::handler), for a function of [any parameters](Handler) that returns what is [`IntoContents`].
    ///
    /// ```
    /// use proofmark_sdk::server::{Server, State, resource_template};
    /// # use std::collections::HashMap;
    ///
    /// async fn note(State(notes): State<HashMap<u32, String>>, id: u32) -> Option<String> {
    ///     notes.get(&id).cloned() // `None` is the error that the client's revision has for a resource that is not there
    /// }
    ///
    /// let server = Server::builder("notes", "1.0.0")
    ///     .state(HashMap::from([(1_u32, "Water the plants.".to_owned())]))
    ///     .add_template(resource_template("notes://{id}", "note").mime_type("text/plain").read(note))
    ///     .build();
    /// # assert!(server.is_ok());
    /// ```
    pub fn read<P, H>(self, handler: H) -> TemplateEntry
    where
        H: Handler<kind::Resource, P>,
        H::Output: IntoContents + 'static,
    {
        let mut needs = Needs::default();
        H::needs(&mut needs);
        let mime_type = self.0.mime_type.clone();
        let read = Arc::new(move |context, uri, captures| {
            call(handler.clone(), context, uri, captures, mime_type.clone())
        });
        self.entry(needs, read)
    }

    fn entry(self, needs: Needs, read: ReadTemplate) -> TemplateEntry {
        let Self(template, completions, hidden_without) = self;
        TemplateEntry { template, hidden_without, needs, completions, read }
    }

    /// Completes a variable: a handler gives what can be suggested for it. See [`IntoCompletion`].
    pub fn complete<P, H>(mut self, variable: impl Into<String>, handler: H) -> Self
    where
        H: Handler<kind::Completion, P>,
        H::Output: IntoCompletion + 'static,
    {
        self.1.insert(variable.into(), handler);
        self
    }

    /// Completes a variable with those of these values that begin with what is typed.
    pub fn suggest(
        mut self,
        variable: impl Into<String>,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.1.insert_values(variable.into(), values.into_iter().map(Into::into).collect());
        self
    }
}

fn call<P, H>(
    handler: H,
    context: Context,
    uri: String,
    captures: Captures,
    mime_type: Option<String>,
) -> ReadFuture
where
    H: Handler<kind::Resource, P>,
    H::Output: IntoContents + 'static,
{
    let scope = Arc::clone(context.scope());
    let subject = Subject::Resource { uri: &uri, captures };
    match handler.call(HandlerRequest::new(&scope, context, subject)) {
        Ok(future) => Box::pin(async move {
            let returned = future.await;
            returned.into_contents(&uri, mime_type.as_deref())
        }),
        Err(error) => Box::pin(ready(Err(error))),
    }
}

/// What the handler of a resource or template may return.
///
/// Text, bytes, [`Json`] of a type, contents as they are, an `Option` of these, where `None` is the error for a resource that is not there, or
/// a `Result` of them.
#[diagnostic::on_unimplemented(
    message = "the handler of a resource cannot return `{Self}`",
    note = "return text, `Vec<u8>`, `Json(value)`, `ResourceContents`, `Vec<ResourceContents>`, or an `Option` or `Result` of one of these"
)]
pub trait IntoContents {
    /// `mime_type` is what the resource or template says it is.
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<Contents, Error>;
}

impl IntoContents for String {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<Contents, Error> {
        Ok(vec![ResourceContents::text(uri, mime_type.map(str::to_owned), self)])
    }
}

impl IntoContents for &str {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<Contents, Error> {
        self.to_owned().into_contents(uri, mime_type)
    }
}

impl IntoContents for Vec<u8> {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<Contents, Error> {
        Ok(vec![ResourceContents::blob(uri, mime_type.map(str::to_owned), STANDARD.encode(self))])
    }
}

impl<T: Serialize> IntoContents for Json<T> {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<Contents, Error> {
        let text = serde_json::to_string(&self.0)?;
        text.into_contents(uri, Some(mime_type.unwrap_or("application/json")))
    }
}

impl IntoContents for ResourceContents {
    fn into_contents(self, _: &str, _: Option<&str>) -> Result<Contents, Error> {
        Ok(vec![self])
    }
}

impl IntoContents for Contents {
    fn into_contents(self, _: &str, _: Option<&str>) -> Result<Contents, Error> {
        Ok(self)
    }
}

impl<T: IntoContents> IntoContents for Option<T> {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<Contents, Error> {
        self.ok_or_else(|| Error::not_found(uri))?.into_contents(uri, mime_type)
    }
}

impl<T: IntoContents, E: Into<Error>> IntoContents for Result<T, E> {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<Contents, Error> {
        self.map_err(Into::into)?.into_contents(uri, mime_type)
    }
}

pub(crate) type ReadFuture = BoxFuture<'static, Result<Contents, Error>>;
type Read = Arc<dyn Fn(Context) -> ReadFuture + Send + Sync>;
type ReadTemplate = Arc<dyn Fn(Context, String, Captures) -> ReadFuture + Send + Sync>;

/// A resource and what reads it.
#[derive(Clone)]
pub struct ResourceEntry {
    pub(crate) resource: Resource,
    pub(crate) cache: Option<Cache>,
    pub(crate) hidden_without: Option<String>,
    pub(crate) needs: Needs,
    pub(crate) read: Read,
}

/// A template and what reads the resources that fit it.
#[derive(Clone)]
pub struct TemplateEntry {
    pub(crate) template: ResourceTemplate,
    pub(crate) hidden_without: Option<String>,
    pub(crate) needs: Needs,
    pub(crate) completions: Completions,
    pub(crate) read: ReadTemplate,
}

/// A template that is ready to be matched.
pub(crate) struct ReadyTemplate {
    pub(crate) template: ResourceTemplate,
    pub(crate) hidden_without: Option<String>,
    pub(crate) completions: Completions,
    matcher: UriTemplate,
    read: ReadTemplate,
}

impl TemplateEntry {
    pub(crate) fn compile(self) -> Result<ReadyTemplate, TemplateError> {
        let matcher = UriTemplate::parse(&self.template.uri_template)?;
        let Self { template, hidden_without, completions, read, .. } = self;
        Ok(ReadyTemplate { template, hidden_without, completions, matcher, read })
    }
}

impl ReadyTemplate {
    /// Reads the resource, if its URI fits.
    pub(crate) fn read(&self, context: Context, uri: &str) -> Option<ReadFuture> {
        let captures = self.matcher.matches(uri)?;
        Some((self.read)(context, uri.to_owned(), captures))
    }

    pub(crate) fn fits(&self, uri: &str) -> bool {
        self.matcher.matches(uri).is_some()
    }
}
