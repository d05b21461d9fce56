//! `cargo xtask steady`: the same verdicts on a busy machine as on a quiet one.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::Value;

/// How often each check is run while the machine is busy, and with which program.
#[derive(Debug)]
pub(crate) struct Request {
    runs: usize,
    /// Busy loops for each processor; none for a machine that is busy by itself.
    loops: usize,
    /// So many runs of a check side by side, each of which is load for the others.
    together: usize,
    program: Option<String>,
}

impl Request {
    pub(crate) fn parse(words: &[&str]) -> Result<Self, String> {
        match words {
            [] => Ok(Self { runs: USUAL_RUNS, loops: LOOPS_EACH, together: 1, program: None }),
            ["--runs", number, rest @ ..] => {
                let runs =
                    number.parse().map_err(|_| format!("{number:?} is no number of runs"))?;
                Ok(Self { runs, ..Self::parse(rest)? })
            }
            ["--loops", number, rest @ ..] => {
                let loops =
                    number.parse().map_err(|_| format!("{number:?} is no number of loops"))?;
                Ok(Self { loops, ..Self::parse(rest)? })
            }
            ["--together", number, rest @ ..] => {
                let together = number.parse().ok().filter(|it| *it > 0);
                let together = together.ok_or_else(|| format!("{number:?} runs are none"))?;
                Ok(Self { together, ..Self::parse(rest)? })
            }
            ["--program", program, rest @ ..] => {
                Ok(Self { program: Some((*program).to_owned()), ..Self::parse(rest)? })
            }
            [word, ..] => Err(format!("steady does not know {word:?}")),
        }
    }
}

/// Runs every check once in peace and then again and again beside busy loops, and prints each verdict that differs.
pub(crate) fn run(request: &Request, root: &Path) -> Result<String, String> {
    let program = match &request.program {
        Some(program) => program.clone(),
        None => build(root)?,
    };
    let mut differences = 0;
    for words in CHECKS {
        let name = words.join(" ");
        let began = Instant::now();
        let quiet = verdicts(&program, words)?;
        let (alone, began) = (began.elapsed(), Instant::now());
        let busy: Result<Vec<_>, String> =
            beside_load(request.loops, || all_verdicts(&program, words, request));
        let mut differing = 0;
        for verdicts in busy? {
            for difference in different(&quiet, &verdicts) {
                println!("{name}: {difference}");
                differing += 1;
            }
        }
        differences += differing;
        let each = began.elapsed().as_secs_f64()
            / f64::from(u32::try_from(request.runs.max(1)).unwrap_or(u32::MAX));
        println!(
            "{name}: {} verdicts, {differing} differ; {:.1} s alone, {each:.1} s each under load",
            quiet.len(),
            alone.as_secs_f64(),
        );
    }
    match differences {
        0 => Ok(format!("{} checks, {} runs of each: all alike", CHECKS.len(), request.runs)),
        some => Err(format!("{some} verdicts came and went with the load")),
    }
}

/// A status and its reason, by the id of the requirement.
type Verdicts = BTreeMap<String, (String, String)>;

fn verdicts(program: &str, words: &[&str]) -> Result<Verdicts, String> {
    let output = Command::new(program).arg("check").args(words).args(["--format", "json"]).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
        format!("{}: {error}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr))
    })?;
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let entries = report["requirements"].as_array().into_iter().flatten();
    Ok(entries
        .map(|entry| (text(entry, "id"), (text(entry, "status"), text(entry, "reason"))))
        .collect())
}

/// Those of all runs, in groups.
fn all_verdicts(program: &str, words: &[&str], request: &Request) -> Result<Vec<Verdicts>, String> {
    let mut all = Vec::new();
    while all.len() < request.runs {
        let group = request.together.min(request.runs - all.len());
        let some: Result<Vec<_>, String> = thread::scope(|scope| {
            let runs: Vec<_> =
                (0..group).map(|_| scope.spawn(|| verdicts(program, words))).collect();
            runs.into_iter()
                .map(|run| run.join().unwrap_or_else(|_| Err("a run panicked".to_owned())))
                .collect()
        });
        all.extend(some?);
    }
    Ok(all)
}

/// What is not as it was, unless it says of itself that it came and went.
fn different(quiet: &Verdicts, busy: &Verdicts) -> Vec<String> {
    let changed = quiet.iter().filter_map(|(id, (before, _))| {
        let (now, reason) = busy.get(id).cloned().unwrap_or_default();
        let excused = now == "untestable" && reason.contains("came and went");
        (*before != now && !excused).then(|| format!("{id} was {before} and is {now}: {reason}"))
    });
    changed.collect()
}

/// Keeps every processor busy with more than it can do meanwhile.
fn beside_load<T>(loops_each: usize, work: impl FnOnce() -> T) -> T {
    let over = AtomicBool::new(false);
    let loops = thread::available_parallelism().map_or(2, usize::from) * loops_each;
    thread::scope(|scope| {
        for _ in 0..loops {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = work();
        over.store(true, Ordering::Relaxed);
        done
    })
}

fn build(root: &Path) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status =
        Command::new(cargo).args(["build", "-q", "-p", "proofmark"]).current_dir(root).status();
    match status {
        Ok(status) if status.success() => {
            Ok(root.join("target/debug/proofmark").display().to_string())
        }
        Ok(status) => Err(format!("the program was not built: {status}")),
        Err(error) => Err(format!("the program was not built: {error}")),
    }
}

/// The built-in peers of every side, in both eras.
const CHECKS: &[&[&str]] = &[
    &["server", "--transport", "stdio", "--revision", "2025-11-25"],
    &["server", "--transport", "stdio", "--revision", "2026-07-28"],
    &["server", "--transport", "http", "--revision", "2025-11-25"],
    &["server", "--transport", "http", "--revision", "2026-07-28"],
    &["client", "--transport", "stdio", "--revision", "2025-11-25"],
    &["client", "--transport", "stdio", "--revision", "2026-07-28"],
    &["client", "--transport", "http", "--revision", "2025-11-25"],
    &["client", "--transport", "http", "--revision", "2026-07-28"],
    &["authorization", "--revision", "2025-11-25"],
    &["authorization", "--revision", "2026-07-28"],
];
const USUAL_RUNS: usize = 20;
/// More than a processor can do.
const LOOPS_EACH: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_that_differs_is_told_unless_it_says_that_it_came_and_went() {
        let verdicts = |status: &str, reason: &str| {
            Verdicts::from([("M001".to_owned(), (status.to_owned(), reason.to_owned()))])
        };
        let quiet = verdicts("pass", "");
        assert!(different(&quiet, &verdicts("pass", "")).is_empty());
        assert!(different(&quiet, &verdicts("untestable", "a finding came and went")).is_empty());
        assert_eq!(different(&quiet, &verdicts("untestable", "no tool")).len(), 1);
        assert_eq!(different(&quiet, &verdicts("fail", "")).len(), 1);
        assert_eq!(different(&quiet, &Verdicts::new()).len(), 1);
    }

    #[test]
    fn the_number_of_runs_and_the_program_can_be_chosen() {
        assert_eq!(Request::parse(&[]).unwrap().runs, USUAL_RUNS);
        let request = Request::parse(&["--runs", "3", "--program", "p"]).unwrap();
        assert_eq!((request.runs, request.program.as_deref()), (3, Some("p")));
        assert_eq!(Request::parse(&["--together", "4"]).unwrap().together, 4);
        assert!(Request::parse(&["--together", "0"]).is_err());
        assert!(Request::parse(&["--runs", "many"]).is_err());
        assert!(Request::parse(&["often"]).is_err());
    }
}
