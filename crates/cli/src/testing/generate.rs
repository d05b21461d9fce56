//! `proofmark generate` and `proofmark test --generated`: tests that are made.

mod recorded;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs, io,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Context;
use proofmark_check::record::{platform::OrphanReaper, text::Untrusted};
use proofmark_test::{
    Judging, Unreachable,
    file::{self, ClientAnswers, Over, Reach, Server, Suite},
    generate::{self, CaseKind, Observation, Plan, Planned, Policy},
    matcher::short,
    outcome::{RunOutcome, Verdict},
    run::{self, Options, Selection},
    snapshot::{Snapshots, Update},
};
use serde_json::{Value, json};

use super::{any_seed, code, progress::Progress, publish};
use crate::{
    arguments::{Generate, GeneratedTarget, Generating, Judge, Test},
    check, exit, say,
};

/// `proofmark generate`.
pub(crate) fn run(arguments: &Generate) -> anyhow::Result<u8> {
    if let Some(transcript) = &arguments.from {
        return Ok(recorded::run(arguments, transcript));
    }
    let existing = match check::sensible(read(&arguments.file)) {
        Ok(existing) => existing,
        Err(code) => return Ok(code),
    };
    let server = match check::sensible(target(
        &arguments.target,
        &arguments.name,
        arguments,
        existing.is_some(),
    )) {
        Ok(server) => server,
        Err(code) => return Ok(code),
    };
    let runtime = check::event_loop()?;
    let tools = {
        let _orphans = OrphanReaper::start();
        runtime.block_on(check::unless_told(generate::tools_of(&server)))?
    };
    let tools = match tools {
        Ok(tools) => tools,
        Err(unreachable) => return Ok(not_reached(&unreachable)),
    };
    let policy = policy(&arguments.generating);
    let plan = generate::plan(&tools, &policy);
    tell(&plan);
    if arguments.generating.dry_run {
        return Ok(exit::SUCCESS);
    }
    let tests = plan.tests(&server, &policy);
    let written = written(&server);
    let made =
        generate::regenerate(existing.as_deref(), (&server.name, &written), &tests, arguments.seed);
    check::write(&arguments.file, &made.text)?;
    say::on_stderr(format_args!(
        "{}: {} tests added, {} changed, {} removed, {} kept as people changed them",
        arguments.file.display(),
        made.added,
        made.changed,
        made.removed,
        made.kept
    ));
    Ok(exit::SUCCESS)
}

fn read(path: &PathBuf) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// The server of the command line, or the one of that name in the file.
fn target(
    target: &GeneratedTarget,
    name: &str,
    arguments: &Generate,
    exists: bool,
) -> anyhow::Result<Server> {
    if let Some(server) = given(target, name) {
        return Ok(server);
    }
    anyhow::ensure!(exists, "say which server: --url URL, or -- COMMAND");
    let suite = file::load(&arguments.file, &|name| std::env::var(name).ok())?;
    if let [only] = &suite.servers.values().collect::<Vec<_>>()[..] {
        return Ok((*only).clone());
    }
    let found = suite.servers.get(name).cloned();
    found.with_context(|| {
        format!("{} has no server {name}; --name says which", arguments.file.display())
    })
}

/// The server of the command line.
fn given(target: &GeneratedTarget, name: &str) -> Option<Server> {
    let reach = match (&target.url, &target.command[..]) {
        (Some(url), _) => Reach::Url {
            url: url.clone(),
            over: Over::StreamableHttp,
            headers: Vec::new(),
            token_env: None,
        },
        (None, []) => return None,
        (None, words) => Reach::Command {
            words: words.to_vec(),
            environment: BTreeMap::new(),
            folder: PathBuf::new(),
        },
    };
    Some(Server {
        name: name.to_owned(),
        reach,
        revision: None,
        timeout: Duration::from_secs(10),
        start_timeout: Duration::from_secs(60),
        client: ClientAnswers::default(),
        watch: Vec::new(),
    })
}

/// As it stands in a file.
fn written(server: &Server) -> Value {
    match &server.reach {
        Reach::Command { words, .. } => json!({"command": words}),
        Reach::Url { url, .. } => json!({"url": url}),
        Reach::Memory(_) => json!({}),
    }
}

fn policy(generating: &Generating) -> Policy {
    Policy {
        tools: generating.tool.iter().cloned().collect(),
        all: generating.all_tools,
        given: generating.call.clone(),
        ..Policy::default()
    }
}

/// What is called with how many cases, and what is not called and why.
fn tell(plan: &Plan) {
    for planned in &plan.tools {
        let name = Untrusted(&planned.name);
        if let Some(why) = &planned.left_out {
            say::on_stderr(format_args!("{name}: left out, because {}", Untrusted(why)));
            continue;
        }
        let count = |wanted: fn(&CaseKind) -> bool| {
            planned.cases.cases.iter().filter(|it| wanted(&it.kind)).count()
        };
        let valid = count(|kind| *kind == CaseKind::Valid);
        let invalid = count(|kind| matches!(kind, CaseKind::Invalid { .. }));
        let mut line = format!(
            "{name}: {valid} valid and {invalid} invalid cases, {} candidates discarded",
            planned.cases.discarded
        );
        if !planned.cases.not_understood.is_empty() {
            let names: Vec<_> = planned.cases.not_understood.iter().map(String::as_str).collect();
            let _ = write!(line, "; not understood: {}", Untrusted(&names.join(", ")));
        }
        say::on_stderr(line);
    }
}

fn not_reached(unreachable: &Unreachable) -> u8 {
    say::error(unreachable);
    if !unreachable.stderr.trim().is_empty() {
        say::on_stderr(format_args!("it said last:\n{}", unreachable.stderr.trim_end()));
    }
    exit::UNREACHABLE
}

