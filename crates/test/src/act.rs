//! Does what a step says, and tells what came of it.

use std::{
    collections::{BTreeMap, VecDeque},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures_util::{FutureExt, Stream, StreamExt};
use proofmark_core::{
    json::Raw,
    revision::{Era, RequestMethod},
    session::client::ProgressWish,
    types::{ServerNotification, SubscriptionFilter, TaskMetadata},
};
use proofmark_sdk::client::{Client, Error, Subscription};
use serde_json::{Map, Value, json};

use crate::file::{Act, ListOf, Notice, Reference, Variables};

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Cancelled,
    Error {
        code: i64,
        message: String,
        data: Option<Value>,
    },
    /// The connection is gone.
    Lost(String),
    Result(Value),
    TimedOut,
    /// Something came that is no answer.
    Unreadable(String),
}

impl Answer {
    /// The value that expectations look at.
    pub(crate) fn value(&self) -> Option<Value> {
        match self {
            Self::Result(value) => Some(value.clone()),
            Self::Error { code, message, data } => {
                let mut error = json!({"code": code, "message": message});
                if let Some(data) = data {
                    error["data"] = data.clone();
                }
                Some(error)
            }
            _ => None,
        }
    }

    pub(crate) fn is_tool_error(&self) -> bool {
        matches!(self, Self::Result(value) if value.get("isError") == Some(&Value::Bool(true)))
    }
}

/// What a test holds while it runs.
pub(crate) struct Talk<'c> {
    pub(crate) client: &'c Client,
    notices: Pin<Box<dyn Stream<Item = ServerNotification> + Send>>,
    /// Heard, and not looked at yet.
    heard: VecDeque<(String, Value)>,
    /// The same for progress, which belongs to its request: in which order it came with others cannot be told.
    progress: Arc<Mutex<VecDeque<Value>>>,
    subscriptions: BTreeMap<String, Subscription>,
}

impl<'c> Talk<'c> {
    pub(crate) fn new(client: &'c Client) -> Self {
        let notices = Box::pin(client.notifications());
        Self {
            client,
            notices,
            heard: VecDeque::new(),
            progress: Arc::default(),
            subscriptions: BTreeMap::new(),
        }
    }

    pub(crate) async fn perform(
        &mut self,
        act: &Act,
        values: &Variables,
        progress: ProgressWish,
    ) -> Result<Answer, String> {
        Ok(match act {
            Act::Call { tool, arguments, task, cancel_after } => {
                let tool = values.fill_in(tool)?;
                let arguments = values.fill(arguments)?;
                let calling = self.call(&tool, &arguments, *task, progress);
                match cancel_after {
                    None => calling.await,
                    Some(after) => {
                        tokio::time::timeout(*after, calling).await.unwrap_or(Answer::Cancelled)
                    }
                }
            }
            Act::Complete { reference, argument, value, context } => {
                let reference = match reference {
                    Reference::Prompt(name) => json!({"type": "ref/prompt", "name": name}),
                    Reference::Resource(uri) => json!({"type": "ref/resource", "uri": uri}),
                };
                let mut params = json!({
                    "ref": reference, "argument": {"name": argument, "value": values.fill(value)?}
                });
                let context = values.fill(context)?;
                if context.as_object().is_some_and(|it| !it.is_empty()) {
                    params["context"] = json!({"arguments": context});
                }
                self.ask(RequestMethod::CompletionComplete, &params).await
            }
            Act::List(what) => list(self.client, *what).await,
            Act::LogLevel(level) => {
                self.ask(RequestMethod::LoggingSetLevel, &json!({"level": level})).await
            }
            Act::Ping => self.ask(RequestMethod::Ping, &json!({})).await,
            Act::Prompt { name, arguments } => {
                let mut params = json!({"name": values.fill_in(name)?});
                let arguments = values.fill(arguments)?;
                if arguments.as_object().is_none_or(|it| !it.is_empty()) {
                    params["arguments"] = arguments;
                }
                self.ask(RequestMethod::PromptsGet, &params).await
            }
            Act::Read { uri } => {
                self.ask(RequestMethod::ResourcesRead, &json!({"uri": values.fill(uri)?})).await
            }
            Act::Subscribe { uri } => self.subscribe(values.fill(uri)?).await,
            Act::Unsubscribe { uri } => self.unsubscribe(values.fill(uri)?).await,
            Act::Wait { notification, within } => self.wait(notification, values, *within).await?,
        })
    }

