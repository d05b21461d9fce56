//! `fleet.yaml`: which servers there are, whose they are, and what they are held to.

mod reading;
mod stages;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use proofmark_check::record::transport::Transport;
use proofmark_core::revision::Revision;
use proofmark_test::{
    file::{Mistakes, Reader, Server},
    yaml::Place,
};
use serde_json::Value;

/// Everything that a file says.
#[derive(Clone, Debug)]
pub struct Fleet {
    /// Absolute; what the file names is sought from its folder.
    pub path: PathBuf,
    pub members: BTreeMap<String, Member>,
    /// In the order in which servers go through them.
    pub stages: Vec<Stage>,
}

/// A server of the fleet.
#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    pub place: Place,
    pub owner: Option<String>,
    pub tags: Vec<String>,
    pub stage: Option<String>,
    /// How it is reached, one for each transport.
    pub routes: Vec<Route>,
    pub held_to: HeldTo,
    pub limits: Limits,
}

/// How a server is reached over one transport.
#[derive(Clone, Debug)]
pub struct Route {
    pub transport: Transport,
    /// `{port}` in its URL stands for a free port if there is a program to start.
    pub server: Server,
    /// A program that listens at the URL, and is started for each job.
    pub start: Option<Server>,
}

/// What is asked of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldTo {
    pub revisions: Vec<Wanted>,
    /// A frozen set of requirements; all without it.
    pub requirements: Option<String>,
    pub skip: Vec<String>,
    pub calls: Vec<(String, Value)>,
    /// Whether what should be counts like what must be.
    pub strict: bool,
    pub min_score: Option<u32>,
    pub baseline: Option<PathBuf>,
    pub tests: Vec<PathBuf>,
    /// Whether what it offers is written down, to see what changes.
    pub interface: bool,
}

/// A revision that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The newest that the server speaks.
    Newest,
    Exactly(Revision),
}

impl Wanted {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Exactly(revision) => revision.as_str(),
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        if text == "newest" {
            return Some(Self::Newest);
        }
        Revision::ALL.iter().find(|it| it.as_str() == text).map(|it| Self::Exactly(*it))
    }
}

/// What one job may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    /// Bytes of all its processes together.
    pub memory: u64,
    pub processes: u32,
}

/// A stage of the user's own pipeline. It demands the gates of the stages before it, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    pub name: String,
    pub gates: StageGates,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageGates {
    /// The last result of every way is conformant.
    pub conformant: bool,
    pub min_score: Option<u32>,
    /// There are tests, and all of them passed.
    pub tests: bool,
    /// So many results in a row are conformant.
    pub steady: Option<u32>,
}

impl Fleet {
    /// Reads a file with the variables of the environment.
    pub fn load(
        path: &Path,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Mistakes> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut reader = Reader::new(&path, environment);
        let fleet = reading::read(&mut reader);
        match fleet {
            Some(fleet) if reader.mistakes.is_empty() => Ok(fleet),
            _ => {
                reader.mistakes.sort_by_key(|one| one.place);
                Err(Mistakes(reader.mistakes))
            }
        }
    }

    /// Stages up to and with one, which may not be there any more.
    pub fn stages_until(&self, name: &str) -> &[Stage] {
        let end = self.stages.iter().position(|it| it.name == name).map_or(0, |at| at + 1);
        &self.stages[..end]
    }
}

impl Member {
    pub fn route(&self, transport: Transport) -> Option<&Route> {
        self.routes.iter().find(|route| route.transport == transport)
    }
}
