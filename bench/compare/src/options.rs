//! The command line.

use std::time::Duration;

use crate::{Outcome, servers::Peer};

pub(crate) struct Options {
    pub(crate) rounds: usize,
    /// How long each server is measured with each kind of work in a round.
    pub(crate) seconds: Duration,
    /// Fail if ours costs more than it may.
    pub(crate) check: bool,
    only: Vec<String>,
}

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut options =
            Self { rounds: 5, seconds: Duration::from_secs(1), check: false, only: Vec::new() };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(USAGE);
            match word.as_str() {
                "--check" => options.check = true,
                "--rounds" => options.rounds = value()?.parse()?,
                "--seconds" => options.seconds = Duration::from_secs_f64(value()?.parse()?),
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                _ => return Err(USAGE.into()),
            }
        }
        Ok(options)
    }

    /// The floors are always wanted.
    pub(crate) fn wants(&self, peer: &Peer) -> bool {
        self.only.is_empty() || peer.is_floor() || self.only.iter().any(|name| name == peer.name)
    }
}

const USAGE: &str =
    "usage: compare [--rounds N] [--seconds S] [--only ours,rmcp,typescript] [--check]";
