//! What a handler that runs as a task speaks through, after the request it began as was answered.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::TaskInput,
    session::server::{AskError, HandlerNotification, Input},
    types::ServerRequest,
};

use crate::{
    server::{Error, context::input_request, scope::Scope},
    store::{Principal, StoreError, TaskId, TaskRecord},
};

/// The way of a handler that runs as a task to its client.
pub(crate) struct TaskChannel {
    pub(super) id: TaskId,
    pub(super) owner: Principal,
    /// How the client is asked.
    pub(super) input: TaskInput,
    /// The keys of all questions so far: none is ever used twice within a task.
    asked: Mutex<HashSet<String>>,
}

impl TaskChannel {
    pub(super) fn new(id: TaskId, owner: Principal, input: TaskInput) -> Self {
        Self { id, owner, input, asked: Mutex::default() }
    }

    /// The session knows whether tasks of this kind may speak, and where.
    pub(crate) fn note(&self, scope: &Scope, note: HandlerNotification) {
        let task = self.id.as_str().to_owned();
        scope.conversation.feed(Input::TaskNotify { task, notification: note }, None);
    }

    /// Asks the client, and has the task wait for input meanwhile. The question is found under `key`, if that is still free.
    pub(crate) async fn ask(
        &self,
        scope: &Scope,
        key: Option<String>,
        what: ServerRequest,
    ) -> Result<Raw, Error> {
        if let Some(needed) = what.needs()
            && !scope.declared.capabilities.contains(needed)
        {
            return Err(AskError::NotDeclared(needed).into());
        }
        let request =
            input_request(what.clone()).ok_or_else(|| AskError::NotInRevision(what.method()))?;
        let key = self.fresh(key);
        let tasks = scope.conversation.server.tasks();
        let record = tasks.ask(&self.id, &self.owner, &key, &request).await?;
        scope.conversation.server.tell_of_task(scope, &record);
        let open = OpenInput { scope, channel: self, key };
        match self.input {
            TaskInput::SideChannel => open.ask(what).await,
            TaskInput::Update => Ok(open.answered(record).await?),
        }
    }

    /// The key as it is wished, or like it.
    fn fresh(&self, wished: Option<String>) -> String {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let (stem, mut number) = match wished {
            Some(key) if asked.insert(key.clone()) => return key,
            Some(key) => (key, 2_u64),
            None => ("input".to_owned(), 1),
        };
        loop {
            let key = format!("{stem}-{number}");
            if asked.insert(key.clone()) {
                return key;
            }
            number += 1;
        }
    }
}

/// A question that the record of the task names. Dropping it takes it back.
struct OpenInput<'a> {
    scope: &'a Scope,
    channel: &'a TaskChannel,
    /// Empty when there is nothing to take back any more.
    key: String,
}

impl OpenInput<'_> {
    /// Asks with a request of its own.
    async fn ask(mut self, what: ServerRequest) -> Result<Raw, Error> {
        let conversation = &self.scope.conversation;
        let answer = conversation.ask_for_task(self.channel.id.as_str(), what).answer().await;
        // The client is not to find the task waiting once it has been heard.
        let key = std::mem::take(&mut self.key);
        let tasks = conversation.server.tasks();
        if let Ok(record) = tasks.withdraw(&self.channel.id, &self.channel.owner, &key).await {
            conversation.server.tell_of_task(self.scope, &record);
        }
        match answer {
            Ok(answer) => Ok(answer),
            Err(AskError::Refused(error)) => {
                Err(Error::text(format!("the client refused: {}", error.message)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until the client has put the answer into the record.
    async fn answered(mut self, mut record: Arc<TaskRecord>) -> Result<Raw, StoreError> {
        let store = self.scope.conversation.server.tasks().store();
        loop {
            if let Some(answer) = record.input_responses.get(&self.key) {
                self.key.clear();
                return Ok(answer.clone());
            }
            let (id, owner) = (&self.channel.id, &self.channel.owner);
            record = store.changed(id, owner, record.version).await?;
        }
    }
}

impl Drop for OpenInput<'_> {
    fn drop(&mut self) {
        if self.key.is_empty() {
            return;
        }
        let server = self.scope.conversation.server.clone();
        let (id, owner) = (self.channel.id.clone(), self.channel.owner.clone());
        let key = std::mem::take(&mut self.key);
        let background = server.clone();
        background.tasks().background.start(async move {
            let waits = |record: &TaskRecord| record.input_requests.get(&key).is_some();
            let tasks = server.tasks();
            if tasks.store().get(&id, &owner).await.is_ok_and(|record| waits(&record))
                && let Err(error) = tasks.withdraw(&id, &owner, &key).await
            {
                tracing::debug!(%error, "a question of a task could not be taken back");
            }
        });
    }
}

/// The error that a call ends with whose handler asked in a way that tasks do not have.
pub(super) fn no_retry() -> ErrorObject {
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, "a task cannot be tried again")
}
