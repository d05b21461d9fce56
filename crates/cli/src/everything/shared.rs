//! What the Everything Server shares with others of its kind.

use std::sync::Arc;

use anyhow::Context;
use proofmark_core::{
    seal::{Key, Keyring},
    streamable_http::{AllowedHost, Hosts},
};
use proofmark_everything::Options;
use proofmark_redis::{RedisSettings, RedisStores};
use proofmark_sdk::{
    server::{Server, TaskOptions},
    transport::http::HttpSettings,
};

use super::NO_SERVER;

pub(super) async fn stores(address: Option<&str>) -> anyhow::Result<Option<RedisStores>> {
    let Some(address) = address else { return Ok(None) };
    let stores = RedisStores::connect(address, RedisSettings::default()).await;
    // The address may have a password in it, and is not said again.
    stores.context("the store of --store cannot be used").map(Some)
}

pub(super) async fn server(
    options: Options,
    stores: Option<&RedisStores>,
) -> anyhow::Result<Server> {
    let mut builder = proofmark_everything::builder(options).context(NO_SERVER)?;
    if let Some(stores) = stores {
        let key = stores.key().await.context("the store gives no key")?;
        let store = Arc::clone(&stores.tasks) as _;
        builder = builder
            .keys(Keyring::new(0, Key::new(key)))
            .tasks(TaskOptions { store, ..TaskOptions::default() });
    }
    builder.build().context(NO_SERVER)
}

pub(super) fn settings(hosts: &[AllowedHost], stores: Option<&RedisStores>) -> HttpSettings {
    let hosts = Hosts::LoopbackAnd(hosts.to_vec());
    let settings = HttpSettings { hosts, ..HttpSettings::default() };
    match stores {
        Some(stores) => settings.shared(stores.shared()),
        None => settings,
    }
}
