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
    check, check_client,
    hosted::{ClientPeer, Perform},
    mutant::{Mutant, Proxy, spoil_lines},
    outcome::Status,
    report::Report,
    run::{Serving, check_spoiled},
    wire::{Transport, Url, lines::LineWire},
};

/// The peers that do everything right.
pub struct Reference {
    /// Serves one client on the server's end of a pipe.
    pub serve: Arc<dyn Fn(DuplexStream) -> Serving + Send + Sync>,
    /// The same server over Streamable HTTP.
    pub http: Url,
    /// The same server over HTTP+SSE.
    pub sse: Url,
    /// The client that does everything right.
    pub client: Arc<Perform>,
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
    /// What the unspoiled peers were blamed for.
    pub unclean: Vec<String>,
}

impl Summary {
    pub fn is_green(&self) -> bool {
        self.wrongly_blamed.is_empty() && self.missed.is_empty() && self.unclean.is_empty()
    }
}

/// Runs every mutant whose requirement or name contains `only`, and the unspoiled peers everywhere. A side may be named too.
///
/// What talks through memory has a time of its own, in which waiting takes none.
pub async fn run(reference: &Arc<Reference>, only: Option<&str>) -> Summary {
    let mut summary = Summary {
        rows: catalogue::all().count(),
        observed: catalogue::all()
            .filter(|it| SIDES.iter().any(|side| it.check(*side).is_some()))
            .count(),
        ..Summary::default()
    };
    let clean = together(everywhere().collect(), |(side, revision, transport)| {
        let reference = Arc::clone(reference);
        let work = async move {
            let options = options(side, revision, transport);
            let report = match side {
                Side::Client => check_client(&reference.client(), &options).await,
                Side::Server => check(&reference.peer(transport), &options).await,
            };
            report.map_err(|error| format!("{side} in {revision} over {transport}: {error}"))
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
    let trials = together(mutants(only).collect(), |(side, requirement, mutant)| {
        let (reference, clean) = (Arc::clone(reference), Arc::clone(&clean));
        let transport = transport_of(requirement, mutant);
        (transport, async move { try_one(&reference, &clean, side, requirement, mutant).await })
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

    fn client(&self) -> ClientPeer {
        ClientPeer::Memory(Arc::clone(&self.client))
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
    side: Side,
    requirement: &'static Requirement,
    mutant: &'static Mutant,
) -> Trial {
    let label = format!("{} {side} {:?}", requirement.id, mutant.name);
    let revision = mutant.revision.unwrap_or_else(|| newest(requirement));
    let transport = transport_of(requirement, mutant);
    let report = match judged(reference, side, mutant, revision, transport).await {
        Ok(report) => report,
        Err(why) => return Trial::Missed(format!("{label}: {why}")),
    };
    let before = clean
        .iter()
        .find(|it| it.side == side && it.revision == revision && it.transport == transport);
    let Some(before) = before else {
        return Trial::Missed(format!("{label}: the unspoiled peer could not be checked"));
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
    side: Side,
    mutant: &'static Mutant,
    revision: Revision,
    transport: Transport,
) -> Result<Report, Trouble> {
    let options = options(side, revision, transport);
    if side == Side::Client {
        return Ok(check_spoiled(&reference.client(), &options, Some(mutant.spoil)).await?);
    }
    let upstream = match transport {
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
                "{} {} in {} over {}: expected {}, got {}",
                report.side,
                entry.requirement.id,
                report.revision,
                report.transport,
                finding.expected,
                finding.actual
            )
        })
        .collect()
}

fn mutants(
    only: Option<&str>,
) -> impl Iterator<Item = (Side, &'static Requirement, &'static Mutant)> {
    let all = SIDES
        .into_iter()
        .flat_map(|side| catalogue::all().filter_map(move |it| Some((side, it, it.check(side)?))));
    all.flat_map(|(side, requirement, check)| {
        check.mutants.iter().map(move |mutant| (side, requirement, mutant))
    })
    .filter(move |(side, requirement, mutant)| {
        only.is_none_or(|only| {
            requirement.id == only || side.as_str() == only || mutant.name.contains(only)
        })
    })
}

/// Every legacy revision over every transport that is defined for it.
fn everywhere() -> impl Iterator<Item = (Side, Revision, Transport)> {
    Revision::of(Era::Legacy).flat_map(|revision| {
        let servers = [Transport::Stdio, Transport::Http, Transport::Sse];
        let clients = [Transport::Stdio, Transport::Http];
        let servers = servers.map(|transport| (Side::Server, revision, transport));
        servers.into_iter().chain(clients.map(|transport| (Side::Client, revision, transport)))
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

fn options(side: Side, revision: Revision, transport: Transport) -> Options {
    Options {
        revision: Some(revision),
        transport,
        timeout: match side {
            // Some wait for others, and many run side by side.
            Side::Client => Duration::from_secs(8),
            // The reference server answers at once.
            Side::Server => Duration::from_secs(4),
        },
        start_timeout: Duration::from_secs(10),
        quiet: Duration::from_millis(150),
        profile: Profile::Everything,
        ..Options::default()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.unclean {
            writeln!(f, "the unspoiled peer is blamed: {line}")?;
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

const SIDES: [Side; 2] = [Side::Server, Side::Client];
const BUFFER: usize = 64 * 1024;
/// Most mutants wait for what must not come.
const SIDE_BY_SIDE: usize = 12;
