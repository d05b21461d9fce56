//! Finding out the era and agreeing on a revision.

use std::sync::Arc;

use super::{
    Agreed, ClientSession, ConnectionState, Failure, Outgoing, Output, Server, Transmit,
    answers::Answer,
    calls::Waiting,
    notification,
    params::{Added, Given},
    profile::Introduction,
};
use crate::{
    json::Raw,
    json::RawRef,
    jsonrpc::{ErrorCode, ErrorObject, Id},
    revision::{Era, NotificationMethod, RequestMethod, Revision},
    session::{Time, capability::declared_by_server},
    types::{
        DiscoverResult, Implementation, InitializeParams, InitializeResult, ResultType,
        ServerCapabilities, TASKS_EXTENSION, UnsupportedProtocolVersionData, meta_key,
    },
};

/// A try to reach an understanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    revision: Revision,
    /// The server named its versions already, and this is one of them.
    second: bool,
}

impl ClientSession {
    // Cold: at most once in a session.
    #[cold]
    pub(super) fn start(&mut self, now: Time, out: &mut Vec<Output>) {
        if !matches!(self.state, ConnectionState::New) {
            return;
        }
        self.state = ConnectionState::Connecting;
        match (self.profile.probe_revision(), self.profile.offered_revision()) {
            (Some(revision), _) => self.discover(now, Attempt { revision, second: false }, out),
            (None, Some(revision)) => {
                self.initialize(now, Attempt { revision, second: false }, out);
            }
            (None, None) => {
                self.fail(Failure::NoMutualVersion { supported: Vec::new() }, out);
            }
        }
    }

    fn discover(&mut self, now: Time, attempt: Attempt, out: &mut Vec<Output>) {
        // Where nothing else would be tried there is no reason to hurry.
        let patience = match self.profile.offered_revision() {
            Some(_) => self.profile.limits.probe,
            None => self.profile.limits.patience,
        };
        let id = self.sent.add(now, Waiting::Discover(attempt), patience, patience);
        let introduction = Introduction::new(&self.profile, attempt.revision.rules());
        let params = Given::default()
            .complete(&Added {
                revision: attempt.revision,
                introduction: &introduction,
                log_level: None,
                progress_token: None,
                retry: None,
            })
            .expect("strings and raw JSON always encode");
        out.push(request(attempt.revision, id, RequestMethod::ServerDiscover, params));
    }

    fn initialize(&mut self, now: Time, attempt: Attempt, out: &mut Vec<Output>) {
        let patience = self.profile.limits.patience;
        let id = self.sent.add(now, Waiting::Initialize(attempt), patience, patience);
        let introduction = Introduction::new(&self.profile, attempt.revision.rules());
        let params = InitializeParams {
            protocol_version: attempt.revision.as_str().into(),
            capabilities: introduction.capabilities,
            client_info: introduction.info,
            meta: None,
        };
        let params = Raw::new(&params).expect("strings and raw JSON always encode");
        out.push(request(attempt.revision, id, RequestMethod::Initialize, Some(params)));
    }

    // Cold: at most once in a session.
    #[cold]
    pub(super) fn discovered(
        &mut self,
        now: Time,
        attempt: Attempt,
        answer: Answer<'_>,
        out: &mut Vec<Output>,
    ) {
        match answer {
            Answer::Result { result, .. } => match read_discovery(result) {
                Ok(result) => self.choose(now, result, out),
                Err(error) => {
                    self.discovery_failed(now, Failure::Unreadable(error.to_string()), out);
                }
            },
            Answer::Error { error, .. }
                if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION =>
            {
                self.choose_again(now, attempt, error, out);
            }
            Answer::Error { error, .. } if only_modern(error.code) => {
                self.fail(Failure::Refused(error), out);
            }
            Answer::Error {
                error: ErrorObject { code: ErrorCode::METHOD_NOT_FOUND, .. },
                status: Some(404),
            } => {
                // Only a modern server says both. It cannot say what it offers, so nothing is known to be missing.
                let server = Server {
                    revision: attempt.revision,
                    info: None,
                    capabilities: None,
                    instructions: None,
                };
                self.connected(server, out);
            }
            Answer::Error { error, .. } => {
                self.discovery_failed(now, Failure::Refused(error), out);
            }
            Answer::Garbled(why) => self.discovery_failed(now, Failure::Unreadable(why), out),
            Answer::Lost | Answer::Rejected { .. } => {
                self.discovery_failed(now, Failure::NotModern, out);
            }
        }
    }

