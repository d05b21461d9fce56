//! Every check against every mutant: a check that cannot fail proves nothing.

use std::{collections::BTreeSet, fmt, io, sync::Arc, time::Duration};

use proofmark_core::revision::{Era, Revision};
use tokio::{
    io::{AsyncRead, AsyncWrite, DuplexStream, duplex, split},
    task::JoinSet,
};

use crate::{
    Options, Peer, Profile, Unreachable,
    catalogue::{self, Level, Requirement, Side, Transports},
    check,
    mutant::{Mutant, Proxy, spoil_lines},
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
    /// What the unspoiled server was blamed for.
    pub unclean: Vec<String>,
}

impl Summary {
    pub fn is_green(&self) -> bool {
        self.wrongly_blamed.is_empty() && self.missed.is_empty() && self.unclean.is_empty()
    }
}

/// Runs every mutant whose requirement or name contains `only`, and the unspoiled server everywhere.
pub async fn run(reference: &Arc<Reference>, only: Option<&str>) -> Summary {
    let mut summary = Summary {
        rows: catalogue::all().count(),
        observed: catalogue::all()
            .filter(|requirement| requirement.check(Side::Server).is_some())
            .count(),
        ..Summary::default()
    };
    let mut clean = Vec::new();
    for (revision, transport) in everywhere() {
        match check(&reference.peer(transport), &options(revision, transport)).await {
            Ok(report) => {
                summary.unclean.extend(findings(&report));
                clean.push(report);
            }
            Err(error) => summary.unclean.push(format!("{revision} over {transport}: {error}")),
        }
    }
    let clean = Arc::new(clean);
    let mut waiting = mutants(only).collect::<Vec<_>>().into_iter();
    let mut running = JoinSet::new();
    loop {
        while running.len() < SIDE_BY_SIDE
            && let Some((requirement, mutant)) = waiting.next()
        {
            let (reference, clean) = (Arc::clone(reference), Arc::clone(&clean));
            running.spawn(async move { try_one(&reference, &clean, requirement, mutant).await });
        }
        let Some(done) = running.join_next().await else { break };
        summary.mutants += 1;
        match done {
            Ok(Trial::Caught) => summary.caught += 1,
            Ok(Trial::Missed(why)) => summary.missed.push(why),
            Ok(Trial::WronglyBlamed(whom)) => summary.wrongly_blamed.push(whom),
            Err(error) => summary.missed.push(error.to_string()),
        }
    }
    summary.missed.sort();
    summary.wrongly_blamed.sort();
    summary
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
) -> Trial {
    let label = format!("{} {:?}", requirement.id, mutant.name);
    let revision = mutant.revision.unwrap_or_else(|| newest(requirement));
    let transport = mutant.transport.unwrap_or(match requirement.transports {
        Transports::Http => Transport::Http,
        Transports::Sse => Transport::Sse,
        Transports::Any | Transports::Stdio => Transport::Stdio,
    });
    let report = match judged(reference, mutant, revision, transport).await {
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
    revision: Revision,
    transport: Transport,
) -> Result<Report, Trouble> {
    let options = options(revision, transport);
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

fn newest(requirement: &Requirement) -> Revision {
    let in_force = Revision::of(Era::Legacy).rfind(|revision| requirement.span.contains(*revision));
    in_force.unwrap_or_else(|| Revision::newest(Era::Legacy))
}

fn options(revision: Revision, transport: Transport) -> Options {
    Options {
        revision: Some(revision),
        transport,
        // The reference server answers at once.
        timeout: Duration::from_secs(4),
        start_timeout: Duration::from_secs(10),
        quiet: Duration::from_millis(150),
        profile: Profile::Everything,
        ..Options::default()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.unclean {
            writeln!(f, "the unspoiled server is blamed: {line}")?;
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
