//! The contract of a task store.

use std::time::Duration;

use proofmark_core::{json::Raw, types::TaskStatus};

use super::{alice, others, suite};
use crate::store::{
    Cap, Principal, StoreError, TaskId, TaskOutcome, TaskRecord, TaskSettings, TaskStore,
    Timestamp, What,
};

suite! { dyn TaskStore, TaskSettings:
    a_created_task_is_found
    an_id_is_given_to_one_task
    another_principal_gets_the_answer_of_an_unknown_task
    of_two_updates_to_the_same_version_one_is_refused
    a_task_that_has_ended_never_changes
    every_step_between_statuses_is_judged_as_the_protocol_does
    an_update_leaves_creation_alone
    a_cancelled_task_waits_for_nothing
    a_task_lives_no_longer_than_allowed
    a_task_is_unknown_when_its_time_is_over
    the_time_to_live_may_change
    a_full_store_refuses_and_recovers
    no_principal_has_more_tasks_than_its_share
    a_result_that_is_too_large_is_refused
    the_store_holds_only_so_many_bytes
    a_list_has_all_of_the_owners_tasks_and_no_others
    a_page_goes_on_where_the_last_one_ended
    anonymous_tasks_are_not_listed
    a_reader_that_waits_gets_the_change
    a_change_that_already_happened_is_not_waited_for
    a_reader_that_waits_is_told_when_the_time_is_over
    tasks_that_have_ended_give_way_to_new_ones
    an_owner_that_is_gone_leaves_no_tasks
}

async fn tasks_that_have_ended_give_way_to_new_ones(fixture: Fixture<'_, '_>) {
    let settings = TaskSettings { tasks: 4, per_principal: 3, ..TaskSettings::default() };
    let store = fixture.store(settings).await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(store.create(task(&alice())).await.unwrap());
    }
    for ended in [&made[1], &made[2]] {
        store.cancel(&ended.id, &alice(), Timestamp(6)).await.unwrap();
    }
    // Of her own share the oldest that has ended goes, and what still works stays.
    let more = store.create(task(&alice())).await.unwrap();
    assert_unknown(store.get(&made[1].id, &alice()).await);
    store.create(task(&Principal::Local)).await.unwrap();
    // Of all that there is room for likewise.
    store.create(task(&Principal::Local)).await.unwrap();
    assert_unknown(store.get(&made[2].id, &alice()).await);
    for kept in [&made[0], &more] {
        assert!(store.get(&kept.id, &alice()).await.is_ok());
    }
    assert!(store.create(task(&Principal::Local)).await.unwrap_err().is_full());
}

async fn an_owner_that_is_gone_leaves_no_tasks(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let (hers, kept) = (
        store.create(task(&alice())).await.unwrap(),
        store.create(task(&Principal::Local)).await.unwrap(),
    );
    let alice = alice();
    let waits = store.changed(&hers.id, &alice, 1);
    let (waited, forgotten) = tokio::join!(waits, store.forget(&alice));
    forgotten.unwrap();
    assert_unknown(waited);
    assert_unknown(store.get(&hers.id, &alice).await);
    assert!(store.get(&kept.id, &Principal::Local).await.is_ok());
}

async fn a_created_task_is_found(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let created = store.create(task(&alice())).await.unwrap();
    assert_eq!(created.version, 1);
    assert_eq!(store.get(&created.id, &alice()).await.unwrap(), created);
}

async fn an_id_is_given_to_one_task(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let created = store.create(task(&alice())).await.unwrap();
    let again = TaskRecord { id: created.id.clone(), ..task(&Principal::Local) };
    assert!(store.create(again).await.unwrap_err().is_conflict());
    assert_eq!(store.get(&created.id, &alice()).await.unwrap(), created);
}

async fn another_principal_gets_the_answer_of_an_unknown_task(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let created = store.create(task(&alice())).await.unwrap();
    let nothing = TaskId::random().unwrap();
    for other in others() {
        for id in [&created.id, &nothing] {
            assert_unknown(store.get(id, &other).await);
            assert_unknown(store.cancel(id, &other, Timestamp(6)).await);
            assert_unknown(store.changed(id, &other, 0).await);
            let forged = TaskRecord { id: id.clone(), owner: other.clone(), ..(*created).clone() };
            assert_unknown(store.update(forged).await);
        }
        assert_eq!(store.list(&other, None, 10).await.unwrap().tasks, []);
    }
    assert_eq!(store.get(&created.id, &alice()).await.unwrap(), created);
}

async fn of_two_updates_to_the_same_version_one_is_refused(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let created = store.create(task(&alice())).await.unwrap();
    let first = TaskRecord { status_message: Some("half".into()), ..(*created).clone() };
    let updated = store.update(first).await.unwrap();
    assert_eq!(updated.version, 2);
    assert!(store.update((*created).clone()).await.unwrap_err().is_conflict());
    assert_eq!(store.get(&created.id, &alice()).await.unwrap(), updated);
}

