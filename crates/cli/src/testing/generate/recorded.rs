//! `proofmark generate --from`: what was heard becomes tests with snapshots.

use std::{fs::File, io::BufReader, path::Path};

use anyhow::Context;
use proofmark_check::record::transcript::Reader;
use proofmark_test::{
    recorded, run,
    snapshot::{Snapshots, Update},
    yaml,
};
use serde_json::{Map, Value, json};

use super::{given, written};
use crate::{arguments::Generate, check, exit, say};

pub(super) fn run(arguments: &Generate, transcript: &Path) -> u8 {
    let made = match check::sensible(make(arguments, transcript)) {
        Ok(made) => made,
        Err(code) => return code,
    };
    say::on_stderr(format_args!("{}: {made} tests with snapshots", arguments.file.display()));
    exit::SUCCESS
}

fn make(arguments: &Generate, transcript: &Path) -> anyhow::Result<usize> {
    let name = transcript.display();
    let file = File::open(transcript).with_context(|| format!("cannot read {name}"))?;
    let mut reader = Reader::new(BufReader::new(file));
    reader.read().with_context(|| name.to_string())?;
    anyhow::ensure!(
        !arguments.file.exists(),
        "{} is there already; --file names another",
        arguments.file.display()
    );
    let server = given(&arguments.target, &arguments.name);
    let server = server.context("say which server the tests are for: --url URL, or -- COMMAND")?;
    let exchanges = recorded::exchanges(&reader.recordings);
    let tests = recorded::tests(&exchanges, &server.name);
    anyhow::ensure!(!tests.is_empty(), "{name} has no calls that could become tests");
    let snapshots = Snapshots::beside(&arguments.file, Update::Always);
    for test in &tests {
        let Some((step, result)) = &test.snapshot else { continue };
        let mut seen = Map::new();
        seen.insert(step.clone(), run::for_snapshot(result.clone()));
        snapshots.keep(&server.name, &test.name, &seen).context("cannot write a snapshot")?;
    }
    let all: Vec<&Value> = tests.iter().map(|it| &it.test).collect();
    let document = json!({"servers": {server.name.as_str(): written(&server)}, "tests": all});
    check::write(&arguments.file, &yaml::write(&document))?;
    Ok(tests.len())
}
