//! `proofmark requirements`: the catalogue, and what is observed of it.

use std::{fmt::Write, fs, path::Path};

use proofmark_check::{
    judge::{
        catalogue::{self, PAGES, document, frozen},
        requirement::{Level, Observed, Page, Requirement},
    },
    record::side::Side,
};
use proofmark_core::revision::Revision;

use crate::{arguments::Requirements, exit, say};

/// The exit code.
pub(crate) fn run(arguments: &Requirements) -> u8 {
    if let Some(directory) = &arguments.pages {
        return write_pages(directory);
    }
    let Some(id) = &arguments.id else {
        let text = match (arguments.diff.as_slice(), arguments.freeze) {
            ([from, to], _) => diff(*from, *to),
            (_, Some(revision)) => freeze(revision),
            _ if arguments.coverage => coverage(),
            _ => list(),
        };
        say::on_stdout(text.trim_end());
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

/// Writes only what changed, so that times of files mean something.
fn write_pages(directory: &Path) -> u8 {
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(directory)?;
        for (name, text) in document::files() {
            let path = directory.join(name);
            if fs::read_to_string(&path).is_ok_and(|old| old == text) {
                continue;
            }
            fs::write(path, text)?;
        }
        Ok(())
    };
    match write() {
        Ok(()) => exit::SUCCESS,
        Err(error) => {
            say::on_stderr(format_args!("error: cannot write {}: {error}", directory.display()));
            exit::USAGE
        }
    }
}

fn diff(from: Revision, to: Revision) -> String {
    let mut text = String::new();
    for (title, here, there) in [
        (format!("demanded by {to} and not by {from}"), to, from),
        (format!("demanded by {from} and not by {to}"), from, to),
    ] {
        let rows = |page: &'static Page| {
            let only = move |it: &&Requirement| it.span.contains(here) && !it.span.contains(there);
            page.requirements.iter().copied().filter(only)
        };
        let _ = writeln!(text, "{title}: {}", PAGES.iter().flat_map(rows).count());
        for page in PAGES {
            for (index, it) in rows(page).enumerate() {
                if index == 0 {
                    let _ = writeln!(text, "  {}", page.name);
                }
                let _ = writeln!(
                    text,
                    "    {} {:6} {:7} {}",
                    it.id,
                    it.level.as_str(),
                    it.party.as_str(),
                    it.text
                );
            }
        }
        text.push('\n');
    }
    text
}

fn freeze(revision: Revision) -> String {
    let ids: Vec<&str> = frozen::candidates(revision).map(|it| it.id).collect();
    let lines: Vec<String> = ids.chunks(16).map(|line| line.join(" ")).collect();
    format!("[{revision}]\n{}", lines.join("\n"))
}

fn explain(it: &Requirement) -> String {
    let mut text = String::new();
    let last = it.span.last.map_or_else(|| "now".to_owned(), |last| last.to_string());
    let _ = writeln!(text, "{} {}\n\n{}\n", it.id, it.name, it.text);
    let _ = writeln!(text, "level:      {}", it.level.as_str());
    let _ = writeln!(text, "binds:      {}", it.party.as_str());
    let _ = writeln!(text, "transport:  {}", it.transports.as_str());
    let _ = writeln!(text, "in force:   {} to {last}", it.span.first);
    for page in it.links(it.newest()) {
        let _ = writeln!(text, "page:       {page}");
    }
    if let Some(page) = catalogue::page_of(it) {
        let _ = writeln!(text, "\nWhy it matters: {}", page.why);
    }
    for side in Side::ALL {
        if it.party.includes(side) {
            explain_for(&mut text, it, side);
        }
    }
    text
}

fn explain_for(text: &mut String, it: &Requirement, side: Side) {
    match it.observed_of(side) {
        Observed::By(check) => {
            let whom = side.with_article();
            let _ = writeln!(text, "\nHow {whom} is checked: the checker {}.", check.how);
            for mutant in check.mutants {
                let _ = writeln!(text, "A violation:       {whom} that {}.", mutant.name);
            }
            let _ = writeln!(text, "How to fix it:     {}.", check.fix);
            let _ = writeln!(text, "Seen in:           {}.", check.seen.conversations());
            let _ =
                writeln!(text, "Judged in:         {}:{}.", check.seen.file(), check.seen.line());
        }
        Observed::Each { .. } | Observed::NotYet => {
            let _ = writeln!(
                text,
                "\nThe checker does not look at this in {} yet.",
                side.with_article()
            );
        }
        Observed::Unobservable(why) => {
            let _ = writeln!(text, "\nThis cannot be observed of {}: {why}.", side.with_article());
        }
    }
}

fn coverage() -> String {
    let mut text = String::new();
    for side in Side::ALL {
        let bound = || catalogue::all().filter(|it| it.party.includes(side));
        let observed = |it: &&Requirement| it.check(side).is_some();
        let _ = writeln!(text, "{side}s:");
        for level in [Level::Must, Level::Should, Level::May] {
            let rows = || bound().filter(|it| it.level == level);
            let never = rows()
                .filter(|it| matches!(it.observed_of(side), Observed::Unobservable(_)))
                .count();
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
        for side in Side::ALL.into_iter().filter(|side| it.party.includes(*side)) {
            not_observed(&mut text, it, side);
        }
    }
    for revision in catalogue::unread_revisions() {
        unread(&mut text, revision);
    }
    text
}

/// The rows that bind a revision only because they have no end.
fn unread(text: &mut String, revision: Revision) {
    let (count, until) = (catalogue::unread_in(revision).count(), catalogue::READ_UNTIL);
    let _ = writeln!(text, "\nnot read for {revision}, taken to bind as in {until}: {count}");
    for it in catalogue::unread_in(revision) {
        let _ = writeln!(text, "  {} {}", it.id, it.name);
    }
}

fn not_observed(text: &mut String, it: &Requirement, side: Side) {
    let why = match it.observed_of(side) {
        Observed::By(_) | Observed::Each { .. } => return,
        Observed::NotYet => "not yet",
        Observed::Unobservable(why) => why,
    };
    let _ = writeln!(text, "  {} {} ({side}s): {why}", it.id, it.name);
}
