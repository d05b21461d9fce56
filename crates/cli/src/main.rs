//! One binary that runs the rest.

mod address;
mod arguments;
mod everything;
mod exit;
mod log;
mod say;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => return tell(&answer),
    };
    log::start(arguments.log);
    let outcome = match arguments.command {
        Command::Everything(options) => everything::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::from(exit::SUCCESS),
        Err(error) => {
            say::on_stderr(format_args!("error: {error:#}"));
            ExitCode::from(exit::UNREACHABLE)
        }
    }
}

/// Prints what clap has to say: help and the version on standard output, a complaint on standard error.
fn tell(answer: &clap::Error) -> ExitCode {
    // Where nobody listens there is nobody to be told.
    let _ = answer.print();
    ExitCode::from(if answer.use_stderr() { exit::USAGE } else { exit::SUCCESS })
}
