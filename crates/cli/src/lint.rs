//! `proofmark lint`: what models and hosts trip over in what a server lists.

mod configuration;

use std::{fs, path::Path};

use anyhow::Context;
use futures_util::{Stream, TryStreamExt};
use proofmark_check::{record::transcript::redact::redact_command, report::pretty::Colours};
use proofmark_lint::{
    Level, Lists, Outcome, Settings, Severity, find, lint,
    report::{
        github, json,
        pretty::{self, Paint},
        sarif, table,
    },
};
use proofmark_sdk::client::{Client, ClientSettings, Error};
use serde::Serialize;
use serde_json::Value;

use crate::{
    arguments::{Lint, LintFormat},
    check::{sensible, write},
    colour, exit, peer, say,
};
use configuration::Configuration;

/// The exit code.
pub(crate) fn run(arguments: &Lint, config: Option<&Path>) -> anyhow::Result<u8> {
    if let Some(which) = &arguments.rules {
        return Ok(rules(which.as_deref()));
    }
    let (settings, strict) = match sensible(settings(arguments, config)) {
        Ok(settings) => settings,
        Err(code) => return Ok(code),
    };
    let (target, lists) = match &arguments.lists {
        Some(path) => match sensible(from_file(path)) {
            Ok(lists) => (path.display().to_string(), lists),
            Err(code) => return Ok(code),
        },
        None => (target(arguments), from_server(arguments)?),
    };
    let outcome = lint(&lists, &settings);
    let failed =
        outcome.count(Severity::Error) > 0 || (strict && outcome.count(Severity::Warning) > 0);
    report(arguments, &target, &outcome, failed)?;
    Ok(if failed { exit::BROKEN } else { exit::SUCCESS })
}

fn rules(which: Option<&str>) -> u8 {
    let Some(which) = which else {
        say::report(table::overview().trim_end());
        return exit::SUCCESS;
    };
    if let Some(rule) = find(which) {
        say::report(table::page(rule).trim_end());
        return exit::SUCCESS;
    }
    say::error(proofmark_lint::UnknownRule(which.to_owned()));
    exit::USAGE
}

/// What is on, and whether warnings fail. The command line wins over the configuration.
fn settings(arguments: &Lint, config: Option<&Path>) -> anyhow::Result<(Settings, bool)> {
    let configuration = Configuration::read(config)?;
    let mut settings = Settings::default();
    let limit = arguments.max_tokens.or(configuration.max_tokens);
    if let Some(limit) = limit {
        settings.limits.max_tokens = limit;
        // A limit that was asked for is meant.
        settings.set("L051", Level::Deny)?;
    }
    for (level, rules) in [
        (Level::Deny, &configuration.deny),
        (Level::Allow, &configuration.allow),
        (Level::Deny, &arguments.deny),
        (Level::Allow, &arguments.allow),
    ] {
        for rule in rules {
            settings.set(rule, level)?;
        }
    }
    Ok((settings, arguments.strict || configuration.strict))
}

fn from_file(path: &Path) -> anyhow::Result<Lists> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let document: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
    anyhow::ensure!(document.is_object(), "{} is no object with lists", path.display());
    Ok(Lists::from_json(&document))
}

fn from_server(arguments: &Lint) -> anyhow::Result<Lists> {
    let settings = ClientSettings { tools: 0, ..ClientSettings::default() };
    peer::with(&arguments.peer, settings, async |client| all(client).await)
}

/// Every list that the server declares.
async fn all(client: &Client) -> anyhow::Result<Lists> {
    let server = client.server();
    let declared = server.as_ref().and_then(|server| server.capabilities.clone());
    let has = |wanted: fn(&proofmark_core::types::ServerCapabilities) -> bool| {
        declared.as_ref().is_none_or(wanted)
    };
    let mut lists = Lists {
        server: server.as_ref().and_then(|server| Some(server.info.as_ref()?.name.clone())),
        instructions: server.as_ref().and_then(|server| server.instructions.clone()),
        ..Lists::default()
    };
    if has(|it| it.tools.is_some()) {
        lists.tools = entries(client.tools()).await?;
    }
    if has(|it| it.prompts.is_some()) {
        lists.prompts = entries(client.prompts()).await?;
    }
    if has(|it| it.resources.is_some()) {
        lists.resources = entries(client.resources()).await?;
        lists.templates = entries(client.resource_templates()).await?;
    }
    Ok(lists)
}

async fn entries<T: Serialize>(
    stream: impl Stream<Item = Result<T, Error>>,
) -> anyhow::Result<Vec<Value>> {
    let mut stream = std::pin::pin!(stream);
    let mut entries = Vec::new();
    while let Some(entry) = stream.try_next().await? {
        anyhow::ensure!(
            entries.len() < MOST_ENTRIES,
            "the list has more than {MOST_ENTRIES} entries"
        );
        entries.push(serde_json::to_value(entry)?);
    }
    Ok(entries)
}

fn report(arguments: &Lint, target: &str, outcome: &Outcome, failed: bool) -> anyhow::Result<()> {
    let usual = if arguments.peer.json { LintFormat::Json } else { LintFormat::Pretty };
    let text = match arguments.format.unwrap_or(usual) {
        LintFormat::Github => github::write(outcome),
        LintFormat::Json => json::write(target, outcome, failed),
        LintFormat::Pretty => {
            let colours = match &arguments.output {
                Some(_) => Colours::Off,
                None => colour::on_stdout(arguments.color),
            };
            let paint = if colours == Colours::On { Paint::Coloured } else { Paint::Plain };
            let most = if arguments.all { usize::MAX } else { SHOWN };
            pretty::write(target, outcome, paint, most)
        }
        LintFormat::Sarif => sarif::write(target, outcome),
    };
    match &arguments.output {
        Some(path) => write(path, &text)?,
        None if text.is_empty() => {}
        None => say::report(text.trim_end()),
    }
    Ok(())
}

fn target(arguments: &Lint) -> String {
    if let Some(url) = &arguments.peer.url {
        return url.split('?').next().unwrap_or_default().to_owned();
    }
    let words = arguments.peer.command.iter().map(|it| it.to_string_lossy().into_owned());
    redact_command(&words.collect::<Vec<_>>())
}

/// More than any host takes.
const MOST_ENTRIES: usize = 10_000;
/// Places of a rule that are shown unless all are asked for.
const SHOWN: usize = 5;
