//! Requests that are given up.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Connection, Probe};
use proofmark_record::topic::Topic;

impl Probe {
    /// Sends a request, cancels it after a while, pings, and listens until an answer would have come.
    pub async fn ask_and_cancel(
        &mut self,
        topic: Topic,
        method: &str,
        params: Value,
        after: Duration,
        until: Duration,
    ) {
        self.next_id += 1;
        let id = json!(self.next_id);
        let text = self.request(topic, &id, method, Some(params)).to_string();
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": id, "reason": "the checker changed its mind" } });
        if let Connection::Http(http) = &mut self.connection {
            let (recorder, cancel) = (&mut self.recorder, cancel.to_string());
            http.post_and_cancel(recorder, topic, &text, &cancel, (after, until)).await;
            return;
        }
        self.send(topic, &text, None).await;
        self.listen(after).await;
        self.send(Topic::Cancel, &cancel.to_string(), None).await;
        self.ask_as(Topic::AfterCancel, json!("after-cancel"), "ping", None).await;
        self.listen(until).await;
    }

    /// Sends a request, and closes its connection after a while. Over HTTP only.
    pub async fn ask_and_leave(&mut self, id: Value, method: &str, params: Value, after: Duration) {
        let message = self.request(Topic::Leave, &id, method, Some(params));
        if let Connection::Http(http) = &mut self.connection {
            http.post_and_leave(&mut self.recorder, &message, after).await;
        }
    }
}
