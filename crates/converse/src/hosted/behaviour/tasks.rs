//! Tasks that the hosted server runs for the client, of either kind, and those that it wishes the client to run.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Behaviour,
    asking::{form, sampling},
    fixtures,
};
use crate::{
    hosted::steps::{Step, notification, request},
    well_known::OWN_TASK,
};
use proofmark_record::{meta::RELATED_TASK, topic::Topic};

/// What is known of the tasks of one hosted server.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    begun: u32,
    /// By id.
    all: BTreeMap<String, Job>,
}

#[derive(Debug, Default)]
struct Job {
    looks: u32,
    status: Status,
    /// Whether its question was shown once more after it was answered.
    repeated: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Status {
    #[default]
    Waiting,
    Answered,
    Cancelled,
}

impl Jobs {
    fn begin(&mut self) -> String {
        self.begun += 1;
        let id = format!("hosted-job-{}", self.begun);
        self.all.insert(id.clone(), Job::default());
        id
    }
}

impl Behaviour {
    /// What is done about a request of the experiment; `None` if it is none.
    pub(super) fn experiment(&mut self, method: &str, params: &Value) -> Option<Vec<Step>> {
        if !self.scenario.has_tasks {
            return None;
        }
        let name = params["name"].as_str().unwrap_or_default();
        let known = params["taskId"].as_str().unwrap_or_default();
        let steps = match method {
            "tools/call" if params.get("task").is_some() && fixtures::is_job(name) => {
                let id = self.jobs.begin();
                vec![Step::Answer(json!({ "task": legacy_task(&id, "working") }))]
            }
            "tools/call" if name == fixtures::JOB => {
                vec![Step::Fail(-32601, "this is done as a task only")]
            }
            "tasks/list" => {
                let tasks =
                    self.jobs.all.iter().map(|(id, job)| legacy_task(id, job.status.name()));
                vec![Step::Answer(json!({ "tasks": tasks.collect::<Vec<_>>() }))]
            }
            "tasks/get" | "tasks/result" | "tasks/cancel" => {
                let Some(job) = self.jobs.all.get_mut(known) else {
                    return Some(vec![Step::Fail(-32602, "there is no such task")]);
                };
                job.handle(known, method)
            }
            _ => return None,
        };
        Some(steps)
    }

    /// What is done about a request of the extension, as a result or as why there is none; `None` if it is none.
    pub(super) fn extension(
        &mut self,
        method: &str,
        params: &Value,
    ) -> Option<Result<Value, &'static str>> {
        if !self.scenario.has_tasks {
            return None;
        }
        let known = params["taskId"].as_str().unwrap_or_default();
        Some(match method {
            "tools/call" if fixtures::is_job(params["name"].as_str().unwrap_or_default()) => {
                let id = self.jobs.begin();
                let mut task = modern_task(&id, "working");
                task["resultType"] = json!("task");
                Ok(task)
            }
            // Nothing but a call can be a task.
            "prompts/get" if params["name"] == fixtures::ODD_PROMPT => {
                let mut task = modern_task(fixtures::ODD_TASK, "working");
                task["resultType"] = json!("task");
                Ok(task)
            }
            "tasks/get" | "tasks/update" | "tasks/cancel" => {
                let Some(job) = self.jobs.all.get_mut(known) else {
                    return Some(Err("there is no such task"));
                };
                Ok(job.handle_modern(known, method, params))
            }
            _ => return None,
        })
    }

