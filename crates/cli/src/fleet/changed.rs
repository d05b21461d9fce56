//! `proofmark fleet add`, `remove` and `import`: changes of the inventory.

use proofmark_clients::Value;
use proofmark_fleet::{
    edit::{self, ChangeError},
    import,
};

use crate::{
    arguments::{Fleet, FleetAdd, FleetImport, FleetRemove},
    exit, say,
};

pub(super) fn add(arguments: &Fleet, options: &FleetAdd) -> anyhow::Result<u8> {
    // What stands on the command line is meant as it is.
    let literal = |text: &String| Value::from(text.replace("${", "$${"));
    let list = |texts: &[String]| Value::List(texts.iter().map(literal).collect());
    let mut entry: Vec<(String, Value)> = Vec::new();
    match &options.url {
        Some(url) => entry.push(("url".to_owned(), literal(url))),
        None => entry.push(("command".to_owned(), list(&options.words))),
    }
    if let Some(transport) = options.transport {
        entry.push(("transport".to_owned(), transport.as_str().into()));
    }
    for (key, value) in [("owner", &options.owner), ("stage", &options.stage)] {
        if let Some(value) = value {
            entry.push((key.to_owned(), literal(value)));
        }
    }
    if !options.tag.is_empty() {
        entry.push(("tags".to_owned(), list(&options.tag)));
    }
    Ok(told(edit::add(&arguments.file, &options.name, entry), &options.name, "is in the fleet"))
}

pub(super) fn remove(arguments: &Fleet, options: &FleetRemove) -> anyhow::Result<u8> {
    let done = edit::remove(&arguments.file, &options.name);
    Ok(told(done, &options.name, "is no longer in the fleet; its history stays"))
}

pub(super) fn import(arguments: &Fleet, options: &FleetImport) -> anyhow::Result<u8> {
    let mut code = exit::SUCCESS;
    for path in &options.path {
        let found = match import::find(path) {
            Ok(found) => found,
            Err(error) => {
                say::error(error);
                code = exit::USAGE;
                continue;
            }
        };
        for one in found {
            for note in &one.notes {
                say::on_stderr(format_args!("{}: {note}", one.name));
            }
            if options.dry_run {
                say::on_stdout(format_args!("{} would be added", one.name));
                continue;
            }
            match edit::add(&arguments.file, &one.name, one.entry) {
                Err(ChangeError::Exists(name)) => {
                    say::on_stdout(format_args!("{name} is there already, and stays as it is"));
                }
                done => code = code.max(told(done, &one.name, "is in the fleet")),
            }
        }
    }
    Ok(code)
}

fn told(done: Result<(), ChangeError>, name: &str, what: &str) -> u8 {
    match done {
        Ok(()) => {
            say::on_stdout(format_args!("{name} {what}"));
            exit::SUCCESS
        }
        Err(error) => {
            say::error(error);
            exit::USAGE
        }
    }
}