    /// The server took so long to answer the probe that it was greeted in the legacy era. It is modern all the same, and may
    /// refuse the greeting for that.
    // Cold: at most once in a session.
    #[cold]
    pub(super) fn discovered_late(&mut self, answer: &Answer<'_>, out: &mut Vec<Output>) {
        let Answer::Result { result, .. } = answer else { return };
        let Ok(result) = read_discovery(*result) else { return };
        if !matches!(self.state, ConnectionState::Connecting) {
            return;
        }
        let Some(revision) = self.profile.newest_mutual(Era::Modern, &result.supported_versions)
        else {
            return;
        };
        let greeting = self.sent.take_if(|waiting| matches!(waiting, Waiting::Initialize(_)));
        if let Some((id, _)) = greeting {
            self.abandon(id);
        }
        self.connected(modern(revision, result), out);
    }

    /// Whatever else happens to the probe, it was not a modern server that answered.
    // Cold: at most once in a session.
    #[cold]
    pub(super) fn discovery_failed(&mut self, now: Time, failure: Failure, out: &mut Vec<Output>) {
        match (self.profile.offered_revision(), failure) {
            (Some(revision), _) => {
                self.initialize(now, Attempt { revision, second: false }, out);
            }
            (None, Failure::TimedOut) => self.fail(Failure::TimedOut, out),
            (None, _) => self.fail(Failure::NotModern, out),
        }
    }

    /// The server is modern and says what it speaks.
    fn choose(&mut self, now: Time, result: DiscoverResult, out: &mut Vec<Output>) {
        match self.profile.newest_mutual(Era::Modern, &result.supported_versions) {
            Some(revision) => self.connected(modern(revision, result), out),
            None => self.settle_for_legacy(now, result.supported_versions, out),
        }
    }

    /// The server is modern and does not speak the version it was asked in.
    fn choose_again(
        &mut self,
        now: Time,
        attempt: Attempt,
        error: ErrorObject,
        out: &mut Vec<Output>,
    ) {
        let supported = supported_versions(&error);
        match self.profile.newest_mutual(Era::Modern, &supported) {
            // Even if it names what it refused, another try costs little, and servers do change their minds.
            Some(revision) if !attempt.second => {
                self.discover(now, Attempt { revision, second: true }, out);
            }
            // It contradicts itself.
            Some(_) => self.fail(Failure::Refused(error), out),
            None => self.settle_for_legacy(now, supported, out),
        }
    }

    /// A server that names legacy versions itself is spoken to in one of them; nothing is guessed.
    fn settle_for_legacy(&mut self, now: Time, supported: Vec<String>, out: &mut Vec<Output>) {
        match self.profile.newest_mutual(Era::Legacy, &supported) {
            Some(revision) => self.initialize(now, Attempt { revision, second: true }, out),
            None => self.fail(Failure::NoMutualVersion { supported }, out),
        }
    }

