use proofmark_redis::RedisSettings;
use proofmark_sdk::store::contract;
use std::{cell::RefCell, sync::Arc, time::Duration};

use crate::common::Store;

/// Runs a part of the contract on every kind of store. Time passes as the stores under test read it.
macro_rules! keeps {
    ($test:ident, $suite:ident, $field:ident) => {
        #[tokio::test]
        async fn $test() {
            for store in Store::all() {
                let made = RefCell::new(Vec::new());
                let new = async |$field| {
                    let settings = RedisSettings { $field, ..RedisSettings::default() };
                    let stores = store.stores(settings).await;
                    made.borrow_mut().push(stores.clone());
                    Arc::clone(&stores.$field)
                };
                let pass = async |time: Duration| {
                    made.borrow().iter().for_each(|stores| stores.advance(time));
                };
                contract::$suite(new, pass).await;
            }
        }
    };
}

#[tokio::test]
async fn the_way_between_servers_keeps_the_contract() {
    for store in Store::all() {
        let new = async |bus| {
            let settings = RedisSettings { bus, ..RedisSettings::default() };
            store.servers(settings).await
        };
        contract::bus(new, async |_| tokio::task::yield_now().await).await;
    }
}

keeps!(the_sessions_keep_the_contract, session_store, sessions);
keeps!(the_event_log_keeps_the_contract, event_log, events);
keeps!(the_tasks_keep_the_contract, task_store, tasks);
