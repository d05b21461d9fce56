use proptest::prelude::*;

use super::*;

#[test]
fn a_task_that_says_nothing_about_its_lifetime_is_refused() {
    let text = r#"{"taskId":"t","status":"working","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:30:00Z"}"#;
    let error = serde_json::from_str::<Task>(text).unwrap_err();
    assert!(error.to_string().starts_with("missing field `ttl`"), "{error}");
}

#[test]
fn an_unlimited_lifetime_is_written_as_null() {
    let text =
        r#"{"taskId":"t","status":"working","createdAt":"a","lastUpdatedAt":"b","ttl":null}"#;
    let task: Task = serde_json::from_str(text).unwrap();
    assert_eq!(task.ttl, None);
    assert_eq!(serde_json::to_string(&task).unwrap(), text);
}

#[test]
fn an_unknown_status_is_refused_by_name() {
    let error = serde_json::from_str::<TaskStatus>(r#""submitted""#).unwrap_err();
    assert!(error.to_string().contains("submitted"), "{error}");
}

#[test]
fn the_allowed_transitions_are_exactly_these() {
    use TaskStatus::{Cancelled, Completed, Failed, InputRequired, Working};
    let allowed = [
        (Working, [InputRequired, Completed, Failed, Cancelled]),
        (InputRequired, [Working, Completed, Failed, Cancelled]),
    ];
    for from in TaskStatus::ALL {
        for to in TaskStatus::ALL {
            let expected = from == to
                || allowed.iter().any(|(start, ends)| *start == from && ends.contains(&to));
            assert_eq!(from.check_transition(to).is_ok(), expected, "{from} to {to}");
        }
    }
}

#[test]
fn a_status_is_called_what_it_is_written_as() {
    for status in TaskStatus::ALL {
        assert_eq!(serde_json::to_string(&status).unwrap(), format!("\"{status}\""));
    }
}

#[test]
fn a_message_can_say_which_task_it_belongs_to() {
    let mut meta = Meta::default();
    assert!(RelatedTask::of(&meta).is_none());
    let related = RelatedTask { task_id: "786512e2".into() };
    related.write_to(&mut meta);
    assert_eq!(RelatedTask::of(&meta).unwrap().unwrap(), related);
    meta.insert(meta_key::RELATED_TASK, "786512e2").unwrap();
    assert!(RelatedTask::of(&meta).unwrap().is_err());
}

proptest! {
    #[test]
    fn no_sequence_of_allowed_steps_leaves_a_terminal_status(steps in proptest::collection::vec(0..5usize, 0..20)) {
        let mut now = TaskStatus::Working;
        let mut ended = None;
        for step in steps {
            let next = TaskStatus::ALL[step];
            if now.check_transition(next).is_ok() {
                now = next;
            }
            if ended.is_none() && now.is_terminal() {
                ended = Some(now);
            }
        }
        prop_assert!(ended.is_none_or(|end| end == now));
    }
}
