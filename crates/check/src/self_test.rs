//! Every check against every mutant: a check that cannot fail proves nothing.

pub mod generated;
mod selection;
mod setting;

use std::{collections::BTreeSet, fmt, io, num::NonZero, pin::Pin, sync::Arc, time::Duration};

use proofmark_core::revision::{Era, Revision};
use serde_json::Value;
use tokio::{
    io::{DuplexStream, duplex, split},
    runtime::Builder,
    task::{JoinError, JoinSet},
};

pub use self::selection::Selection;
use self::setting::{Setting, everywhere, usual};
use crate::{
    options::{Options, Profile},
    report::{Report, Unreachable},
    run::{ServerSelection, check, check_authorization, check_mutated},
};
use proofmark_converse::{
    hosted::{ClientPeer, RunClient},
    mutation::{Mutation, Proxy, mutate_lines},
    peer::{IssuerPeer, Peer, Serving},
};
use proofmark_judge::{
    HARMLESS, catalogue,
    mutant::{Mutant, Variant},
    outcome::{Finding, Status},
    requirement::{Level, Requirement},
};
use proofmark_record::{side::Side, transport::Transport, wire::Url};

/// The server that does everything right.
pub struct Reference {
    /// Serves one client on the server's end of a pipe.
    pub serve: Arc<dyn Fn(DuplexStream) -> Serving + Send + Sync>,
    /// Has the same server listen on a port of its own, so that no run disturbs another.
    pub listen: Arc<dyn Fn(Variant) -> Listening + Send + Sync>,
    /// Has the authorization server that does everything right listen on a port of its own; both URLs are its issuer.
    pub issue: Arc<dyn Fn(Variant) -> Listening + Send + Sync>,
    /// Opens the server that demands one.
    pub token: String,
    /// Opens it for another user.
    pub other_token: String,
    /// The client that does everything right.
    pub client: Arc<RunClient>,
    /// What that client publishes about itself.
    pub client_document: Value,
}

pub type Listening = Pin<Box<dyn Future<Output = io::Result<Served>> + Send>>;

/// A server that listens.
pub struct Served {
    pub http: Url,
    /// The older transport.
    pub sse: Url,
    /// Serves while it is polled.
    pub serving: Serving,
}

/// What came of a self-test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub rows: usize,
    pub observed: usize,
    pub mutants: usize,
    pub caught: usize,
    /// Mutants, and requirements that they set off without having declared them.
    pub wrongly_blamed: Vec<String>,
    /// Mutants that no check noticed.
    pub missed: Vec<String>,
    /// What the unchanged server, and servers that are merely unusual, were blamed for.
    pub unclean: Vec<String>,
}

impl Summary {
    pub fn is_green(&self) -> bool {
        self.wrongly_blamed.is_empty() && self.missed.is_empty() && self.unclean.is_empty()
    }
}

