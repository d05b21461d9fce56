//! What would be done to a client's file.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::{
    Cannot, Client, EditError, FileError, Format, Machine, Scope, Secrets, Server, Value, diff,
    edit::{self, Edit},
    entry::{Entry, Member, Merge},
    file::{self, Privacy},
};

/// A file before and after a change.
#[derive(Clone, Debug)]
pub struct Plan {
    pub client: &'static Client,
    /// Where the bytes are: behind all links.
    pub path: PathBuf,
    /// `None` if there is no file yet.
    pub before: Option<String>,
    /// `None` if the file is to go.
    pub after: Option<String>,
    /// What a person has to do, or should know.
    pub notes: Vec<String>,
    /// If the file is new.
    pub privacy: Privacy,
}

/// Why a file is left alone.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("{0}")]
    Cannot(#[from] Cannot),
    #[error("cannot edit {}: {why}", path.display())]
    Edit { path: PathBuf, why: EditError },
    #[error("{} has a server `{name}` already, and it is another one: --replace changes it", path.display())]
    Exists { path: PathBuf, name: String },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("it has no servers of one project in the user's file")]
    NoLocal,
    #[error("where its file is cannot be told on this system")]
    NoPlace,
    #[error("it reads no file of a project")]
    NoProject,
    #[error("there are several files: {}; choose one with --file", list(.0))]
    Several(Vec<PathBuf>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replace {
    #[default]
    Refuse,
    Replace,
}

/// The servers in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Servers {
    pub path: PathBuf,
    /// In the order of their names, each with its command or URL.
    pub servers: Vec<(String, String)>,
}

impl Plan {
    pub fn changes(&self) -> bool {
        self.before != self.after
    }

    pub fn diff(&self) -> String {
        let text = |it: &Option<String>| it.clone().unwrap_or_default();
        diff::unified(&self.path.display().to_string(), &text(&self.before), &text(&self.after))
    }
}

/// What adding a server does. Nothing is written.
pub fn add(
    client: &'static Client,
    path: &Path,
    scope: &Scope,
    server: &Server,
    (secrets, replace): (Secrets, Replace),
    machine: &Machine,
) -> Result<Plan, PlanError> {
    let entry = Entry::new(client, server, secrets, &machine.variables)?;
    let path = file::real(path)?;
    let before = file::read(&path)?;
    let text = before.clone().unwrap_or_else(|| new_text(client.format).to_owned());
    let why = |why| PlanError::Edit { path: path.clone(), why };
    let whole = edit::read(client.format, &text).map_err(why)?;
    let mut way = key(client, scope, &whole);
    way.push(server.name.clone());
    let existing = way.iter().try_fold(&whole, |at, key| at.get(key));
    let mut edits = edits(&way, &entry, existing);
    edits.extend(inputs(&entry, &whole));
    let after = edit::apply(client.format, &text, &edits).map_err(why)?;
    let unchanged = before.as_ref() == Some(&after);
    if existing.is_some() && !unchanged && replace == Replace::Refuse {
        return Err(PlanError::Exists { path, name: server.name.clone() });
    }
    let privacy = privacy(scope);
    Ok(Plan { client, path, before, after: Some(after), notes: entry.notes, privacy })
}

/// What removing a server does; no change if there is none of that name.
pub fn remove(
    client: &'static Client,
    path: &Path,
    scope: &Scope,
    name: &str,
) -> Result<Plan, PlanError> {
    let path = file::real(path)?;
    let before = file::read(&path)?;
    let Some(text) = &before else {
        let (notes, privacy) = (Vec::new(), privacy(scope));
        return Ok(Plan { client, path, before: None, after: None, notes, privacy });
    };
    let why = |why| PlanError::Edit { path: path.clone(), why };
    let whole = edit::read(client.format, text).map_err(why)?;
    let mut way = key(client, scope, &whole);
    way.push(name.to_owned());
    let after = edit::apply(client.format, text, &[Edit::Remove(way)]).map_err(why)?;
    let (notes, privacy) = (Vec::new(), privacy(scope));
    Ok(Plan { client, path, after: Some(after), before, notes, privacy })
}

/// The servers that a client's file has; `None` if there is no file.
pub fn read_servers(
    client: &'static Client,
    path: &Path,
    scope: &Scope,
) -> Result<Option<Servers>, PlanError> {
    let path = file::real(path)?;
    let Some(text) = file::read(&path)? else { return Ok(None) };
    let whole = edit::read(client.format, &text)
        .map_err(|why| PlanError::Edit { path: path.clone(), why })?;
    let way = key(client, scope, &whole);
    let found = way.iter().try_fold(&whole, |at, key| at.get(key));
    let servers = found.and_then(Json::as_object).map(|servers| {
        servers.iter().map(|(name, entry)| (name.clone(), summary(entry))).collect()
    });
    Ok(Some(Servers { path, servers: servers.unwrap_or_default() }))
}

impl Client {
    /// The client's file. Of several that are there none is chosen.
    pub fn locate(&self, scope: &Scope, machine: &Machine) -> Result<PathBuf, PlanError> {
        let paths = self.paths(scope, machine)?;
        let mut there: Vec<_> = paths.iter().filter(|path| path.exists()).cloned().collect();
        match there.len() {
            0 => paths.into_iter().next().ok_or(PlanError::NoPlace),
            1 => Ok(there.remove(0)),
            _ => Err(PlanError::Several(there)),
        }
    }

