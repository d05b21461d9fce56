//! Log messages from a server, and how much of them a client wants.

use serde::{Deserialize, Serialize};

use super::{Meta, RequestMeta};
use crate::json::Raw;

/// The severities of RFC 5424, the least severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoggingLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// The params of `logging/setLevel`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SetLevelParams<'a> {
    pub level: LoggingLevel,
    #[serde(borrow, rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RequestMeta<'a>>>,
}

/// The params of `notifications/message`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggingMessageParams {
    pub level: LoggingLevel,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// Any JSON, null included.
    pub data: Raw,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_from_debug_to_emergency() {
        use LoggingLevel::{Alert, Critical, Debug, Emergency, Error, Info, Notice, Warning};
        let ordered = [Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency];
        assert!(ordered.is_sorted());
        let names = serde_json::to_string(&ordered).unwrap();
        assert_eq!(
            names,
            r#"["debug","info","notice","warning","error","critical","alert","emergency"]"#
        );
    }

    #[test]
    fn a_log_message_may_be_about_null_but_not_about_nothing() {
        let read = serde_json::from_str::<LoggingMessageParams>;
        assert_eq!(read(r#"{"level":"info","data":null}"#).unwrap().data.as_str(), "null");
        assert!(read(r#"{"level":"info"}"#).is_err());
    }
}
