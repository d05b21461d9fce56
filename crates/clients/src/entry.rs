//! A server as the entry that one client wants.

mod references;

use crate::{
    Client, RemoteKind, Server, Template, Transport, Value,
    client::{CommandKey, Fixed, RemoteEntry},
    is_secret,
};
use references::Written;

/// What to do with a secret that a client can only be given as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Secrets {
    #[default]
    Refuse,
    /// Into the file, readable for all who can read that.
    Write,
}

/// What a client is not able to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cannot {
    #[error(
        "the argument `{0}` looks like a secret; pass it with --env, or allow it with --allow-secrets"
    )]
    ArgumentSecret(String),
    #[error(
        "{0} cannot refer to a variable of the environment; --allow-secrets writes its value into the file"
    )]
    NoReferences(String),
    #[error("{0}")]
    NoRemote(&'static str),
    #[error("it speaks no HTTP+SSE, only Streamable HTTP")]
    NoSse,
    #[error("${{{variable}}} in {place} has no value here, and the client cannot look it up")]
    NoValue { place: String, variable: String },
    #[error("{0} can only be a variable as a whole, under its own name")]
    OnlyWhole(String),
    #[error(
        "{0} looks like a secret, and the client has no way to refer to one; --allow-secrets writes it into the file"
    )]
    Secret(String),
    #[error("the URL has a secret in it; pass it with --header, or allow it with --allow-secrets")]
    UrlSecret,
    #[error(
        "it refuses an Authorization header as text; only a bearer token in a variable is taken: --header 'Authorization: Bearer ${{NAME}}'"
    )]
    AuthorizationText,
}

/// The members of an entry, and how they go into one that is there.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    pub(crate) members: Vec<Member>,
    /// Keys that would contradict.
    pub(crate) gone: Vec<&'static str>,
    /// Members of a map that are said under another key now.
    pub(crate) moved: Vec<(&'static str, String)>,
    /// Names and descriptions of what the client asks a person for.
    pub(crate) inputs: Vec<(String, String)>,
    /// What a person has to do, or should know.
    pub(crate) notes: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: &'static str,
    pub(crate) value: Value,
    pub(crate) merge: Merge,
}

/// What happens to a value that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    Replace,
    /// It stays, because it is a person's choice.
    Keep,
    /// Its other members, or items, stay.
    Join,
}

impl Entry {
    pub(crate) fn new(
        client: &Client,
        server: &Server,
        secrets: Secrets,
        variables: &std::collections::BTreeMap<String, String>,
    ) -> Result<Self, Cannot> {
        let mut entry = Self::default();
        let written = Written { client, server, secrets, variables };
        match &server.transport {
            Transport::Stdio { command, arguments, environment } => {
                entry.stdio(client, server, command, arguments, secrets)?;
                written.environment(environment, &mut entry)?;
                entry.fixed(client.stdio.last, server, Merge::Keep);
            }
            Transport::Remote { url, kind, headers } => {
                let remote = client.remote.as_ref().map_err(|why| Cannot::NoRemote(why))?;
                if secrets == Secrets::Refuse && has_secret(url) {
                    return Err(Cannot::UrlSecret);
                }
                entry.remote(remote, server, url, *kind)?;
                written.headers(remote.headers, headers, &mut entry)?;
                entry.fixed(remote.last, server, Merge::Keep);
            }
        }
        entry.gone = keys(client)
            .into_iter()
            .filter(|key| !entry.members.iter().any(|member| member.key == *key))
            .filter(|key| !stays(client, server, key))
            .collect();
        Ok(entry)
    }

    fn stdio(
        &mut self,
        client: &Client,
        server: &Server,
        command: &str,
        arguments: &[String],
        secrets: Secrets,
    ) -> Result<(), Cannot> {
        let secret = arguments.iter().find(|it| is_secret("", it.rsplit('=').next().unwrap_or(it)));
        if let (Some(secret), Secrets::Refuse) = (secret, secrets) {
            return Err(Cannot::ArgumentSecret(shortened(secret)));
        }
        self.fixed(client.stdio.first, server, Merge::Replace);
        let words =
            |words: &[String]| Value::List(words.iter().cloned().map(Value::from).collect());
        match client.stdio.command {
            CommandKey::Apart(program, rest) => {
                self.put(program, command.into(), Merge::Replace);
                if !arguments.is_empty() {
                    self.put(rest, words(arguments), Merge::Replace);
                }
            }
            CommandKey::Together(key) => {
                let all = [&[command.to_owned()], arguments].concat();
                self.put(key, words(&all), Merge::Replace);
            }
        }
        Ok(())
    }

