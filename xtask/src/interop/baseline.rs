//! What the official suite is known to hold against us, and why that is not ours to mend.

/// A check that does not succeed. One that does, or that no longer occurs, has to leave the list.
pub(super) struct Known {
    /// The name of the run.
    pub(super) run: &'static str,
    pub(super) scenario: &'static str,
    pub(super) check: &'static str,
    /// `FAILURE`, `WARNING` or `SKIPPED`.
    pub(super) status: &'static str,
    pub(super) reason: &'static str,
}

pub(super) const KNOWN: &[Known] = &[
    no_status_notifications("suite-2026-07-28"),
    no_status_notifications("suite-all"),
    no_initialize("client-2026-07-28"),
    no_initialize("client-requirements-2026-07-28"),
    no_initialize("client-suite-all"),
];

const fn no_initialize(run: &'static str) -> Known {
    Known {
        run,
        scenario: "http-standard-headers",
        check: "sep-2243-client-includes-standard-headers",
        status: "SKIPPED",
        reason: "it also looks for initialize and its notification, which this revision does not have",
    }
}

const fn no_status_notifications(run: &'static str) -> Known {
    Known {
        run,
        scenario: "tasks-status-notifications",
        check: "tasks-status-notifications",
        status: "SKIPPED",
        reason: "the suite skips it for every server: it does not listen on the subscription stream",
    }
}

/// What is known about one run.
pub(super) fn of<'k>(known: &'k [Known], run: &str) -> Vec<&'k Known> {
    known.iter().filter(|known| known.run == run).collect()
}

#[cfg(test)]
mod tests {
    use super::super::RUNS;
    use super::*;

    #[test]
    fn every_entry_belongs_to_a_run_that_exists() {
        for known in KNOWN {
            assert!(RUNS.iter().any(|run| run.name == known.run), "there is no run {}", known.run);
            assert!(!known.reason.is_empty());
        }
    }
}
