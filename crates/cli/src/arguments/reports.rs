//! Which reports are wanted, and where: each `--output` belongs to the `--format` before it.

use std::path::PathBuf;

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, ValueEnum,
    builder::EnumValueParser, error::ErrorKind, value_parser,
};

use crate::colour::When;

/// Reports in the order in which they were asked for, with the file that each goes to; without one it goes to standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reports<F = Format> {
    pub(crate) wanted: Vec<(F, Option<PathBuf>)>,
    /// Whether what goes to standard output for a terminal has colours.
    pub(crate) color: When,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Annotations of a GitHub job
    Github,
    /// One page that needs nothing else
    Html,
    /// For other programs
    Json,
    Junit,
    /// For the summary of a job
    Markdown,
    /// For a terminal
    #[default]
    Pretty,
    /// Findings for code hosts, SARIF 2.1.0
    Sarif,
}

/// The formats of a command; without a wish it is the default.
pub(crate) trait AnyFormat: ValueEnum + Copy + Default + Send + Sync + 'static {}

impl<F: ValueEnum + Copy + Default + Send + Sync + 'static> AnyFormat for F {}

impl<F: AnyFormat> Args for Reports<F> {
    fn augment_args(command: Command) -> Command {
        command
            .arg(
                Arg::new(FORMAT)
                    .long(FORMAT)
                    .value_name("FORMAT")
                    .value_parser(EnumValueParser::<F>::new())
                    .action(ArgAction::Append)
                    .help("How to report; may be given several times [default: pretty]"),
            )
            .arg(
                Arg::new(OUTPUT)
                    .long(OUTPUT)
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .action(ArgAction::Append)
                    .help("Where the report of the --format before it goes; standard output without it"),
            )
            .arg(
                Arg::new(COLOR)
                    .long(COLOR)
                    .value_name("WHEN")
                    .value_parser(value_parser!(When))
                    .default_value("auto")
                    .help("Colours on standard output; NO_COLOR, FORCE_COLOR and TERM=dumb are heeded"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<F: AnyFormat> FromArgMatches for Reports<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let formats = with_places::<F>(matches, FORMAT);
        let outputs = with_places::<PathBuf>(matches, OUTPUT);
        let mut reports: Vec<(F, Option<PathBuf>)> =
            formats.iter().map(|(_, format)| (*format, None)).collect();
        if reports.is_empty() {
            reports.push((F::default(), None));
        }
        for (place, path) in outputs {
            let before = formats.iter().filter(|(format, _)| *format < place).count();
            let report = &mut reports[before.saturating_sub(1)].1;
            if report.replace(path).is_some() {
                let why =
                    "two --output belong to one --format; each belongs to the --format before it\n";
                return Err(Error::raw(ErrorKind::TooManyValues, why));
            }
        }
        let color = matches.get_one(COLOR).copied().unwrap_or_default();
        Ok(Self { wanted: reports, color })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The values of an argument with their places on the command line.
fn with_places<T: Clone + Send + Sync + 'static>(
    matches: &ArgMatches,
    name: &str,
) -> Vec<(usize, T)> {
    let places = matches.indices_of(name).into_iter().flatten();
    let values = matches.get_many::<T>(name).into_iter().flatten().cloned();
    places.zip(values).collect()
}

const FORMAT: &str = "format";
const OUTPUT: &str = "output";
const COLOR: &str = "color";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_belongs_to_the_format_before_it() {
        let file = |name: &str| Some(PathBuf::from(name));
        for (words, expected) in [
            (&[][..], vec![(Format::Pretty, None)]),
            (&["--output", "a"], vec![(Format::Pretty, file("a"))]),
            (&["--output", "a", "--format", "json"], vec![(Format::Json, file("a"))]),
            (
                &["--format", "pretty", "--format", "json", "--output", "a"],
                vec![(Format::Pretty, None), (Format::Json, file("a"))],
            ),
            (
                &["--format", "html", "--output", "a", "--format", "json", "--output", "b"],
                vec![(Format::Html, file("a")), (Format::Json, file("b"))],
            ),
        ] {
            assert_eq!(parse(words).unwrap().wanted, expected, "{words:?}");
        }
        assert!(parse(&["--format", "json", "--output", "a", "--output", "b"]).is_err());
    }

    fn parse(words: &[&str]) -> Result<Reports, Error> {
        let command = <Reports>::augment_args(Command::new("test").no_binary_name(true));
        <Reports>::from_arg_matches(&command.try_get_matches_from(words)?)
    }
}