    /// Whether something of the client is on this machine.
    pub fn is_there(&self, machine: &Machine) -> bool {
        let marked = self.marks.iter().flat_map(|mark| machine.paths(mark)).any(|it| it.exists());
        let near = |path: PathBuf| {
            let folder = path.parent().filter(|folder| **folder != *machine.home);
            path.exists() || folder.is_some_and(Path::exists)
        };
        marked || self.user.iter().flat_map(|place| machine.paths(place)).any(near)
    }

    fn paths(&self, scope: &Scope, machine: &Machine) -> Result<Vec<PathBuf>, PlanError> {
        match scope {
            Scope::Project(_) if self.project.is_empty() => Err(PlanError::NoProject),
            Scope::Project(root) => Ok(self.project.iter().map(|path| root.join(path)).collect()),
            Scope::Local(_) if !self.local => Err(PlanError::NoLocal),
            Scope::User | Scope::Local(_) => {
                Ok(self.user.iter().flat_map(|place| machine.paths(place)).collect())
            }
        }
    }
}

/// The way to the servers.
fn key(client: &Client, scope: &Scope, whole: &Json) -> Vec<String> {
    let own = |way: &[&str]| way.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    if let Scope::Local(root) = scope {
        let root = root.display().to_string();
        return [vec!["projects".to_owned(), root], own(client.key)].concat();
    }
    let other = client.other_key.filter(|way| {
        let found = way.iter().try_fold(whole, |at, key| at.get(key));
        // A server of that name would have a type.
        found.and_then(Json::as_object).is_some_and(|it| !it.contains_key("type"))
    });
    own(other.unwrap_or(client.key))
}

fn privacy(scope: &Scope) -> Privacy {
    match scope {
        Scope::Project(_) => Privacy::Usual,
        Scope::User | Scope::Local(_) => Privacy::Private,
    }
}

fn edits(way: &[String], entry: &Entry, existing: Option<&Json>) -> Vec<Edit> {
    let Some(Json::Object(existing)) = existing else {
        let members = entry.members.iter().map(|it| (it.key.to_owned(), it.value.clone()));
        return vec![Edit::Set(way.to_vec(), Value::Map(members.collect()))];
    };
    let below = |keys: &[&str]| {
        let keys = keys.iter().map(|key| (*key).to_owned());
        way.iter().cloned().chain(keys).collect::<Vec<_>>()
    };
    let mut edits: Vec<_> = entry.gone.iter().map(|key| Edit::Remove(below(&[key]))).collect();
    edits.extend(entry.moved.iter().map(|(key, name)| Edit::Remove(below(&[key, name]))));
    for Member { key, value, merge } in &entry.members {
        match (merge, value, existing.get(*key)) {
            (Merge::Keep, _, Some(_)) => {}
            (Merge::Join, Value::Map(members), Some(Json::Object(_))) => {
                let set =
                    |(name, value): &(String, Value)| Edit::Set(below(&[key, name]), value.clone());
                edits.extend(members.iter().map(set));
            }
            (Merge::Join, Value::List(items), Some(Json::Array(old))) => {
                let new = items.iter().filter(|item| !old.contains(&item.to_json()));
                edits.extend(new.map(|item| Edit::Append(below(&[key]), item.clone())));
            }
            _ => edits.push(Edit::Set(below(&[key]), value.clone())),
        }
    }
    edits
}

/// Declarations of what a person is asked for, unless they are there.
fn inputs(entry: &Entry, whole: &Json) -> Vec<Edit> {
    let declared = whole.get("inputs").and_then(Json::as_array).cloned().unwrap_or_default();
    let is_new =
        |id: &str| !declared.iter().any(|it| it.get("id").and_then(Json::as_str) == Some(id));
    let new = entry.inputs.iter().filter(|(id, _)| is_new(id)).map(|(id, description)| {
        Value::Map(vec![
            ("type".to_owned(), "promptString".into()),
            ("id".to_owned(), id.as_str().into()),
            ("description".to_owned(), description.as_str().into()),
            ("password".to_owned(), Value::Bool(true)),
        ])
    });
    new.map(|input| Edit::Append(vec!["inputs".to_owned()], input)).collect()
}

/// A command or a URL, whatever the keys.
fn summary(entry: &Json) -> String {
    let text = |key: &str| entry.get(key).and_then(Json::as_str);
    if let Some(url) = ["url", "serverUrl", "httpUrl", "uri"].into_iter().find_map(text) {
        return url.split('?').next().unwrap_or_default().to_owned();
    }
    let words = |value: Option<&Json>| match value {
        Some(Json::String(word)) => vec![word.clone()],
        Some(Json::Array(words)) => {
            words.iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect()
        }
        Some(Json::Object(old)) => {
            old.get("path").and_then(Json::as_str).map(str::to_owned).into_iter().collect()
        }
        _ => Vec::new(),
    };
    let all = [words(entry.get("command").or_else(|| entry.get("cmd"))), words(entry.get("args"))];
    all.concat().join(" ")
}

fn new_text(format: Format) -> &'static str {
    match format {
        Format::Json => "{\n}\n",
        Format::Toml | Format::Yaml => "",
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
