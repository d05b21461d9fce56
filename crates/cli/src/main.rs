//! One binary that runs the rest.

mod address;
mod arguments;
#[cfg(test)]
mod book;
mod call;
mod check;
mod clients;
mod colour;
mod complete;
mod configuration;
mod environment;
mod everything;
mod everything_client;
mod exit;
mod fleet;
mod generated;
mod hosted_server;
mod info;
mod inspect;
mod issuer;
mod job;
mod lint;
mod list;
mod log;
mod login;
mod mock;
mod peer;
mod platform;
mod prompt;
mod questions;
mod read;
mod replay;
mod requirements;
mod save;
mod say;
mod schema;
mod self_test;
mod show;
mod subscribe;
mod suggest;
mod tap;
mod testing;
mod tips;

use std::process::ExitCode;

use arguments::{Arguments, Check, Command};
use clap::{CommandFactory, Parser};
use platform::Ending;

fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).collect();
    let words = match check::sensible(configuration::with_file(&Arguments::command(), words)) {
        Ok(words) => words,
        Err(code) => return ExitCode::from(code),
    };
    let program = std::ffi::OsString::from("proofmark");
    let arguments = match Arguments::try_parse_from([program].into_iter().chain(words)) {
        Ok(arguments) => arguments,
        Err(answer) => return tell(&answer),
    };
    log::start(arguments.log_level());
    // A tap leaves a server's processes as they would be without it.
    let ends_orphans = !matches!(arguments.command, Command::Tap(_));
    if ends_orphans {
        platform::adopt_orphans();
    }
    let outcome = match arguments.command {
        Command::Add(options) => clients::add(&options),
        Command::Call(options) => call::run(&options),
        Command::Check(what) => match *what {
            Check::Authorization(options) => check::run_authorization(&options),
            Check::Client(options) => check::run_client(&options),
            Check::Server(options) => check::run(&options),
        },
        Command::Complete(options) => complete::run(&options),
        Command::Completions(options) => generated::completions(&options),
        Command::Doctor(options) => inspect::examine_connection(&options),
        Command::Everything(options) => everything::run(&options),
        Command::EverythingClient(options) => everything_client::run(&options),
        Command::Fleet(options) => fleet::run(&options),
        Command::Generate(options) => testing::generate::run(&options),
        Command::HostedServer(options) => hosted_server::run(&options),
        Command::Info(options) => info::run(&options),
        Command::Lint(options) => lint::run(&options, arguments.config.as_deref()),
        Command::Inspect(options) => inspect::run(&options),
        Command::List(options) => list::run(&options),
        Command::Mock(options) => mock::run(&options),
        Command::ManPages(options) => generated::man_pages(&options),
        Command::Prompt(options) => prompt::run(&options),
        Command::Read(options) => read::run(&options),
        Command::Remove(options) => clients::remove(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Requirements(options) => Ok(requirements::run(&options)),
        Command::Schema(options) => Ok(schema::run(&options)),
        Command::SelfTest(options) => self_test::run(&options),
        Command::Subscribe(options) => subscribe::run(&options),
        Command::Suggest(options) => Ok(suggest::run(&options)),
        Command::Tap(options) => tap::run(&options),
        Command::Test(options) => testing::run(&options),
        Command::Undo(options) => clients::undo(&options),
    };
    if ends_orphans {
        platform::end_orphans();
    }
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say::error(&error);
            let ending = error.downcast_ref::<Ending>();
            ExitCode::from(ending.map_or(exit::UNREACHABLE, |ending| ending.code()))
        }
    }
}

/// Prints what clap has to say: help and the version on standard output, a complaint on standard error.
fn tell(answer: &clap::Error) -> ExitCode {
    // Where standard error is closed the message is lost.
    let _ = answer.print();
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
    if let Some(tip) = tips::tip(answer, &words) {
        say::on_stderr(format_args!("\n{tip}"));
    }
    ExitCode::from(if answer.use_stderr() { exit::USAGE } else { exit::SUCCESS })
}
