//! From the tree of a file to a fleet, with every mistake at its place.

use std::{collections::BTreeMap, path::Path, time::Duration};

use proofmark_check::{
    judge::catalogue::frozen,
    record::{transport::Transport, wire::Url},
    report::baseline::Baseline,
};
use proofmark_core::revision::Revision;
use proofmark_test::{
    file::{self, Over, Reach, Reader, SERVER_MEMBERS, Server, merge, nearest},
    yaml::{Kind, Node},
};

use super::{Fleet, HeldTo, Limits, Member, Route, Wanted, stages};

pub(super) fn read(reader: &mut Reader<'_>) -> Option<Fleet> {
    let path = reader.path.clone();
    let root = reader.open(&path)?;
    reader.members(&root, "the file", &["include", "defaults", "groups", "stages", "servers"])?;
    let stages = root.get("stages").map(|it| stages::read(reader, it)).unwrap_or_default();
    let names: Vec<String> = stages.iter().map(|it| it.name.clone()).collect();
    let settings = Settings { root: &root, stages: &names };
    if let Some(defaults) = root.get("defaults") {
        let known: Vec<&str> = OWN_MEMBERS.into_iter().chain(["timeout"]).collect();
        reader.members(defaults, "`defaults`", &known);
    }
    settings.verify_groups(reader);
    let included = included(reader, &root);
    let mut members = BTreeMap::new();
    if let Some(servers) = root.get("servers") {
        let Kind::Map(entries) = &servers.kind else {
            reader.wrong(
                servers.place,
                format!("`servers` has to be a mapping of names, and is {}", servers.noun()),
            );
            return None;
        };
        for (key, _) in entries {
            let Some(mut node) = reader.whole_server(&key.name, servers) else { continue };
            node.place = key.place;
            let base = included.get(&key.name);
            if let Some(member) = settings.member(reader, &key.name, node, base) {
                members.insert(key.name.clone(), member);
            }
        }
    }
    for (name, server) in &included {
        let has_entry = root.get("servers").is_some_and(|it| it.get(name).is_some());
        let empty = Node { place: root.place, kind: Kind::Map(Vec::new()) };
        if !has_entry && let Some(member) = settings.member(reader, name, empty, Some(server)) {
            members.insert(name.clone(), member);
        }
    }
    if members.is_empty() && reader.mistakes.is_empty() {
        reader.wrong(root.place, "the file has no `servers`, and includes none");
    }
    Some(Fleet { path, members, stages })
}

/// The servers of test files.
fn included(reader: &mut Reader<'_>, root: &Node) -> BTreeMap<String, Server> {
    let mut servers = BTreeMap::new();
    let Some(node) = root.get("include") else { return servers };
    for name in reader.texts(node, "a file to include") {
        let path = folder(&reader.path).join(&name);
        match file::load(&path, &|name| std::env::var(name).ok()) {
            Ok(suite) => servers.extend(suite.servers),
            Err(mistakes) => {
                reader.wrong(node.place, format!("{name} cannot be included"));
                reader.mistakes.extend(mistakes.0);
            }
        }
    }
    servers
}

/// What all servers of a file share.
struct Settings<'r> {
    root: &'r Node,
    stages: &'r [String],
}

impl Settings<'_> {
    fn verify_groups(&self, reader: &mut Reader<'_>) {
        let Some(groups) = self.root.get("groups") else { return };
        let Kind::Map(entries) = &groups.kind else {
            reader.wrong(groups.place, "`groups` has to be a mapping of names");
            return;
        };
        let known: Vec<&str> =
            OWN_MEMBERS.into_iter().filter(|it| *it != "group").chain(["timeout"]).collect();
        for (key, node) in entries {
            reader.members(node, &format!("the group {}", key.name), &known);
        }
    }

    fn member(
        &self,
        reader: &mut Reader<'_>,
        name: &str,
        mut node: Node,
        included: Option<&Server>,
    ) -> Option<Member> {
        let what = format!("the server {name}");
        let known: Vec<&str> = SERVER_MEMBERS.into_iter().chain(OWN_MEMBERS).collect();
        reader.members(&node, &what, &known)?;
        if name.is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
            let limit = format!("the name of a server is one line of at most {LONGEST_NAME} bytes");
            reader.wrong(node.place, limit);
            return None;
        }
        self.complete(reader, &mut node);
        let (own, reach) = split(&node);
        let mut routes = Vec::new();
        let has_reach = ["command", "url"].iter().any(|it| reach.get(it).is_some());
        if let (Some(server), false) = (included, has_reach) {
            routes.push(Route {
                transport: transport(server),
                server: server.clone(),
                start: None,
            });
        } else {
            let start = own.get("start");
            let server = reader.server(name, &reach, TIMEOUT)?;
            let start = start.and_then(|it| starting(reader, name, it));
            verify_url(reader, &server, reach.get("url"));
            routes.push(Route { transport: transport(&server), server, start });
        }
        for (key, over) in [("http", Transport::Http), ("sse", Transport::Sse)] {
            if let Some(more) = own.get(key) {
                routes.extend(further(reader, name, more, over));
            }
        }
        let routes = chosen(reader, &own, routes);
        let texts = |reader: &mut Reader<'_>, key: &str| {
            own.get(key).map(|it| reader.texts(it, &format!("`{key}`"))).unwrap_or_default()
        };
        let stage = own.get("stage").and_then(|it| self.stage(reader, it));
        Some(Member {
            name: name.to_owned(),
            place: node.place,
            owner: own.get("owner").and_then(|it| reader.text(it, "`owner`")),
            tags: texts(reader, "tags"),
            stage,
            routes,
            held_to: held_to(reader, &own),
            limits: limits(reader, &own),
        })
    }

    /// Adds what the server's group and the defaults say.
    fn complete(&self, reader: &mut Reader<'_>, node: &mut Node) {
        if let Some(group) = node.get("group").cloned()
            && let Some(name) = reader.text(&group, "`group`")
        {
            match self.root.get("groups").and_then(|it| it.get(&name)) {
                Some(found) => merge(node, found),
                None => reader.wrong(group.place, format!("there is no group {name}")),
            }
        }
        if let Some(defaults) = self.root.get("defaults") {
            merge(node, defaults);
        }
    }

    fn stage(&self, reader: &mut Reader<'_>, node: &Node) -> Option<String> {
        let name = reader.text(node, "`stage`")?;
        if self.stages.contains(&name) {
            return Some(name);
        }
        let names: Vec<&str> = self.stages.iter().map(String::as_str).collect();
        let hint = match nearest(&name, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "the file has no `stages`".to_owned(),
            None => format!("there are {}", names.join(", ")),
        };
        reader.wrong(node.place, format!("there is no stage {name}: {hint}"));
        None
    }
}

