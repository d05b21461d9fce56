//! Compares the table of shapes with the official schemas in a folder: `DIR/REVISION/schema.json`.
#![expect(clippy::print_stderr, clippy::print_stdout, reason = "a person reads what it prints")]

use std::{collections::BTreeMap, fs, path::PathBuf, process::ExitCode};

use proofmark_core::revision::Revision;
use proofmark_judge::shapes::official::differences;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("name the folder with the schemas");
        return ExitCode::from(2);
    };
    let mut schemas = BTreeMap::new();
    for revision in Revision::ALL {
        let path = folder.join(revision.as_str()).join("schema.json");
        let schema = fs::read(&path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
        match schema {
            Ok(schema) => _ = schemas.insert(*revision, schema),
            Err(why) => {
                eprintln!("could not read {}: {why}", path.display());
                return ExitCode::from(2);
            }
        }
    }
    let found = differences(&schemas);
    for it in &found {
        println!("{} {}: {}", it.revision, it.at, it.what);
    }
    println!("{} differences", found.len());
    if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
