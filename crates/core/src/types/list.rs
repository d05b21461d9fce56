//! Lists that come in pages.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{RequestMeta, cow};

/// The params of every `…/list` request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PaginatedParams<'a> {
    /// Where the page begins, as the page before it said. An empty string is a cursor like any other.
    #[serde(
        borrow,
        default,
        deserialize_with = "cow::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub cursor: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RequestMeta<'a>>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_not_copied() {
        let params: PaginatedParams<'_> = serde_json::from_str(r#"{"cursor":"p2"}"#).unwrap();
        assert!(matches!(params.cursor, Some(Cow::Borrowed("p2"))));
    }

    #[test]
    fn an_empty_cursor_is_a_cursor() {
        let params: PaginatedParams<'_> = serde_json::from_str(r#"{"cursor":""}"#).unwrap();
        assert_eq!(params.cursor.as_deref(), Some(""));
        assert_eq!(serde_json::to_string(&params).unwrap(), r#"{"cursor":""}"#);
    }
}