    // Cold: at most once in a session.
    #[cold]
    pub(super) fn initialize_answered(
        &mut self,
        now: Time,
        attempt: Attempt,
        answer: Answer<'_>,
        out: &mut Vec<Output>,
    ) {
        let failure = match answer {
            Answer::Result { result, .. } => {
                match serde_json::from_str::<InitializeResult>(result.get()) {
                    Ok(result) => {
                        self.initialized(result, out);
                        return;
                    }
                    Err(error) => Failure::Unreadable(error.to_string()),
                }
            }
            Answer::Error { error, .. } => {
                // Some servers name their versions in an error instead of countering with one.
                let supported = supported_versions(&error);
                let mutual = self.profile.newest_mutual(Era::Legacy, &supported);
                if let Some(revision) = mutual
                    && revision != attempt.revision
                    && !attempt.second
                {
                    self.initialize(now, Attempt { revision, second: true }, out);
                    return;
                }
                Failure::Refused(error)
            }
            Answer::Garbled(why) => Failure::Unreadable(why),
            Answer::Rejected { status } => Failure::Rejected { status, offered: attempt.revision },
            Answer::Lost => Failure::Closed,
        };
        self.fail(failure, out);
    }

    fn initialized(&mut self, result: InitializeResult, out: &mut Vec<Output>) {
        let Some(revision) = self.profile.accepts(&result.protocol_version) else {
            let version = super::shortened(&result.protocol_version);
            self.fail(Failure::VersionNotAccepted(version), out);
            return;
        };
        out.push(notification(revision, NotificationMethod::Initialized, None));
        let server = Server {
            revision,
            info: Some(result.server_info),
            capabilities: Some(result.capabilities),
            instructions: result.instructions,
        };
        self.connected(server, out);
    }

    fn connected(&mut self, server: Server, out: &mut Vec<Output>) {
        let declared = server.capabilities.as_ref();
        let agreed = Agreed {
            theirs: declared.map(declared_by_server),
            their_tasks_extension: declared.is_none_or(has_tasks_extension),
            ours: Introduction::new(&self.profile, server.revision.rules()),
            server: Arc::new(server),
            watched: Vec::new(),
        };
        out.push(Output::Connected(agreed.server.clone()));
        self.state = ConnectionState::Ready(Box::new(agreed));
    }

    // Cold: at most once in a session.
    #[cold]
    pub(super) fn fail(&mut self, failure: Failure, out: &mut Vec<Output>) {
        self.state = ConnectionState::Over;
        out.push(Output::Failed(failure));
        out.push(Output::Disconnect);
        self.end_all(out);
    }
}

/// The server that a discovery presents.
fn modern(revision: Revision, result: DiscoverResult) -> Server {
    let info = result.meta.as_ref().and_then(|meta| meta.get(meta_key::SERVER_INFO));
    Server {
        revision,
        info: info.and_then(|info| info.decode::<Implementation>().ok()),
        capabilities: Some(result.capabilities),
        instructions: result.instructions,
    }
}

/// The versions that an error says would have worked.
pub(super) fn supported_versions(error: &ErrorObject) -> Vec<String> {
    let data = error.data.as_ref();
    data.and_then(|data| data.decode::<UnsupportedProtocolVersionData>().ok())
        .map(|data| data.supported)
        .unwrap_or_default()
}

fn request(
    revision: Revision,
    id: Id<'static>,
    method: RequestMethod,
    params: Option<Raw>,
) -> Output {
    let message = Outgoing::Request { id, method, params, call: None };
    Output::Transmit(Transmit { revision, message })
}

fn read_discovery(result: RawRef<'_>) -> serde_json::Result<DiscoverResult> {
    let read: DiscoverResult = serde_json::from_str(result.get())?;
    match read.result_type {
        None | Some(ResultType::Complete) => Ok(read),
        Some(other) => Err(serde::de::Error::custom(format_args!(
            "`server/discover` answered with `{}`",
            super::shortened(other.as_str())
        ))),
    }
}

/// Codes that no legacy server uses.
fn only_modern(code: ErrorCode) -> bool {
    [ErrorCode::HEADER_MISMATCH, ErrorCode::MISSING_CLIENT_CAPABILITY].contains(&code)
}

fn has_tasks_extension(declared: &ServerCapabilities) -> bool {
    declared.extensions.as_ref().is_some_and(|extensions| extensions.contains_key(TASKS_EXTENSION))
}
