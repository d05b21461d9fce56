//! Connecting to a server, and asking it for its lists.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use proofmark_core::{
    json::Raw,
    revision::{Era, RequestMethod},
    session::client::{Gating, Preference},
    types::LoggingLevel,
};
use proofmark_sdk::client::{Client, ClientBuilder, ClientSettings, Observer, Target};
use serde_json::{Value, json};

use super::{Connected, Inspector, NotDone, State};
use crate::{
    process::Process,
    questions::QuestionKind,
    recorder::{HttpRecorder, Recorder},
    server::{Over, Reach, ServerEntry},
};

impl Inspector {
    /// Connects a server. `confirmed` is what the person has seen and agreed to start.
    pub async fn connect(&self, id: u32, confirmed: Option<&str>) -> Result<(), NotDone> {
        self.disconnect(id).await;
        let (entry, roots) = self.with(id, |server| {
            if matches!(server.state, State::Recorded) {
                return Err(NotDone("a recording cannot be connected to".into()));
            }
            if matches!(server.state, State::Connecting) {
                return Err(NotDone("it is being connected".into()));
            }
            if let Some(wanted) = server.entry.to_confirm()
                && confirmed != Some(wanted.as_str())
            {
                return Err(NotDone(format!("confirm the command first: {wanted}")));
            }
            server.entry.confirmed = true;
            server.state = State::Connecting;
            server.verdicts.clear();
            Ok((server.entry.clone(), server.roots.clone()))
        })??;
        self.told();
        let opened = self.open(id, &entry, roots).await;
        let outcome = match opened {
            Ok(connected) => {
                let connected = Arc::new(connected);
                self.with(id, |server| server.state = State::Connected(connected))?;
                self.told();
                self.refresh(id).await;
                Ok(())
            }
            Err(why) => {
                self.with(id, |server| server.state = State::Failed(why.clone()))?;
                Err(NotDone(why))
            }
        };
        self.told();
        outcome
    }

    /// Closes the connection in good order, and waits until its process is gone.
    pub async fn disconnect(&self, id: u32) {
        let before = self.with(id, |server| match &server.state {
            State::Connected(connected) => {
                let connected = connected.clone();
                server.state = State::Idle;
                Some(connected)
            }
            _ => None,
        });
        let Ok(Some(connected)) = before else { return };
        connected.subscriptions.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let _late = tokio::time::timeout(CLOSE, connected.client.close()).await;
        let process = connected.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(process) = process {
            process.end().await;
        }
        self.told();
    }

    /// Ends everything.
    pub async fn close(&self) {
        self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
        futures_util::future::join_all(self.ids().into_iter().map(|id| self.disconnect(id))).await;
    }

    /// Asks for every list that the server may have.
    pub(crate) async fn refresh(&self, id: u32) {
        let Ok(connected) = self.connected(id) else { return };
        let capabilities = connected.client.server().and_then(|server| server.capabilities.clone());
        for (member, method) in LISTS {
            let declared = capabilities.as_ref().is_none_or(|it| match member {
                "tools" => it.tools.is_some(),
                "prompts" => it.prompts.is_some(),
                _ => it.resources.is_some(),
            });
            if !declared {
                continue;
            }
            let listed = list(&connected.client, method, member).await;
            let listed = listed.unwrap_or_else(|why| json!({"error": why}));
            let _gone = self.with(id, |server| server.lists.insert(member, listed));
        }
        self.told();
    }