    async fn call(
        &self,
        tool: &str,
        arguments: &Value,
        task: bool,
        progress: ProgressWish,
    ) -> Answer {
        let legacy = self.client.revision().is_some_and(|it| it.era() == Era::Legacy);
        if task && legacy {
            let called =
                self.client.call_tool_as_task(tool, arguments, &TaskMetadata::default()).await;
            return match called {
                Ok(result) => Answer::Result(serde_json::to_value(result).unwrap_or_default()),
                Err(error) => answer(&error),
            };
        }
        if progress == ProgressWish::Unwanted {
            return call(self.client, tool, arguments).await;
        }
        let raw = match Raw::new(&json!({"name": tool, "arguments": arguments})) {
            Ok(raw) => raw,
            Err(error) => return Answer::Unreadable(error.to_string()),
        };
        let heard = Arc::clone(&self.progress);
        let request = self.client.request(RequestMethod::ToolsCall, &raw).fresh();
        let asked = request.on_progress(move |told| {
            let mut params = json!({"progress": told.progress});
            for (name, value) in
                [("total", told.total.map(Value::from)), ("message", told.message.map(Value::from))]
            {
                if let Some(value) = value {
                    params[name] = value;
                }
            }
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            if heard.len() < MOST_HEARD {
                heard.push_back(params);
            }
        });
        read(asked.await)
    }

    async fn ask(&self, method: RequestMethod, params: &Value) -> Answer {
        ask(self.client, method, params).await
    }

    /// In the modern era a subscription is a request that stays open.
    async fn subscribe(&mut self, uri: Value) -> Answer {
        if self.client.revision().is_some_and(|it| it.era() == Era::Legacy) {
            return self.ask(RequestMethod::ResourcesSubscribe, &json!({"uri": uri})).await;
        }
        let uri = uri.as_str().unwrap_or_default().to_owned();
        let filter = SubscriptionFilter {
            resource_subscriptions: Some(vec![uri.clone()]),
            resources_list_changed: Some(true),
            tools_list_changed: Some(true),
            prompts_list_changed: Some(true),
            ..SubscriptionFilter::default()
        };
        match self.client.listen(filter).await {
            Ok(subscription) => {
                let granted = serde_json::to_value(subscription.granted()).unwrap_or_default();
                self.subscriptions.insert(uri, subscription);
                Answer::Result(granted)
            }
            Err(error) => answer(&error),
        }
    }

    async fn unsubscribe(&mut self, uri: Value) -> Answer {
        if self.client.revision().is_some_and(|it| it.era() == Era::Legacy) {
            return self.ask(RequestMethod::ResourcesUnsubscribe, &json!({"uri": uri})).await;
        }
        self.subscriptions.remove(uri.as_str().unwrap_or_default());
        Answer::Result(json!({}))
    }

