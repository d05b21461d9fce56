//! The `servers` of a file.

use std::{collections::BTreeMap, time::Duration};

use proofmark_core::revision::Revision;
use serde_json::{Value, json};

use super::{
    ClientAnswers, Over, Reach, Server,
    reader::{Reader, merge, nearest},
};
use crate::{
    redaction::Redaction,
    yaml::{Kind, Node},
};

/// What holds for every server and test that says nothing else.
pub(super) struct Defaults {
    pub(super) server: Option<String>,
    pub(super) timeout: Duration,
    pub(super) retries: u32,
    pub(super) redact: Vec<Redaction>,
}

impl Reader<'_> {
    pub(super) fn defaults(&mut self, node: Option<&Node>) -> Defaults {
        let mut defaults =
            Defaults { server: None, timeout: TIMEOUT, retries: 0, redact: Vec::new() };
        let Some(node) = node else { return defaults };
        if self.members(node, "`defaults`", &["server", "timeout", "retries", "redact"]).is_none() {
            return defaults;
        }
        defaults.server = node.get("server").and_then(|it| self.text(it, "the default server"));
        if let Some(timeout) = node.get("timeout").and_then(|it| self.duration(it, "`timeout`")) {
            defaults.timeout = timeout;
        }
        if let Some(retries) = node.get("retries").and_then(|it| self.count(it, "`retries`")) {
            defaults.retries = u32::try_from(retries).unwrap_or(u32::MAX);
        }
        if let Some(redact) = node.get("redact") {
            defaults.redact = self.redactions(redact);
        }
        defaults
    }

    pub(super) fn servers(
        &mut self,
        node: Option<&Node>,
        defaults: &Defaults,
    ) -> BTreeMap<String, Server> {
        let mut servers = BTreeMap::new();
        let Some(node) = node else {
            let place = crate::yaml::Place { line: 1, column: 1 };
            self.wrong(place, "the file has no `servers`");
            return servers;
        };
        let Kind::Map(members) = &node.kind else {
            self.wrong(
                node.place,
                format!("`servers` has to be a mapping of names, and is {}", node.noun()),
            );
            return servers;
        };
        for (key, one) in members {
            let Some(whole) = self.with_ancestors(one, node, &mut vec![key.name.clone()]) else {
                continue;
            };
            if let Some(server) = self.server(&key.name, &whole, defaults.timeout) {
                servers.insert(key.name.clone(), server);
            }
        }
        servers
    }

    /// A server of a mapping of servers, with what it takes over from those that it extends.
    pub fn whole_server(&mut self, name: &str, all: &Node) -> Option<Node> {
        let one = all.get(name)?;
        self.with_ancestors(one, all, &mut vec![name.to_owned()])
    }

    fn with_ancestors(&mut self, one: &Node, all: &Node, seen: &mut Vec<String>) -> Option<Node> {
        let mut whole = one.clone();
        let Some(extends) = one.get("extends") else { return Some(whole) };
        let name = self.text(extends, "`extends`")?;
        if seen.contains(&name) {
            self.wrong(extends.place, format!("the server {name} extends itself"));
            return None;
        }
        let Some(base) = all.get(&name) else {
            let what = unknown_server(&name, all);
            self.wrong(extends.place, what);
            return None;
        };
        seen.push(name);
        let base = self.with_ancestors(base, all, seen)?;
        if let Kind::Map(members) = &mut whole.kind {
            for (key, value) in members {
                if matches!(key.name.as_str(), "env" | "headers")
                    && let Some(base) = base.get(&key.name)
                {
                    merge(value, base);
                }
            }
        }
        // One way to reach it is enough.
        let reached = whole.get("command").is_some() || whole.get("url").is_some();
        let mut base = base;
        if let Kind::Map(members) = &mut base.kind {
            members.retain(|(key, _)| !(reached && matches!(key.name.as_str(), "command" | "url")));
        }
        merge(&mut whole, &base);
        Some(whole)
    }

    /// A server whose answers may take so long, unless it says otherwise.
    pub fn server(&mut self, name: &str, node: &Node, timeout: Duration) -> Option<Server> {
        let usual = timeout;
        self.members(node, &format!("the server {name}"), &SERVER_MEMBERS)?;
        let timeout = node.get("timeout").and_then(|it| self.duration(it, "`timeout`"));
        let start = node.get("start_timeout").and_then(|it| self.duration(it, "`start_timeout`"));
        let timeout = timeout.unwrap_or(usual);
        let revision = node.get("revision").and_then(|it| self.revision(it));
        let client = node.get("client").map(|it| self.client(it)).unwrap_or_default();
        let reach = match (node.get("command"), node.get("url")) {
            (Some(command), None) => self.command(command, node)?,
            (None, Some(url)) => self.url(url, node)?,
            (Some(_), Some(url)) => {
                self.wrong(
                    url.place,
                    format!("the server {name} has a command and a URL; one of them is wanted"),
                );
                return None;
            }
            (None, None) => {
                self.wrong(node.place, format!("the server {name} needs a `command` or a `url`"));
                return None;
            }
        };
        let start_timeout = start.unwrap_or(START_TIMEOUT).max(timeout);
        let watch = node.get("watch").map(|it| self.texts(it, "`watch`")).unwrap_or_default();
        let folder = self.path.parent().map(std::path::Path::to_owned).unwrap_or_default();
        let watch = watch.iter().map(|it| folder.join(it)).collect();
        let name = name.to_owned();
        Some(Server { name, reach, revision, timeout, start_timeout, client, watch })
    }

    fn command(&mut self, command: &Node, node: &Node) -> Option<Reach> {
        for name in ["headers", "token_env"] {
            if let Some(extra) = node.get(name) {
                self.wrong(extra.place, format!("`{name}` is for servers with a `url`"));
            }
        }
        if let Some(transport) = node.get("transport")
            && self.text(transport, "`transport`").is_some_and(|it| it != "stdio")
        {
            self.wrong(
                transport.place,
                "a command is reached over stdio; for another transport give its `url`",
            );
        }
        let words = match &command.kind {
            Kind::List(items) => {
                items.iter().filter_map(|item| self.text(item, "a word of the command")).collect()
            }
            _ => words(&self.text(command, "`command`")?),
        };
        if words.is_empty() || words[0].is_empty() {
            self.wrong(command.place, "the command is empty");
            return None;
        }
        let environment = node.get("env").map(|it| self.pairs(it, "`env`")).unwrap_or_default();
        let folder = node.get("cwd").and_then(|it| self.text(it, "`cwd`")).unwrap_or_default();
        let base = self.path.parent().unwrap_or_else(|| std::path::Path::new(""));
        let folder = base.join(folder);
        Some(Reach::Command { words, environment: environment.into_iter().collect(), folder })
    }

    fn url(&mut self, url: &Node, node: &Node) -> Option<Reach> {
        for name in ["env", "cwd"] {
            if let Some(extra) = node.get(name) {
                self.wrong(extra.place, format!("`{name}` is for servers with a `command`"));
            }
        }
        let place = url.place;
        let url = self.text(url, "`url`")?;
        if !url.starts_with("http://") && !url.starts_with("https://") {
            self.wrong(
                place,
                format!("{url} is no address; it has to begin with http:// or https://"),
            );
            return None;
        }
        let over = match node.get("transport") {
            None => Over::StreamableHttp,
            Some(given) => match self.text(given, "`transport`")?.as_str() {
                "http" => Over::StreamableHttp,
                "sse" => Over::Sse,
                other => {
                    self.wrong(
                        given.place,
                        format!("there is no transport {other} for a URL: http or sse"),
                    );
                    return None;
                }
            },
        };
        let headers = node.get("headers").map(|it| self.pairs(it, "`headers`")).unwrap_or_default();
        for (name, value) in &headers {
            let legal = name.parse::<http::HeaderName>().is_ok()
                && value.parse::<http::HeaderValue>().is_ok();
            if !legal && let Some(node) = node.get("headers") {
                self.wrong(node.place, format!("{name} and its value are no header of HTTP"));
            }
        }
        let token_env = node.get("token_env").and_then(|it| self.text(it, "`token_env`"));
        if let (Some(name), Some(given)) = (&token_env, node.get("token_env"))
            && (self.environment)(name)
                .is_none_or(|token| token.is_empty() || token.contains(['\r', '\n']))
        {
            self.wrong(
                given.place,
                format!("there is no token in the environment variable {name}"),
            );
        }
        Some(Reach::Url { url, over, headers, token_env })
    }

    fn pairs(&mut self, node: &Node, what: &str) -> Vec<(String, String)> {
        let Kind::Map(members) = &node.kind else {
            self.wrong(
                node.place,
                format!("{what} has to be a mapping of texts, and is {}", node.noun()),
            );
            return Vec::new();
        };
        let text = |(key, value): &(crate::yaml::Key, Node)| {
            Some((key.name.clone(), self.text(value, &format!("{what} {}", key.name))?))
        };
        members.iter().filter_map(text).collect()
    }

    pub fn revision(&mut self, node: &Node) -> Option<Revision> {
        let text = self.text(node, "`revision`")?;
        let found = Revision::ALL.iter().copied().find(|it| it.as_str() == text);
        if found.is_none() {
            let all: Vec<_> = Revision::ALL.iter().map(|it| it.as_str()).collect();
            self.wrong(
                node.place,
                format!("there is no revision {text}; there are {}", all.join(", ")),
            );
        }
        found
    }

    /// What the client answers.
    pub(super) fn client(&mut self, node: &Node) -> ClientAnswers {
        let mut answers = ClientAnswers::default();
        if self.members(node, "`client`", &["elicitation", "sampling", "roots"]).is_none() {
            return answers;
        }
        let several = |node: &Node| match &node.kind {
            Kind::List(items) => items.clone(),
            _ => vec![node.clone()],
        };
        for item in node.get("elicitation").map(several).unwrap_or_default() {
            answers.elicitation.extend(self.elicitation(&item));
        }
        for item in node.get("sampling").map(several).unwrap_or_default() {
            answers.sampling.extend(self.sampling(&item));
        }
        answers.roots = node.get("roots").map(|roots| {
            let items = self.list(roots, "`roots`");
            let roots = items.iter().filter_map(|item| match &item.kind {
                Kind::Text(uri) => Some(json!({"uri": uri})),
                Kind::Map(_) if item.get("uri").is_some() => Some(item.value()),
                _ => {
                    self.wrong(item.place, "a root is a URI, or a mapping with a `uri`");
                    None
                }
            });
            roots.collect()
        });
        answers
    }

    /// `accept`, `decline` and `cancel` stand for themselves.
    fn elicitation(&mut self, node: &Node) -> Option<Value> {
        const ACTIONS: [&str; 3] = ["accept", "decline", "cancel"];
        let value = if let Kind::Text(action) = &node.kind {
            json!({"action": action})
        } else {
            self.members(node, "an answer to an elicitation", &["action", "content"])?;
            node.value()
        };
        let action = value.get("action").and_then(Value::as_str).unwrap_or_default();
        if !ACTIONS.contains(&action) {
            self.wrong(
                node.place,
                "an answer to an elicitation has the `action` accept, decline or cancel",
            );
            return None;
        }
        Some(value)
    }

    /// A text stands for a message of the assistant.
    fn sampling(&mut self, node: &Node) -> Option<Value> {
        let message = |text: &str| json!({"role": "assistant", "model": "proofmark-test", "stopReason": "endTurn", "content": {"type": "text", "text": text}});
        match &node.kind {
            Kind::Text(text) => Some(message(text)),
            Kind::Map(_) if node.get("content").is_some() => {
                let mut whole = message("");
                for (name, value) in node.value().as_object().into_iter().flatten() {
                    whole[name] = value.clone();
                }
                Some(whole)
            }
            _ => {
                self.wrong(
                    node.place,
                    "an answer to sampling is a text, or a message with `content`",
                );
                None
            }
        }
    }
}

