//! Every check against every mutant: a check that cannot fail proves nothing.

use std::{collections::BTreeSet, fmt, io, num::NonZero, sync::Arc, time::Duration};

use proofmark_core::revision::{Era, Revision};
use tokio::{
    io::{AsyncRead, AsyncWrite, DuplexStream, duplex, split},
    runtime::Builder,
    task::{JoinError, JoinSet},
};

use crate::{
    Options, Peer, Profile, Unreachable,
    catalogue::{self, Level, Requirement, Side, Transports},
    check,
    mutant::{HARMLESS, Mutant, Proxy, spoil_lines},
    outcome::Status,
    report::Report,
    run::Serving,
    wire::{Transport, Url, lines::LineWire},
};

/// The server that does everything right.
pub struct Reference {
    /// Serves one client on the server's end of a pipe.
    pub serve: Arc<dyn Fn(DuplexStream) -> Serving + Send + Sync>,
    /// The same server over Streamable HTTP.
    pub http: Url,
    /// The same server over HTTP+SSE.
    pub sse: Url,
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
    /// Mutants that nobody noticed.
    pub missed: Vec<String>,
    /// What the unspoiled server, and servers that are merely unusual, were blamed for.
    pub unclean: Vec<String>,
}

impl Summary {
    pub fn is_green(&self) -> bool {
        self.wrongly_blamed.is_empty() && self.missed.is_empty() && self.unclean.is_empty()
    }
}

/// Runs every mutant whose requirement or name contains `only`, and the unspoiled server everywhere.
///
/// What talks through memory has a time of its own, in which waiting takes none.
pub async fn run(reference: &Arc<Reference>, only: Option<&str>) -> Summary {
    let mut summary = Summary {
        rows: catalogue::all().count(),
        observed: catalogue::all()
            .filter(|requirement| requirement.check(Side::Server).is_some())
            .count(),
        ..Summary::default()
    };
    let clean = together(everywhere().collect(), |(revision, transport)| {
        let reference = Arc::clone(reference);
        let work = async move {
            let peer = reference.peer(transport);
            let first = check(&peer, &options(revision, transport, Patience::Usual)).await;
            match first {
                Ok(report) if report.findings().next().is_none() => Ok(report),
                _ => check(&peer, &options(revision, transport, Patience::Much))
                    .await
                    .map_err(|error| format!("{revision} over {transport}: {error}")),
            }
        };
        (transport, work)
    })
    .await;
    let mut reports = Vec::new();
    for outcome in clean {
        match outcome {
            Ok(Ok(report)) => {
                summary.unclean.extend(findings(&report));
                reports.push(report);
            }
            Ok(Err(why)) => summary.unclean.push(why),
            Err(error) => summary.unclean.push(error.to_string()),
        }
    }
    let clean = Arc::new(reports);
    summary.unclean.extend(blamed(reference).await);
    let trials = together(mutants(only).collect(), |(requirement, mutant)| {
        let (reference, clean) = (Arc::clone(reference), Arc::clone(&clean));
        let transport = transport_of(requirement, mutant);
        let work = async move {
            let trial = |patience| try_one(&reference, &clean, requirement, mutant, patience);
            match trial(Patience::Usual).await {
                Trial::Caught => Trial::Caught,
                _ => trial(Patience::Much).await,
            }
        };
        (transport, work)
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
        let revision = mutant.revision.unwrap_or_else(|| Revision::newest(Era::Legacy));
        let transport = mutant.transport.unwrap_or(Transport::Stdio);
        let work = async move {
            let judge =
                |patience| judged(&reference, mutant, options(revision, transport, patience));
            let blamed = match judge(Patience::Usual).await {
                Ok(report) if report.findings().next().is_none() => return Vec::new(),
                _ => judge(Patience::Much).await,
            };
            let blamed = blamed.map_or_else(|error| vec![error.to_string()], |it| findings(&it));
            blamed.iter().map(|it| format!("although it only {}: {it}", mutant.name)).collect()
        };
        (transport, work)
    });
    let blamed = judged.await.into_iter();
    blamed.flat_map(|it| it.unwrap_or_else(|error| vec![error.to_string()])).collect()
}

/// How long is waited before a peer counts as silent. Whoever fails in the usual time gets a second chance with much: a machine that is
/// busy with other things is nobody's fault.
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

/// Runs on a clock that jumps ahead whenever everybody waits.
fn in_its_own_time<T>(work: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a loop without sockets needs nothing of the system").block_on(work)
}

impl Reference {
    /// The unspoiled server.
    fn peer(&self, transport: Transport) -> Peer {
        match transport {
            Transport::Http => Peer::Url(self.http.clone()),
            Transport::Sse => Peer::Url(self.sse.clone()),
            Transport::Stdio => {
                let serve = Arc::clone(&self.serve);
                Peer::Memory(Arc::new(move || {
                    let (near, far) = duplex(BUFFER);
                    let (reader, writer) = split(near);
                    (LineWire::new(reader, writer), serve(far))
                }))
            }
        }
    }

