//! Batches: several messages in one frame, and their answers in one frame too.

use super::{Outgoing, Output, Refusal, ServerSession, Transmit, refusal_output};
use crate::{
    jsonrpc::{Id, Message, NotAMessage},
    session::Time,
};

/// Names a batch that is not yet answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchNumber(u32);

/// Batches that wait for the last of their answers.
#[derive(Debug, Default)]
pub(super) struct Batches {
    next: u32,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    number: BatchNumber,
    /// Requests without an answer so far, and one more while the batch is being read.
    awaited: usize,
    answers: Vec<Transmit>,
}

impl ServerSession {
    pub(super) fn receive_batch<'a>(
        &mut self,
        now: Time,
        members: Vec<Result<Message<'a>, NotAMessage>>,
        out: &mut Vec<Output<'a>>,
    ) {
        let rules = self.rules();
        if self.negotiated().is_none() || !rules.batches.accepted() {
            self.refuse(rules, None, &Refusal::BatchNotAllowed, None, out);
            return;
        }
        let requests = members
            .iter()
            .filter(|member| matches!(member, Ok(Message::Request(_)) | Err(_)))
            .count();
        let number = self.batches.open(requests);
        for member in members {
            match member {
                Ok(message) => self.receive(now, message, Some(number), out),
                Err(refused) => {
                    let status = rules.http.status.notification_refused;
                    let error = refusal_output(
                        rules.revision,
                        refused.id.clone(),
                        refused.to_error(),
                        status,
                    );
                    self.batches.answer(number, error, out);
                }
            }
        }
        self.batches.forget(Some(number), None, out);
    }
}

impl Batches {
    fn open(&mut self, requests: usize) -> BatchNumber {
        let number = BatchNumber(self.next);
        self.next = self.next.wrapping_add(1);
        self.open.push(Open { number, awaited: requests + 1, answers: Vec::new() });
        number
    }

    /// Adds an answer, and sends them all if it was the last.
    pub(super) fn answer(
        &mut self,
        number: BatchNumber,
        answer: Output<'static>,
        out: &mut Vec<Output<'_>>,
    ) {
        let mut about = None;
        if let Some(open) = self.open.iter_mut().find(|open| open.number == number)
            && let Output::Transmit(transmit) = answer
        {
            about.clone_from(&transmit.about);
            open.answers.push(transmit);
        }
        self.forget(Some(number), about.as_ref(), out);
    }

    /// One answer less to wait for: it was given, or the request was cancelled. The last one tells where all of them go, because the
    /// others are over, and where they came from is forgotten.
    pub(super) fn forget(
        &mut self,
        number: Option<BatchNumber>,
        last: Option<&Id<'static>>,
        out: &mut Vec<Output<'_>>,
    ) {
        let Some(at) = self.open.iter().position(|open| Some(open.number) == number) else {
            return;
        };
        self.open[at].awaited -= 1;
        if self.open[at].awaited > 0 {
            return;
        }
        let answers = self.open.swap_remove(at).answers;
        if let Some(first) = answers.first() {
            out.push(Output::Transmit(Transmit {
                revision: first.revision,
                about: last.cloned(),
                status: first.revision.rules().http.status.answered,
                message: Outgoing::Batch(answers),
            }));
        }
    }
}
