//! The official conformance suite, held to more than its own exit code.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::baseline::{KNOWN, Known};
use super::process::{self, Process};
use super::{Setting, baseline};

/// Runs the chosen scenarios against the server and judges every check they made.
pub(super) fn run(name: &str, selection: &[&str], setting: &Setting) -> Result<String, String> {
    let node = setting.node.as_ref().ok_or("Node.js was not installed")?;
    let results = setting.place.logs.join(name);
    let log = setting.place.logs.join(format!("{name}.log"));
    let mut suite = Command::new(&node.program);
    suite
        .arg(node.folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--url", &setting.server.url, "--output-dir"])
        .arg(&results)
        .args(selection)
        .current_dir(&setting.place.logs);
    let status = Process::start(&mut suite, &log)?.finish(LIMIT)?;
    judge_announced(name, &log, setting).map_err(|complaint| format!("{complaint} ({status})"))
}

/// Judges what the scenarios of a run have left, of which there must be as many as the suite has announced in its log.
pub(super) fn judge_announced(name: &str, log: &Path, setting: &Setting) -> Result<String, String> {
    let said = process::read(log);
    let announced = announced(&said)
        .ok_or_else(|| format!("the suite ran no scenario:\n{}", said.trim_end()))?;
    judge_results(name, announced, setting)
}

/// Lets the client go through all of the chosen scenarios at once and judges every check they made.
pub(super) fn run_client(
    name: &str,
    selection: &[&str],
    setting: &Setting,
) -> Result<String, String> {
    let log = setting.place.logs.join(format!("{name}.log"));
    let mut suite = client(name, setting)?;
    // That many clients at once are slow on a small machine, and none is to blame for it.
    suite.args(["--timeout", "120000"]).args(selection);
    let status = Process::start(&mut suite, &log)?.finish(LIMIT)?;
    let judged = judge_announced(name, &log, setting);
    if status.success() {
        return judged;
    }
    let found = judged.unwrap_or_else(|complaint| complaint);
    Err(format!("the suite ended with {status}; {found}"))
}

/// Runs scenarios for clients each by itself, a few at a time. Each must also end well by the suite's own judgement.
pub(super) fn run_scenarios(
    name: &str,
    scenarios: &[&str],
    selection: &[&str],
    setting: &Setting,
) -> Result<String, String> {
    let run = |scenario: &str| {
        let mut suite = client(name, setting)?;
        suite.args(["--scenario", scenario]).args(selection);
        let log = setting.place.logs.join(format!("{name}-{}.log", scenario.replace('/', "-")));
        let status = Process::start(&mut suite, &log)?.finish(SCENARIO_LIMIT)?;
        if status.success() { Ok(()) } else { Err(status.to_string()) }
    };
    let waiting = Mutex::new(scenarios.iter());
    let failed = Mutex::new(Vec::new());
    let next = || waiting.lock().expect("nobody panics with it").next();
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(scenario) = next() {
                    if let Err(why) = run(scenario) {
                        let complaint = format!("{scenario} ({why})");
                        failed.lock().expect("nobody panics with it").push(complaint);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panics with it");
    let judged = judge_results(name, scenarios.len(), setting);
    match (failed.is_empty(), judged) {
        (true, judged) => judged,
        (false, judged) => {
            let found = judged.unwrap_or_else(|complaint| complaint);
            Err(format!("did not end well: {}; {found}", failed.join(", ")))
        }
    }
}

/// The suite, about to try the client.
fn client(name: &str, setting: &Setting) -> Result<Command, String> {
    let node = setting.node.as_ref().ok_or("Node.js was not installed")?;
    // The suite runs it from a folder of its own.
    let program = std::path::absolute(&setting.program)
        .map_err(|error| format!("{} is nowhere: {error}", setting.program.display()))?;
    let mut suite = Command::new(&node.program);
    suite
        .arg(node.folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
        .args(["client", "--command"])
        .arg(format!("{} everything-client", program.display()))
        .arg("--output-dir")
        .arg(setting.place.logs.join(name))
        .current_dir(&setting.place.logs);
    Ok(suite)
}

/// Judges what the scenarios of a run have left.
fn judge_results(name: &str, announced: usize, setting: &Setting) -> Result<String, String> {
    let node = setting.node.as_ref().ok_or("Node.js was not installed")?;
    let listing = setting.place.logs.join(format!("{name}.checks"));
    let mut list = Command::new(&node.program);
    list.arg(node.folder.join("checks.mjs")).arg(setting.place.logs.join(name));
    process::complete(&mut list, &listing, LIMIT)?;
    let checks = parse(&process::read(&listing))?;
    let scenarios: BTreeSet<_> = checks.iter().map(|check| check.scenario.as_str()).collect();
    if scenarios.len() != announced {
        return Err(format!("{} of {announced} scenarios left a result", scenarios.len()));
    }
    judge(&checks, &baseline::of(KNOWN, name))
}

#[derive(Debug)]
struct Check {
    status: String,
    scenario: String,
    id: String,
    message: String,
}

/// How many scenarios the suite said it would run.
fn announced(said: &str) -> Option<usize> {
    let line =
        said.lines().find(|line| line.starts_with("Running ") && line.contains(" scenarios) "))?;
    let (before, _) = line.split_once(" scenarios) ")?;
    before.rsplit('(').next()?.parse().ok()
}

fn parse(listing: &str) -> Result<Vec<Check>, String> {
    let check = |line: &str| {
        let [status, scenario, id, message] =
            line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let [status, scenario, id, message] = [status, scenario, id, message].map(str::to_owned);
        Some(Check { status, scenario, id, message })
    };
    let complaint = |line: &str| format!("not a line about a check: {line:?}");
    listing.lines().map(|line| check(line).ok_or_else(|| complaint(line))).collect()
}

/// Good is what succeeded or only informs; everything else must be known, and what is known must occur.
fn judge(checks: &[Check], known: &[&Known]) -> Result<String, String> {
    let covers = |known: &Known, check: &Check| {
        (known.scenario, known.check, known.status)
            == (&*check.scenario, &*check.id, &*check.status)
    };
    let (good, bad): (Vec<_>, Vec<_>) =
        checks.iter().partition(|check| GOOD.contains(&check.status.as_str()));
    let mut complaints: Vec<String> = bad
        .iter()
        .filter(|check| !known.iter().any(|known| covers(known, check)))
        .map(|check| {
            format!("{} {}: {}: {}", check.status, check.scenario, check.id, check.message)
        })
        .collect();
    let stale = known.iter().filter(|known| !bad.iter().any(|check| covers(known, check)));
    complaints.extend(stale.map(|known| {
        format!(
            "no longer {}, strike it from the baseline: {}: {} ({})",
            known.status, known.scenario, known.check, known.reason,
        )
    }));
    let passed = good.iter().filter(|check| check.status == SUCCESS).count();
    if passed == 0 {
        complaints.push("not one check succeeded".into());
    }
    let summary = format!("{passed} checks passed, {} excused", bad.len());
    if complaints.is_empty() {
        return Ok(summary);
    }
    Err(format!("{} complaints\n    {}", complaints.len(), complaints.join("\n    ")))
}

const SUCCESS: &str = "SUCCESS";
const GOOD: [&str; 2] = [SUCCESS, "INFO"];
/// Each scenario has half a minute of its own.
const LIMIT: Duration = Duration::from_secs(600);
/// Scenarios mostly wait for each other's processes to start.
const AT_A_TIME: usize = 3;
const SCENARIO_LIMIT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    const SKIP: Known = Known {
        run: "suite",
        scenario: "tasks",
        check: "notified",
        status: "SKIPPED",
        reason: "always",
    };

    #[test]
    fn the_announced_number_of_scenarios_is_found() {
        let said =
            "warning\nRunning requirements 2025-11-25 (33 scenarios) against http://a/mcp\n\nx";
        assert_eq!(announced(said), Some(33));
        assert_eq!(announced("Unknown suite: everything"), None);
    }

    #[test]
    fn success_and_information_are_good() {
        let checks = parse("SUCCESS\tping\tping\tanswers\nINFO\tping\tnote\tby the way").unwrap();
        assert_eq!(judge(&checks, &[]).unwrap(), "1 checks passed, 0 excused");
    }

    #[test]
    fn failures_warnings_skips_and_statuses_of_the_future_are_not() {
        for status in ["FAILURE", "WARNING", "SKIPPED", "DEFERRED"] {
            let listing = format!("SUCCESS\ta\tb\tc\n{status}\tping\tping-id\tlate");
            let complaint = judge(&parse(&listing).unwrap(), &[]).unwrap_err();
            assert_eq!(complaint, format!("1 complaints\n    {status} ping: ping-id: late"));
        }
    }

    #[test]
    fn what_is_known_is_excused() {
        let checks = parse("SUCCESS\ta\tb\tc\nSKIPPED\ttasks\tnotified\tno").unwrap();
        assert_eq!(judge(&checks, &[&SKIP]).unwrap(), "1 checks passed, 1 excused");
    }

    #[test]
    fn what_is_known_as_something_else_is_not_excused() {
        let checks = parse("SUCCESS\ta\tb\tc\nFAILURE\ttasks\tnotified\tno").unwrap();
        let complaint = judge(&checks, &[&SKIP]).unwrap_err();
        assert!(complaint.contains("FAILURE tasks: notified: no"), "{complaint}");
    }

    #[test]
    fn what_is_known_but_does_not_occur_is_stale() {
        let checks = parse("SUCCESS\ttasks\tnotified\tyes").unwrap();
        let complaint = judge(&checks, &[&SKIP]).unwrap_err();
        assert!(complaint.contains("no longer SKIPPED, strike it"), "{complaint}");
    }

    #[test]
    fn a_run_without_a_success_is_no_success() {
        assert!(judge(&[], &[]).is_err());
    }

    #[test]
    fn another_kind_of_line_is_refused() {
        assert!(parse("SUCCESS\tping\tping").is_err());
        assert!(parse("Error: no such folder").is_err());
    }
}
