//! Whether what is written has colours.

use std::{
    ffi::OsString,
    io::{IsTerminal, stderr, stdout},
};

use clap::ValueEnum;
use proofmark_check::report::pretty::Colours;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Always,
    /// On a terminal, unless `NO_COLOR` or TERM=dumb; with `FORCE_COLOR` elsewhere, too
    #[default]
    Auto,
    Never,
}

pub(crate) fn on_stdout(when: When) -> Colours {
    decide(when, |name| std::env::var_os(name), stdout().is_terminal())
}

/// Whether standard error is a terminal that understands more than plain text.
pub(crate) fn moves_on_stderr() -> bool {
    stderr().is_terminal() && !is_dumb(&|name| std::env::var_os(name))
}

fn decide(when: When, variable: impl Fn(&str) -> Option<OsString>, terminal: bool) -> Colours {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let wanted = match when {
        When::Always => true,
        When::Never => false,
        When::Auto if set("NO_COLOR").is_some() => false,
        When::Auto => match set("FORCE_COLOR") {
            Some(value) => value != "0",
            None => terminal && !is_dumb(&variable),
        },
    };
    if wanted { Colours::On } else { Colours::Off }
}

fn is_dumb(variable: &impl Fn(&str) -> Option<OsString>) -> bool {
    variable("TERM").is_some_and(|term| term == "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_comes_first_then_the_environment_then_the_terminal() {
        for (when, environment, terminal, expected) in [
            (When::Auto, &[][..], true, Colours::On),
            (When::Auto, &[], false, Colours::Off),
            (When::Auto, &[("TERM", "dumb")], true, Colours::Off),
            (When::Auto, &[("NO_COLOR", "1")], true, Colours::Off),
            (When::Auto, &[("NO_COLOR", "")], true, Colours::On),
            (When::Auto, &[("FORCE_COLOR", "1")], false, Colours::On),
            (When::Auto, &[("FORCE_COLOR", "0")], true, Colours::Off),
            (When::Auto, &[("FORCE_COLOR", "1"), ("TERM", "dumb")], false, Colours::On),
            (When::Auto, &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], true, Colours::Off),
            (When::Always, &[("NO_COLOR", "1")], false, Colours::On),
            (When::Never, &[("FORCE_COLOR", "1")], true, Colours::Off),
        ] {
            let variable = |name: &str| {
                let found = environment.iter().find(|(it, _)| *it == name);
                found.map(|(_, value)| OsString::from(value))
            };
            assert_eq!(decide(when, variable, terminal), expected, "{when:?} {environment:?}");
        }
    }
}
