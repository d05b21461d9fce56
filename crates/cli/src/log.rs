//! Log lines, on standard error so that standard output stays free for messages.

use std::io::{self, Write};

use clap::ValueEnum;
use proofmark_check::record::text::Untrusted;
use tracing::level_filters::LevelFilter;

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
    tracing_subscriber::fmt()
        .with_max_level(filter)
        .with_writer(|| Harmless)
        .with_ansi(false)
        // It would panic where standard error is gone.
        .log_internal_errors(false)
        .init();
}

/// Standard error, for whole lines of which a peer may have written parts.
struct Harmless;

impl Write for Harmless {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        writeln!(io::stderr(), "{}", Untrusted(text.trim_end_matches('\n')))?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
