use super::*;
use crate::store::{MemoryBus, MemoryEventLog, MemorySessionStore, MemoryTaskStore};

#[tokio::test(start_paused = true)]
async fn the_event_log_in_memory_keeps_the_contract() {
    event_log(async |settings| Arc::new(MemoryEventLog::new(settings)), tokio::time::advance).await;
}

#[tokio::test(start_paused = true)]
async fn the_session_store_in_memory_keeps_the_contract() {
    session_store(
        async |settings| Arc::new(MemorySessionStore::new(settings)),
        tokio::time::advance,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_task_store_in_memory_keeps_the_contract() {
    task_store(async |settings| Arc::new(MemoryTaskStore::new(settings)), tokio::time::advance)
        .await;
}

#[tokio::test(start_paused = true)]
async fn the_way_between_servers_in_memory_keeps_the_contract() {
    let new = async |settings| {
        let first = MemoryBus::new(settings);
        let others = [first.join(), first.join()];
        let [second, third] = others;
        [first, second, third]
    };
    bus(new, tokio::time::advance).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_forgets_its_limits_breaks_some_rules_and_not_others() {
    let unlimited = async |_| Arc::new(MemoryEventLog::new(EventLogSettings::default()));
    let check = event_log(unlimited, tokio::time::advance);
    let panic = AssertUnwindSafe(check).catch_unwind().await.unwrap_err();
    let found = message(&*panic);
    assert!(found.starts_with("the event log breaks its contract:"), "{found}");
    assert!(found.contains("- too many events push out the oldest: "), "{found}");
    assert!(!found.contains("an event of another session is unknown"), "{found}");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_stands_still_breaks_the_rules_about_time() {
    let new_store = async |settings| Arc::new(MemoryTaskStore::new(settings));
    let still = async |_| tokio::task::yield_now().await;
    let check = tokio::time::timeout(Duration::from_secs(1000), task_store(new_store, still));
    let panic = AssertUnwindSafe(check).catch_unwind().await.unwrap_err();
    assert!(message(&*panic).contains("a task is unknown when its time is over"));
}
