//! Log lines, on standard error so that standard output stays free for messages.

use std::io;

use clap::ValueEnum;
use proofmark_check::report::pretty::Colours;
use tracing::level_filters::LevelFilter;

use crate::colour;

/// How much is logged. Each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// To be called once, before anything is logged.
pub(crate) fn start(level: Level) {
    let filter = match level {
        Level::Off => LevelFilter::OFF,
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    };
    let colours = colour::on_stderr() == Colours::On;
    tracing_subscriber::fmt()
        .with_max_level(filter)
        .with_writer(io::stderr)
        .with_ansi(colours)
        // It would panic where standard error is gone.
        .log_internal_errors(false)
        .init();
}