/// Runs the mutants that are selected, and the unchanged peers wherever those are tried; everything everywhere if all are.
///
/// What talks through memory has a time of its own, in which waiting takes none.
pub async fn run(reference: &Arc<Reference>, selection: &Selection) -> Summary {
    let mut summary = Summary {
        rows: catalogue::all().count(),
        observed: catalogue::all().filter(|it| it.is_observed()).count(),
        ..Summary::default()
    };
    let label = |(side, it, mutant): &(Side, &Requirement, &Mutant)| {
        format!("{} {} {}", it.id, side.as_str(), mutant.name)
    };
    let mutants = selection.in_turn(mutants(&selection.only).collect(), label);
    let needed: Vec<Setting> = mutants
        .iter()
        .copied()
        .map(|(side, it, mutant)| usual(Setting::of(side, it, mutant), mutant))
        .collect();
    let places = everywhere().filter(|it| selection.is_everything() || needed.contains(it));
    let clean = together(places.collect(), |setting: Setting| {
        let reference = Arc::clone(reference);
        let work = async move {
            let judge = |patience| judged(&reference, Mutation::Nothing, setting, patience);
            let report = match judge(Patience::Usual).await {
                Ok(report) if report.findings().next().is_none() => Ok(report),
                _ => judge(Patience::Much).await,
            };
            report.map(|report| (setting, report)).map_err(|error| format!("{setting}: {error}"))
        };
        (setting.transport, work)
    })
    .await;
    let mut reports = Vec::new();
    for outcome in clean {
        match outcome {
            Ok(Ok((setting, report))) => {
                summary.unclean.extend(findings(setting, &report));
                reports.push((setting, report));
            }
            Ok(Err(why)) => summary.unclean.push(why),
            Err(error) => summary.unclean.push(error.to_string()),
        }
    }
    let clean = Arc::new(reports);
    summary.unclean.extend(blamed(reference).await);
    let trials = together(mutants, |(side, requirement, mutant)| {
        let (reference, clean) = (Arc::clone(reference), Arc::clone(&clean));
        let setting = Setting::of(side, requirement, mutant);
        let work = async move {
            let trial =
                |patience| try_one(&reference, &clean, setting, requirement, mutant, patience);
            match trial(Patience::Usual).await {
                Trial::Caught => Trial::Caught,
                _ => trial(Patience::Much).await,
            }
        };
        (setting.transport, work)
    })
    .await;
    for trial in trials {
        summary.mutants += 1;
        match trial {
            Ok(Trial::Caught) => summary.caught += 1,
            Ok(Trial::Missed(why)) => summary.missed.push(why),
            Ok(Trial::WronglyBlamed(whom)) => summary.wrongly_blamed.push(whom),
            Err(error) => summary.missed.push(error.to_string()),
        }
    }
    summary.unclean.sort();
    summary.missed.sort();
    summary.wrongly_blamed.sort();
    summary
}

/// What servers are blamed for that do something unusual which is allowed.
async fn blamed(reference: &Arc<Reference>) -> Vec<String> {
    let judged = together(HARMLESS.iter().collect(), |mutant| {
        let reference = Arc::clone(reference);
        let setting = Setting {
            side: Side::Server,
            revision: mutant
                .revision
                .unwrap_or_else(|| Revision::newest(mutant.era.unwrap_or(Era::Legacy))),
            transport: mutant.transport.unwrap_or(Transport::Stdio),
            variant: mutant.variant,
        };
        let work = async move {
            let judge = |patience| judged(&reference, mutant.mutation, setting, patience);
            let blamed = match judge(Patience::Usual).await {
                Ok(report) if report.findings().next().is_none() => return Vec::new(),
                _ => judge(Patience::Much).await,
            };
            let blamed =
                blamed.map_or_else(|error| vec![error.to_string()], |it| findings(setting, &it));
            blamed.iter().map(|it| format!("although it only {}: {it}", mutant.name)).collect()
        };
        (setting.transport, work)
    });
    let blamed = judged.await.into_iter();
    blamed.flat_map(|it| it.unwrap_or_else(|error| vec![error.to_string()])).collect()
}

/// How long is waited before a peer counts as silent. A peer that fails in the usual time gets a second chance with much, because the
/// machine may be busy with other things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    Usual,
    Much,
}

/// Does all the work, what needs sockets side by side, what needs none on as many threads as there are cores.
async fn together<I, T, F>(
    items: Vec<I>,
    begin: impl Fn(I) -> (Transport, F),
) -> Vec<Result<T, JoinError>>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let (in_memory, over_sockets): (Vec<_>, Vec<_>) =
        items.into_iter().map(begin).partition(|(transport, _)| *transport == Transport::Stdio);
    let waiting = |works: Vec<(Transport, F)>| works.into_iter().map(|(_, work)| work);
    let (mut in_memory, mut over_sockets) = (waiting(in_memory), waiting(over_sockets));
    let (mut threaded, mut running) = (JoinSet::new(), JoinSet::new());
    let mut done = Vec::new();
    loop {
        while threaded.len() < threads
            && let Some(work) = in_memory.next()
        {
            threaded.spawn_blocking(move || in_its_own_time(work));
        }
        while running.len() < SIDE_BY_SIDE
            && let Some(work) = over_sockets.next()
        {
            running.spawn(work);
        }
        tokio::select! {
            Some(outcome) = threaded.join_next(), if !threaded.is_empty() => done.push(outcome),
            Some(outcome) = running.join_next(), if !running.is_empty() => done.push(outcome),
            else => return done,
        }
    }
}

