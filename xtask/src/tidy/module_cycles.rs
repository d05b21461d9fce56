//! The modules at the top of a crate look in one direction: none of them sees, through others, itself.

mod references;
mod tokens;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::file::File;
use super::{Finding, Located};
use references::{Names, is_below, module_of};

pub(super) fn check(files: &[File]) -> Vec<Located> {
    let mut crates: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files {
        if let Some((root, _)) = in_crate(file) {
            crates.entry(root).or_default().push(file);
        }
    }
    let mut findings = Vec::new();
    for (root, files) in &crates {
        let graph = graph(files);
        findings.extend(knots(&graph).iter().map(|knot| complaint(root, knot, &graph)));
    }
    findings
}

/// By module: the modules that it refers to, and where it does.
type Graph = BTreeMap<String, BTreeMap<String, BTreeSet<Place>>>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    path: String,
    line: usize,
}

/// The folder of the crate and the path below its `src`, for its sources that are not tests.
fn in_crate(file: &File) -> Option<(&str, &str)> {
    if !file.is_rust() || file.is_test() {
        return None;
    }
    let (root, inside) = file.path.split_once("/src/")?;
    (root == "xtask" || root.starts_with("crates/")).then_some((root, inside))
}

fn graph(files: &[&File]) -> Graph {
    let sources: Vec<_> = files
        .iter()
        .filter_map(|file| {
            let (_, inside) = in_crate(file)?;
            Some((*file, module_of(inside), references::read(&file.code, &module_of(inside))))
        })
        .collect();
    let tests: Vec<_> =
        sources.iter().flat_map(|(.., source)| source.test_modules.iter()).collect();
    let counted: Vec<_> = sources
        .iter()
        .filter(|(_, module, _)| !tests.iter().any(|test| is_below(module, test)))
        .collect();
    let mut names = Names::default();
    for (_, module, source) in &counted {
        names.learn(module, source);
    }
    let mut graph = Graph::new();
    for (file, _, source) in &counted {
        for reference in &source.references {
            let Some(from) = reference.from.first() else { continue };
            let Some(to) = names.module(&reference.to) else { continue };
            if from != to {
                let places =
                    graph.entry(from.clone()).or_default().entry(to.to_owned()).or_default();
                places.insert(Place { path: file.path.clone(), line: reference.line });
            }
        }
    }
    graph
}

/// The largest sets of modules in which each reaches each.
fn knots(graph: &Graph) -> Vec<BTreeSet<&str>> {
    let mut knots: Vec<BTreeSet<&str>> = Vec::new();
    for module in graph.keys().map(String::as_str) {
        if knots.iter().any(|knot| knot.contains(module)) {
            continue;
        }
        let reached = reached(graph, module);
        let knot: BTreeSet<_> = reached
            .iter()
            .copied()
            .filter(|other| self::reached(graph, other).contains(module))
            .collect();
        if !knot.is_empty() {
            knots.push(knot);
        }
    }
    knots
}

/// What a module sees directly or through others; itself only by a cycle.
fn reached<'a>(graph: &'a Graph, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for next in graph.get(module).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    reached
}

/// The fewest modules that lead back to the first; the first is not named again.
fn shortest_cycle<'a>(graph: &'a Graph, knot: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let cycles = knot.iter().filter_map(|start| {
        let mut open = VecDeque::from([vec![*start]]);
        let mut seen = BTreeSet::new();
        while let Some(way) = open.pop_front() {
            let last = way.last().and_then(|last| graph.get(*last));
            for next in last.into_iter().flat_map(BTreeMap::keys) {
                if next == start {
                    return Some(way);
                }
                if seen.insert(next) {
                    open.push_back(way.iter().copied().chain([next.as_str()]).collect());
                }
            }
        }
        None
    });
    cycles.min_by_key(Vec::len).unwrap_or_default()
}

fn complaint(root: &str, knot: &BTreeSet<&str>, graph: &Graph) -> Located {
    let cycle = shortest_cycle(graph, knot);
    let next = cycle.iter().cycle().skip(1);
    let steps: Vec<_> =
        cycle.iter().zip(next).map(|(from, to)| (from, to, &graph[*from][*to])).collect();
    let shown: Vec<_> = steps.iter().map(|(from, to, places)| step(from, to, places)).collect();
    let others = match knot.len() - cycle.len() {
        0 => String::new(),
        _ => format!(
            "; in the same knot: {}",
            knot.iter()
                .filter(|module| !cycle.contains(module))
                .copied()
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    // The step with the fewest references is the one to mend.
    let weakest = steps.iter().min_by_key(|(.., places)| places.len());
    let place = weakest.and_then(|(.., places)| places.first().cloned());
    let Place { path, line } = place.unwrap_or_else(|| Place { path: root.to_owned(), line: 1 });
    let reason = format!("modules of {root} in a cycle: {}{others}", shown.join(", "));
    (path, Finding { line, reason })
}

fn step(from: &str, to: &str, places: &BTreeSet<Place>) -> String {
    let shown =
        places.iter().take(MOST_PLACES).map(|place| format!("{}:{}", place.path, place.line));
    let shown = shown.collect::<Vec<_>>().join(" ");
    match places.len().saturating_sub(MOST_PLACES) {
        0 => format!("{from} -> {to} ({shown})"),
        more => format!("{from} -> {to} ({shown} and {more} more)"),
    }
}

/// References that are shown of each step of a cycle.
const MOST_PLACES: usize = 5;

#[cfg(test)]
mod tests;
