//! The Everything Client: does what each scenario of a conformance suite for clients asks.

mod assignment;
mod auth;
mod caching;
mod headers;
mod lists;
mod questions;
mod scenarios;
mod skills;

use std::time::Duration;

use proofmark_sdk::{
    client::{Client, ClientBuilder, ClientSettings, Error, Target},
    core::{
        jsonrpc::{ErrorCode, ErrorObject},
        revision::Era,
        session::client::{Gating, Preference},
        types::{
            CreateMessageResult, ElicitContent, ElicitResult, Role, Root, SamplingBlock,
            StopReason, TextContent,
        },
    },
    store::TaskSettings,
};
use tokio::time::sleep;

pub use assignment::{Assignment, BadAssignment};
pub use auth::document;

/// Why an assignment was not carried out.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The conversation did not go as it should.
    Client(Error),
    /// The scenario's own data make no sense.
    Context(String),
    /// The server does not have what the scenario is about.
    Missing(&'static str),
    UnknownScenario(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Client(error) => error.fmt(f),
            Self::Context(why) => write!(f, "the scenario's data make no sense: {why}"),
            Self::Missing(what) => write!(f, "the server has no {what}"),
            Self::UnknownScenario(name) => write!(f, "there is no scenario {name:?}"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Client(error) => error.source(),
            _ => None,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Client(error)
    }
}

/// Connects and does what the assignment asks; without a scenario, a bit of everything. `server` says where, and is asked once more
/// where the scenario has the server die.
pub async fn run<T: Into<Target>>(
    mut server: impl FnMut() -> T,
    assignment: &Assignment,
) -> Result<(), Failure> {
    let done = run_once(server(), assignment).await;
    let again = scenarios::restarts(assignment.scenario.as_deref());
    match done {
        Err(Failure::Client(error)) if again && error.is_lost() => {
            run_once(server(), assignment).await
        }
        done => done,
    }
}

async fn run_once(target: impl Into<Target>, assignment: &Assignment) -> Result<(), Failure> {
    let mut builder = builder(assignment);
    if let Some(authorization) = auth::authorization(assignment)? {
        builder = builder.authorization(authorization);
    }
    let client = builder.connect(target).await?;
    let done = perform(&client, assignment).await;
    client.close().await;
    done
}

async fn perform(client: &Client, assignment: &Assignment) -> Result<(), Failure> {
    match assignment.scenario.as_deref() {
        None => lists::everything(client).await,
        Some("initialize" | "json-schema-ref-no-deref" | "request-metadata") => {
            lists::look(client).await
        }
        Some("tools_call") => lists::add(client).await,
        Some("sse-retry") => lists::call(client, "test_reconnection").await,
        Some("json-schema-2020-12-preservation") => lists::echo_schema(client).await,
        Some("elicitation-sep1034-client-defaults") => questions::defaults(client).await,
        Some("sep-2322-client-request-state") => questions::rounds(client).await,
        Some("http-standard-headers") => headers::standard(client).await,
        Some("http-custom-headers") => headers::custom(client, assignment).await,
        Some("http-invalid-tool-headers") => headers::invalid(client).await,
        Some("sep-2640-client-no-prefetch") => skills::list(client).await.map(drop),
        Some(name) if name.starts_with("sep-2640-client-verify-") => skills::load(client).await,
        Some(name) if name.starts_with("auth/") => auth::use_server(client).await,
        Some(name) if scenarios::knows(name) => scenarios::perform(client, name).await,
        Some(name) => Err(Failure::UnknownScenario(name.to_owned())),
    }
}

/// A client that can be asked for everything, and asks for what servers forgot to declare.
fn builder(assignment: &Assignment) -> ClientBuilder {
    let thinks = scenarios::thinks(assignment.scenario.as_deref());
    let builder = Client::builder("proofmark-everything-client", env!("CARGO_PKG_VERSION"))
        .title("Proofmark Everything Client")
        .gating(Gating::Trusting)
        .settings(patient(scenarios::probes(assignment.scenario.as_deref())))
        .sampling(move |params| async move {
            sleep(thinks).await;
            if params.max_tokens == 0 {
                let message = "nothing can be said without a token";
                return Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, message));
            }
            Ok(sampled())
        })
        .sampling_tools()
        .forms(|_| async { Ok(ElicitResult::accept(ElicitContent::new())) })
        .urls(|_| async { Ok(ElicitResult::accept(ElicitContent::new())) })
        .tasks()
        .run_tasks(TaskSettings::default())
        .roots(vec![Root {
            uri: "file:///everything".into(),
            name: Some("Everything".into()),
            ..Root::default()
        }]);
    match assignment.spoken() {
        None => builder,
        Some(revision) => match revision.era() {
            Era::Legacy => builder.preference(Preference::Legacy(revision)),
            Era::Modern => builder.revisions(vec![revision]).preference(Preference::Modern),
        },
    }
}

fn patient(probe: Duration) -> ClientSettings {
    let mut settings = ClientSettings::default();
    settings.session.probe = probe;
    settings
}

fn sampled() -> CreateMessageResult {
    let text = TextContent { text: "This is a test response".into(), ..TextContent::default() };
    CreateMessageResult {
        role: Role::Assistant,
        content: SamplingBlock::Text(text).into(),
        model: "test-model".into(),
        stop_reason: Some(StopReason::EndTurn),
        meta: None,
    }
}