async fn a_task_that_has_ended_never_changes(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let created = store.create(task(&alice())).await.unwrap();
    let done = store.update(completed(&created, "1")).await.unwrap();
    for late in [completed(&done, "2"), (*done).clone()] {
        assert!(store.update(late).await.unwrap_err().is_bad_transition());
    }
    let error = store.cancel(&done.id, &alice(), Timestamp(9)).await.unwrap_err();
    assert!(error.is_bad_transition(), "{error}");
    assert_eq!(store.get(&done.id, &alice()).await.unwrap(), done);
}

async fn every_step_between_statuses_is_judged_as_the_protocol_does(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    for from in TaskStatus::ALL {
        for to in TaskStatus::ALL.into_iter().filter(|to| *to != from) {
            let created = store.create(task(&alice())).await.unwrap();
            let before = TaskRecord { status: from, ..(*created).clone() };
            let before = store.update(before).await.unwrap();
            let after = TaskRecord { status: to, ..(*before).clone() };
            let legal = from.check_transition(to).is_ok();
            assert_eq!(store.update(after).await.is_ok(), legal, "{from} to {to}");
        }
    }
}

async fn an_update_leaves_creation_alone(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let created = store.create(task(&alice())).await.unwrap();
    let mut other = (*created).clone();
    other.created = Timestamp(99);
    other.key.0 += 5;
    let updated = store.update(other).await.unwrap();
    assert_eq!((updated.created, updated.key), (created.created, created.key));
}

async fn a_cancelled_task_waits_for_nothing(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let asked = r#"{"where":{"method":"roots/list"}}"#;
    let asking = TaskRecord {
        status: TaskStatus::InputRequired,
        input_requests: serde_json::from_str(asked).unwrap(),
        ..task(&alice())
    };
    let created = store.create(asking).await.unwrap();
    let cancelled = store.cancel(&created.id, &alice(), Timestamp(8)).await.unwrap();
    assert_eq!((cancelled.status, cancelled.updated), (TaskStatus::Cancelled, Timestamp(8)));
    assert!(cancelled.input_requests.is_empty());
    let late = completed(&created, "1");
    assert!(store.update(late).await.unwrap_err().is_bad_transition());
}

async fn a_task_lives_no_longer_than_allowed(fixture: Fixture<'_, '_>) {
    let store = fixture.store(short()).await;
    for (asked, given) in
        [(None, 2 * SECOND), (Some(Duration::MAX), 2 * SECOND), (Some(SECOND), SECOND)]
    {
        let asking = TaskRecord { ttl: asked, ..task(&alice()) };
        assert_eq!(store.create(asking).await.unwrap().ttl, Some(given));
    }
}

async fn a_task_is_unknown_when_its_time_is_over(fixture: Fixture<'_, '_>) {
    let store = fixture.store(short()).await;
    let created = store.create(task(&alice())).await.unwrap();
    fixture.pass(2 * SECOND).await;
    assert_unknown(store.get(&created.id, &alice()).await);
    assert_unknown(store.update(completed(&created, "1")).await);
    assert_unknown(store.cancel(&created.id, &alice(), Timestamp(9)).await);
    assert_eq!(store.list(&alice(), None, 10).await.unwrap().tasks, []);
}

async fn the_time_to_live_may_change(fixture: Fixture<'_, '_>) {
    let store = fixture.store(short()).await;
    let brief = TaskRecord { ttl: Some(SECOND), ..task(&alice()) };
    let created = store.create(brief).await.unwrap();
    let longer = TaskRecord { ttl: Some(9 * SECOND), ..(*created).clone() };
    assert_eq!(store.update(longer).await.unwrap().ttl, Some(2 * SECOND));
    fixture.pass(SECOND * 3 / 2).await;
    assert!(store.get(&created.id, &alice()).await.is_ok());
    fixture.pass(SECOND / 2).await;
    assert_unknown(store.get(&created.id, &alice()).await);
}

async fn a_full_store_refuses_and_recovers(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings { tasks: 2, ..short() }).await;
    for owner in [alice(), Principal::Anonymous] {
        store.create(task(&owner)).await.unwrap();
    }
    let error = store.create(task(&alice())).await.unwrap_err();
    assert!(matches!(error, StoreError::Full { cap: Cap::Tasks, limit: 2 }), "{error}");
    fixture.pass(2 * SECOND).await;
    assert!(store.create(task(&alice())).await.is_ok());
}

async fn no_principal_has_more_tasks_than_its_share(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings { per_principal: 1, ..short() }).await;
    store.create(task(&alice())).await.unwrap();
    let error = store.create(task(&alice())).await.unwrap_err();
    assert!(matches!(error, StoreError::Full { cap: Cap::TasksPerPrincipal, limit: 1 }), "{error}");
    for other in others() {
        assert!(store.create(task(&other)).await.is_ok());
    }
    fixture.pass(2 * SECOND).await;
    assert!(store.create(task(&alice())).await.is_ok());
}

