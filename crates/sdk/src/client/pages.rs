//! Lists that come in pages, as streams that turn them.

use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use proofmark_core::types::{Prompt, Resource, ResourceTemplate, Task, Tool};

use super::{Client, Error};
use crate::BoxFuture;

type Page<T> = Result<(Vec<T>, Option<String>), Error>;

impl Client {
    /// All tools, page after page as the stream is read.
    pub fn tools(&self) -> impl Stream<Item = Result<Tool, Error>> + Send + '_ {
        self.pages(move |cursor| {
            Box::pin(async move {
                let page = self.list_tools(cursor.as_deref()).await?;
                Ok((page.tools, page.next_cursor))
            })
        })
    }

    pub fn resources(&self) -> impl Stream<Item = Result<Resource, Error>> + Send + '_ {
        self.pages(move |cursor| {
            Box::pin(async move {
                let page = self.list_resources(cursor.as_deref()).await?;
                Ok((page.resources, page.next_cursor))
            })
        })
    }

    pub fn resource_templates(
        &self,
    ) -> impl Stream<Item = Result<ResourceTemplate, Error>> + Send + '_ {
        self.pages(move |cursor| {
            Box::pin(async move {
                let page = self.list_resource_templates(cursor.as_deref()).await?;
                Ok((page.resource_templates, page.next_cursor))
            })
        })
    }

    pub fn prompts(&self) -> impl Stream<Item = Result<Prompt, Error>> + Send + '_ {
        self.pages(move |cursor| {
            Box::pin(async move {
                let page = self.list_prompts(cursor.as_deref()).await?;
                Ok((page.prompts, page.next_cursor))
            })
        })
    }

    /// All tasks of the experimental kind that the server keeps for this client.
    pub fn tasks(&self) -> impl Stream<Item = Result<Task, Error>> + Send + '_ {
        self.pages(move |cursor| {
            Box::pin(async move {
                let page = self.list_tasks(cursor.as_deref()).await?;
                Ok((page.tasks, page.next_cursor))
            })
        })
    }

    /// All tools, in one list.
    pub async fn all_tools(&self) -> Result<Vec<Tool>, Error> {
        self.tools().try_collect().await
    }

    /// All resources, in one list.
    pub async fn all_resources(&self) -> Result<Vec<Resource>, Error> {
        self.resources().try_collect().await
    }

    /// All templates of resources, in one list.
    pub async fn all_resource_templates(&self) -> Result<Vec<ResourceTemplate>, Error> {
        self.resource_templates().try_collect().await
    }

    /// All prompts, in one list.
    pub async fn all_prompts(&self) -> Result<Vec<Prompt>, Error> {
        self.prompts().try_collect().await
    }

    /// Follows the cursors, up to the limit and not in a circle.
    pub(super) fn pages<'a, T: Send + 'a>(
        &'a self,
        get: impl Fn(Option<String>) -> BoxFuture<'a, Page<T>> + Send + 'a,
    ) -> impl Stream<Item = Result<T, Error>> + Send + 'a {
        let limit = self.engine().settings.pages;
        let first = Some((None, 0));
        let pages = stream::try_unfold((first, get), move |(next, get)| async move {
            let Some((cursor, turned)) = next else { return Ok(None) };
            if turned >= limit {
                return Err(Error::TooManyPages { limit });
            }
            let (items, next) = get(cursor).await?;
            let next = next.map(|cursor| (Some(cursor), turned + 1));
            Ok(Some((stream::iter(items).map(Ok), (next, get))))
        });
        pages.try_flatten()
    }
}
