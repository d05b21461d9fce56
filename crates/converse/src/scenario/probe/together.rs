//! Several requests at once.

use serde_json::{Value, json};

use super::{Connection, Expect, Probe, answer_in};
use proofmark_record::topic::Topic;

impl Probe {
    /// Sends requests under ids of the caller's choice before any of them is answered, and waits for all of them.
    pub async fn ask_all(&mut self, topic: Topic, requests: &[(Value, &str, Option<Value>)]) {
        let with_topic = requests.iter().map(|(id, method, params)| {
            let (id, params) = (id.clone(), params.clone());
            (topic, id, *method, params)
        });
        self.ask_together_about(&with_topic.collect::<Vec<_>>()).await;
    }

    /// The same for requests of several topics.
    pub async fn ask_together_about(&mut self, requests: &[(Topic, Value, &str, Option<Value>)]) {
        let start = self.recorder.events.len();
        for (topic, id, method, params) in requests {
            if self.interruption().is_some() {
                return;
            }
            let message = self.request(*topic, id, method, params.clone());
            let expect = Expect::Answer(id.clone());
            self.send(*topic, &message.to_string(), Some(&expect)).await;
        }
        if matches!(self.connection, Connection::Http(_)) {
            // The answers were read with what was posted.
            return;
        }
        let waits = requests.iter().map(|(.., method, _)| json!({ "method": method }));
        let longest = waits.map(|message| self.patience(&message)).max();
        let deadline = self.deadline(longest.unwrap_or_default());
        let mut open: Vec<Expect> =
            requests.iter().map(|(_, id, ..)| Expect::Answer(id.clone())).collect();
        let mut looked = start;
        loop {
            while let Some(event) = self.recorder.events.get(looked) {
                looked += 1;
                open.retain(|expect| answer_in(event, expect).is_none());
            }
            if open.is_empty() || !self.hear(deadline).await {
                return;
            }
        }
    }
}
