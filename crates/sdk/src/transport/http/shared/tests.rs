use proofmark_core::{revision::Revision, types::LoggingLevel};

use super::*;

fn fresh() -> SessionRecord {
    SessionRecord {
        owner: Principal::Anonymous,
        revision: Revision::ASSUMED_OVER_HTTP,
        client: proofmark_core::types::Implementation::default(),
        capabilities: proofmark_core::types::ClientCapabilities::default(),
        phase: Phase::Initializing,
        log_level: None,
        watched: BTreeSet::from(["test://old".into(), "test://both".into()]),
        created: now(),
    }
}

#[test]
fn what_only_one_server_changed_is_as_that_one_left_it() {
    let base = fresh();
    let mut ours = base.clone();
    ours.watched = BTreeSet::from(["test://both".into(), "test://ours".into()]);
    ours.log_level = Some(LoggingLevel::Error);
    let mut theirs = base.clone();
    theirs.watched.insert("test://theirs".into());
    theirs.phase = Phase::Ready;
    let both = merged(&base, &ours, &theirs);
    assert_eq!(both.log_level, Some(LoggingLevel::Error));
    assert_eq!(both.phase, Phase::Ready);
    let watched: Vec<_> = both.watched.iter().map(String::as_str).collect();
    assert_eq!(watched, ["test://both", "test://ours", "test://theirs"]);
    let level = |level| SessionRecord { log_level: level, ..base.clone() };
    let (debug, none) = (level(Some(LoggingLevel::Debug)), level(None));
    assert_eq!(merged(&none, &none, &debug).log_level, Some(LoggingLevel::Debug));
}

#[test]
fn a_record_says_what_was_agreed() {
    let stored = fresh();
    assert_eq!(record(agreement(&stored), Principal::Anonymous, stored.created), stored);
}
