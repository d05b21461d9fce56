//! `proofmark subscribe`: what a server tells on its own account, as it comes.

use std::{pin::pin, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use proofmark_check::record::text::Untrusted;
use proofmark_sdk::{
    client::{Client, ClientSettings, Error},
    core::{
        revision::Era,
        types::{ServerNotification, SubscriptionFilter},
    },
};
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use crate::{arguments::Subscribe, exit, peer, platform, say};

pub(crate) fn run(arguments: &Subscribe) -> anyhow::Result<u8> {
    let done = peer::with(&arguments.peer, ClientSettings::default(), async |client| {
        let modern = client.server().is_some_and(|it| it.revision.era() == Era::Modern);
        if modern { listen(client, arguments).await } else { hear(client, arguments).await }
    });
    match done {
        Ok(()) => Ok(exit::SUCCESS),
        Err(error) => peer::refused(error),
    }
}

/// A modern server is asked for all that there is.
async fn listen(client: &Client, arguments: &Subscribe) -> anyhow::Result<()> {
    let filter = SubscriptionFilter {
        tools_list_changed: Some(true),
        prompts_list_changed: Some(true),
        resources_list_changed: Some(true),
        resource_subscriptions: (!arguments.uris.is_empty()).then(|| arguments.uris.clone()),
        task_ids: None,
    };
    let subscription = client.listen(filter).await?;
    let granted = subscription.granted().resource_subscriptions.clone().unwrap_or_default();
    for uri in arguments.uris.iter().filter(|uri| !granted.contains(uri)) {
        say::on_stderr(format_args!("the server tells nothing about {uri}"));
    }
    let heard = stream::unfold(subscription, |mut subscription| async {
        subscription.next().await.transpose().map(|heard| (heard, subscription))
    });
    follow(heard, arguments).await
}

/// A legacy server tells by itself what lists change, and of resources those that it is asked for.
async fn hear(client: &Client, arguments: &Subscribe) -> anyhow::Result<()> {
    let heard = client.notifications().map(Ok);
    for uri in &arguments.uris {
        client.subscribe(uri).await?;
    }
    follow(heard, arguments).await
}

/// Until there were enough, it took long enough, the server ended it, or the user did.
async fn follow(
    heard: impl Stream<Item = Result<ServerNotification, Error>>,
    arguments: &Subscribe,
) -> anyhow::Result<()> {
    say::on_stderr("listening; Ctrl-C ends it");
    let mut heard = pin!(heard);
    let told = platform::interrupted_or_terminated()?;
    let mut told = pin!(told);
    let until = arguments.seconds.map(|it| Instant::now() + Duration::from_secs(it));
    let mut left = arguments.count;
    while left != Some(0) {
        let time_is_up = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            next = heard.next() => match next {
                Some(notification) => {
                    show(&notification?, arguments);
                    left = left.map(|it| it - 1);
                }
                None => break,
            },
            () = time_is_up => break,
            _ = &mut told => break,
        }
    }
    Ok(())
}

fn show(notification: &ServerNotification, arguments: &Subscribe) {
    let method = notification.method();
    let about = match notification {
        ServerNotification::ResourceUpdated(params) => json!({ "uri": params.uri }),
        ServerNotification::Message(params) => {
            json!({ "level": params.level, "data": params.data })
        }
        _ => json!({}),
    };
    if arguments.peer.json {
        let line = json!({ "method": method.as_str(), "params": about }).to_string();
        say::report(&proofmark_check::record::text::json(&line));
        return;
    }
    let about = match about.as_object() {
        Some(members) => members
            .values()
            .map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned))
            .collect(),
        None => Vec::new(),
    };
    say::on_stdout(
        format_args!("{} {}", method.as_str(), Untrusted(&about.join(" "))).to_string().trim_end(),
    );
}
