//! Messages that are none, and a ping after each to see whether the peer still lives.

use serde_json::{Value, json};

use super::{Expect, Probe, Scenario};
use proofmark_core::revision::Batches;
use proofmark_record::topic::Topic;

impl Scenario {
    pub const GARBAGE: Self = Self {
        name: "garbage",
        title: "messages that are none",
        talk: |talk| Box::pin(garbage(&mut talk.probe)),
        ..Self::USUAL
    };
}

async fn garbage(probe: &mut Probe) {
    let Some(result) = probe.shake_hands().await else { return };
    probe.say(Topic::NotJson, "{\"jsonrpc\":\"2.0\",\"id\":\"cut", Expect::Nothing).await;
    still_there(probe).await;
    let no_method = json!({ "jsonrpc": "2.0", "id": "no-method", "params": {} });
    probe.say(Topic::NotARequest, &no_method.to_string(), Expect::Nothing).await;
    still_there(probe).await;
    let null_id = json!({ "jsonrpc": "2.0", "id": null, "method": "ping" });
    probe.say(Topic::NullId, &null_id.to_string(), Expect::Nothing).await;
    still_there(probe).await;
    wrong_params(probe, &result).await;
    still_there(probe).await;
    batches(probe).await;
    still_there(probe).await;
}

async fn still_there(probe: &mut Probe) {
    probe.ask(Topic::StillThere, "ping", None).await;
}

/// Leaves out what the method cannot do without.
async fn wrong_params(probe: &mut Probe, result: &Value) {
    for (capability, method) in
        [("tools", "tools/call"), ("resources", "resources/read"), ("prompts", "prompts/get")]
    {
        if result["capabilities"].get(capability).is_some() {
            probe.ask(Topic::WrongParams, method, Some(json!({}))).await;
        }
    }
}

async fn batches(probe: &mut Probe) {
    match probe.settings().revision.rules().batches {
        Batches::Removed => {
            let alone = json!([{ "jsonrpc": "2.0", "id": "batch-alone", "method": "ping" }]);
            return probe.put(Topic::OddBatch, &alone.to_string()).await;
        }
        Batches::Unstated => return,
        Batches::Accepted => {}
    }
    let batch = json!([
        { "jsonrpc": "2.0", "id": "batch-1", "method": "ping" },
        { "jsonrpc": "2.0", "id": "batch-2", "method": "ping" },
    ]);
    probe.say(Topic::Batch, &batch.to_string(), Expect::Answer(json!("batch-2"))).await;
    let silent = json!([{ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": "never-sent" } }]);
    probe.say(Topic::BatchOfNotifications, &silent.to_string(), Expect::Nothing).await;
    let mixed = json!([
        { "jsonrpc": "2.0", "id": "batch-3", "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": "never-sent" } },
        { "jsonrpc": "2.0", "method": "ping" },
        { "jsonrpc": "2.0", "id": "batch-unknown", "method": "proofmark/no-such-method" },
        { "jsonrpc": "2.0", "id": "batch-4", "method": "ping" },
    ]);
    probe.say(Topic::Batch, &mixed.to_string(), Expect::Answer(json!("batch-4"))).await;
    let alone = json!([{ "jsonrpc": "2.0", "id": "batch-alone", "method": "ping" }]);
    probe.say(Topic::Batch, &alone.to_string(), Expect::Answer(json!("batch-alone"))).await;
    probe.say(Topic::EmptyBatch, "[]", Expect::Nothing).await;
    still_there(probe).await;
    let ping = json!({ "jsonrpc": "2.0", "id": "batch-beside", "method": "ping" });
    probe.put(Topic::OddBatch, &json!([1, ping]).to_string()).await;
    still_there(probe).await;
    probe
        .put(Topic::OddBatch, &json!([[{ "jsonrpc": "2.0", "method": "ping" }]]).to_string())
        .await;
}
