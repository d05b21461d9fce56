//! Resources and templates of resources, and what reads them.

use std::sync::Arc;

use proofmark_core::{
    types::{Resource, ResourceContents, ResourceTemplate},
    uri_template::{Captures, TemplateError, UriTemplate},
};

use super::{Cache, Context, Error};
use crate::BoxFuture;

/// A resource that is about to be defined: `resource("file:///notes.txt", "notes").handler(read)`.
pub fn resource(uri: impl Into<String>, name: impl Into<String>) -> ResourceBuilder {
    ResourceBuilder(Resource::new(uri, name), None)
}

/// A template of resources that is about to be defined: `resource_template("users://{id}", "user").handler(read)`.
pub fn resource_template(
    uri_template: impl Into<String>,
    name: impl Into<String>,
) -> TemplateBuilder {
    TemplateBuilder(ResourceTemplate {
        uri_template: uri_template.into(),
        name: name.into(),
        ..ResourceTemplate::default()
    })
}

/// What reading a resource gives.
pub type Contents = Vec<ResourceContents>;

/// A resource that is about to be defined.
#[derive(Clone, Debug)]
pub struct ResourceBuilder(Resource, Option<Cache>);

/// A template that is about to be defined.
#[derive(Clone, Debug)]
pub struct TemplateBuilder(ResourceTemplate);

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
        ResourceEntry { resource: self.0, cache: self.1, read }
    }

    /// A resource that always reads the same.
    pub fn contents(self, contents: Contents) -> ResourceEntry {
        self.handler(move |_| std::future::ready(Ok(contents.clone())))
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
        TemplateEntry { template: self.0, read }
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
    pub(crate) read: Read,
}

/// A template and what reads the resources that fit it.
#[derive(Clone)]
pub struct TemplateEntry {
    pub(crate) template: ResourceTemplate,
    read: ReadTemplate,
}

/// A template that is ready to be matched.
pub(crate) struct ReadyTemplate {
    pub(crate) template: ResourceTemplate,
    matcher: UriTemplate,
    read: ReadTemplate,
}

impl TemplateEntry {
    pub(crate) fn compile(self) -> Result<ReadyTemplate, TemplateError> {
        let matcher = UriTemplate::parse(&self.template.uri_template)?;
        Ok(ReadyTemplate { template: self.template, matcher, read: self.read })
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
