//! `proofmark requirements`: the catalogue, and what is observed of it.

use std::fmt::Write;

use proofmark_check::catalogue::{self, Level, Observed, PAGES, Party, Requirement, Side};

use crate::{arguments::Requirements, exit, say};

/// The exit code.
pub(crate) fn run(arguments: &Requirements) -> u8 {
    let Some(id) = &arguments.id else {
        say::on_stdout(if arguments.coverage { coverage() } else { list() }.trim_end());
        return exit::SUCCESS;
    };
    let Some(requirement) = catalogue::find(id) else {
        say::on_stderr(format_args!("error: there is no requirement {id:?}"));
        return exit::USAGE;
    };
    say::on_stdout(explain(requirement).trim_end());
    exit::SUCCESS
}

fn list() -> String {
    let mut text = String::new();
    for page in PAGES {
        let _ = writeln!(text, "{}", page.name);
        for it in page.requirements {
            let _ = writeln!(
                text,
                "  {} {:6} {:7} {}",
                it.id,
                it.level.as_str(),
                it.party.as_str(),
                it.text
            );
        }
    }
    text
}

fn explain(it: &Requirement) -> String {
    let mut text = String::new();
    let last = it.span.last.map_or_else(|| "now".to_owned(), |last| last.to_string());
    let _ = writeln!(text, "{} {}\n\n{}\n", it.id, it.name, it.text);
    let _ = writeln!(text, "level:      {}", it.level.as_str());
    let _ = writeln!(text, "binds:      {}", it.party.as_str());
    let _ = writeln!(text, "transport:  {}", it.transports.as_str());
    let _ = writeln!(text, "in force:   {} to {last}", it.span.first);
    for page in it.section.split(" ; ") {
        let _ = writeln!(text, "page:       {page}");
    }
    for side in [Side::Server, Side::Client] {
        if it.party.includes(side) {
            explain_for(&mut text, it, side);
        }
    }
    text
}

fn explain_for(text: &mut String, it: &Requirement, side: Side) {
    match it.observed_of(side) {
        Observed::By(check) => {
            let _ = writeln!(text, "\nHow a {side} is checked: the checker {}.", check.how);
            for mutant in check.mutants {
                let _ = writeln!(text, "A violation:       a {side} that {}.", mutant.name);
            }
            let _ = writeln!(text, "How to fix it:     {}.", check.fix);
        }
        Observed::Each { .. } | Observed::NotYet => {
            let _ = writeln!(text, "\nThe checker does not look at this in a {side} yet.");
        }
        Observed::Unobservable(why) => {
            let _ = writeln!(text, "\nThis cannot be observed of a {side}: {why}.");
        }
    }
}

fn coverage() -> String {
    let mut text = String::new();
    for (title, side) in [
        ("servers", Some(Side::Server)),
        ("clients", Some(Side::Client)),
        ("authorization servers", None),
    ] {
        let binds = |it: &&Requirement| match side {
            Some(side) => it.party.includes(side),
            None => it.party == Party::AuthorizationServer,
        };
        let bound = || catalogue::all().filter(binds);
        let observed = |it: &&Requirement| side.is_some_and(|side| it.check(side).is_some());
        let _ = writeln!(text, "{title}:");
        for level in [Level::Must, Level::Should, Level::May] {
            let rows = || bound().filter(|it| it.level == level);
            let never =
                rows().filter(|it| matches!(it.observed, Observed::Unobservable(_))).count();
            let _ = writeln!(
                text,
                "  {:6} {} of {} observed, {never} cannot be",
                level.as_str(),
                rows().filter(observed).count(),
                rows().count()
            );
        }
    }
    let _ = writeln!(text, "\nnot observed:");
    for it in catalogue::all() {
        if it.party == Party::AuthorizationServer {
            not_observed(&mut text, it, it.observed, "authorization servers");
            continue;
        }
        for (side, whom) in [(Side::Server, "servers"), (Side::Client, "clients")] {
            if it.party.includes(side) {
                not_observed(&mut text, it, it.observed_of(side), whom);
            }
        }
    }
    text
}

fn not_observed(text: &mut String, it: &Requirement, observed: Observed, whom: &str) {
    let why = match observed {
        Observed::By(_) | Observed::Each { .. } => return,
        Observed::NotYet => "not yet",
        Observed::Unobservable(why) => why,
    };
    let _ = writeln!(text, "  {} {} ({whom}): {why}", it.id, it.name);
}
