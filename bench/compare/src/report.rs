//! Medians and ratios, as tables for people.

use std::{collections::BTreeMap, fmt::Write};

use crate::{
    clients::{CALLS, DELAYED, LIMIT},
    footprint::{Footprint, SESSIONS},
    servers::{FLOORS, OURS, RMCP},
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

    /// One table for each kind of work, the cheapest first.
    pub(crate) fn tables(&self) -> String {
        let mut text = String::new();
        for work in WORKS {
            text += &self.table(work.name, "server", "a request", "the floor");
        }
        for calls in CALLS {
            text += &self.table(calls.name, "client", "a call", RMCP);
        }
        text + &self.footprint_table()
    }

    /// Nothing if nothing was measured.
    fn table(&self, name: &str, who: &str, each: &str, reference: &str) -> String {
        let mut rows: Vec<_> = self.peers(name).into_iter().collect();
        if rows.is_empty() {
            return String::new();
        }
        rows.sort_by(|a, b| self.ratio(name, a).total_cmp(&self.ratio(name, b)));
        let mut text = format!(
            "\n### {name}\n\n| {who} | CPU, µs {each} | times {reference} | a second | half within, µs | 99 % within, µs |\n\
             |---|---:|---:|---:|---:|---:|\n"
        );
        for peer in rows {
            let of = |what: fn(&Cost) -> f64| median(self.of(name, peer).map(what));
            let _ = writeln!(
                text,
                "| {peer} | {:.1} | {} | {:.0} | {} | {} |",
                of(|cost| cost.cpu),
                figure(self.ratio(name, peer), 2),
                of(|cost| cost.per_second),
                figure(of(|cost| cost.median), 0),
                figure(of(|cost| cost.slow), 0)
            );
        }
        text
    }

    /// In parentheses, how many times the figure of the floor that has one.
    fn footprint_table(&self) -> String {
        if self.footprints.is_empty() {
            return String::new();
        }
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
        let servers = WORKS.iter().map(|work| (work.name, work.limit));
        let clients = CALLS.iter().map(|calls| (calls.name, LIMIT));
        let ratios =
            servers.chain(clients).map(|(name, limit)| (name, limit, self.ratio(name, OURS)));
        let costly = ratios
            .filter(|(_, limit, ratio)| ratio > limit)
            .map(|(name, limit, ratio)| format!("{name}: {ratio:.2}, at most {limit}"));
        let times = CALLS
            .iter()
            .map(|calls| (calls.name, median(self.of(calls.name, OURS).map(|cost| cost.median))));
        let late = times
            .filter(|(_, time)| *time >= DELAYED)
            .map(|(name, time)| format!("{name}: half of the calls take more than {time:.0} µs"));
        let beside = WORKS.iter().filter_map(|work| {
            let alone = WORKS.iter().find(|other| work.is_beside(other))?;
            let ratio = median(self.of(work.name, OURS).map(|cost| cost.cpu))
                / median(self.of(alone.name, OURS).map(|cost| cost.cpu));
            (ratio > BESIDE).then(|| {
                format!("{}: {ratio:.2} times what it costs without, at most {BESIDE}", work.name)
            })
        });
        costly.chain(late).chain(beside).collect()
    }

    /// Against the floor, or against rmcp for a client, taken within each round: what disturbs a round disturbs both.
    fn ratio(&self, name: &str, peer: &str) -> f64 {
        let is_client = CALLS.iter().any(|calls| calls.name == name);
        let references: &[&str] = if is_client { &[RMCP] } else { &FLOORS };
        let ours = self.costs.iter().filter(|((of, it, _), _)| *of == name && *it == peer);
        median(ours.filter_map(|((of, _, round), cost)| {
            let mut references = references.iter();
            let reference = references.find_map(|it| self.costs.get(&(*of, *it, *round)))?;
            Some(cost.cpu / reference.cpu)
        }))
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

/// How much more a request may cost beside idle sessions; as much as rounds differ.
const BESIDE: f64 = 1.15;