    /// Requests that the client is to make tasks of, and everything that can be done with these.
    pub(in crate::hosted) fn task_requests(&self) -> Vec<Step> {
        let ask = |topic, id: &str, method: &str, params| {
            Step::Ask(topic, request(&json!(id), method, params))
        };
        let wish = json!({ "ttl": 60_000 });
        let mut steps =
            vec![ask(Topic::UndeclaredTask, "ping-as-task", "ping", Some(json!({ "task": wish })))];
        let mut question = sampling();
        question["task"] = wish.clone();
        if !self.client_runs("/tasks/requests/sampling/createMessage") {
            // A client that samples at all does it as if there were no wish.
            if self.client_runs("/sampling") {
                let (id, method) = ("sampling-as-task", "sampling/createMessage");
                steps.push(ask(Topic::UndeclaredTask, id, method, Some(question)));
            }
            return steps;
        }
        steps.extend(whole("sampling", "sampling/createMessage", &question));
        // What no client can say may be refused.
        let mut nothing = question.clone();
        nothing["maxTokens"] = json!(0);
        steps.extend(whole("nothing", "sampling/createMessage", &nothing));
        let mut own = question.clone();
        own["task"]["taskId"] = json!(OWN_TASK);
        steps.push(ask(Topic::OwnTaskId, "own-task-id", "sampling/createMessage", Some(own)));
        if self.client_runs("/tasks/requests/elicitation/create") {
            let mut question = form();
            question["task"] = wish;
            steps.extend(whole("elicitation", "elicitation/create", &question));
        }
        let mut misled =
            about(Topic::MisleadingTask, "misleading-task", "tasks/get", "sampling/create");
        if let Step::Follow { message, .. } = &mut misled {
            message["params"]["_meta"] = json!({ RELATED_TASK: { "taskId": UNKNOWN } });
        }
        steps.push(misled);
        for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
            let id = format!("unknown/{method}");
            let params = Some(json!({ "taskId": UNKNOWN }));
            steps.push(ask(Topic::UnknownTask, &id, method, params));
        }
        if self.client_runs("/tasks/list") {
            steps.extend(listing());
        }
        if self.client_runs("/tasks/cancel") {
            steps.push(about(
                Topic::CancelEndedTask,
                "cancel-ended",
                "tasks/cancel",
                "sampling/create",
            ));
            let victim = "sampling/create-to-cancel";
            steps.push(ask(Topic::CreateTask, victim, "sampling/createMessage", Some(question)));
            steps.push(about(Topic::CancelTask, "sampling/cancel", "tasks/cancel", victim));
            steps.push(about(Topic::GetTask, "sampling/cancelled", "tasks/get", victim));
            let again = "sampling/cancel-again";
            steps.push(about(Topic::CancelEndedTask, again, "tasks/cancel", victim));
            steps.push(Step::Pause(2 * self.quiet));
            steps.push(about(Topic::GetTask, "sampling/cancelled-later", "tasks/get", victim));
        }
        steps.push(Step::Tell(
            Topic::UnknownNotification,
            notification("notifications/proofmark/unknown", None),
        ));
        steps
    }

    fn client_runs(&self, path: &str) -> bool {
        self.declared.pointer(path).is_some_and(Value::is_object)
    }
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::Waiting => "input_required",
            Self::Answered => "completed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Job {
    fn handle(&mut self, id: &str, method: &str) -> Vec<Step> {
        match (method, self.status) {
            ("tasks/cancel", Status::Waiting) => {
                self.status = Status::Cancelled;
                vec![Step::Answer(legacy_task(id, "cancelled"))]
            }
            ("tasks/cancel", _) => vec![Step::Fail(-32602, "the task is over")],
            ("tasks/result", Status::Cancelled) => vec![Step::Fail(-32603, "it was cancelled")],
            ("tasks/result", status) => {
                let related = json!({ RELATED_TASK: { "taskId": id } });
                let mut result = fixtures::called(&json!({ "name": fixtures::JOB }));
                result["_meta"] = related.clone();
                let mut steps = Vec::new();
                if status == Status::Waiting {
                    self.status = Status::Answered;
                    let mut question = form();
                    question["_meta"] = related;
                    let question = |name: &str| {
                        let name = json!(format!("{name} of {id}"));
                        request(&name, "elicitation/create", Some(question.clone()))
                    };
                    steps.push(Step::Ask(Topic::AskElicitation, question("question")));
                    steps.push(Step::AskApart(Topic::AskApart, question("other question")));
                }
                steps.push(Step::Answer(result));
                steps
            }
            _ => {
                self.looks += 1;
                let status = match self.status {
                    Status::Waiting if self.looks == 1 => "working",
                    status => status.name(),
                };
                vec![Step::Answer(legacy_task(id, status))]
            }
        }
    }

    fn handle_modern(&mut self, id: &str, method: &str, params: &Value) -> Value {
        match method {
            "tasks/cancel" if self.status == Status::Waiting => {
                self.status = Status::Cancelled;
                json!({})
            }
            "tasks/update" => {
                if params.pointer("/inputResponses/who").is_some() && self.status == Status::Waiting
                {
                    self.status = Status::Answered;
                }
                json!({})
            }
            "tasks/cancel" => json!({}),
            _ => {
                self.looks += 1;
                let status = match self.status {
                    Status::Waiting if self.looks == 1 => "working",
                    // What was answered may be shown until it is taken notice of.
                    Status::Answered if !std::mem::replace(&mut self.repeated, true) => {
                        Status::Waiting.name()
                    }
                    status => status.name(),
                };
                let mut task = modern_task(id, status);
                match status {
                    "input_required" => {
                        let question = json!({ "method": "elicitation/create", "params": form() });
                        task["inputRequests"] = json!({ "who": question });
                    }
                    "completed" => {
                        task["result"] = fixtures::called(&json!({ "name": fixtures::JOB }));
                    }
                    _ => {}
                }
                task
            }
        }
    }
}