    /// The server spoiled on a pipe.
    fn spoiled(&self, mutant: &'static Mutant) -> Peer {
        let serve = Arc::clone(&self.serve);
        Peer::Memory(Arc::new(move || {
            let (near, far) = duplex(BUFFER);
            let (reader, writer) = split(near);
            let (wire, carry) = carried(mutant, reader, writer);
            let serving = serve(far);
            let both = async move {
                tokio::join!(serving, carry);
            };
            (wire, Box::pin(both))
        }))
    }
}

fn carried(
    mutant: &'static Mutant,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> (LineWire, impl Future<Output = ()> + Send) {
    spoil_lines(mutant.spoil, reader, writer)
}

enum Trial {
    Caught,
    Missed(String),
    WronglyBlamed(String),
}

async fn try_one(
    reference: &Reference,
    clean: &[Report],
    requirement: &'static Requirement,
    mutant: &'static Mutant,
    patience: Patience,
) -> Trial {
    let label = format!("{} {:?}", requirement.id, mutant.name);
    let revision = mutant.revision.unwrap_or_else(|| newest(requirement));
    let transport = transport_of(requirement, mutant);
    let report = match judged(reference, mutant, options(revision, transport, patience)).await {
        Ok(report) => report,
        Err(why) => return Trial::Missed(format!("{label}: {why}")),
    };
    let before = clean.iter().find(|it| it.revision == revision && it.transport == transport);
    let Some(before) = before else {
        return Trial::Missed(format!("{label}: the unspoiled server could not be checked"));
    };
    let (was, is) = (status(before, requirement.id), status(&report, requirement.id));
    let caught = match requirement.level {
        Level::May => was != is,
        Level::Must | Level::Should => matches!(is, Some(Status::Fail | Status::Warn)),
    };
    if !caught {
        return Trial::Missed(format!("{label}: {is:?} over {transport} in {revision}"));
    }
    let others: BTreeSet<String> = report
        .entries
        .iter()
        .filter_map(|entry| Some((entry.requirement.id, entry.outcome.finding()?)))
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
    mutant: &'static Mutant,
    options: Options,
) -> Result<Report, Trouble> {
    let upstream = match options.transport {
        Transport::Stdio => return Ok(check(&reference.spoiled(mutant), &options).await?),
        Transport::Http => &reference.http,
        Transport::Sse => &reference.sse,
    };
    let proxy = Proxy::bind(upstream.clone(), mutant.spoil).await?;
    let peer = Peer::Url(proxy.url()?);
    tokio::select! {
        () = proxy.run() => Err(Trouble::Proxy(io::Error::other("it ended"))),
        report = check(&peer, &options) => Ok(report?),
    }
}

#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("the proxy broke: {0}")]
    Proxy(#[from] io::Error),
    #[error("{0}")]
    Unreachable(#[from] Unreachable),
}

fn status(report: &Report, id: &str) -> Option<Status> {
    report.entries.iter().find(|entry| entry.requirement.id == id).map(|entry| entry.status)
}

fn findings(report: &Report) -> Vec<String> {
    let found = report.entries.iter().filter_map(|entry| Some((entry, entry.outcome.finding()?)));
    found
        .map(|(entry, finding)| {
            format!(
                "{} in {} over {}: expected {}, got {}",
                entry.requirement.id,
                report.revision,
                report.transport,
                finding.expected,
                finding.actual
            )
        })
        .collect()
}

fn mutants(only: Option<&str>) -> impl Iterator<Item = (&'static Requirement, &'static Mutant)> {
    let all = catalogue::all()
        .filter_map(|requirement| Some((requirement, requirement.check(Side::Server)?)));
    all.flat_map(|(requirement, check)| {
        check.mutants.iter().map(move |mutant| (requirement, mutant))
    })
    .filter(move |(requirement, mutant)| {
        only.is_none_or(|only| requirement.id == only || mutant.name.contains(only))
    })
}

/// Every legacy revision over every transport that is defined for it.
fn everywhere() -> impl Iterator<Item = (Revision, Transport)> {
    Revision::of(Era::Legacy).flat_map(|revision| {
        [Transport::Stdio, Transport::Http, Transport::Sse].map(|transport| (revision, transport))
    })
}

fn transport_of(requirement: &Requirement, mutant: &Mutant) -> Transport {
    mutant.transport.unwrap_or(match requirement.transports {
        Transports::Http => Transport::Http,
        Transports::Sse => Transport::Sse,
        Transports::Any | Transports::Stdio => Transport::Stdio,
    })
}

fn newest(requirement: &Requirement) -> Revision {
    let in_force = Revision::of(Era::Legacy).rfind(|revision| requirement.span.contains(*revision));
    in_force.unwrap_or_else(|| Revision::newest(Era::Legacy))
}

fn options(revision: Revision, transport: Transport, patience: Patience) -> Options {
    let times = match patience {
        Patience::Usual => 1,
        Patience::Much => 5,
    };
    Options {
        revision: Some(revision),
        transport,
        // The reference server answers at once.
        timeout: times * Duration::from_secs(4),
        start_timeout: times * Duration::from_secs(10),
        quiet: times * Duration::from_millis(150),
        profile: Profile::Everything,
        ..Options::default()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.unclean {
            writeln!(f, "a server that is right is blamed: {line}")?;
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
