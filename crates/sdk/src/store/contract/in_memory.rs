//! The stores in memory keep the contract.

use std::{sync::Arc, time::Duration};

use super::{Fixture, event_log, sessions, tasks};
use crate::BoxFuture;
use crate::store::{
    EventLog, EventLogSettings, MemoryEventLog, MemorySessionStore, MemoryTaskStore,
    SessionSettings, SessionStore, TaskSettings, TaskStore,
};

struct InMemory;

macro_rules! fixture {
    ($settings:ty, $store:ty, $new:path) => {
        impl Fixture<$settings, $store> for InMemory {
            fn store(&self, settings: $settings) -> BoxFuture<'_, Arc<$store>> {
                Box::pin(async { Arc::new($new(settings)) as Arc<$store> })
            }

            fn pass(&self, time: Duration) -> BoxFuture<'_, ()> {
                Box::pin(tokio::time::advance(time))
            }
        }
    };
}

fixture!(EventLogSettings, dyn EventLog, MemoryEventLog::new);
fixture!(SessionSettings, dyn SessionStore, MemorySessionStore::new);
fixture!(TaskSettings, dyn TaskStore, MemoryTaskStore::new);

macro_rules! in_memory {
    ($suite:ident: $($rule:ident)+) => {
        $(
            #[tokio::test(start_paused = true)]
            async fn $rule() {
                $suite::$rule(&InMemory).await;
            }
        )+
    };
}

mod an_event_log {
    use super::{InMemory, event_log};

    event_log::rules!(in_memory);
}

mod a_session_store {
    use super::{InMemory, sessions};

    sessions::rules!(in_memory);
}

mod a_task_store {
    use super::{InMemory, tasks};

    tasks::rules!(in_memory);
}
