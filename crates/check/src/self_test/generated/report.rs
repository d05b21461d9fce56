//! What came of the variations, counted and listed.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
};

use super::{
    Selection,
    variation::{Class, Variation, Verdict},
};

/// What came of all variations.
#[derive(Debug, Default)]
pub struct Tally {
    pub seed: u64,
    pub sample: Option<usize>,
    /// By class and operator.
    counts: BTreeMap<(Class, &'static str), Counts>,
    /// By side, revision and transport.
    settings: BTreeMap<String, Counts>,
    /// Illegal ones that no requirement was blamed for, without a row that says why.
    missed: Vec<String>,
    /// Illegal ones that are known to stay unseen.
    excused: Vec<String>,
    /// Legal ones that were blamed.
    blamed: Vec<String>,
    /// Those that changed nothing in their trial.
    idle: Vec<String>,
    /// What went wrong beside: clean runs, rows that are stale.
    broken: Vec<String>,
    /// How many of those missed and of those blamed were told of while they ran.
    told: (usize, usize),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    illegal: usize,
    caught: usize,
    legal: usize,
    blamed: usize,
}

/// How a variation ended.
pub(super) enum Ending {
    /// With what was blamed.
    Blamed(Vec<String>),
    /// With why it was not.
    Unblamed(String),
    /// Not blamed, as a row says, with its reason.
    Excused(&'static str),
    Idle,
}

impl Tally {
    pub(super) fn new(selection: &Selection) -> Self {
        let Selection { seed, sample, .. } = *selection;
        Self { seed, sample, ..Self::default() }
    }

    pub fn is_green(&self) -> bool {
        self.missed.is_empty() && self.blamed.is_empty() && self.broken.is_empty()
    }

    pub(super) fn complain(&mut self, about: String) {
        self.broken.push(about);
    }

    pub(super) fn count(&mut self, variation: &Variation, ending: &Ending) {
        let label = place_of(variation);
        if let Ending::Idle = ending {
            self.idle.push(label);
            return;
        }
        let blamed = matches!(ending, Ending::Blamed(_));
        let setting = &variation.setting;
        let place = format!("{} {} over {}", setting.side, setting.revision, setting.transport);
        for counts in [
            self.counts.entry((variation.class, variation.operator)).or_default(),
            self.settings.entry(place).or_default(),
        ] {
            match (variation.is_illegal(), blamed) {
                (true, caught) => {
                    counts.illegal += 1;
                    counts.caught += usize::from(caught);
                }
                (false, blamed) => {
                    counts.legal += 1;
                    counts.blamed += usize::from(blamed);
                }
            }
        }
        match (&variation.verdict, ending) {
            (Verdict::Illegal { law, .. }, Ending::Unblamed(why)) => {
                self.missed.push(format!("{label} | {law} | {why}"));
            }
            (Verdict::Illegal { .. }, Ending::Excused(reason)) => {
                self.excused.push(format!("{label} | {reason}"));
            }
            (Verdict::Legal, Ending::Blamed(by)) => {
                self.blamed.push(format!("{label} | {}", by.join(", ")));
            }
            (Verdict::Legal, Ending::Unblamed(why)) if !why.is_empty() => {
                self.blamed.push(format!("{label} | {why}"));
            }
            _ => {}
        }
    }

    /// How many were run and what went wrong since this was asked last.
    pub(super) fn so_far(&mut self) -> String {
        let run: usize = self.counts.values().map(|it| it.illegal + it.legal).sum();
        let mut text = String::new();
        for (title, list, told) in [
            ("missed", &self.missed, &mut self.told.0),
            ("blamed although legal", &self.blamed, &mut self.told.1),
        ] {
            for line in &list[*told..] {
                let _ = writeln!(text, "{title}: {line}");
            }
            *told = list.len();
        }
        let (missed, blamed) = self.told;
        text + &format!("{run} run, {missed} missed, {blamed} blamed although legal")
    }

    pub(super) fn finish(&mut self) {
        for list in [&mut self.missed, &mut self.excused, &mut self.blamed, &mut self.idle] {
            list.sort();
        }
        self.broken.sort();
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, list) in [
            ("changed nothing this time", &self.idle),
            ("known to be missed", &self.excused),
            ("missed", &self.missed),
            ("blamed although legal", &self.blamed),
            ("wrong", &self.broken),
        ] {
            for line in list {
                writeln!(f, "{title}: {line}")?;
            }
        }
        writeln!(f, "{:<56} {:>8} {:>8} {:>8} {:>8}", "", "illegal", "caught", "legal", "blamed")?;
        let mut all = Counts::default();
        for ((class, operator), counts) in &self.counts {
            row(f, &format!("{class}: {operator}"), *counts)?;
            all = all.plus(*counts);
        }
        writeln!(f)?;
        for class in Class::ALL {
            let of = self.counts.iter().filter(|((it, _), _)| *it == class);
            let sum = of.fold(Counts::default(), |sum, (_, counts)| sum.plus(*counts));
            row(f, &class.to_string(), sum)?;
        }
        writeln!(f)?;
        for (setting, counts) in &self.settings {
            row(f, setting, *counts)?;
        }
        writeln!(f)?;
        row(f, "all", all)?;
        let sample = self.sample.map_or_else(String::new, |sample| format!(" --sample {sample}"));
        write!(
            f,
            "seed {seed}: `proofmark self-test --generated --seed {seed}{sample}` runs the same again; {} missed, {} known to be missed, {} blamed although legal, {} idle",
            self.missed.len(),
            self.excused.len(),
            self.blamed.len(),
            self.idle.len(),
            seed = self.seed,
        )
    }
}

impl Counts {
    fn plus(self, other: Self) -> Self {
        Self {
            illegal: self.illegal + other.illegal,
            caught: self.caught + other.caught,
            legal: self.legal + other.legal,
            blamed: self.blamed + other.blamed,
        }
    }
}

/// The name, with the scenario.
fn place_of(variation: &Variation) -> String {
    match &variation.scenario {
        Some(scenario) => format!("{} | {scenario}", variation.label()),
        None => variation.label(),
    }
}

fn row(f: &mut fmt::Formatter<'_>, title: &str, counts: Counts) -> fmt::Result {
    let Counts { illegal, caught, legal, blamed } = counts;
    writeln!(f, "{title:<56} {illegal:>8} {caught:>8} {legal:>8} {blamed:>8}")
}
