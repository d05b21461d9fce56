//! Lets the checker judge servers and clients of other authors, and writes down what they break, with the bytes that prove it.

mod page;
mod peers;
mod read;
mod started;

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use peers::{PEERS, Peer};
use serde_json::Value;
use started::Started;

use super::{Place, Transport, server};

/// What came of checking one peer over one transport in one revision.
struct Judged {
    transport: &'static str,
    revision: &'static str,
    report: Value,
}

/// Writes a page for each peer, or only for those named; gives the closing line, or what was broken and has not been read yet.
pub(crate) fn run(names: &[&str], root: &Path) -> Result<String, String> {
    if let Some(name) = names.iter().find(|name| PEERS.iter().all(|peer| peer.file != **name)) {
        return Err(format!("there are no findings about {name:?}"));
    }
    let place = Place::prepare(root)?;
    let program = server::build(&place)?;
    let folder = root.join("docs/findings");
    fs::create_dir_all(&folder)
        .map_err(|error| format!("could not create {}: {error}", folder.display()))?;
    let chosen = PEERS.iter().filter(|peer| names.is_empty() || names.contains(&peer.file));
    let started: Result<Vec<(&Peer, Started)>, String> =
        chosen.map(|peer| Ok((peer, Started::prepare(peer, &place)?))).collect();
    let waiting = Mutex::new(started?.into_iter());
    let work = || {
        let mut unread = Vec::new();
        while let Some((peer, started)) = next(&waiting) {
            let mut judged = Vec::new();
            for way in peer.ways {
                judged.extend(started.judge(peer, way, &place, &program)?);
            }
            let text = page::write(peer, &started.version, &judged, root);
            write(&folder.join(format!("{}.md", peer.file)), &text)?;
            println!("findings: {} {}", peer.title, started.version);
            unread.extend(read::amiss(peer.file, &page::broken(&judged)));
        }
        Ok::<_, String>(unread)
    };
    // Most of the time one process waits for another.
    let done: Vec<Result<Vec<String>, String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..SIDE_BY_SIDE).map(|_| scope.spawn(work)).collect();
        let ended =
            |it: ScopedJoinHandle<'_, _>| it.join().map_err(|_| "a worker ended".to_owned());
        workers.into_iter().map(|it| ended(it).and_then(|it| it)).collect()
    });
    let unread: Vec<String> =
        done.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    write(&folder.join("README.md"), &page::contents(PEERS))?;
    if unread.is_empty() {
        return Ok("findings: docs/findings is new".to_owned());
    }
    Err(format!("{}\nfindings: docs/findings is new, but see above", unread.join("\n")))
}

fn next<T>(waiting: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).next()
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("could not write {}: {error}", path.display()))
}

impl Transport {
    /// As the checker calls it.
    fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Stdio => "stdio",
        }
    }
}

/// Peers that are judged at the same time.
const SIDE_BY_SIDE: usize = 3;