async fn a_result_that_is_too_large_is_refused(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings { record_bytes: 2048, ..short() }).await;
    let created = store.create(task(&alice())).await.unwrap();
    let large = completed(&created, &format!("\"{}\"", "x".repeat(2048)));
    assert!(store.update(large).await.unwrap_err().is_too_large());
    assert!(store.update(completed(&created, "1")).await.is_ok());
}

async fn the_store_holds_only_so_many_bytes(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings { total_bytes: 4096, ..short() }).await;
    let result = format!("\"{}\"", "x".repeat(2500));
    let (one, two) = (task(&alice()), task(&Principal::Local));
    let one = store.create(one).await.unwrap();
    let two = store.create(two).await.unwrap();
    store.update(completed(&one, &result)).await.unwrap();
    // The result of a task that has ended gives way to the next one.
    store.update(completed(&two, &result)).await.unwrap();
    assert_unknown(store.get(&one.id, &alice()).await);
    // What has not ended does not.
    let waiting = TaskRecord { status_message: Some("x".repeat(2500)), ..task(&alice()) };
    let waiting = store.create(waiting).await.unwrap();
    assert_unknown(store.get(&two.id, &Principal::Local).await);
    let three = store.create(task(&alice())).await.unwrap();
    let error = store.update(completed(&three, &result)).await.unwrap_err();
    assert!(matches!(error, StoreError::Full { cap: Cap::Bytes, limit: 4096 }), "{error}");
    assert!(store.get(&waiting.id, &alice()).await.is_ok());
    assert!(store.cancel(&three.id, &alice(), Timestamp(9)).await.is_ok());
    fixture.pass(2 * SECOND).await;
    let four = store.create(task(&alice())).await.unwrap();
    assert!(store.update(completed(&four, &result)).await.is_ok());
}

async fn a_list_has_all_of_the_owners_tasks_and_no_others(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let mut expected = Vec::new();
    for _ in 0..3 {
        expected.push(store.create(task(&alice())).await.unwrap());
        store.create(task(&Principal::Local)).await.unwrap();
    }
    let page = store.list(&alice(), None, 3).await.unwrap();
    assert_eq!((page.tasks, page.next), (expected, None));
}

async fn a_page_goes_on_where_the_last_one_ended(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let brief = TaskRecord { ttl: Some(SECOND), ..task(&alice()) };
    for created in [task(&alice()), brief, task(&alice()), task(&alice())] {
        store.create(created).await.unwrap();
    }
    let all = store.list(&alice(), None, 10).await.unwrap().tasks;
    let first = store.list(&alice(), None, 2).await.unwrap();
    assert_eq!(first.tasks, all[..2]);
    // The page ended with a task that is gone by now.
    fixture.pass(SECOND).await;
    let second = store.list(&alice(), first.next, 2).await.unwrap();
    assert_eq!((second.tasks.as_slice(), second.next), (&all[2..], None));
}

async fn anonymous_tasks_are_not_listed(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let created = store.create(task(&Principal::Anonymous)).await.unwrap();
    assert_eq!(store.list(&Principal::Anonymous, None, 10).await.unwrap().tasks, []);
    assert!(store.get(&created.id, &Principal::Anonymous).await.is_ok());
}

async fn a_reader_that_waits_gets_the_change(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let created = store.create(task(&alice())).await.unwrap();
    let owner = alice();
    let wait = store.changed(&created.id, &owner, created.version);
    let finish = store.update(completed(&created, "1"));
    let (seen, done) = tokio::join!(wait, finish);
    assert_eq!(seen.unwrap(), done.unwrap());
}

async fn a_change_that_already_happened_is_not_waited_for(fixture: Fixture<'_, '_>) {
    let store = fixture.store(TaskSettings::default()).await;
    let created = store.create(task(&alice())).await.unwrap();
    let done = store.update(completed(&created, "1")).await.unwrap();
    assert_eq!(store.changed(&created.id, &alice(), created.version).await.unwrap(), done);
}

async fn a_reader_that_waits_is_told_when_the_time_is_over(fixture: Fixture<'_, '_>) {
    let store = fixture.store(short()).await;
    let created = store.create(task(&alice())).await.unwrap();
    let owner = alice();
    let wait = store.changed(&created.id, &owner, created.version);
    let (waited, ()) = tokio::join!(wait, fixture.pass(2 * SECOND));
    assert_unknown(waited);
}

fn task(owner: &Principal) -> TaskRecord {
    TaskRecord::new(TaskId::random().unwrap(), owner.clone(), "tools/call", Timestamp(5))
}

fn completed(task: &TaskRecord, result: &str) -> TaskRecord {
    TaskRecord {
        status: TaskStatus::Completed,
        outcome: Some(TaskOutcome::Result(Raw::from_json(result).unwrap())),
        ..task.clone()
    }
}

fn short() -> TaskSettings {
    TaskSettings { ttl: 2 * SECOND, ..TaskSettings::default() }
}

#[track_caller]
fn assert_unknown<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    let error = result.unwrap_err();
    assert!(matches!(error, StoreError::Unknown(What::Task)), "{error}");
}

const SECOND: Duration = Duration::from_secs(1);
