//! News of one resource, whatever the revision.

use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use proofmark_core::{
    revision::SubscriptionStyle,
    types::{ServerNotification, SubscriptionFilter},
};

use super::{Client, Error, Subscription};

/// News of a resource. Dropping it stops the watching where the revision can tell the server so; [`Watch::end`] does in every one.
pub struct Watch {
    client: Client,
    uri: String,
    source: Source,
}

enum Source {
    /// Modern: a subscription of its own.
    Subscription(Subscription),
    /// Legacy: all that the server tells.
    Notifications(Pin<Box<dyn Stream<Item = ServerNotification> + Send>>),
}

impl Client {
    /// Asks to be told when a resource changes, in the way that the server's revision has for that.
    ///
    /// ```
    /// # use proofmark_sdk::{client::Client, server::{Server, resource}};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let server = Server::builder("s", "1").add_resource(resource("notes://today", "today").text("Rest.")).build()?;
    /// # let client = Client::in_memory(&server).await?;
    /// let mut watch = client.watch("notes://today").await?;
    /// # server.resource_updated("notes://today");
    /// while watch.changed().await? {
    ///     let today = client.read_resource("notes://today").fresh().await?;
    /// #   drop(today);
    /// #   break;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn watch(&self, uri: &str) -> Result<Watch, Error> {
        let revision = self.engine().ready().await?.revision;
        let source = if revision.rules().subscriptions == SubscriptionStyle::Listen {
            let filter = SubscriptionFilter {
                resource_subscriptions: Some(vec![uri.to_owned()]),
                ..SubscriptionFilter::default()
            };
            Source::Subscription(self.listen(filter).await?)
        } else {
            // Listening begins before the server knows, so that nothing is missed.
            let notifications = Box::pin(self.notifications());
            self.subscribe(uri).await?;
            Source::Notifications(notifications)
        };
        Ok(Watch { client: self.clone(), uri: uri.to_owned(), source })
    }
}

impl Watch {
    /// Waits until the resource has changed; `false` when no more news will come.
    pub async fn changed(&mut self) -> Result<bool, Error> {
        loop {
            let heard = match &mut self.source {
                Source::Subscription(subscription) => subscription.next().await?,
                Source::Notifications(notifications) => notifications.next().await,
            };
            match heard {
                Some(ServerNotification::ResourceUpdated(params)) if params.uri == self.uri => {
                    return Ok(true);
                }
                Some(_) => {}
                None => return Ok(false),
            }
        }
    }

    /// Tells the server that the resource is not watched any more.
    pub async fn end(self) -> Result<(), Error> {
        match self.source {
            // Dropping it ends it.
            Source::Subscription(_) => Ok(()),
            Source::Notifications(_) => self.client.unsubscribe(&self.uri).await.map(drop),
        }
    }
}
