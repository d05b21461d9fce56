//! Whether what tools say about themselves is true: read-only ones change nothing, idempotent ones can be repeated, lists add up.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use proofmark_core::revision::RequestMethod;
use serde_json::{Map, Value, json};

use super::{
    cases::{Case, CaseKind},
    plan::{Plan, Planned},
};
use crate::{
    act::{self, Answer},
    connection::{Connection, Judging, Unreachable},
    diff,
    file::{ClientAnswers, ListOf, Server},
    matcher::{same, short},
    outcome::{Failure, TestOutcome, Verdict},
};

/// A call by which a person can see the state of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    pub tool: String,
    pub arguments: Value,
}

/// Tests what the tools of a plan say about themselves; after `until` nothing is begun.
pub async fn properties(
    server: &Server,
    plan: &Plan,
    observed: Option<&Observation>,
    until: Instant,
    told: &(dyn Fn(&TestOutcome) + Sync),
) -> Result<Vec<TestOutcome>, Unreachable> {
    let mut tester = Tester { server, observed, connection: None };
    let mut all = Vec::new();
    for what in ListOf::ALL {
        let began = Instant::now();
        let verdict = pages(tester.open().await?, what).await;
        all.push(tester.outcome(&format!("{} add up", what.as_str()), began, verdict));
    }
    for planned in plan.tools.iter().filter(|planned| planned.left_out.is_none()) {
        let valid: Vec<&Case> = planned
            .cases
            .cases
            .iter()
            .filter(|it| it.kind == CaseKind::Valid && !it.doubtful)
            .collect();
        for (name, applies, property) in [
            (
                "gives the same twice",
                planned.is_read_only() && !planned.hint("openWorldHint", true),
                Property::Same,
            ),
            ("changes nothing, as it says", planned.is_read_only(), Property::ChangesNothing),
            (
                "can be repeated, as it says",
                planned.hint("idempotentHint", false) && observed.is_some(),
                Property::Idempotent,
            ),
        ] {
            if !applies {
                continue;
            }
            let began = Instant::now();
            let verdict = if began > until {
                Verdict::NotRun("the time for all tests is over (--budget)".to_owned())
            } else {
                tester.test(property, planned, &valid).await?
            };
            let outcome = tester.outcome(&format!("{}: {name}", planned.name), began, verdict);
            told(&outcome);
            all.push(outcome);
        }
    }
    if let Some(connection) = tester.connection.take() {
        connection.close().await;
    }
    Ok(all)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Property {
    ChangesNothing,
    Idempotent,
    Same,
}

struct Tester<'t> {
    server: &'t Server,
    observed: Option<&'t Observation>,
    connection: Option<Connection>,
}

impl Tester<'_> {
    /// The connection, or a new one in place of one that is gone.
    async fn open(&mut self) -> Result<&Connection, Unreachable> {
        let alive = match &self.connection {
            Some(connection) => connection.is_alive().await.is_ok(),
            None => false,
        };
        if !alive {
            if let Some(gone) = self.connection.take() {
                gone.close().await;
            }
            let connection =
                Connection::open(self.server, &ClientAnswers::default(), Judging::Off).await?;
            self.connection = Some(connection);
        }
        self.connection.as_ref().ok_or_else(|| Unreachable {
            server: self.server.name.clone(),
            why: "the connection was lost".to_owned(),
            stderr: String::new(),
        })
    }

    async fn test(
        &mut self,
        property: Property,
        planned: &Planned,
        valid: &[&Case],
    ) -> Result<Verdict, Unreachable> {
        let observed = self.observed;
        let connection = self.open().await?;
        let name = planned.name.as_str();
        Ok(match property {
            Property::Same => same_twice(connection, name, valid).await,
            Property::ChangesNothing => changes_nothing(connection, name, valid, observed).await,
            Property::Idempotent => match observed {
                Some(observed) => idempotent(connection, name, valid, observed).await,
                None => {
                    Verdict::Undecided("no tool was named by which it could be seen".to_owned())
                }
            },
        })
    }

    fn outcome(&self, name: &str, began: Instant, verdict: Verdict) -> TestOutcome {
        TestOutcome {
            name: name.to_owned(),
            server: self.server.name.clone(),
            place: None,
            tags: vec!["generated".to_owned(), "property".to_owned()],
            verdict,
            attempts: 1,
            duration: began.elapsed(),
            stderr: String::new(),
        }
    }
}

/// A list has no item twice, whatever its pages.
async fn pages(connection: &Connection, what: ListOf) -> Verdict {
    let listed = match act::list(&connection.client, what).await {
        Answer::Result(listed) => listed,
        Answer::Unreadable(why) => return failed("list", why, Vec::new()),
        _ => return Verdict::Undecided(format!("the server does not list {}", what.as_str())),
    };
    let key = match what {
        ListOf::Prompts | ListOf::Tools => "name",
        ListOf::Resources => "uri",
        ListOf::Templates => "uriTemplate",
    };
    let mut seen = BTreeSet::new();
    for item in listed.get(what.member()).and_then(Value::as_array).into_iter().flatten() {
        let name = item.get(key).map(Value::to_string).unwrap_or_default();
        if !seen.insert(name.clone()) {
            return failed("list", format!("{name} is listed twice"), Vec::new());
        }
    }
    Verdict::Passed
}