/// What is for the fleet, and what says how the server is reached.
fn split(node: &Node) -> (Node, Node) {
    let Kind::Map(members) = &node.kind else { return (node.clone(), node.clone()) };
    let (own, reach) =
        members.iter().cloned().partition(|(key, _)| OWN_MEMBERS.contains(&key.name.as_str()));
    (
        Node { place: node.place, kind: Kind::Map(own) },
        Node { place: node.place, kind: Kind::Map(reach) },
    )
}

fn starting(reader: &mut Reader<'_>, name: &str, node: &Node) -> Option<Server> {
    reader.members(node, "`start`", &["command", "env", "cwd", "start_timeout"])?;
    if node.get("command").is_none() {
        reader.wrong(node.place, "`start` needs a `command`");
        return None;
    }
    reader.server(name, node, TIMEOUT)
}

/// A transport beside the first.
fn further(
    reader: &mut Reader<'_>,
    name: &str,
    node: &Node,
    transport: Transport,
) -> Option<Route> {
    let known = ["url", "headers", "token_env", "timeout", "start_timeout", "start"];
    reader.members(node, &format!("`{transport}`"), &known)?;
    let start = node.get("start").and_then(|it| starting(reader, name, it));
    let Kind::Map(mut members) = node.kind.clone() else { return None };
    members.retain(|(key, _)| key.name != "start");
    let reach = Node { place: node.place, kind: Kind::Map(members) };
    if reach.get("url").is_none() {
        reader.wrong(node.place, format!("`{transport}` needs a `url`"));
        return None;
    }
    let mut server = reader.server(name, &reach, TIMEOUT)?;
    verify_url(reader, &server, reach.get("url"));
    if let Reach::Url { over, .. } = &mut server.reach {
        *over = if transport == Transport::Sse { Over::Sse } else { Over::StreamableHttp };
    }
    Some(Route { transport, server, start })
}

fn verify_url(reader: &mut Reader<'_>, server: &Server, node: Option<&Node>) {
    let (Reach::Url { url, .. }, Some(node)) = (&server.reach, node) else { return };
    if let Err(error) = url.replace("{port}", "1").parse::<Url>() {
        reader.wrong(node.place, error.to_string());
    }
}

/// The routes that `transports` asks for; all without it.
fn chosen(reader: &mut Reader<'_>, own: &Node, routes: Vec<Route>) -> Vec<Route> {
    let Some(node) = own.get("transports") else { return routes };
    let mut wanted = Vec::new();
    for text in reader.texts(node, "a transport") {
        match text.parse::<Transport>() {
            Ok(it) if routes.iter().any(|route| route.transport == it) => wanted.push(it),
            Ok(it) => reader.wrong(node.place, format!("the server is not reached over {it} here")),
            Err(error) => reader.wrong(node.place, error),
        }
    }
    routes.into_iter().filter(|route| wanted.contains(&route.transport)).collect()
}

fn transport(server: &Server) -> Transport {
    match &server.reach {
        Reach::Command { .. } | Reach::Memory(_) => Transport::Stdio,
        Reach::Url { over: Over::Sse, .. } => Transport::Sse,
        Reach::Url { over: Over::StreamableHttp, .. } => Transport::Http,
    }
}

