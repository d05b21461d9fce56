//! `proofmark test --import`: a configuration of another program becomes a file of tests.

use std::{fs, path::Path};

use anyhow::Context;
use proofmark_check::record::text::Untrusted;
use proofmark_test::{import::import, yaml};

use crate::{check, exit, say};

/// The exit code.
pub(super) fn run(from: &Path, file: &Path) -> u8 {
    match check::sensible(make(from, file)) {
        Ok(servers) => {
            say::on_stderr(format_args!("{}: {servers} servers", file.display()));
            exit::SUCCESS
        }
        Err(code) => code,
    }
}

fn make(from: &Path, file: &Path) -> anyhow::Result<usize> {
    let name = from.display();
    let text = fs::read_to_string(from).with_context(|| format!("cannot read {name}"))?;
    let imported = import(&text).with_context(|| name.to_string())?;
    anyhow::ensure!(!file.exists(), "{} is there already; name another file", file.display());
    check::write(file, &yaml::write(&imported.document))?;
    for note in &imported.notes {
        say::on_stderr(Untrusted(note));
    }
    Ok(imported.document["servers"].as_object().map_or(0, serde_json::Map::len))
}
