//! What has to hold before a change is merged, as a table of steps.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Instant, SystemTime};

use crate::{databases, deny, generate, interop, stores, tidy};

/// The steps in the order in which they run: quick ones that fail often come first.
///
/// A further step is one more row. Every cargo command that compiles uses the dev profile and all
/// features, so that no crate is built twice for different steps; only `portable` builds apart.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "formatting",
        action: Action::Run(Line::cargo(&["fmt", "--all", "--check"])),
    },
    Step {
        name: "clippy",
        about: "lints, as errors",
        action: Action::Run(Line::cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--locked",
            "--",
            "-D",
            "warnings",
        ])),
    },
    Step {
        name: "test",
        about: "unit, integration and documentation tests",
        action: Action::Run(Line::cargo(&["test", "--workspace", "--all-features", "--locked"])),
    },
    Step {
        name: "portable",
        about: "the code for systems other than Unix, on this one",
        action: Action::RunAll(&[
            Line {
                environment: PORTABLE,
                ..Line::cargo(&[
                    "check",
                    "--workspace",
                    "--exclude",
                    "xtask",
                    "--all-features",
                    "--locked",
                    "--target-dir",
                    "target-portable",
                ])
            },
            Line {
                environment: PORTABLE,
                ..Line::cargo(&[
                    "test",
                    "--package",
                    "proofmark-record",
                    "--lib",
                    "--locked",
                    "--target-dir",
                    "target-portable",
                ])
            },
            Line {
                environment: PORTABLE,
                ..Line::cargo(&[
                    "test",
                    "--package",
                    "proofmark-sdk",
                    "--test",
                    "child",
                    "--all-features",
                    "--locked",
                    "--target-dir",
                    "target-portable",
                ])
            },
        ]),
    },
    Step {
        name: "doc",
        about: "documentation without warnings",
        action: Action::Run(Line {
            environment: &[("RUSTDOCFLAGS", "-D warnings")],
            ..Line::cargo(&["doc", "--workspace", "--no-deps", "--all-features", "--locked"])
        }),
    },
    Step {
        name: "gen",
        about: "docs/requirements says what the catalogue says",
        action: Action::Call(generate::verify),
    },
    Step { name: "tidy", about: "the habits no compiler knows", action: Action::Call(tidy::run) },
    Step {
        name: "deny",
        about: "licences, banned crates and sources",
        action: Action::Call(deny::run),
    },
    Step {
        name: "check",
        about: "the main job of README.md",
        action: Action::Run(Line::cargo(&["run", "-p", "proofmark", "--", "check", "server"])),
    },
    Step {
        name: "self-test",
        about: "half of the checks of the checker against peers that are spoiled, the other half on the next day",
        action: Action::Call(|root| sampled(root, &["--sample", HALF])),
    },
    Step {
        name: "generated",
        about: "a sample of the variations that operators make of what peers say, another one each day",
        action: Action::Call(|root| sampled(root, &["--generated", "--sample", SAMPLE])),
    },
    Step {
        name: "example",
        about: "what README.md shows of the revisions",
        action: Action::Run(Line::cargo(&["run", "--example", "revisions"])),
    },
    Step {
        name: "stores",
        about: "what servers share, on a Redis and a Valkey",
        action: Action::Call(stores::run),
    },
    Step {
        name: "databases",
        about: "the history of a fleet, on a PostgreSQL",
        action: Action::Call(databases::run),
    },
    Step {
        name: "interop",
        about: "the official conformance suite and other SDKs as clients",
        action: Action::Call(|root| interop::run(&interop::Request::default(), root)),
    },
];

pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    action: Action,
}

/// What chooses the code for other systems.
const PORTABLE: &[(&str, &str)] = &[("RUSTFLAGS", "--cfg proofmark_portable -D warnings")];

