//! Open findings as SARIF 2.1.0, for code hosts that show findings: the place of each is the inventory.

use std::collections::BTreeMap;

use proofmark_check::{
    judge::catalogue,
    record::text::{self, plain},
};
use serde_json::{Value, json};

use crate::{outcome::Severity, store::FindingRow};

/// `inventory` is the path of the file in its repository.
pub fn write(inventory: &str, findings: &[FindingRow]) -> String {
    let rules: BTreeMap<&str, Value> =
        findings.iter().map(|it| (it.subject.id.as_str(), rule(&it.subject.id))).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "proofmark fleet",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_values().collect::<Vec<_>>(),
            }},
            "results": findings.iter().map(|it| result(inventory, it)).collect::<Vec<_>>(),
        }],
    });
    text::json(&format!("{document:#}\n"))
}

fn rule(id: &str) -> Value {
    let known = catalogue::find(id);
    let about = known.map_or("a test of the server", |it| it.text);
    json!({"id": plain(id), "shortDescription": {"text": about}})
}

fn result(inventory: &str, it: &FindingRow) -> Value {
    let way = format!("{} {} over {}", it.server, it.wanted, it.transport);
    let told = format!("{way}: expected {}, got {}", it.expected, it.actual);
    json!({
        "ruleId": plain(&it.subject.id),
        "level": match it.severity { Severity::Fail => "error", Severity::Warn => "warning" },
        "message": {"text": plain(&told)},
        "locations": [{
            "physicalLocation": {"artifactLocation": {"uri": plain(inventory)}, "region": {"startLine": 1}},
            "logicalLocations": [{"name": plain(&it.server), "kind": "resource"}],
        }],
        "partialFingerprints": {"finding/v1": plain(&format!("{way} {}", it.subject.id))},
        "properties": {"owner": it.owner.as_deref().map(plain), "flaky": it.flaky},
    })
}
