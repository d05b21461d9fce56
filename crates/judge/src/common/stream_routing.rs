//! Which stream a notification belongs to.

use crate::mutant::Mutant;
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, HttpExchange, Place},
    topic::Topic,
};
use serde_json::Value;

/// A notification on the stream of a request.
pub(crate) struct Told<'e> {
    pub(crate) request: &'e Value,
    pub(crate) place: Place,
    pub(crate) message: &'e Value,
}

pub(crate) fn on_streams(evidence: &Evidence) -> impl Iterator<Item = Told<'_>> {
    let posts = evidence.exchanges().filter(|exchange| {
        exchange.line.starts_with("POST")
            && exchange.content_type().as_deref() == Some("text/event-stream")
    });
    posts.flat_map(move |exchange| {
        let request = sent_in(evidence, exchange);
        let frames = evidence.frames_of(exchange.place, exchange.exchange);
        frames.flat_map(move |(place, frame)| {
            let messages = frame.messages().iter();
            let told = messages.filter(|it| it.get("method").is_some() && it.get("id").is_none());
            told.filter_map(move |message| Some(Told { request: request?, place, message }))
        })
    })
}

pub(crate) fn sent_in<'e>(evidence: &'e Evidence, exchange: HttpExchange<'_>) -> Option<&'e Value> {
    evidence.after(exchange.place).find_map(|(_, what)| match what {
        EventKind::Sent { exchange: it, frame, topic } if *it == exchange.exchange => {
            (*topic != Topic::Reply).then_some(frame.json.as_ref().ok()?)
        }
        _ => None,
    })
}

/// A server that reports the progress of another request on the stream of one that wants none of it.
pub(crate) const REPORTS_OTHERS: Mutant = Mutant::new(
    "reports the progress of another request",
    Mutation::Event(|context, text| {
        let here = context.message["params"]["name"] == "test_tool_with_progress";
        if here && text.contains("\"result\"") {
            format!("{PROGRESS}{text}")
        } else {
            text.to_owned()
        }
    }),
)
.also(&["M085", "M086", "M227"]);

pub(crate) const PROGRESS: &str = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"call-0\",\"progress\":1}}\n\n";