/// What README.md shows: all mutants.
const SELF_TEST: [&str; 5] = ["run", "-p", "proofmark", "--", "self-test"];
/// So many mutants, a little more than half of them.
const HALF: &str = "580";
/// So many variations of each class, legal and illegal ones.
const SAMPLE: &str = "30";

enum Action {
    Run(Line),
    /// One after the other, until one fails.
    RunAll(&'static [Line]),
    /// Gives a closing sentence or a complaint.
    Call(fn(&Path) -> Result<String, String>),
}

/// A command line, run at the root of the repository.
struct Line {
    environment: &'static [(&'static str, &'static str)],
    program: &'static str,
    arguments: &'static [&'static str],
}

impl Line {
    const fn cargo(arguments: &'static [&'static str]) -> Self {
        Self { environment: &[], program: "cargo", arguments }
    }

    fn run(&self, root: &Path) -> Result<(), String> {
        let status = command(self.program, root)
            .envs(self.environment.iter().copied())
            .args(self.arguments)
            .status()
            .map_err(|error| format!("could not start `{self}`: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("`{self}` failed ({status})")) }
    }
}

/// Runs the sample of today. What it prints names the seed, so that it can be run again on another day.
fn sampled(root: &Path, sample: &[&str]) -> Result<String, String> {
    let seed = days_since_1970().to_string();
    let arguments = [&SELF_TEST[..], sample].concat();
    let status = command("cargo", root)
        .args(&arguments)
        .args(["--seed", &seed])
        .status()
        .map_err(|error| format!("could not start cargo: {error}"))?;
    let again = format!("`cargo {} --seed {seed}`", arguments.join(" "));
    if status.success() {
        Ok(format!("{again} runs the same sample"))
    } else {
        Err(format!("{again} failed ({status})"))
    }
}

fn days_since_1970() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |it| it.as_secs() / (24 * 60 * 60))
}

/// As a person would type it into a shell.
impl Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.environment {
            write!(f, "{name}=\"{value}\" ")?;
        }
        write!(f, "{} {}", self.program, self.arguments.join(" "))
    }
}

#[derive(Debug)]
pub(crate) struct UnknownStep(String);

impl Display for UnknownStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ci has no step named {:?}", self.0)
    }
}

/// The named steps in the order of the table, or all of them where none is named.
pub(crate) fn select(names: &[&str]) -> Result<Vec<&'static Step>, UnknownStep> {
    if let Some(unknown) = names.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        return Err(UnknownStep((*unknown).to_owned()));
    }
    Ok(STEPS.iter().filter(|step| names.is_empty() || names.contains(&step.name)).collect())
}

/// Runs the steps until one fails; gives the closing line.
pub(crate) fn run(steps: &[&Step], root: &Path) -> Result<String, String> {
    let started = Instant::now();
    for step in steps {
        announce(step).map_err(|error| format!("could not write to stdout: {error}"))?;
        let step_started = Instant::now();
        let outcome = perform(&step.action, root);
        let seconds = step_started.elapsed().as_secs_f32();
        match outcome {
            Ok(()) => println!("--- {} passed in {seconds:.1} s\n", step.name),
            Err(complaint) => {
                return Err(format!(
                    "--- {name} FAILED after {seconds:.1} s: {complaint}\n\
                     ci stopped here; `cargo xtask ci {name}` runs this step alone",
                    name = step.name,
                ));
            }
        }
    }
    Ok(format!("ci passed in {:.1} s", started.elapsed().as_secs_f32()))
}

fn perform(action: &Action, root: &Path) -> Result<(), String> {
    match action {
        Action::Run(line) => line.run(root)?,
        Action::RunAll(lines) => lines.iter().try_for_each(|line| line.run(root))?,
        Action::Call(function) => println!("{}", function(root)?),
    }
    Ok(())
}

/// Flushes, so that the header stands above what the step's own process prints.
fn announce(step: &Step) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match &step.action {
        Action::Run(line) => writeln!(out, "=== {}: {line}", step.name)?,
        Action::RunAll(lines) => {
            for line in *lines {
                writeln!(out, "=== {}: {line}", step.name)?;
            }
        }
        Action::Call(_) => writeln!(out, "=== {}: {}", step.name, step.about)?,
    }
    out.flush()
}