    fn remote(
        &mut self,
        remote: &RemoteEntry,
        server: &Server,
        url: &str,
        kind: RemoteKind,
    ) -> Result<(), Cannot> {
        let form = match kind {
            RemoteKind::Http => &remote.http,
            RemoteKind::Sse => remote.sse.as_ref().ok_or(Cannot::NoSse)?,
        };
        self.fixed(remote.first, server, Merge::Replace);
        if let Some((key, value)) = form.kind {
            self.put(key, value.into(), Merge::Replace);
        }
        self.put(form.url, url.into(), Merge::Replace);
        Ok(())
    }

    fn fixed(&mut self, members: &'static [(&'static str, Fixed)], server: &Server, merge: Merge) {
        for (key, fixed) in members {
            let value = match fixed {
                Fixed::Bool(it) => Value::Bool(*it),
                Fixed::Number(it) => Value::Number(*it),
                Fixed::Text(it) => Value::from(*it),
                Fixed::Name => server.name.as_str().into(),
            };
            self.put(key, value, merge);
        }
    }

    pub(crate) fn put(&mut self, key: &'static str, value: Value, merge: Merge) {
        self.members.push(Member { key, value, merge });
    }
}

/// Every key that an entry of ours may have in this client's file.
fn keys(client: &Client) -> Vec<&'static str> {
    let mut keys = stdio_keys(client);
    keys.extend(remote_keys(client));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Whether a key that the new entry does not have is left to the old one: what belongs to the same kind of server, except the arguments
/// of another command and another URL.
fn stays(client: &Client, server: &Server, key: &str) -> bool {
    match &server.transport {
        Transport::Stdio { .. } => {
            let is_command = match client.stdio.command {
                CommandKey::Apart(program, rest) => [program, rest].contains(&key),
                CommandKey::Together(words) => words == key,
            };
            stdio_keys(client).contains(&key) && !is_command
        }
        Transport::Remote { .. } => {
            let is_url = client.remote.as_ref().is_ok_and(|remote| {
                [Some(&remote.http), remote.sse.as_ref()]
                    .into_iter()
                    .flatten()
                    .any(|it| it.url == key)
            });
            remote_keys(client).contains(&key) && !is_url
        }
    }
}

fn stdio_keys(client: &Client) -> Vec<&'static str> {
    let entry = &client.stdio;
    let mut keys = vec![entry.environment];
    keys.extend(entry.first.iter().chain(entry.last).map(|(key, _)| *key));
    match entry.command {
        CommandKey::Apart(program, rest) => keys.extend([program, rest]),
        CommandKey::Together(words) => keys.push(words),
    }
    keys.extend(references::environment_key(client));
    keys
}

fn remote_keys(client: &Client) -> Vec<&'static str> {
    let Ok(entry) = &client.remote else { return Vec::new() };
    let mut keys = vec![entry.headers];
    keys.extend(entry.first.iter().chain(entry.last).map(|(key, _)| *key));
    for form in [Some(&entry.http), entry.sse.as_ref()].into_iter().flatten() {
        keys.push(form.url);
        keys.extend(form.kind.map(|(key, _)| key));
    }
    keys.extend(references::header_keys(client));
    keys
}

fn has_secret(url: &str) -> bool {
    let authority = url.split("://").nth(1).unwrap_or_default().split('/').next();
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    authority.is_some_and(|it| it.contains('@'))
        || pairs
            .map(|(name, value)| (name, Template::parse(value)))
            .any(|(name, value)| value.literal().is_some_and(|value| is_secret(name, value)))
}

fn shortened(secret: &str) -> String {
    format!("{}…", secret.chars().take(8).collect::<String>())
}