fn held_to(reader: &mut Reader<'_>, own: &Node) -> HeldTo {
    let base = folder(&reader.path).to_owned();
    let flag = |reader: &mut Reader<'_>, key: &str| {
        own.get(key).and_then(|it| reader.flag(it, &format!("`{key}`")))
    };
    let baseline = own.get("baseline").and_then(|node| {
        let path = base.join(reader.text(node, "`baseline`")?);
        let read = std::fs::read_to_string(&path).map_err(|error| error.to_string());
        let parsed = read.and_then(|it| Baseline::parse(&it).map_err(|error| error.to_string()));
        if let Err(why) = parsed {
            reader.wrong(node.place, format!("{} cannot be used: {why}", path.display()));
        }
        Some(path)
    });
    let mut tests = Vec::new();
    if let Some(node) = own.get("tests") {
        for name in reader.texts(node, "a test file") {
            let path = base.join(&name);
            if !path.is_file() {
                reader.wrong(node.place, format!("there is no test file {name}"));
            }
            tests.push(path);
        }
    }
    let requirements = own.get("requirements").and_then(|node| {
        let name = reader.text(node, "`requirements`")?;
        if frozen::find(&name).is_none() {
            let known: Vec<&str> = frozen::sets().iter().map(|set| set.name).collect();
            reader.wrong(node.place, format!("{name} is no frozen set: {} are", known.join(", ")));
        }
        Some(name)
    });
    HeldTo {
        revisions: revisions(reader, own),
        requirements,
        skip: own.get("skip").map(|it| reader.texts(it, "`skip`")).unwrap_or_default(),
        calls: calls(reader, own),
        strict: flag(reader, "strict").unwrap_or(false),
        min_score: own.get("min_score").and_then(|it| score(reader, it)),
        baseline,
        tests,
        interface: flag(reader, "interface").unwrap_or(true),
    }
}

fn revisions(reader: &mut Reader<'_>, own: &Node) -> Vec<Wanted> {
    let Some(node) = own.get("revisions") else { return vec![Wanted::Newest] };
    let mut wanted = Vec::new();
    for text in reader.texts(node, "a revision") {
        match (text.as_str(), Wanted::parse(&text)) {
            ("all", _) => wanted.extend(Revision::ALL.iter().map(|it| Wanted::Exactly(*it))),
            (_, Some(one)) => wanted.push(one),
            (_, None) => {
                let all: Vec<_> = Revision::ALL.iter().map(|it| it.as_str()).collect();
                let known = all.join(", ");
                let what = format!("there is no revision {text}; there are {known}, newest, all");
                reader.wrong(node.place, what);
            }
        }
    }
    let mut seen = Vec::new();
    wanted.retain(|it| {
        let new = !seen.contains(it);
        seen.push(*it);
        new
    });
    wanted
}

fn calls(reader: &mut Reader<'_>, own: &Node) -> Vec<(String, serde_json::Value)> {
    let Some(node) = own.get("calls") else { return Vec::new() };
    let Kind::Map(members) = &node.kind else {
        reader.wrong(node.place, "`calls` has to be a mapping of tools to their arguments");
        return Vec::new();
    };
    let mut calls = Vec::new();
    for (key, arguments) in members {
        if !matches!(arguments.kind, Kind::Map(_)) {
            reader.wrong(arguments.place, "the arguments of a tool are a mapping");
        }
        calls.push((key.name.clone(), arguments.value()));
    }
    calls
}

fn limits(reader: &mut Reader<'_>, own: &Node) -> Limits {
    let usual = Limits::default();
    let Some(node) = own.get("limits") else { return usual };
    if reader.members(node, "`limits`", &["time", "memory", "processes"]).is_none() {
        return usual;
    }
    let time = node.get("time").and_then(|it| reader.duration(it, "`time`"));
    let memory = node.get("memory").and_then(|it| reader.count(it, "`memory`, in megabytes,"));
    let processes = node.get("processes").and_then(|it| reader.count(it, "`processes`"));
    Limits {
        time: time.unwrap_or(usual.time).clamp(Duration::from_secs(1), LONGEST_JOB),
        memory: memory.map_or(usual.memory, |it| it.saturating_mul(1024 * 1024)),
        processes: processes.map_or(usual.processes, |it| u32::try_from(it).unwrap_or(u32::MAX)),
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(180), memory: 2 * 1024 * 1024 * 1024, processes: 200 }
    }
}

pub(super) fn score(reader: &mut Reader<'_>, node: &Node) -> Option<u32> {
    let number = reader.count(node, "a score")?;
    let score = u32::try_from(number).ok().filter(|it| *it <= 100);
    if score.is_none() {
        reader.wrong(node.place, "a score is a number from 0 to 100");
    }
    score
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or_else(|| Path::new(""))
}

/// What a server has here besides what it has in a test file.
const OWN_MEMBERS: [&str; 18] = [
    "group",
    "owner",
    "tags",
    "stage",
    "start",
    "http",
    "sse",
    "transports",
    "revisions",
    "requirements",
    "skip",
    "calls",
    "strict",
    "min_score",
    "baseline",
    "tests",
    "interface",
    "limits",
];
const LONGEST_NAME: usize = 200;
const LONGEST_JOB: Duration = Duration::from_secs(6 * 60 * 60);
/// For an answer.
const TIMEOUT: Duration = Duration::from_secs(5);
