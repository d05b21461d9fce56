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
    /// A part of the names of what is measured.
    rows: String,
}

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut options = Self {
            rounds: 5,
            seconds: Duration::from_secs(1),
            check: false,
            only: Vec::new(),
            rows: String::new(),
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(USAGE);
            match word.as_str() {
                "--check" => options.check = true,
                "--rounds" => options.rounds = value()?.parse()?,
                "--seconds" => options.seconds = Duration::from_secs_f64(value()?.parse()?),
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                "--rows" => options.rows = value()?,
                _ => return Err(USAGE.into()),
            }
        }
        Ok(options)
    }

    /// The floors are always wanted.
    pub(crate) fn wants(&self, peer: &Peer) -> bool {
        self.only.is_empty() || peer.is_floor() || self.only.iter().any(|name| name == peer.name)
    }

    pub(crate) fn wants_row(&self, name: &str) -> bool {
        name.contains(&self.rows)
    }

    /// What servers cost before they are asked anything is not a row.
    pub(crate) fn wants_footprints(&self) -> bool {
        self.rows.is_empty()
    }
}

const USAGE: &str = "usage: compare [--rounds N] [--seconds S] [--only ours,rmcp,typescript] [--rows TEXT] [--check]";