/// Cargo means the one that runs this program, so that one toolchain does everything.
fn command(program: &str, root: &Path) -> Command {
    let running_cargo = std::env::var_os("CARGO").filter(|_| program == "cargo");
    let mut command = Command::new(running_cargo.unwrap_or_else(|| program.into()));
    command.current_dir(root);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_steps_run_in_the_order_of_the_table() {
        let names: Vec<_> =
            select(&["tidy", "fmt"]).unwrap().iter().map(|step| step.name).collect();
        assert_eq!(names, ["fmt", "tidy"]);
    }

    #[test]
    fn without_names_every_step_runs() {
        assert_eq!(select(&[]).unwrap().len(), STEPS.len());
    }

    #[test]
    fn an_unknown_step_is_named_in_the_complaint() {
        let Err(unknown) = select(&["fmt", "polish"]) else { panic!("there is no such step") };
        assert_eq!(unknown.to_string(), "ci has no step named \"polish\"");
    }

    #[test]
    fn a_failed_step_stops_the_run_and_names_its_command() {
        let arguments = &["diff", "--no-index", "--quiet", "Cargo.toml", "src/main.rs"];
        let complaint = complaint_of(Line { program: "git", ..Line::cargo(arguments) });
        let expected = "`git diff --no-index --quiet Cargo.toml src/main.rs` failed (";
        assert!(complaint.contains(expected), "{complaint}");
    }

    #[test]
    fn a_step_of_several_commands_stops_at_the_first_that_fails() {
        const LINES: &[Line] = &[
            Line::cargo(&["--version"]),
            Line { program: "no-such-program", ..Line::cargo(&["go"]) },
            Line { program: "no-such-program", ..Line::cargo(&["on"]) },
        ];
        let complaint = run(&[&step(Action::RunAll(LINES))], Path::new(".")).unwrap_err();
        assert!(complaint.contains("could not start `no-such-program go`"), "{complaint}");
    }

    #[test]
    fn a_step_whose_program_is_missing_stops_the_run_too() {
        let complaint = complaint_of(Line { program: "no-such-program", ..Line::cargo(&["go"]) });
        assert!(complaint.contains("could not start `no-such-program go`"), "{complaint}");
    }

    #[test]
    fn the_environment_of_a_command_is_shown_as_typed() {
        let line =
            Line { environment: &[("RUSTDOCFLAGS", "-D warnings")], ..Line::cargo(&["doc"]) };
        assert_eq!(line.to_string(), "RUSTDOCFLAGS=\"-D warnings\" cargo doc");
    }

    #[test]
    fn the_readme_shows_the_main_job_first_and_names_the_test_command() {
        let readme = include_str!("../../README.md");
        for name in ["check", "example"] {
            let step = STEPS.iter().find(|step| step.name == name).unwrap();
            let Action::Run(line) = &step.action else { panic!("{name} is a command") };
            assert!(readme.contains(&format!("\n{line}\n")), "README.md does not show `{line}`");
        }
        let whole = Line::cargo(&SELF_TEST);
        assert!(readme.contains(&format!("\n{whole}\n")), "README.md does not show `{whole}`");
        let first = readme.split("```sh\n").nth(1).unwrap();
        assert!(first.starts_with("cargo run -p proofmark -- check server\n"), "{first}");
        assert!(readme.contains("\ncargo xtask ci\n"));
    }

    fn complaint_of(failing: Line) -> String {
        let failing = step(Action::Run(failing));
        let never = step(Action::Call(|_| panic!("a step ran after a failed one")));
        run(&[&failing, &never], Path::new(".")).unwrap_err()
    }

    fn step(action: Action) -> Step {
        Step { name: "sample", about: "a step of a test", action }
    }
}
