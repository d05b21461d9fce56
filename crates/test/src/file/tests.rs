//! The `tests` of a file.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    Connection, Server, Step, Test,
    reader::Reader,
    servers::{Defaults, unknown},
    steps::STEP,
    variables::{self, Variables},
};
use crate::yaml::{Kind, Node};

const KNOWN: [&str; 15] = [
    "name",
    "server",
    "servers",
    "tags",
    "skip",
    "only",
    "connection",
    "retries",
    "timeout",
    "client",
    "cases",
    "setup",
    "teardown",
    "steps",
    "redact",
];

impl Reader<'_> {
    pub(super) fn tests(
        &mut self,
        node: Option<&Node>,
        defaults: &Defaults,
        servers: &BTreeMap<String, Server>,
    ) -> Vec<Test> {
        let Some(node) = node else { return Vec::new() };
        let mut tests = Vec::new();
        let mut names = BTreeSet::new();
        for item in self.list(node, "`tests`").to_vec() {
            for test in self.test(&item, defaults, servers) {
                if !names.insert((test.server.clone(), test.name.clone())) {
                    self.wrong(
                        item.place,
                        format!(
                            "there are two tests named {:?} of the server {}",
                            test.name, test.server
                        ),
                    );
                }
                tests.push(test);
            }
        }
        tests
    }

    /// One for each of its servers and cases.
    fn test(
        &mut self,
        node: &Node,
        defaults: &Defaults,
        servers: &BTreeMap<String, Server>,
    ) -> Vec<Test> {
        let known: Vec<&str> = KNOWN.iter().chain(&STEP).copied().collect();
        if self.members(node, "a test", &known).is_none() {
            return Vec::new();
        }
        let Some(name) = node.get("name").and_then(|it| self.text(it, "`name`")) else {
            self.wrong(node.place, "a test needs a `name`");
            return Vec::new();
        };
        let on = self.servers_of(node, &name, defaults, servers);
        let Some(template) = self.template(node, &name, defaults) else { return Vec::new() };
        let cases = self.cases(node);
        self.unknown_names(&template, cases.first().map(|(_, values)| values));
        let mut tests = Vec::new();
        for server in on {
            for (case, values) in &cases {
                let name = match case {
                    Some(case) => format!("{name} [{case}]"),
                    None => name.clone(),
                };
                let timeout = node
                    .get("timeout")
                    .map_or_else(|| servers.get(&server).map(|it| it.timeout * 2), |_| None);
                tests.push(Test {
                    name,
                    server: server.clone(),
                    values: values.clone(),
                    timeout: timeout.unwrap_or(template.timeout),
                    ..template.clone()
                });
            }
        }
        tests
    }

    fn servers_of(
        &mut self,
        node: &Node,
        name: &str,
        defaults: &Defaults,
        servers: &BTreeMap<String, Server>,
    ) -> Vec<String> {
        let given = node.get("server").or_else(|| node.get("servers"));
        let on = match given {
            Some(given) => self.texts(given, "`server`"),
            None => defaults.server.clone().into_iter().collect(),
        };
        let names: Vec<&str> = servers.keys().map(String::as_str).collect();
        match (&on[..], &names[..]) {
            ([], [only]) => return vec![(*only).to_owned()],
            ([], _) => self.wrong(
                node.place,
                format!(
                    "the test {name:?} has no `server`, and `defaults` has none; there are {}",
                    names.join(", ")
                ),
            ),
            _ => {}
        }
        for server in &on {
            if !servers.contains_key(server) {
                self.wrong(given.unwrap_or(node).place, unknown(server, &names));
            }
        }
        on.into_iter().filter(|it| servers.contains_key(it)).collect()
    }

    fn template(&mut self, node: &Node, name: &str, defaults: &Defaults) -> Option<Test> {
        let inline = STEP.iter().any(|key| node.get(key).is_some());
        let steps = match (node.get("steps"), inline) {
            (Some(steps), false) => self.steps(steps, "`steps`"),
            (None, true) => self.single_step(node).into_iter().collect(),
            (Some(steps), true) => {
                self.wrong(steps.place, "a test has either one step of its own or `steps`");
                return None;
            }
            (None, false) => {
                self.wrong(node.place, format!("the test {name:?} does nothing: it needs `call`, `read`, `prompt`, `complete`, `list` or `steps`"));
                return None;
            }
        };
        let skip = match node.get("skip") {
            None => None,
            Some(it) if it.kind == Kind::Bool(false) => None,
            Some(it) => match &it.kind {
                Kind::Text(reason) if !reason.trim().is_empty() => Some(reason.clone()),
                _ => {
                    self.wrong(it.place, "`skip` wants the reason, a text");
                    None
                }
            },
        };
        let connection = match node.get("connection") {
            None => Connection::Shared,
            Some(it) => match self.text(it, "`connection`")?.as_str() {
                "own" => Connection::Own,
                "shared" => Connection::Shared,
                other => {
                    self.wrong(it.place, format!("a connection is own or shared, not {other}"));
                    Connection::Shared
                }
            },
        };
        let retries = node.get("retries").and_then(|it| self.count(it, "`retries`"));
        let mut redact = defaults.redact.clone();
        if let Some(own) = node.get("redact") {
            redact.extend(self.redactions(own));
        }
        Some(Test {
            name: name.to_owned(),
            server: String::new(),
            place: node.place,
            tags: node.get("tags").map(|it| self.texts(it, "a tag")).unwrap_or_default(),
            skip,
            only: node.get("only").and_then(|it| self.flag(it, "`only`")).unwrap_or(false),
            connection,
            retries: retries.map_or(defaults.retries, |it| u32::try_from(it).unwrap_or(u32::MAX)),
            timeout: node
                .get("timeout")
                .and_then(|it| self.duration(it, "`timeout`"))
                .unwrap_or(defaults.timeout * 2),
            client: node.get("client").map(|it| self.client(it)).unwrap_or_default(),
            values: Map::new(),
            setup: node.get("setup").map(|it| self.steps(it, "`setup`")).unwrap_or_default(),
            steps,
            teardown: node
                .get("teardown")
                .map(|it| self.steps(it, "`teardown`"))
                .unwrap_or_default(),
            redact,
        })
    }

    /// The rows of the table; a single one without a name if there is no table.
    fn cases(&mut self, node: &Node) -> Vec<(Option<String>, Map<String, Value>)> {
        let Some(table) = node.get("cases") else { return vec![(None, Map::new())] };
        let mut cases = Vec::new();
        let mut columns: Option<Vec<String>> = None;
        for (number, row) in self.list(table, "`cases`").to_vec().iter().enumerate() {
            let Value::Object(mut values) = row.value() else {
                self.wrong(
                    row.place,
                    format!("a case has to be a mapping of names to values, and is {}", row.noun()),
                );
                continue;
            };
            let name = match values.get("name") {
                Some(Value::String(name)) => name.clone(),
                _ => (number + 1).to_string(),
            };
            values.insert("name".to_owned(), Value::String(name.clone()));
            let own: Vec<String> = values.keys().cloned().collect();
            let first = columns.get_or_insert_with(|| own.clone());
            if *first != own {
                let what = format!(
                    "this case has {}, and the first one has {}",
                    own.join(", "),
                    first.join(", ")
                );
                self.wrong(row.place, what);
            }
            cases.push((Some(name), values));
        }
        if cases.is_empty() {
            self.wrong(table.place, "there are no cases");
        }
        cases
    }

    /// Complains about `{{names}}` that will have no value.
    fn unknown_names(&mut self, test: &Test, values: Option<&Map<String, Value>>) {
        let mut known: BTreeSet<String> =
            values.into_iter().flat_map(|it| it.keys().cloned()).collect();
        for step in test.setup.iter().chain(&test.steps).chain(&test.teardown) {
            for value in step.values() {
                match variables::used(&value) {
                    Ok(names) => {
                        for name in names.iter().filter(|name| !known.contains(*name)) {
                            let mut none = Variables::default();
                            for known in &known {
                                none.set(known, Value::Null);
                            }
                            let why =
                                none.fill_in(&format!("{{{{{name}}}}}")).err().unwrap_or_default();
                            self.wrong(
                                step.place,
                                format!("{why}; `cases` and `capture` give values names"),
                            );
                        }
                    }
                    Err(why) => self.wrong(step.place, why),
                }
            }
            known.extend(step.capture.iter().map(|(name, _)| name.clone()));
        }
    }

    pub(super) fn steps(&mut self, node: &Node, what: &str) -> Vec<Step> {
        let steps = self.list(node, what).to_vec();
        if steps.is_empty() {
            self.wrong(node.place, format!("{what} is empty"));
        }
        let known: Vec<&str> = ["name"].iter().chain(&STEP).copied().collect();
        let mut all = Vec::new();
        for step in &steps {
            if self.members(step, "a step", &known).is_some() {
                all.extend(self.step(step));
            }
        }
        all
    }
}
