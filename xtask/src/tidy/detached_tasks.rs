//! Tasks have an owner: only a driver starts one, and it ends with the driver.

use super::Finding;
use super::file::File;
use super::scan::{line_at, words};

pub(super) fn check(file: &File) -> Vec<Finding> {
    if file.name() == "drive.rs" || file.is_test() {
        return Vec::new();
    }
    SPAWNS
        .iter()
        .flat_map(|spawn| words(&file.code, spawn))
        .map(|at| Finding {
            line: line_at(&file.code, at),
            reason: "a detached task: own it in a `JoinSet` of the driver (drive.rs)".into(),
        })
        .collect()
}

const SPAWNS: [&str; 2] = ["tokio::spawn", "task::spawn"];

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_detached_task_is_refused() {
        assert_eq!(lines(check, "crates/sdk/src/server.rs", "\ntokio::spawn(work());"), [2]);
        assert_eq!(lines(check, "crates/sdk/src/server.rs", "tokio::task::spawn(work());"), [1]);
    }

    #[test]
    fn drivers_and_tests_may_start_tasks() {
        for path in ["crates/sdk/src/server/drive.rs", "crates/sdk/src/a/tests.rs", "a/tests/b.rs"]
        {
            assert!(lines(check, path, "tokio::spawn(work());").is_empty(), "{path}");
        }
    }

    #[test]
    fn an_owned_task_is_fine() {
        let text = "// not tokio::spawn\ntasks.spawn(work()); tokio::task::spawn_blocking(work);";
        assert!(lines(check, "crates/sdk/src/server.rs", text).is_empty());
    }
}
