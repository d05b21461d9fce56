//! Which tools are called with what: tests made of the tools that a server lists.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Map, Value, json};

use super::cases::{self, Case, CaseKind, Cases, Limits, cases};
use crate::{
    connection::{self, Connection, Judging, Unreachable},
    file::{Act, ClientAnswers, Expect, Reception, Server, Step, Test, escape},
    yaml::Place,
};

/// Which tools may be called. Hints are what a server says about itself: without one a tool is taken to change the world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// Tools that may be called whatever they say.
    pub tools: BTreeSet<String>,
    /// All tools may be called.
    pub all: bool,
    /// Arguments that a person says are right, so that a tool may not report an error.
    pub given: Vec<(String, Value)>,
    pub limits: Limits,
}

/// What would be done, and what not.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub tools: Vec<Planned>,
}

#[derive(Clone, Debug)]
pub struct Planned {
    /// As the server lists it.
    pub tool: Value,
    pub name: String,
    pub cases: Cases,
    /// Why it is not called.
    pub left_out: Option<String>,
}

impl Planned {
    pub(super) fn hint(&self, name: &str, otherwise: bool) -> bool {
        let hint = self.tool.pointer(&format!("/annotations/{name}")).and_then(Value::as_bool);
        hint.unwrap_or(otherwise)
    }

    pub fn is_read_only(&self) -> bool {
        self.hint("readOnlyHint", false)
    }
}

/// Asks a server for its tools.
pub async fn tools_of(server: &Server) -> Result<Vec<Value>, Unreachable> {
    let connection = Connection::open(server, &ClientAnswers::default(), Judging::Off).await?;
    let listed = connection::tools(&connection.client).await;
    connection.close().await;
    listed.map_err(|why| Unreachable { server: server.name.clone(), why, stderr: String::new() })
}

/// Makes cases for all tools that may be called.
pub fn plan(tools: &[Value], policy: &Policy) -> Plan {
    let planned = tools.iter().map(|tool| {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut planned =
            Planned { tool: tool.clone(), name, cases: Cases::default(), left_out: None };
        let named = policy.tools.contains(&planned.name)
            || policy.given.iter().any(|(tool, _)| *tool == planned.name);
        if !policy.all && !named && !planned.is_read_only() {
            let why = "it does not say that it is read-only (readOnlyHint), and was not named";
            planned.left_out = Some(why.to_owned());
            return planned;
        }
        let schema = tool.get("inputSchema").cloned().unwrap_or_else(|| json!({"type": "object"}));
        match cases(&schema, policy.limits) {
            Ok(mut made) => {
                let deep = cases::deep(&schema, &made);
                made.cases.extend(deep);
                planned.cases = made;
            }
            Err(unusable) => planned.left_out = Some(unusable.to_string()),
        }
        planned
    });
    Plan { tools: planned.collect() }
}

impl Plan {
    /// The tests, in the order of the tools.
    pub fn tests(&self, server: &Server, policy: &Policy) -> Vec<Test> {
        let mut tests = Vec::new();
        for planned in self.tools.iter().filter(|it| it.left_out.is_none()) {
            let given = policy.given.iter().filter(|(tool, _)| *tool == planned.name);
            for (number, (_, arguments)) in given.enumerate() {
                let name = format!("{}: given arguments {}", planned.name, number + 1);
                tests.push(test(server, name, &planned.name, arguments, None));
            }
            for case in &planned.cases.cases {
                let name = format!("{}: {}", planned.name, case.id);
                tests.push(test(server, name, &planned.name, &case.value, Some(reception(case))));
            }
        }
        tests
    }
}

pub(super) fn reception(case: &Case) -> Reception {
    match case.kind {
        _ if case.doubtful => Reception::Answered,
        CaseKind::Answered => Reception::Answered,
        CaseKind::Invalid { .. } => Reception::Refused,
        CaseKind::Valid => Reception::Accepted,
    }
}

fn test(
    server: &Server,
    name: String,
    tool: &str,
    arguments: &Value,
    wanted: Option<Reception>,
) -> Test {
    let act = Act::Call {
        tool: tool.to_owned(),
        arguments: literal(arguments),
        task: false,
        cancel_after: None,
    };
    let step = Step {
        title: format!("call {tool}"),
        place: Place::default(),
        act,
        expect: Expect { arguments: wanted, ..Expect::default() },
        capture: Vec::new(),
    };
    let tags = ["generated".to_owned()].into_iter().chain(wanted.map(|it| it.as_str().to_owned()));
    Test {
        name,
        server: server.name.clone(),
        place: Place::default(),
        tags: tags.collect(),
        skip: None,
        only: false,
        connection: crate::file::Connection::Shared,
        retries: 0,
        timeout: server.timeout * 2 + Duration::from_secs(1),
        client: ClientAnswers::default(),
        values: Map::new(),
        setup: Vec::new(),
        steps: vec![step],
        teardown: Vec::new(),
        redact: Vec::new(),
    }
}

/// Arguments in which no name is filled in. What is for the environment has been filled in already where a file is read.
fn literal(value: &Value) -> Value {
    match escape(value) {
        Value::String(text) => Value::String(text.replace("$${", "${")),
        Value::Array(items) => Value::Array(items.iter().map(unescaped_environment).collect()),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), unescaped_environment(value)))
                .collect(),
        ),
        other => other,
    }
}

fn unescaped_environment(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("$${", "${")),
        Value::Array(items) => Value::Array(items.iter().map(unescaped_environment).collect()),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), unescaped_environment(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}