/// There is no server of this name; what there is.
pub(super) fn unknown(name: &str, names: &[&str]) -> String {
    match nearest(name, names) {
        Some(near) => format!("there is no server {name}: did you mean `{near}`?"),
        None => format!("there is no server {name}; there are {}", names.join(", ")),
    }
}

/// The words of a command, with quotes around those that have spaces.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(end), it) if it == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, it) if it.is_whitespace() => words.extend(word.take()),
            (_, it) => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    words
}

/// What a server may have.
pub const SERVER_MEMBERS: [&str; 13] = [
    "extends",
    "command",
    "env",
    "cwd",
    "url",
    "headers",
    "token_env",
    "transport",
    "revision",
    "timeout",
    "start_timeout",
    "client",
    "watch",
];
const TIMEOUT: Duration = Duration::from_secs(30);
const START_TIMEOUT: Duration = Duration::from_secs(60);

fn unknown_server(name: &str, all: &Node) -> String {
    let Kind::Map(members) = &all.kind else { return String::new() };
    let names: Vec<&str> = members.iter().map(|(key, _)| key.name.as_str()).collect();
    unknown(name, &names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_into_words() {
        assert_eq!(words(" a  'b c' d\"e f\" '' "), ["a", "b c", "de f", ""]);
    }
}
