//! One test, from its setup to its teardown.

use std::time::Instant;

use proofmark_core::session::client::ProgressWish;
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::{
    act::{Answer, PROGRESS, Talk},
    connection::Connection,
    expectation::{self, Received},
    file::{Act, ClientAnswers, Reception, Server, Step, Test, Variables},
    outcome::Failure,
    redaction::redact,
    snapshot::Snapshots,
};

pub(super) struct Runner<'r> {
    pub(super) test: &'r Test,
    pub(super) server: &'r Server,
    pub(super) snapshots: &'r Snapshots,
}

/// What one attempt came to.
#[derive(Default)]
pub(super) struct Attempt {
    pub(super) failures: Vec<Failure>,
    /// Why neither right nor wrong can be told.
    pub(super) undecided: Option<String>,
    /// The connection is of no more use.
    pub(super) lost: bool,
}

/// What the steps of a test share.
struct Course<'c> {
    connection: &'c Connection,
    talk: Talk<'c>,
    values: Variables,
    seen: Map<String, Value>,
    attempt: Attempt,
}

impl Runner<'_> {
    pub(super) async fn run(&self, connection: &Connection) -> Attempt {
        if let Some(roots) = connection.answers.begin(&self.answers()) {
            connection.client.set_roots(roots);
        }
        let test = self.test;
        let mut course = Course {
            connection,
            talk: Talk::new(&connection.client),
            values: Variables::new(&test.values),
            seen: Map::new(),
            attempt: Attempt::default(),
        };
        let work = async {
            if self.steps(&test.setup, &mut course).await {
                self.steps(&test.steps, &mut course).await;
            }
        };
        if timeout(test.timeout, work).await.is_err() {
            let what = format!("the test took longer than {:?}", test.timeout);
            course.attempt.failures.push(Failure {
                step: "test".to_owned(),
                what,
                detail: Vec::new(),
            });
            course.attempt.lost |= connection.is_alive().await.is_err();
        }
        if !course.attempt.lost && !test.teardown.is_empty() {
            let before = course.attempt.failures.len();
            let work = self.steps(&test.teardown, &mut course);
            let _late = timeout(test.timeout, work).await;
            for failure in &mut course.attempt.failures[before..] {
                failure.step = format!("teardown: {}", failure.step);
            }
        }
        let Course { seen, mut attempt, .. } = course;
        for what in connection.answers.unanswered() {
            attempt.failures.push(Failure { step: "client".to_owned(), what, detail: Vec::new() });
        }
        if attempt.failures.is_empty() && !seen.is_empty() {
            attempt.failures.extend(self.snapshots.check(&test.server, &test.name, &seen));
        }
        attempt
    }

    /// The answers of the test, and those of its server where it has none.
    fn answers(&self) -> ClientAnswers {
        let (own, usual) = (&self.test.client, &self.server.client);
        let first = |own: &Vec<Value>, usual: &Vec<Value>| {
            if own.is_empty() { usual.clone() } else { own.clone() }
        };
        ClientAnswers {
            elicitation: first(&own.elicitation, &usual.elicitation),
            sampling: first(&own.sampling, &usual.sampling),
            roots: own.roots.clone().or_else(|| usual.roots.clone()),
        }
    }

    /// Whether all steps were as expected; the first that is not is the last.
    async fn steps(&self, steps: &[Step], course: &mut Course<'_>) -> bool {
        for step in steps {
            let found = self.step(step, course).await;
            if !found.is_empty() {
                course.attempt.failures.extend(found);
                return false;
            }
        }
        true
    }

    async fn step(&self, step: &Step, course: &mut Course<'_>) -> Vec<Failure> {
        let fail = |what: String, detail| vec![Failure { step: step.title.clone(), what, detail }];
        if !step.expect.notifications.is_empty() {
            course.talk.forget_heard();
        }
        let began = Instant::now();
        let told = step.expect.notifications.iter().any(|notice| notice.method == PROGRESS);
        let wish = if told { ProgressWish::Wanted } else { ProgressWish::Unwanted };
        let performing = course.talk.perform(&step.act, &course.values, wish);
        let performed = match step.expect.arguments {
            // Whatever signs of life there are: progress, or a task that works.
            Some(_) => {
                timeout(self.server.timeout, performing).await.unwrap_or(Ok(Answer::TimedOut))
            }
            None => performing.await,
        };
        let answer = match performed {
            Ok(answer) => answer,
            Err(why) => return fail(why, Vec::new()),
        };
        let took = began.elapsed();
        course.attempt.lost |= matches!(answer, Answer::Lost(_) | Answer::TimedOut);
        if let Some(wanted) = step.expect.arguments {
            match received(step, wanted, &answer, course).await {
                Received::Right => {}
                Received::Undecided(why) => course.attempt.undecided = Some(why),
                Received::Wrong(what, detail) => return fail(what, detail),
            }
        }
        let mut failures = expectation::check(step, &answer, took, &course.values);
        if failures.is_empty()
            && let Err(why) = course.talk.in_order(&step.expect.notifications, &course.values).await
        {
            failures = fail(why, Vec::new());
        }
        if !failures.is_empty() {
            return failures;
        }
        let value = answer.value();
        for (name, pointer) in &step.capture {
            match value.as_ref().and_then(|value| value.pointer(pointer)) {
                Some(found) => course.values.set(name, found.clone()),
                None => {
                    return fail(
                        format!("there is nothing at {pointer} to be captured as {name}"),
                        Vec::new(),
                    );
                }
            }
        }
        if let (Some(wish), Some(mut value)) = (&step.expect.snapshot, value) {
            leave_out_era(&mut value);
            redact(&mut value, &self.test.redact);
            redact(&mut value, &wish.redact);
            let mut name = step.title.clone();
            while course.seen.contains_key(&name) {
                name.push_str(" again");
            }
            course.seen.insert(name, value);
        }
        Vec::new()
    }
}

/// What the server did with the arguments of a call, and whether it is there afterwards.
async fn received(
    step: &Step,
    wanted: Reception,
    answer: &Answer,
    course: &mut Course<'_>,
) -> Received {
    let Act::Call { tool, .. } = &step.act else {
        return Received::Wrong("`arguments` is for calls of tools".to_owned(), Vec::new());
    };
    // A call that was not answered in time has to leave a server that answers others.
    if !matches!(answer, Answer::Lost(_)) {
        if let Err(why) = course.connection.is_alive().await {
            course.attempt.lost = true;
            return Received::Wrong(why, Vec::new());
        }
        // A tool that is gone refuses everything.
        return match course.connection.tool(tool).await {
            Ok(tool) => expectation::reception(wanted, answer, tool),
            Err(why) => Received::Wrong(why, Vec::new()),
        };
    }
    expectation::reception(wanted, answer, &Value::Null)
}

/// Takes out what the protocol adds in one era and not in the other, so that a snapshot is about the server.
pub(super) fn leave_out_era(value: &mut Value) {
    let Value::Object(members) = value else { return };
    for name in ["resultType", "ttlMs", "cacheScope"] {
        members.remove(name);
    }
    if let Some(Value::Object(meta)) = members.get_mut("_meta") {
        meta.retain(|name, _| !name.starts_with("io.modelcontextprotocol/"));
        if meta.is_empty() {
            members.remove("_meta");
        }
    }
}