    async fn wait(
        &mut self,
        wanted: &Notice,
        values: &Variables,
        within: Duration,
    ) -> Result<Answer, String> {
        let params = wanted.params.as_ref().map(|it| values.fill(it)).transpose()?;
        if wanted.method == PROGRESS {
            let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            for told in progress.drain(..).collect::<Vec<_>>() {
                self.heard.push_back((PROGRESS.to_owned(), told));
            }
        }
        let deadline = Instant::now() + within;
        let mut others = Vec::new();
        // Of the other kind: there is no order between them.
        let mut later = Vec::new();
        loop {
            while let Some((method, found)) = self.heard.pop_front() {
                if (method == PROGRESS) != (wanted.method == PROGRESS) {
                    later.push((method, found));
                    continue;
                }
                let fits = params
                    .as_ref()
                    .is_none_or(|it| crate::matcher::subset(it, &found, "").is_empty());
                if method == wanted.method && fits {
                    later.extend(self.heard.drain(..));
                    self.heard.extend(later);
                    return Ok(Answer::Result(found));
                }
                others.push(method);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match tokio::time::timeout(left, self.notices.next()).await {
                Ok(Some(notice)) => self.heard.push_back(named(&notice)),
                Ok(None) => {
                    return Ok(Answer::Lost(
                        "the connection ended while a notification was waited for".into(),
                    ));
                }
                Err(_) => {
                    self.heard.extend(later);
                    let heard =
                        if others.is_empty() { "nothing".to_owned() } else { others.join(", ") };
                    return Err(format!(
                        "{} did not come within {within:?}; heard was {heard}",
                        wanted.method
                    ));
                }
            }
        }
    }

    /// What was heard by now, without what an earlier step has looked at.
    pub(crate) fn hear_now(&mut self) {
        while let Some(Some(notice)) = self.notices.next().now_or_never() {
            self.heard.push_back(named(&notice));
            if self.heard.len() > MOST_HEARD {
                self.heard.pop_front();
            }
        }
    }

    pub(crate) fn forget_heard(&mut self) {
        self.hear_now();
        self.heard.clear();
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether notifications came in this order, others between them; waits a moment for those that are on their way.
    pub(crate) async fn in_order(
        &mut self,
        wanted: &[Notice],
        values: &Variables,
    ) -> Result<(), String> {
        let deadline = Instant::now() + LATE;
        let mut seen = Vec::new();
        for (number, notice) in wanted.iter().enumerate() {
            let left = deadline.saturating_duration_since(Instant::now());
            let before = self.heard.len();
            match self.wait(notice, values, left).await {
                Ok(Answer::Result(_)) => seen.push(notice.method.clone()),
                Ok(_) => {
                    return Err("the connection ended before all notifications came".to_owned());
                }
                Err(why) => {
                    let after = match &seen[..] {
                        [] => String::new(),
                        seen => format!(", after {}", seen.join(", ")),
                    };
                    return Err(format!(
                        "notification {} of {} is missing{after}: {why} ({before} waited)",
                        number + 1,
                        wanted.len()
                    ));
                }
            }
        }
        Ok(())
    }
}

pub(crate) async fn call(client: &Client, tool: &str, arguments: &Value) -> Answer {
    let params = json!({"name": tool, "arguments": arguments});
    ask(client, RequestMethod::ToolsCall, &params).await
}

/// One request, always asked anew; a task is followed to its end.
pub(crate) async fn ask(client: &Client, method: RequestMethod, params: &Value) -> Answer {
    let raw = match Raw::new(params) {
        Ok(raw) => raw,
        Err(error) => return Answer::Unreadable(error.to_string()),
    };
    read(client.request(method, &raw).fresh().await)
}

fn read(asked: Result<Raw, Error>) -> Answer {
    match asked {
        Ok(raw) => match serde_json::from_str(raw.as_str()) {
            Ok(value) => Answer::Result(value),
            Err(error) => Answer::Unreadable(format!("the result is not understood: {error}")),
        },
        Err(error) => answer(&error),
    }
}

/// All pages of a list, as one result.
pub(crate) async fn list(client: &Client, what: ListOf) -> Answer {
    let method = match what {
        ListOf::Prompts => RequestMethod::PromptsList,
        ListOf::Resources => RequestMethod::ResourcesList,
        ListOf::Templates => RequestMethod::ResourcesTemplatesList,
        ListOf::Tools => RequestMethod::ToolsList,
    };
    let mut items = Vec::new();
    let mut cursors = Vec::new();
    loop {
        let params =
            cursors.last().map_or_else(|| json!({}), |cursor: &Value| json!({"cursor": cursor}));
        let page = match ask(client, method, &params).await {
            Answer::Result(page) => page,
            other => return other,
        };
        let Some(Value::Array(found)) = page.get(what.member()) else {
            return Answer::Unreadable(format!(
                "the result of {} has no list of {}",
                method.as_str(),
                what.member()
            ));
        };
        items.extend(found.iter().cloned());
        match page.get("nextCursor") {
            None | Some(Value::Null) => break,
            Some(cursor) if cursors.contains(cursor) => {
                return Answer::Unreadable(format!(
                    "the pages of {} go in a circle",
                    method.as_str()
                ));
            }
            Some(_) if cursors.len() >= MOST_PAGES => {
                return Answer::Unreadable(format!(
                    "{} has more than {MOST_PAGES} pages",
                    method.as_str()
                ));
            }
            Some(cursor) => cursors.push(cursor.clone()),
        }
    }
    let mut whole = Map::new();
    whole.insert(what.member().to_owned(), Value::Array(items));
    Answer::Result(Value::Object(whole))
}

pub(crate) fn answer(error: &Error) -> Answer {
    if let Some(refusal) = error.refusal().filter(|_| !error.is_lost()) {
        return Answer::Error {
            code: refusal.code.0,
            message: refusal.message.to_string(),
            data: refusal.data.as_ref().and_then(|data| serde_json::from_str(data.as_str()).ok()),
        };
    }
    if error.is_timeout() {
        Answer::TimedOut
    } else if error.is_lost() {
        Answer::Lost(error.to_string())
    } else {
        Answer::Unreadable(error.to_string())
    }
}

fn named(notice: &ServerNotification) -> (String, Value) {
    (notice.method().as_str().to_owned(), serde_json::to_value(notice).unwrap_or_default())
}

pub(crate) const PROGRESS: &str = "notifications/progress";
const MOST_HEARD: usize = 4096;
const MOST_PAGES: usize = 1000;
/// How long notifications may come after the answer they belong to.
const LATE: Duration = Duration::from_secs(1);