/// `proofmark test --generated`.
pub(super) fn test(arguments: &Test) -> anyhow::Result<u8> {
    let servers = match (given(&arguments.target, "server"), check::sensible(servers_of(arguments)))
    {
        (Some(server), _) => vec![server],
        (None, Ok(servers)) => servers,
        (None, Err(code)) => return Ok(code),
    };
    let seed = arguments.seed.unwrap_or_else(any_seed);
    let runtime = check::event_loop()?;
    let _orphans = OrphanReaper::start();
    let mut whole = RunOutcome { seed, ..RunOutcome::default() };
    let running = async {
        for server in servers {
            test_one(arguments, server, seed, &mut whole).await?;
        }
        Ok::<_, anyhow::Error>(())
    };
    match check::sensible(runtime.block_on(check::unless_told(running))?) {
        Ok(()) => {}
        Err(code) => return Ok(code),
    }
    if arguments.generating.dry_run {
        return Ok(exit::SUCCESS);
    }
    publish(&arguments.reports, &whole, &arguments.file)?;
    Ok(code(&whole, arguments.judge))
}

fn servers_of(arguments: &Test) -> anyhow::Result<Vec<Server>> {
    check::verify_reports(&arguments.reports)?;
    if !arguments.target.command.is_empty() || arguments.target.url.is_some() {
        return Ok(Vec::new());
    }
    let suite = file::load(&arguments.file, &|name| std::env::var(name).ok())?;
    Ok(suite.servers.into_values().collect())
}

async fn test_one(
    arguments: &Test,
    mut server: Server,
    seed: u64,
    whole: &mut RunOutcome,
) -> anyhow::Result<()> {
    server.timeout = Duration::from_secs(arguments.generating.case_timeout);
    let until = Instant::now() + Duration::from_secs(arguments.generating.budget);
    let tools = match generate::tools_of(&server).await {
        Ok(tools) => tools,
        Err(unreachable) => {
            whole.unreachable.push((unreachable.server, unreachable.why));
            return Ok(());
        }
    };
    let policy = policy(&arguments.generating);
    let plan = generate::plan(&tools, &policy);
    tell(&plan);
    if arguments.generating.dry_run {
        return Ok(());
    }
    let tests = plan.tests(&server, &policy);
    let servers = [(server.name.clone(), server.clone())].into();
    let suite = Suite { path: arguments.file.clone(), servers, tests };
    if suite.tests.is_empty() {
        whole.notes.push(format!(
            "{}: no tool may be called; --tool NAME or --all-tools allows it",
            server.name
        ));
        return Ok(());
    }
    let selection = Selection {
        filters: arguments.filter.clone(),
        among: None,
        shard: arguments.shard,
        shuffle: arguments.shuffle.then_some(seed),
    };
    let selected = selection.choose(&suite)?;
    let progress = Progress::new(selected.len());
    let snapshots = Snapshots::beside(&arguments.file, Update::Never);
    let options = Options {
        seed,
        jobs: arguments.jobs,
        fail_fast: arguments.fail_fast,
        judging: if arguments.judge == Judge::Off { Judging::Off } else { Judging::On },
        lanes: lanes(&plan, arguments.jobs),
        budget: Some(Duration::from_secs(arguments.generating.budget)),
        snapshots: &snapshots,
        told: &|test| progress.tell(test),
    };
    let mut outcome = run::run(&suite, &selected, &options).await;
    outcome.unused.clear();
    shrink_failures(&server, &plan, &mut outcome).await;
    let observed = arguments.generating.observe.clone();
    let observed = observed.map(|(tool, arguments)| Observation { tool, arguments });
    if arguments.filter.is_empty() && arguments.shard.is_none() {
        let properties = generate::properties(&server, &plan, observed.as_ref(), until, &|test| {
            progress.tell(test);
        })
        .await;
        match properties {
            Ok(found) => outcome.tests.extend(found),
            Err(unreachable) => outcome.unreachable.push((unreachable.server, unreachable.why)),
        }
    }
    progress.end();
    whole.duration += outcome.duration;
    whole.tests.extend(outcome.tests);
    whole.breaches.extend(outcome.breaches);
    whole.unreachable.extend(outcome.unreachable);
    whole.notes.extend(outcome.notes);
    Ok(())
}

/// Calls that change nothing can be made side by side.
fn lanes(plan: &Plan, jobs: usize) -> usize {
    let mut called = plan.tools.iter().filter(|planned| planned.left_out.is_none());
    if called.all(Planned::is_read_only) { jobs } else { 1 }
}

/// Says with how little the first failures can be had.
async fn shrink_failures(server: &Server, plan: &Plan, outcome: &mut RunOutcome) {
    let mut shrunk = 0;
    for test in &mut outcome.tests {
        let Verdict::Failed(failures) = &mut test.verdict else { continue };
        let found = plan.tools.iter().find_map(|planned| {
            let id = test.name.strip_prefix(&format!("{}: ", planned.name))?;
            let case = planned.cases.cases.iter().find(|case| case.id == id)?;
            Some((planned, case))
        });
        let (Some((planned, case)), Some(first)) = (found, failures.first_mut()) else { continue };
        if shrunk < MOST_SHRUNK {
            shrunk += 1;
            let smallest = generate::shrink(server, &planned.tool, case).await;
            first.detail.push(format!("the smallest arguments that fail so: {}", short(&smallest)));
        } else {
            first.detail.push(format!("with the arguments {}", short(&case.value)));
        }
    }
}

const MOST_SHRUNK: usize = 5;
