//! Medians and ratios, as tables for people.

use std::{collections::BTreeMap, fmt::Write};

use crate::{
    footprint::{Footprint, SESSIONS},
    servers::{FLOORS, OURS},
    work::{Cost, WORKS},
};

/// Everything that was measured.
#[derive(Default)]
pub(crate) struct Report {
    /// By kind of work, server and round.
    costs: BTreeMap<(&'static str, &'static str, usize), Cost>,
    footprints: BTreeMap<&'static str, Footprint>,
}

impl Report {
    pub(crate) fn add(&mut self, work: &'static str, peer: &'static str, round: usize, cost: Cost) {
        self.costs.insert((work, peer, round), cost);
    }

    pub(crate) fn add_footprint(&mut self, peer: &'static str, footprint: Footprint) {
        self.footprints.insert(peer, footprint);
    }

    /// One table for each kind of work, the cheapest server first.
    pub(crate) fn tables(&self) -> String {
        let mut text = String::new();
        for work in WORKS {
            let mut rows: Vec<_> = self.peers(work.name).into_iter().collect();
            rows.sort_by(|a, b| self.ratio(work.name, a).total_cmp(&self.ratio(work.name, b)));
            let _ = writeln!(
                text,
                "\n### {}\n\n| server | CPU, µs a request | times the floor | requests a second | half within, µs | 99 % within, µs |\n\
                 |---|---:|---:|---:|---:|---:|",
                work.name
            );
            for peer in rows {
                let of = |what: fn(&Cost) -> f64| median(self.of(work.name, peer).map(what));
                let _ = writeln!(
                    text,
                    "| {peer} | {:.1} | {:.2} | {:.0} | {} | {} |",
                    of(|cost| cost.cpu),
                    self.ratio(work.name, peer),
                    of(|cost| cost.per_second),
                    figure(of(|cost| cost.median), 0),
                    figure(of(|cost| cost.slow), 0)
                );
            }
        }
        text + &self.footprint_table()
    }

    /// In parentheses, how many times the figure of the floor that has one.
    fn footprint_table(&self) -> String {
        let mut text = format!(
            "\n### Memory, start and size\n\n| server | MiB idle | MiB with {SESSIONS} sessions | bytes a session | ms to the first answer on stdio | MiB of binary |\n\
             |---|---:|---:|---:|---:|---:|\n"
        );
        for (peer, footprint) in &self.footprints {
            let cell = |what: fn(&Footprint) -> f64, digits: usize| {
                let mut floor =
                    FLOORS.iter().filter_map(|floor| self.footprints.get(floor)).map(what);
                let ratio = what(footprint) / floor.find(|floor| *floor > 0.0).unwrap_or(f64::NAN);
                let figure = figure(what(footprint), digits);
                if ratio.is_finite() { format!("{figure} ({ratio:.2})") } else { figure }
            };
            let _ = writeln!(
                text,
                "| {peer} | {} | {} | {} | {} | {} |",
                cell(|it| it.idle, 1),
                cell(|it| it.with_sessions, 1),
                figure(footprint.per_session, 0),
                cell(|it| it.start, 2),
                cell(|it| it.size, 2)
            );
        }
        text
    }

    /// Where ours costs more than it may.
    pub(crate) fn over(&self) -> Vec<String> {
        let ratios = WORKS.iter().map(|work| (work, self.ratio(work.name, OURS)));
        ratios
            .filter(|(work, ratio)| *ratio > work.limit)
            .map(|(work, ratio)| format!("{}: {ratio:.2}, at most {}", work.name, work.limit))
            .collect()
    }

    /// Against the floor, taken within each round: what disturbs a round disturbs both.
    fn ratio(&self, work: &str, peer: &str) -> f64 {
        median(
            self.costs.iter().filter(|((name, it, _), _)| *name == work && *it == peer).filter_map(
                |((name, _, round), cost)| {
                    let floor =
                        FLOORS.iter().find_map(|floor| self.costs.get(&(*name, *floor, *round)))?;
                    Some(cost.cpu / floor.cpu)
                },
            ),
        )
    }

    fn peers(&self, work: &str) -> std::collections::BTreeSet<&'static str> {
        self.costs.keys().filter(|(name, ..)| *name == work).map(|(_, peer, _)| *peer).collect()
    }

    fn of(&self, work: &str, peer: &str) -> impl Iterator<Item = &Cost> {
        let these = move |key: &(&str, &str, usize)| key.0 == work && key.1 == peer;
        self.costs.iter().filter(move |(key, _)| these(key)).map(|(_, cost)| cost)
    }
}

/// A dash for what was not measured.
fn figure(value: f64, digits: usize) -> String {
    if value.is_nan() { "-".into() } else { format!("{value:.digits$}") }
}

/// Not a number if there is nothing.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