/// Runs on a clock that jumps ahead whenever all tasks wait.
fn in_its_own_time<T>(work: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a loop without sockets needs nothing of the system").block_on(work)
}

impl Reference {
    fn options(&self, setting: Setting, patience: Patience) -> Options {
        let times = match patience {
            Patience::Usual => 1,
            Patience::Much => 5,
        };
        let token = ("authorization".to_owned(), format!("Bearer {}", self.token));
        let guarded = setting.variant == Variant::Guarded;
        Options {
            revision: Some(setting.revision),
            transport: setting.transport,
            timeout: match setting.side {
                // Some wait for others.
                Side::Client => times * Duration::from_secs(5),
                // The reference server answers at once, but the machine may have other things to do.
                Side::Authorization | Side::Server => times * Duration::from_secs(6),
            },
            start_timeout: times * Duration::from_secs(12),
            quiet: times * Duration::from_millis(150),
            headers: if guarded { vec![token] } else { Vec::new() },
            other_user: guarded.then(|| format!("Bearer {}", self.other_token)),
            profile: Profile::Everything,
            ..Options::default()
        }
    }

    fn client(&self) -> ClientPeer {
        let (run, document) = (Arc::clone(&self.client), self.client_document.clone());
        ClientPeer::Memory { run, document }
    }

    /// The server changed on a pipe.
    fn mutated(&self, mutation: Mutation) -> Peer {
        let serve = Arc::clone(&self.serve);
        Peer::Memory(Arc::new(move || {
            let (near, far) = duplex(BUFFER);
            let (reader, writer) = split(near);
            let (wire, carry) = mutate_lines(mutation, reader, writer);
            let serving = serve(far);
            let both = async move {
                tokio::join!(serving, carry);
            };
            (wire, Box::pin(both))
        }))
    }
}

/// The scenario that shows a breach, if the check does not say so.
fn unnamed(report: &Report, requirement: &Requirement) -> Option<String> {
    let entry = report.entries.iter().find(|it| it.requirement.id == requirement.id)?;
    let place = entry.outcome.finding()?.place?;
    let scenario = &report.evidence.conversations[place.conversation].scenario;
    let check = requirement.check(report.side)?;
    (!check.seen.includes(scenario)).then(|| scenario.to_string())
}

enum Trial {
    Caught,
    Missed(String),
    WronglyBlamed(String),
}

async fn try_one(
    reference: &Reference,
    clean: &[(Setting, Report)],
    setting: Setting,
    requirement: &'static Requirement,
    mutant: &'static Mutant,
    patience: Patience,
) -> Trial {
    let label = format!("{} {} {:?}", requirement.id, setting.side, mutant.name);
    let report = match judged(reference, mutant.mutation, setting, patience).await {
        Ok(report) => report,
        Err(why) => return Trial::Missed(format!("{label}: {why}")),
    };
    let usual = usual(setting, mutant);
    let Some((_, before)) = clean.iter().find(|(it, _)| *it == usual) else {
        return Trial::Missed(format!("{label}: the unchanged peer could not be checked"));
    };
    let (was, is) = (status(before, requirement.id), status(&report, requirement.id));
    let caught = match requirement.level {
        Level::May => was != is,
        Level::Must | Level::Should => matches!(is, Some(Status::Fail | Status::Warn)),
    };
    if !caught {
        return Trial::Missed(format!("{label}: {is:?} in {setting}"));
    }
    if let Some(scenario) = unnamed(&report, requirement) {
        return Trial::Missed(format!(
            "{label}: shows in {scenario:?}, which its check does not name"
        ));
    }
    let others: BTreeSet<String> = report
        .entries
        .iter()
        .filter_map(|access| Some((access.requirement.id, access.outcome.finding()?)))
        .filter(|(id, _)| *id != requirement.id && !mutant.also.contains(id))
        .map(|(id, finding)| {
            format!("{id} (expected {}, got {})", finding.expected, finding.actual)
        })
        .collect();
    if others.is_empty() {
        return Trial::Caught;
    }
    Trial::WronglyBlamed(format!("{label}: {}", others.into_iter().collect::<Vec<_>>().join(", ")))
}

