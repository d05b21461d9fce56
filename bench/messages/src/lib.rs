//! The same work on the same bytes, done by three sets of types.
//!
//! [`CASES`] is the table: one row per kind of work, one function for each implementation. A function takes the bytes of a message
//! and writes what it makes of them into the buffer, so that nothing can be left out unseen.

pub mod ours;
pub mod payload;
pub mod plain;
pub mod rmcp_types;

/// One kind of work.
pub struct Case {
    pub name: &'static str,
    pub input: fn() -> Vec<u8>,
    /// How often to repeat it for a stable count; fewer for large payloads.
    pub repeat: usize,
    /// How much of rmcp's instructions ours may cost; `None` for large payloads, where ours is cheaper but scans one long string twice.
    pub at_most: Option<f64>,
    pub ours: fn() -> Work,
    pub plain: fn() -> Work,
    pub rmcp: fn() -> Work,
}

/// Work that is set up: what a server or client has at hand before the message comes.
pub type Work = Box<dyn FnMut(&[u8], &mut Vec<u8>)>;

/// The implementations in the order of the table's columns.
pub const NAMES: [&str; 3] = ["ours", "serde_json::Value", "rmcp"];

impl Case {
    pub fn work(&self, name: &str) -> Option<Work> {
        let make = match name {
            "ours" => self.ours,
            "serde_json::Value" => self.plain,
            "rmcp" => self.rmcp,
            _ => return None,
        };
        Some(make())
    }
}

pub const CASES: &[Case] = &[
    Case {
        name: "tools/call request, read and written",
        input: payload::call_legacy,
        repeat: 100,
        at_most: Some(0.5),
        ours: ours::rewrite_call,
        plain: plain::rewrite_call,
        rmcp: rmcp_types::rewrite_from_client,
    },
    Case {
        name: "tools/call request, modern, read and written",
        input: payload::call_modern,
        repeat: 100,
        at_most: Some(0.5),
        ours: ours::rewrite_call,
        plain: plain::rewrite_call,
        rmcp: rmcp_types::rewrite_from_client,
    },
    Case {
        name: "tools/call request, 64 KiB, read and written",
        input: payload::call_large,
        repeat: 20,
        at_most: None,
        ours: ours::rewrite_call,
        plain: plain::rewrite_call,
        rmcp: rmcp_types::rewrite_from_client,
    },
    Case {
        name: "tools/call, request to answer",
        input: payload::call_legacy,
        repeat: 100,
        at_most: Some(0.5),
        ours: ours::serve_legacy,
        plain: plain::serve,
        rmcp: rmcp_types::serve,
    },
    Case {
        name: "tools/call, modern, request to answer",
        input: payload::call_modern,
        repeat: 100,
        at_most: Some(0.5),
        ours: ours::serve_modern,
        plain: plain::serve,
        rmcp: rmcp_types::serve,
    },
    Case {
        name: "tools/call, 64 KiB, request to answer",
        input: payload::call_large,
        repeat: 20,
        at_most: None,
        ours: ours::serve_legacy,
        plain: plain::serve,
        rmcp: rmcp_types::serve,
    },
    Case {
        name: "tools/call answer, read and written",
        input: payload::answer,
        repeat: 100,
        at_most: Some(0.5),
        ours: ours::rewrite_answer,
        plain: plain::rewrite,
        rmcp: rmcp_types::rewrite_from_server,
    },
    Case {
        name: "tools/list answer, 100 tools, read and written",
        input: payload::list,
        repeat: 20,
        at_most: Some(0.5),
        ours: ours::rewrite_list,
        plain: plain::rewrite,
        rmcp: rmcp_types::rewrite_from_server,
    },
    Case {
        name: "tools/list answer, 100 tools, written",
        input: payload::list,
        repeat: 20,
        at_most: Some(0.5),
        ours: ours::write_list,
        plain: plain::write_list,
        rmcp: rmcp_types::write_list,
    },
    Case {
        name: "tools/list answer, 100 tools, written again",
        input: payload::list,
        repeat: 20,
        at_most: Some(0.5),
        ours: ours::write_ready_list,
        plain: plain::write_list,
        rmcp: rmcp_types::write_list,
    },
];

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_implementation_says_the_same() {
        for case in CASES {
            let input = (case.input)();
            let said = NAMES.map(|name| {
                let mut work = case.work(name).unwrap();
                let mut out = Vec::new();
                work(&input, &mut out);
                let first: Value = serde_json::from_slice(&out).unwrap();
                out.clear();
                work(&input, &mut out);
                let second: Value = serde_json::from_slice(&out).unwrap();
                assert_eq!(first, second, "{}: {name} changes its mind", case.name);
                first
            });
            assert_eq!(essence(&said[0]), essence(&said[1]), "{}", case.name);
            assert_eq!(essence(&said[2]), essence(&said[1]), "{}", case.name);
        }
    }

    /// A message without what an answer may add: who gave it, and that all went well.
    fn essence(message: &Value) -> Value {
        let mut message = message.clone();
        if let Some(result) = message.get_mut("result").and_then(Value::as_object_mut) {
            for extra in ["_meta", "resultType", "isError"] {
                result.remove(extra);
            }
        }
        message
    }
}
