//! Refusals that say what is missing: it is provided, and the call is made again.

use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{RequestMethod, Rules},
    session::client::CallError,
    types::{ElicitAction, ElicitParams, ServerNotification, UrlElicitationRequired},
};
use tokio::{sync::broadcast::error::RecvError, time::timeout};

use super::{Client, Error, relay::RelayTo, tools::Mirroring};

/// What was done about one call already.
#[derive(Debug, Default)]
pub(super) struct Retries {
    tools_refreshed: bool,
    /// How often a person was sent to pages.
    visits: u32,
}

impl Client {
    /// Does what a refusal asks for. Whether the call is worth another try; it was refused before anything was done for it.
    pub(super) async fn prepare_retry(
        &self,
        error: &Error,
        rules: &Rules,
        retries: &mut Retries,
        relay: Option<&RelayTo>,
    ) -> bool {
        let Error::Call { method, why: CallError::Refused(refusal), .. } = error else {
            return false;
        };
        let is_known = rules.error_codes.contains(&refusal.code);
        if refusal.code == ErrorCode::HEADER_MISMATCH && *method == RequestMethod::ToolsCall {
            let mirrors = self.0.mirroring.applies(rules) != Mirroring::Never;
            let first = !std::mem::replace(&mut retries.tools_refreshed, true);
            if mirrors && first {
                // The schema that told which arguments to repeat is out of date. It is looked up when the call is made.
                self.engine().forget_tools();
            }
            return mirrors && first;
        }
        if refusal.code == ErrorCode::URL_ELICITATION_REQUIRED && is_known {
            retries.visits += 1;
            return retries.visits <= self.engine().settings.session.rounds
                && relay.is_none_or(|relay| relay.visits)
                && self.visit(refusal, relay).await;
        }
        false
    }

    /// Asks a person to visit the pages that a server will not go on without, and waits until the server has seen them there, or
    /// for a while: it need not tell.
    async fn visit(&self, refusal: &ErrorObject, relay: Option<&RelayTo>) -> bool {
        let data = refusal.data.as_ref();
        let wanted = data.and_then(|data| data.decode::<UrlElicitationRequired>().ok());
        let Some(wanted) = wanted.filter(|wanted| !wanted.elicitations.is_empty()) else {
            return false;
        };
        let mut notices = self.engine().notices();
        let mut open: Vec<String> = Vec::new();
        for page in wanted.elicitations.into_iter().take(MOST_PAGES) {
            open.extend(page.elicitation_id.clone());
            let page = ElicitParams::Url(page);
            let answer = match relay {
                Some(relay) => relay.elicit(page).await,
                None => self.engine().handlers.elicit(page).await,
            };
            if !answer.is_ok_and(|answer| answer.action == ElicitAction::Accept) {
                return false;
            }
        }
        if relay.is_some() {
            // A client of a revision without such news tries again by itself.
            return true;
        }
        let seen = async {
            while !open.is_empty() {
                match notices.recv().await {
                    Ok(ServerNotification::ElicitationComplete(done)) => {
                        open.retain(|id| *id != done.elicitation_id);
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                }
            }
        };
        let _late = timeout(self.engine().settings.session.patience, seen).await;
        true
    }
}

/// A server that wants more than this at once wants something else.
const MOST_PAGES: usize = 16;