/// A task of the client from its beginning to its end.
fn whole(name: &str, method: &str, question: &Value) -> Vec<Step> {
    let step = |step: &str| format!("{name}/{step}");
    let create = step("create");
    let mut question = question.clone();
    question["_meta"] = json!({ "progressToken": step("progress") });
    vec![
        Step::Ask(Topic::CreateTask, request(&json!(create), method, Some(question))),
        about(Topic::GetTask, &step("begun"), "tasks/get", &create),
        about(Topic::TaskResult, &step("result"), "tasks/result", &create),
        about(Topic::GetTask, &step("ended"), "tasks/get", &create),
        about(Topic::TaskResult, &step("result-again"), "tasks/result", &create),
    ]
}

/// The list of the client's tasks, a page that it may promise, one that does not exist, and a look at what should be there.
fn listing() -> Vec<Step> {
    let odd = Some(json!({ "cursor": "proofmark-no-such-cursor" }));
    vec![
        Step::Ask(Topic::ListTasks, request(&json!("tasks-0"), "tasks/list", None)),
        Step::Follow {
            topic: Topic::ListTasks,
            message: request(&json!("tasks-1"), "tasks/list", Some(json!({}))),
            of: "tasks-0".to_owned(),
            from: "/result/nextCursor",
            to: "cursor",
        },
        about(Topic::GetTask, "listed-0", "tasks/get", "sampling/create"),
        Step::Ask(Topic::BogusTaskCursor, request(&json!("bogus-tasks"), "tasks/list", odd)),
    ]
}

/// A request about the task that another request became.
fn about(topic: Topic, id: &str, method: &str, of: &str) -> Step {
    let message = request(&json!(id), method, Some(json!({})));
    let (from, to) = ("/result/task/taskId", "taskId");
    Step::Follow { topic, message, of: of.to_owned(), from, to }
}

fn legacy_task(id: &str, status: &str) -> Value {
    json!({ "taskId": id, "status": status, "createdAt": LONG_AGO, "lastUpdatedAt": LONG_AGO,
        "ttl": null, "pollInterval": 50 })
}

fn modern_task(id: &str, status: &str) -> Value {
    json!({ "taskId": id, "status": status, "createdAt": LONG_AGO, "lastUpdatedAt": LONG_AGO,
        "ttlMs": null, "pollIntervalMs": 50 })
}

const UNKNOWN: &str = "proofmark-no-such-task";
const LONG_AGO: &str = "2026-01-01T00:00:00Z";