async fn same_twice(connection: &Connection, tool: &str, valid: &[&Case]) -> Verdict {
    let mut compared = 0;
    let began = Instant::now();
    for case in valid.iter().take(TRIED).take_while(|_| began.elapsed() < MOST_TIME) {
        let (Some(one), Some(other)) =
            (good(connection, tool, &case.value).await, good(connection, tool, &case.value).await)
        else {
            continue;
        };
        if !same(&one, &other) {
            let what = format!(
                "it says that it is read-only and of a closed world, and two calls with {} differ",
                short(&case.value)
            );
            return failed("call twice", what, diff::lines(&one, &other));
        }
        compared += 1;
    }
    if compared == 0 { Verdict::Undecided("no call succeeded".to_owned()) } else { Verdict::Passed }
}

async fn changes_nothing(
    connection: &Connection,
    tool: &str,
    valid: &[&Case],
    observed: Option<&Observation>,
) -> Verdict {
    let before = world(connection, observed).await;
    if !same(&before, &world(connection, observed).await) {
        return Verdict::Undecided("what can be seen of the server changes by itself".to_owned());
    }
    let mut called = 0;
    let began = Instant::now();
    for case in valid.iter().take(TRIED).take_while(|_| began.elapsed() < MOST_TIME) {
        if let Answer::Result(_) = connection.call(tool, &case.value).await {
            called += 1;
        }
    }
    if called == 0 {
        return Verdict::Undecided("no call was answered with a result".to_owned());
    }
    let after = world(connection, observed).await;
    if same(&before, &after) {
        return Verdict::Passed;
    }
    let what =
        "it says that it is read-only, and after it was called the server is different".to_owned();
    failed("compare", what, diff::lines(&before, &after))
}

async fn idempotent(
    connection: &Connection,
    tool: &str,
    valid: &[&Case],
    observed: &Observation,
) -> Verdict {
    let began = Instant::now();
    for case in valid.iter().take(TRIED).take_while(|_| began.elapsed() < MOST_TIME) {
        if good(connection, tool, &case.value).await.is_none() {
            continue;
        }
        let once = seen(connection, observed).await;
        if !same(&once, &seen(connection, observed).await) {
            return Verdict::Undecided(format!("what {} shows changes by itself", observed.tool));
        }
        if good(connection, tool, &case.value).await.is_none() {
            return failed(
                "call again",
                format!("the same call with {} failed the second time", short(&case.value)),
                Vec::new(),
            );
        }
        let twice = seen(connection, observed).await;
        if !same(&once, &twice) {
            let what = format!(
                "it says that it is idempotent, and a second call with {} changed what {} shows",
                short(&case.value),
                observed.tool
            );
            return failed("compare", what, diff::lines(&once, &twice));
        }
        return Verdict::Passed;
    }
    Verdict::Undecided("no call succeeded".to_owned())
}

/// A result that is no error, without what the protocol adds to each.
async fn good(connection: &Connection, tool: &str, arguments: &Value) -> Option<Value> {
    let answer = connection.call(tool, arguments).await;
    match answer {
        Answer::Result(_) if answer.is_tool_error() => None,
        Answer::Result(mut value) => {
            if let Value::Object(members) = &mut value {
                members.remove("_meta");
            }
            Some(value)
        }
        _ => None,
    }
}

async fn seen(connection: &Connection, observed: &Observation) -> Value {
    good(connection, &observed.tool, &observed.arguments).await.unwrap_or_default()
}

/// All that can be seen of a server without changing it: its lists, its resources, and what a named tool shows.
async fn world(connection: &Connection, observed: Option<&Observation>) -> Value {
    let mut world = Map::new();
    for what in ListOf::ALL {
        if let Answer::Result(listed) = act::list(&connection.client, what).await {
            world.insert(what.as_str().to_owned(), listed);
        }
    }
    let resources = world
        .get("resources")
        .and_then(|it| it.get("resources"))
        .and_then(Value::as_array)
        .cloned();
    let mut contents = Map::new();
    for resource in resources.unwrap_or_default().iter().take(MOST_RESOURCES) {
        let Some(uri) = resource.get("uri").and_then(Value::as_str) else { continue };
        let read =
            act::ask(&connection.client, RequestMethod::ResourcesRead, &json!({"uri": uri})).await;
        if let Some(mut value) = read.value() {
            if let Value::Object(members) = &mut value {
                members.remove("_meta");
            }
            contents.insert(uri.to_owned(), value);
        }
    }
    world.insert("contents".to_owned(), Value::Object(contents));
    if let Some(observed) = observed {
        world.insert(observed.tool.clone(), seen(connection, observed).await);
    }
    Value::Object(world)
}

fn failed(step: &str, what: String, detail: Vec<String>) -> Verdict {
    Verdict::Failed(vec![Failure { step: step.to_owned(), what, detail }])
}

/// Cases that are called for a property.
const TRIED: usize = 8;
/// After this a property is looked at with no further case.
const MOST_TIME: Duration = Duration::from_secs(5);
const MOST_RESOURCES: usize = 20;