    async fn open(
        &self,
        id: u32,
        entry: &ServerEntry,
        roots: Vec<proofmark_core::types::Root>,
    ) -> Result<Connected, String> {
        let began = Instant::now();
        let recorder = Recorder::new(id, entry, self.0.timeline.clone(), self.0.began)
            .map_err(|error| format!("the transcript cannot be written: {error}"))?;
        self.with(id, |server| server.recorder = Some(recorder.clone()))
            .map_err(|it| it.to_string())?;
        let mut settings = ClientSettings::default();
        settings.session.patience = entry.timeout;
        let (target, process) = match &entry.reach {
            Reach::Command { .. } => {
                let (process, near) =
                    Process::start(&entry.reach, &recorder).map_err(|error| error.to_string())?;
                let (reader, writer) = tokio::io::split(near);
                (Target::streams(reader, writer), Some(process))
            }
            Reach::Url { url, over, headers } => {
                settings.http.observer = Some(Observer::new(HttpRecorder::new(recorder)));
                for (name, value) in headers {
                    if let (Ok(name), Ok(value)) = (name.parse(), value.parse()) {
                        settings.http.headers.push((name, value));
                    }
                }
                let target = match over {
                    Over::Sse => Target::SseUrl(url.clone()),
                    Over::StreamableHttp => Target::Url(url.clone()),
                };
                (target, None)
            }
        };
        let raw = process.as_ref().map(Process::raw);
        let builder = self.builder(id, entry, settings, roots);
        let connecting = tokio::time::timeout(entry.timeout, builder.connect(target)).await;
        let failure = match connecting {
            Ok(Ok(client)) => {
                return Ok(Connected {
                    client,
                    process: Mutex::new(process),
                    raw,
                    subscriptions: Mutex::new(BTreeMap::new()),
                    latency: began.elapsed(),
                });
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("nothing was heard for {:?}", entry.timeout),
        };
        let ended = match process {
            Some(process) => process.end().await,
            None => None,
        };
        Err(match ended {
            Some(status) => format!("{failure} (the process ended with {status})"),
            None => failure,
        })
    }

    fn builder(
        &self,
        id: u32,
        entry: &ServerEntry,
        settings: ClientSettings,
        roots: Vec<proofmark_core::types::Root>,
    ) -> ClientBuilder {
        let (forms, urls, models) =
            (self.0.questions.clone(), self.0.questions.clone(), self.0.questions.clone());
        let mut builder = Client::builder("proofmark-inspect", env!("CARGO_PKG_VERSION"))
            .settings(settings)
            .gating(Gating::Trusting)
            .log_level(LoggingLevel::Debug)
            .tasks()
            .roots(roots)
            .forms(move |params| {
                let questions = forms.clone();
                async move { questions.ask(id, QuestionKind::Form, &params).await }
            })
            .urls(move |params| {
                let questions = urls.clone();
                async move { questions.ask(id, QuestionKind::Url, &params).await }
            })
            .sampling(move |params| {
                let questions = models.clone();
                async move { questions.ask(id, QuestionKind::Sampling, &params).await }
            });
        if let Some(revision) = entry.revision {
            let preference = match revision.era() {
                Era::Legacy => Preference::Legacy(revision),
                Era::Modern => Preference::Modern,
            };
            builder = builder.revisions(vec![revision]).preference(preference);
        }
        let has_token = matches!(&entry.reach, Reach::Url { headers, .. }
            if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")));
        if let (false, Reach::Url { .. }, Some(login)) = (has_token, &entry.reach, &self.0.login)
            && let Some(login) = login()
        {
            builder = builder.authorization(login);
        }
        builder
    }
}

/// All pages of a list.
async fn list(client: &Client, method: RequestMethod, member: &str) -> Result<Value, String> {
    let (mut items, mut cursor) = (Vec::new(), None::<Value>);
    for _ in 0..MOST_PAGES {
        let params = cursor.take().map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let params = Raw::new(&params).map_err(|error| error.to_string())?;
        let page =
            client.request(method, &params).fresh().await.map_err(|error| error.to_string())?;
        let page: Value = serde_json::from_str(page.as_str()).map_err(|error| error.to_string())?;
        items.extend(page.get(member).and_then(Value::as_array).into_iter().flatten().cloned());
        match page.get("nextCursor") {
            None | Some(Value::Null) => break,
            Some(next) => cursor = Some(next.clone()),
        }
    }
    Ok(Value::Array(items))
}

/// The member of the result that has the list, and the method that asks for it.
const LISTS: [(&str, RequestMethod); 4] = [
    ("tools", RequestMethod::ToolsList),
    ("resources", RequestMethod::ResourcesList),
    ("resourceTemplates", RequestMethod::ResourcesTemplatesList),
    ("prompts", RequestMethod::PromptsList),
];
const MOST_PAGES: usize = 200;
const CLOSE: Duration = Duration::from_secs(5);
