//! Ids of every kind, and messages that are not to be answered.

use serde_json::{Value, json};

use super::{Probe, Scenario};
use crate::well_known::odd_ids;
use proofmark_record::topic::Topic;

impl Scenario {
    pub const ENVELOPES: Self = Self {
        name: "envelopes",
        title: "ids of every kind",
        talk: |talk| Box::pin(envelopes(&mut talk.probe)),
        ..Self::USUAL
    };
}

async fn envelopes(probe: &mut Probe) {
    let Some(result) = probe.shake_hands().await else { return };
    let pings = odd_ids().into_iter().map(|id| (id, "ping", None));
    probe.ask_all(Topic::PingById, &pings.collect::<Vec<_>>()).await;
    // Errors and results are not always made in the same place.
    let unknown = [json!("4712"), json!(-2), json!("4712 \u{e9}")];
    let unknown = unknown.map(|id| (id, "proofmark/no-such-method", Some(json!({}))));
    probe.ask_all(Topic::UnknownMethod, &unknown).await;
    if result["capabilities"].get("tools").is_some() {
        let params = json!({ "name": "proofmark-no-such-tool", "arguments": {} });
        let unknown = [json!("4713"), json!(-3)];
        let unknown = unknown.map(|id| (id, "tools/call", Some(params.clone())));
        probe.ask_all(Topic::UnknownTool, &unknown).await;
    }
    if !probe.is_modern()
        && let Some((http, recorder)) = probe.http_and_recorder()
        && http.is_streamable()
    {
        // Late, so that there is something that does not belong there.
        http.open_stream(recorder).await;
    }
    for (method, params) in notifications() {
        probe.tell(Topic::OddNotification, method, params).await;
    }
    probe.listen(probe.settings().quiet).await;
    probe.ask(Topic::StillThere, "ping", None).await;
}

/// What has no id and so has no answer, though a request of the same method would have one, or its params make no sense.
fn notifications() -> [(&'static str, Option<Value>); 8] {
    let tool = json!({ "name": "proofmark-no-such-tool", "arguments": {} });
    let progress = json!({ "progressToken": "never-given", "progress": 1 });
    [
        ("ping", None),
        ("tools/list", None),
        ("tools/call", Some(tool)),
        ("proofmark/no-such-method", Some(json!({}))),
        ("notifications/cancelled", Some(json!({}))),
        ("notifications/cancelled", Some(json!({ "requestId": {} }))),
        ("notifications/progress", Some(progress)),
        ("notifications/progress", None),
    ]
}
