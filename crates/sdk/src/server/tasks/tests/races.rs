//! Ends that come at bad moments.

use std::{sync::Arc, sync::atomic::Ordering, time::Duration};

use serde_json::json;
use tokio::sync::Notify;

use super::{
    client::Client,
    tools::{Barrier, server, server_with},
};
use crate::{
    BoxFuture,
    server::TaskOptions,
    store::{
        MemoryTaskStore, Principal, StoreError, TaskId, TaskKey, TaskPage, TaskRecord, TaskStore,
        Timestamp,
    },
};

/// A store that takes its time to create tasks, and shows the last one that it did.
#[derive(Default)]
struct Slow {
    inner: MemoryTaskStore,
    ready: Notify,
    last: std::sync::Mutex<Option<(TaskId, Principal)>>,
}

type Kept<'a> = BoxFuture<'a, Result<Arc<TaskRecord>, StoreError>>;

impl TaskStore for Slow {
    fn create(&self, task: TaskRecord) -> Kept<'_> {
        Box::pin(async move {
            self.ready.notified().await;
            *self.last.lock().unwrap() = Some((task.id.clone(), task.owner.clone()));
            self.inner.create(task).await
        })
    }

    fn get<'a>(&'a self, id: &'a TaskId, owner: &'a Principal) -> Kept<'a> {
        self.inner.get(id, owner)
    }

    fn update(&self, task: TaskRecord) -> Kept<'_> {
        self.inner.update(task)
    }

    fn cancel<'a>(&'a self, id: &'a TaskId, owner: &'a Principal, now: Timestamp) -> Kept<'a> {
        self.inner.cancel(id, owner, now)
    }

    fn forget<'a>(&'a self, owner: &'a Principal) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.forget(owner)
    }

    fn list<'a>(
        &'a self,
        owner: &'a Principal,
        after: Option<TaskKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<TaskPage, StoreError>> {
        self.inner.list(owner, after, limit)
    }

    fn changed<'a>(&'a self, id: &'a TaskId, owner: &'a Principal, version: u64) -> Kept<'a> {
        self.inner.changed(id, owner, version)
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_before_it_is_answered_leaves_no_task_at_work() {
    let (barrier, store) = (Barrier::default(), Arc::new(Slow::default()));
    let options = TaskOptions { store: store.clone(), ..TaskOptions::default() };
    let mut client = Client::connect(&server_with(&barrier, options)).await;
    let call = client.ask("tools/call", json!({ "name": "wait", "task": {} })).await;
    let params = json!({ "requestId": call });
    client
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    client.request("ping", json!({})).await;
    store.ready.notify_one();
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(barrier.entered.load(Ordering::SeqCst), 0);
    let (id, owner) = store.last.lock().unwrap().clone().unwrap();
    let left = store.get(&id, &owner).await.unwrap();
    assert_eq!(left.status.as_str(), "cancelled");
}

#[tokio::test(start_paused = true)]
async fn the_handler_begins_after_the_call_is_answered() {
    let (barrier, store) = (Barrier::default(), Arc::new(Slow::default()));
    let options = TaskOptions { store: store.clone(), ..TaskOptions::default() };
    let mut client = Client::connect(&server_with(&barrier, options)).await;
    let call = client.ask("tools/call", json!({ "name": "wait", "task": {} })).await;
    client.request("ping", json!({})).await;
    assert_eq!(barrier.entered.load(Ordering::SeqCst), 0);
    store.ready.notify_one();
    client.answer(call).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(barrier.entered.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_ends_as_what_it_was_first_said_to_have_ended_as() {
    let barrier = Barrier::default();
    let mut client = Client::connect(&server(&barrier)).await;
    for _ in 0..20 {
        let task = client.begin("wait").await;
        tokio::task::yield_now().await;
        let cancel = client.ask("tasks/cancel", json!({ "taskId": task })).await;
        barrier.open.notify_one();
        let cancelled = client.answer(cancel).await;
        let ended = client.of_task("tasks/get", &task).await;
        let expected = if cancelled.get("error").is_some() { "completed" } else { "cancelled" };
        assert_eq!(ended["status"], expected);
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert_eq!(client.of_task("tasks/get", &task).await, ended);
        barrier.left().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_away_takes_its_tasks_along() {
    let barrier = Barrier::default();
    let mut client = Client::connect(&server(&barrier)).await;
    client.begin("wait").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(barrier.inside(), 1);
    drop(client);
    barrier.left().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_goes_down_cancels_its_tasks_and_begins_no_new_ones() {
    let barrier = Barrier::default();
    let server = server(&barrier);
    let mut client = Client::connect(&server).await;
    let task = client.begin("wait").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    server.stop_tasks().await;
    assert_eq!(barrier.inside(), 0);
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "cancelled");
    assert_eq!(client.error("tools/call", json!({ "name": "wait", "task": {} })).await, -32603);
}