async fn judged(
    reference: &Reference,
    mutation: Mutation,
    setting: Setting,
    patience: Patience,
) -> Result<Report, TrialError> {
    let options = reference.options(setting, patience);
    if setting.side == Side::Client {
        let selection = match setting.variant {
            Variant::Guarded => ServerSelection::Guarded,
            Variant::Forgetful
            | Variant::Hoarding
            | Variant::Issuing
            | Variant::ModernOnly
            | Variant::Open
            | Variant::Paged
            | Variant::Sessionless
            | Variant::Trusting => ServerSelection::Open,
        };
        return Ok(check_mutated(&reference.client(), &options, mutation, selection).await?);
    }
    if setting.transport == Transport::Stdio {
        return Ok(check(&reference.mutated(mutation), &options).await?);
    }
    let listen = match setting.side {
        Side::Authorization => &reference.issue,
        Side::Client | Side::Server => &reference.listen,
    };
    let Served { http, sse, serving } = listen(setting.variant).await?;
    let upstream = if setting.transport == Transport::Sse { sse } else { http };
    let proxy = Proxy::bind(upstream, mutation).await?;
    let url = proxy.url()?;
    let peer = Peer::Url(url.clone());
    let check = async {
        match setting.side {
            Side::Authorization => check_authorization(&IssuerPeer::new(url), &options).await,
            Side::Client | Side::Server => check(&peer, &options).await,
        }
    };
    tokio::select! {
        () = proxy.run() => Err(TrialError::Proxy(io::Error::other("it ended"))),
        () = serving => Err(TrialError::Proxy(io::Error::other("the server behind it ended"))),
        report = check => Ok(report?),
    }
}

#[derive(Debug, thiserror::Error)]
enum TrialError {
    #[error("the proxy broke: {0}")]
    Proxy(#[from] io::Error),
    #[error("{0}")]
    Unreachable(#[from] Unreachable),
}

fn status(report: &Report, id: &str) -> Option<Status> {
    report.entries.iter().find(|access| access.requirement.id == id).map(|access| access.status)
}

fn findings(setting: Setting, report: &Report) -> Vec<String> {
    let found =
        report.entries.iter().filter_map(|access| Some((access, access.outcome.finding()?)));
    found
        .map(|(access, Finding { expected, actual, .. })| {
            format!("{} in {setting}: expected {expected}, got {actual}", access.requirement.id)
        })
        .collect()
}

fn mutants(only: &[String]) -> impl Iterator<Item = (Side, &'static Requirement, &'static Mutant)> {
    let all = Side::ALL
        .into_iter()
        .flat_map(|side| catalogue::all().filter_map(move |it| Some((side, it, it.check(side)?))));
    all.flat_map(|(side, requirement, check)| {
        check.mutants.iter().map(move |mutant| (side, requirement, mutant))
    })
    .filter(move |(side, requirement, mutant)| {
        let both = format!("{} {}", requirement.id, side.as_str());
        let named = |it: &String| {
            [requirement.id, side.as_str(), &both].contains(&it.as_str())
                || mutant.name.contains(it)
        };
        only.is_empty() || only.iter().any(named)
    })
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.unclean {
            writeln!(f, "a peer that is right is blamed: {line}")?;
        }
        for line in &self.missed {
            writeln!(f, "missed: {line}")?;
        }
        for line in &self.wrongly_blamed {
            writeln!(f, "wrongly blamed: {line}")?;
        }
        write!(
            f,
            "{} rows, {} observed, {} mutants, {} caught, {} wrongly blamed, {} missed",
            self.rows,
            self.observed,
            self.mutants,
            self.caught,
            self.wrongly_blamed.len(),
            self.missed.len()
        )
    }
}

const BUFFER: usize = 64 * 1024;
/// Most mutants wait for what must not come.
const SIDE_BY_SIDE: usize = 12;
