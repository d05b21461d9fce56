//! The chores of this repository: `cargo xtask ci`, `findings`, `gen`, `interop`, `shapes`, `steady` and `tidy`.
#![expect(clippy::print_stderr, clippy::print_stdout, reason = "a person reads what it prints")]

mod ci;
mod databases;
mod deny;
mod generate;
mod interop;
mod shapes;
mod steady;
mod stores;
mod tidy;

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    let _program = arguments.next();
    let arguments: Vec<String> = arguments.collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        []
        | ["help" | "-h" | "--help"]
        | ["ci" | "findings" | "gen" | "interop" | "shapes" | "steady" | "tidy", "-h" | "--help"] =>
        {
            println!("{}", usage());
            ExitCode::SUCCESS
        }
        ["ci", names @ ..] => match ci::select(names) {
            Ok(steps) => close(ci::run(&steps, root())),
            Err(unknown) => misused(unknown),
        },
        ["findings", names @ ..] => close(interop::findings::run(names, root())),
        ["gen"] => close(generate::write(root())),
        ["gen", extra, ..] => misused(format_args!("gen takes no arguments, but got {extra:?}")),
        ["interop", words @ ..] => match interop::Request::parse(words) {
            Ok(request) => close(interop::run(&request, root())),
            Err(misuse) => misused(misuse),
        },
        ["shapes", folder] => close(shapes::run(folder, root())),
        ["shapes", ..] => misused("shapes takes the folder with the schemas"),
        ["steady", words @ ..] => match steady::Request::parse(words) {
            Ok(request) => close(steady::run(&request, root())),
            Err(misuse) => misused(misuse),
        },
        ["tidy"] => close(tidy::run(root())),
        ["tidy", extra, ..] => misused(format_args!("tidy takes no arguments, but got {extra:?}")),
        [chore, ..] => misused(format_args!("there is no chore named {chore:?}")),
    }
}

/// Prints the closing line of a chore: to stdout when it is done, to stderr when it is not.
fn close(outcome: Result<String, String>) -> ExitCode {
    match outcome {
        Ok(closing) => {
            println!("{closing}");
            ExitCode::SUCCESS
        }
        Err(complaint) => {
            eprintln!("{complaint}");
            ExitCode::FAILURE
        }
    }
}

fn misused(complaint: impl Display) -> ExitCode {
    eprintln!("{complaint}\n\n{}", usage());
    ExitCode::from(EXIT_MISUSED)
}

fn usage() -> String {
    let steps = ci::STEPS.iter().map(|step| format!("\n  {:<10}{}", step.name, step.about));
    format!("{USAGE}{}\n\nRuns of interop:{}", steps.collect::<String>(), interop::list())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lives in a folder of the repository")
}

/// Distinct from a chore that failed, so that scripts can tell a typing error from a finding.
const EXIT_MISUSED: u8 = 2;

const USAGE: &str = "\
Usage: cargo xtask CHORE

  ci [STEP...]   run the steps below in their order, or only those named
  findings [PEER...]
                 judge servers and clients of others, or only those named, and write docs/findings
  gen            write what is generated from the catalogue: docs/requirements
  interop [--server PROGRAM] [RUN...]
                 let the official suite and other SDKs talk to the Everything Server, or to
                 PROGRAM; only in the runs below that are named, or whose names begin so
  shapes DIR     compare the table of the shapes of messages with the official schemas in
                 DIR/REVISION/schema.json, both ways
  steady [--runs N] [--together N] [--loops N] [--program PROGRAM]
                 run each check N times while every processor is busy, and print the verdicts
                 that are not those of a quiet machine
  tidy           look for what the compiler and clippy do not refuse

Steps of ci:";
