//! Log levels that change, and progress tokens of every kind.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{KnownCalls, Probe, Scenario};
use crate::well_known::odd_tokens;
use proofmark_record::{meta::LOG_LEVEL, topic::Topic};

impl Scenario {
    pub const LEVELS: Self = Self {
        name: "levels",
        title: "log levels and progress tokens",
        applies: |here| !here.calls.logging.is_empty() || !here.calls.progressing.is_empty(),
        talk: |talk| Box::pin(levels(&mut talk.probe, talk.calls)),
        ..Self::USUAL
    };

    /// The id of the last change of the level: nothing that was logged before is still on its way then.
    pub const LAST_LEVEL: &str = "last-level";
}

async fn levels(probe: &mut Probe, calls: &KnownCalls) {
    let Some(result) = probe.shake_hands().await else { return };
    if !probe.is_modern()
        && let Some((http, recorder)) = probe.http_and_recorder()
        && http.is_streamable()
    {
        http.open_stream(recorder).await;
    }
    if let Some(call) = calls.progressing.first() {
        tokens(probe, call).await;
    }
    let Some(call) = calls.logging.first() else { return };
    if probe.is_modern() {
        per_request(probe, call).await;
    } else if result["capabilities"].get("logging").is_some() {
        per_session(probe, call).await;
    }
}

/// One call under each token, and one without.
async fn tokens(probe: &mut Probe, call: &Value) {
    let until = Instant::now() + MOST_TIME;
    let without = std::iter::once(None);
    for token in without.chain(odd_tokens().into_iter().map(Some)) {
        if Instant::now() >= until {
            return;
        }
        let mut call = call.clone();
        if let Some(token) = token {
            call["_meta"] = json!({ "progressToken": token });
        }
        probe.ask(Topic::TokenCall, "tools/call", Some(call)).await;
    }
}

/// One call with each level, and after each one that asks for no logs.
async fn per_request(probe: &mut Probe, call: &Value) {
    let until = Instant::now() + MOST_TIME;
    for level in CHANGES {
        if Instant::now() >= until {
            return;
        }
        let mut loud = call.clone();
        loud["_meta"] = json!({ LOG_LEVEL: level });
        probe.ask(Topic::LevelCall, "tools/call", Some(loud)).await;
        probe.ask(Topic::QuietCall, "tools/call", Some(call.clone())).await;
    }
}

/// One call under each level; then levels that do not exist, which change nothing; then one last change.
async fn per_session(probe: &mut Probe, call: &Value) {
    let until = Instant::now() + MOST_TIME;
    for level in CHANGES {
        if Instant::now() >= until {
            break;
        }
        let params = json!({ "level": level });
        probe.ask(Topic::SetLevel, "logging/setLevel", Some(params)).await;
        probe.ask(Topic::LevelCall, "tools/call", Some(call.clone())).await;
    }
    for params in
        [json!({ "level": 7 }), json!({ "level": null }), json!({ "level": "" }), json!({})]
    {
        probe.ask(Topic::UnknownLevel, "logging/setLevel", Some(params)).await;
    }
    let quiet = probe.settings().quiet;
    probe.listen(quiet).await;
    let (id, params) = (json!(Scenario::LAST_LEVEL), json!({ "level": "error" }));
    probe.ask_as(Topic::SetLevel, id, "logging/setLevel", Some(params)).await;
    probe.ask(Topic::LevelCall, "tools/call", Some(call.clone())).await;
    probe.listen(quiet).await;
}

/// Every level, up and down.
const CHANGES: [&str; 9] =
    ["emergency", "debug", "error", "info", "alert", "notice", "critical", "warning", "emergency"];
/// For calls that may be slow, whose number is not what matters.
const MOST_TIME: Duration = Duration::from_secs(2);
