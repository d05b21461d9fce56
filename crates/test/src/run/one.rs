//! One test, from its setup to its teardown.

use std::time::Instant;

use serde_json::{Map, Value};

use crate::{
    act::{Answer, Talk},
    connection::Connection,
    expectation,
    file::{ClientAnswers, Server, Step, Test, Variables},
    outcome::Failure,
    redaction::redact,
    snapshot::Snapshots,
};

pub(super) struct Runner<'r> {
    pub(super) test: &'r Test,
    pub(super) server: &'r Server,
    pub(super) snapshots: &'r Snapshots,
}

impl Runner<'_> {
    /// What failed, and whether the connection is of no more use.
    pub(super) async fn run(&mut self, connection: &Connection) -> (Vec<Failure>, bool) {
        let answers = self.answers();
        if let Some(roots) = connection.answers.begin(&answers) {
            connection.client.set_roots(roots);
        }
        let test = self.test;
        let mut talk = Talk::new(&connection.client);
        let mut values = Variables::new(&test.values);
        let mut seen = Map::new();
        let mut lost = false;
        let mut failures = Vec::new();
        let work = async {
            let good = self
                .steps(&test.setup, &mut talk, &mut values, &mut seen, &mut failures, &mut lost)
                .await;
            if good {
                self.steps(
                    &test.steps,
                    &mut talk,
                    &mut values,
                    &mut seen,
                    &mut failures,
                    &mut lost,
                )
                .await;
            }
        };
        if tokio::time::timeout(test.timeout, work).await.is_err() {
            let what = format!("the test took longer than {:?}", test.timeout);
            failures.push(Failure { step: "test".to_owned(), what, detail: Vec::new() });
            lost |=
                tokio::time::timeout(self.server.timeout, connection.client.ping()).await.is_err();
        }
        if !lost && !test.teardown.is_empty() {
            let mut undone = Vec::new();
            let work = self.steps(
                &test.teardown,
                &mut talk,
                &mut values,
                &mut seen,
                &mut undone,
                &mut lost,
            );
            let _late = tokio::time::timeout(test.timeout, work).await;
            failures.extend(
                undone.into_iter().map(|failure| Failure {
                    step: format!("teardown: {}", failure.step),
                    ..failure
                }),
            );
        }
        let unanswered = connection.answers.unanswered();
        failures.extend(unanswered.into_iter().map(|what| Failure {
            step: "client".to_owned(),
            what,
            detail: Vec::new(),
        }));
        if failures.is_empty() && !seen.is_empty() {
            failures.extend(self.snapshots.check(&test.server, &test.name, &seen));
        }
        (failures, lost)
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
    async fn steps(
        &self,
        steps: &[Step],
        talk: &mut Talk<'_>,
        values: &mut Variables,
        seen: &mut Map<String, Value>,
        failures: &mut Vec<Failure>,
        lost: &mut bool,
    ) -> bool {
        for step in steps {
            let found = self.step(step, talk, values, seen, lost).await;
            if !found.is_empty() {
                failures.extend(found);
                return false;
            }
        }
        true
    }

    async fn step(
        &self,
        step: &Step,
        talk: &mut Talk<'_>,
        values: &mut Variables,
        seen: &mut Map<String, Value>,
        lost: &mut bool,
    ) -> Vec<Failure> {
        let fail =
            |what: String| vec![Failure { step: step.title.clone(), what, detail: Vec::new() }];
        if !step.expect.notifications.is_empty() {
            talk.forget_heard();
        }
        let began = Instant::now();
        let answer = match talk.perform(&step.act, values).await {
            Ok(answer) => answer,
            Err(why) => return fail(why),
        };
        let took = began.elapsed();
        *lost |= matches!(answer, Answer::Lost(_) | Answer::TimedOut);
        let mut failures = expectation::check(step, &answer, took, values);
        if failures.is_empty()
            && let Err(why) = talk.in_order(&step.expect.notifications, values).await
        {
            failures = fail(why);
        }
        if !failures.is_empty() {
            return failures;
        }
        let value = answer.value();
        for (name, pointer) in &step.capture {
            match value.as_ref().and_then(|value| value.pointer(pointer)) {
                Some(found) => values.set(name, found.clone()),
                None => {
                    return fail(format!("there is nothing at {pointer} to be captured as {name}"));
                }
            }
        }
        if let (Some(wish), Some(mut value)) = (&step.expect.snapshot, value) {
            leave_out_era(&mut value);
            redact(&mut value, &self.test.redact);
            redact(&mut value, &wish.redact);
            let mut name = step.title.clone();
            while seen.contains_key(&name) {
                name.push_str(" again");
            }
            seen.insert(name, value);
        }
        Vec::new()
    }
}

/// Takes out what the protocol adds in one era and not in the other, so that a snapshot is about the server.
fn leave_out_era(value: &mut Value) {
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
