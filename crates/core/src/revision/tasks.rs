//! What a revision demands of tasks.

use super::Requests;

/// Which of the two kinds of tasks, which share names but not their wire form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStyle {
    /// The experiment: either side asks for a task with a parameter.
    Experimental,
    /// The extension `io.modelcontextprotocol/tasks`: the server decides.
    Extension,
}

/// Where the result of a task is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskCarrier {
    /// Inside the answer to `tasks/get`.
    Get,
    /// In the answer to `tasks/result`, which waits for it.
    Result,
}

/// Who decides that a request becomes a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskOptIn {
    /// The requester, with the parameter `task`, where capabilities and the tool allow it.
    Parameter,
    /// The server, for any request whose client lists the extension on that request.
    Server,
}

/// How a new task is handed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEnvelope {
    /// Its fields are the result's own, beside `resultType: "task"`.
    Flat,
    /// As the result's member `task`.
    Wrapped,
}

/// How a task that waits for input gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskInput {
    /// Requests come as messages of their own while `tasks/result` is waiting.
    SideChannel,
    /// The answer to `tasks/get` lists what is asked, and `tasks/update` brings the answers.
    Update,
}

/// What `tasks/cancel` answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskCancel {
    /// An empty result, which promises nothing: the task may still complete.
    Acknowledged,
    /// The task, now cancelled; one that had already ended is refused with -32602.
    Returned,
}

#[derive(Clone, Copy, Debug)]
pub struct TaskRules {
    pub style: TaskStyle,
    pub opt_in: TaskOptIn,
    pub created: TaskEnvelope,
    pub carrier: TaskCarrier,
    pub input: TaskInput,
    pub cancel: TaskCancel,
    /// Requests that can become tasks.
    pub augmentable: Requests,
    /// `_meta` ties every message to its task.
    pub related_metadata: bool,
    /// `tasks/*` without the capability is refused; otherwise the request runs normally.
    pub capability_enforced: bool,
}
