//! Results that say how often they were given, so that a client can tell which one it used.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Behaviour, fixtures, modern};
use crate::hosted::steps::Step;

/// How often each result was given.
#[derive(Debug, Default)]
pub(super) struct Given(BTreeMap<String, u32>);

impl Behaviour {
    /// What is done about a request whose result may be kept; `None` for all others, and where results are not counted.
    pub(super) fn counted(&mut self, method: &str, params: &Value) -> Option<Vec<Step>> {
        self.scenario.counts_results.then_some(())?;
        let text = |name: &str| params[name].as_str();
        let key = match (method, text("cursor"), text("uri")) {
            ("tools/list" | "prompts/list" | "resources/list", None, _) => method.to_owned(),
            ("resources/list", Some(SECOND_PAGE), _) => format!("{method} {SECOND_PAGE}"),
            ("resources/read", _, Some(uri)) if fixtures::read(params).is_some() => {
                format!("{method} {uri}")
            }
            _ => return None,
        };
        if text("uri") == Some(ASKED) && text("requestState").is_none() {
            let result = modern::typed(json!({ "requestState": "asked" }), "input_required");
            return Some(vec![Step::Answer(result)]);
        }
        let count = self.given.0.entry(key.clone()).or_default();
        *count += 1;
        let (count, mark) = (*count, format!("{key} #{count}"));
        let (mut result, ttl) = match method {
            "tools/list" => {
                let tools = [fixtures::tools(), vec![fixtures::reporting_tool(&mark)]].concat();
                let ttl = match count {
                    1 => Some(0),
                    2 => None,
                    3 => Some(-1),
                    _ => Some(LONG),
                };
                (json!({ "tools": tools }), ttl)
            }
            "prompts/list" => {
                let mut prompts = fixtures::prompts();
                prompts[0]["description"] = json!(mark);
                (json!({ "prompts": prompts }), Some(SHORT))
            }
            "resources/list" => {
                let at = usize::from(text("cursor").is_some());
                let mut resource = fixtures::resources()[at].clone();
                resource["description"] = json!(mark);
                let mut result = json!({ "resources": [resource] });
                if at == 0 {
                    result["nextCursor"] = json!(SECOND_PAGE);
                }
                (result, Some(if at == 0 { LONG } else { SHORT }))
            }
            _ => {
                let mut result = fixtures::read(params)?;
                result["contents"][0]["text"] = json!(mark);
                (result, Some(LONG))
            }
        };
        result["cacheScope"] = json!("private");
        if let Some(ttl) = ttl {
            result["ttlMs"] = json!(ttl);
        }
        Some(vec![Step::Answer(modern::typed(result, "complete"))])
    }
}

const SECOND_PAGE: &str = "second-page";
/// A resource whose contents take two rounds.
const ASKED: &str = "test://hosted/asked";
/// In milliseconds.
const SHORT: i64 = 300;
const LONG: i64 = 3_600_000;
