//! Calls that the server answers with questions, and their retries.

use std::time::Duration;

use super::{AskId, CallError, CallId, ClientSession, Output, calls::Running, params::Retry};
use crate::{
    json::{OrderedMap, Raw, RawRef},
    jsonrpc::ErrorObject,
    session::Time,
    types::{InputRequest, InputRequiredResult, InputResponses, ListRootsParams, ServerRequest},
};

/// A call between two of its requests.
#[derive(Debug)]
pub(super) struct Round {
    running: Box<Running>,
    retry: Retry,
    /// Questions without an answer so far, with the keys that the server gave them.
    open: Vec<(AskId, String)>,
    /// When to try again if nothing is asked, otherwise when to give up.
    deadline: Time,
}

impl Round {
    pub(super) fn deadline(&self) -> Time {
        self.deadline
    }

    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    pub(super) fn call(&self) -> CallId {
        self.running.call
    }

    /// Ends the call here, and with it all that was asked for its sake.
    pub(super) fn end(self, error: CallError, out: &mut Vec<Output>) {
        out.extend(self.open.iter().map(|(ask, _)| Output::Withdrawn(*ask)));
        self.running.complete(Err(error), out);
    }
}

impl ClientSession {
    // Never inlined: few calls come back for input.
    #[inline(never)]
    pub(super) fn input_required(
        &mut self,
        now: Time,
        running: Box<Running>,
        result: RawRef<'_>,
        out: &mut Vec<Output>,
    ) {
        let result = match self.check_input(&running, result) {
            Ok(result) => result,
            Err(error) => {
                running.complete(Err(error), out);
                return;
            }
        };
        let limits = self.profile.limits;
        let call = running.call;
        let asks = result.input_requests.is_some();
        let mut open = Vec::new();
        for (key, request) in result.input_requests.into_iter().flatten() {
            let ask = self.new_ask();
            out.push(Output::Ask { ask, call: Some(call), what: as_request(request) });
            open.push((ask, key));
        }
        let wait = if open.is_empty() {
            pause(limits.retry_pause, running.rounds)
        } else {
            limits.longest_ask
        };
        let responses = asks.then(InputResponses::default);
        let retry = Retry { responses, state: result.request_state };
        self.rounds.push(Round { running, retry, open, deadline: now + wait });
    }

    /// Everything that can speak against questions in a result.
    fn check_input(
        &self,
        running: &Running,
        result: RawRef<'_>,
    ) -> Result<InputRequiredResult, CallError> {
        let Some(agreed) = self.agreed() else { return Err(CallError::Closed) };
        let limits = &self.profile.limits;
        if !agreed.rules().may_require_input.contains(running.method) {
            return Err(CallError::UnexpectedInput(running.method));
        }
        let result: InputRequiredResult = serde_json::from_str(result.get())
            .map_err(|error| CallError::Unreadable(error.to_string()))?;
        if result.asks_nothing() {
            return Err(CallError::AsksNothing);
        }
        if running.rounds >= limits.rounds {
            return Err(CallError::TooManyRounds { limit: limits.rounds });
        }
        let requests = || result.input_requests.iter().flat_map(OrderedMap::iter);
        let declared = agreed.ours.declared.capabilities;
        let undeclared =
            requests().map(|(_, request)| request.needs()).find(|need| !declared.contains(*need));
        if let Some(needed) = undeclared {
            return Err(CallError::UndeclaredInput(needed));
        }
        if self.open_asks() + requests().count() > limits.asks {
            return Err(CallError::TooManyAsks { limit: limits.asks });
        }
        Ok(result)
    }

    /// Takes an answer that a call waits for.
    pub(super) fn input_answered(
        &mut self,
        now: Time,
        ask: AskId,
        outcome: Result<Raw, ErrorObject>,
        out: &mut Vec<Output>,
    ) {
        let asked = |round: &Round| round.open.iter().any(|(open, _)| *open == ask);
        // Withdrawn in the meantime: its answer is not wanted any more.
        let Some(at) = self.rounds.iter().position(asked) else { return };
        let round = &mut self.rounds[at];
        let Some(open) = round.open.iter().position(|(open, _)| *open == ask) else { return };
        let (_, key) = round.open.remove(open);
        match outcome {
            Ok(answer) => {
                round.retry.responses.get_or_insert_default().0.insert(key, answer);
                if round.open.is_empty() {
                    self.retry(now, at, out);
                }
            }
            // There is no way to say no: the call is simply not tried again.
            Err(error) => self.rounds.remove(at).end(CallError::Unanswered(error), out),
        }
    }

    // Never inlined: few calls wait for another round.
    #[inline(never)]
    pub(super) fn wake_rounds(&mut self, now: Time, out: &mut Vec<Output>) {
        while let Some(at) = self.rounds.iter().position(|round| round.deadline <= now) {
            if self.rounds[at].open.is_empty() {
                self.retry(now, at, out);
            } else {
                self.rounds.remove(at).end(CallError::TimedOut, out);
            }
        }
    }

    fn retry(&mut self, now: Time, at: usize, out: &mut Vec<Output>) {
        let Round { mut running, retry, .. } = self.rounds.remove(at);
        running.rounds += 1;
        running.retry = Some(Box::new(retry));
        self.send(now, running, out);
    }
}

/// Questions are the same in both eras, whatever carries them.
fn as_request(request: InputRequest) -> ServerRequest {
    match request {
        InputRequest::CreateMessage(params) => ServerRequest::CreateMessage(params),
        InputRequest::Elicit(params) => ServerRequest::Elicit(Box::new(params)),
        InputRequest::ListRoots(params) => {
            ServerRequest::ListRoots(params.unwrap_or_else(ListRootsParams::default))
        }
    }
}

fn pause(first: Duration, rounds: u32) -> Duration {
    first.saturating_mul(1 << rounds.min(MOST_DOUBLINGS))
}

const MOST_DOUBLINGS: u32 = 5;
