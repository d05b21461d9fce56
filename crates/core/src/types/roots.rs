//! Roots: the places where the client lets the server work.

use serde::{Deserialize, Serialize};

use super::Meta;

/// A place where the server may work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// Begins with `file://` in every revision so far; see [`Root::is_file`].
    pub uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Since 2025-06-18.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The parameters of `roots/list`, which may also have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListRootsParams {
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The client's answer to `roots/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListRootsResult {
    pub roots: Vec<Root>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Root {
    /// Whether this is a place in a file system, the only kind of root there is. The scheme of a URI may be in capitals.
    pub fn is_file(&self) -> bool {
        self.uri.get(..FILE.len()).is_some_and(|start| start.eq_ignore_ascii_case(FILE))
    }
}

const FILE: &str = "file://";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_uri_is_a_root() {
        let is_file = |uri: &str| Root { uri: uri.into(), ..Root::default() }.is_file();
        assert!(is_file("file:///srv/user/projects/myproject"));
        assert!(is_file("FILE:///C:/work"));
        for other in ["", "file:", "file:/home", "https://example.org", "/srv/user", "filé://x"] {
            assert!(!is_file(other), "{other:?}");
        }
    }

    #[test]
    fn a_list_without_roots_is_a_list_but_no_list_is_not() {
        let empty: ListRootsResult = serde_json::from_str(r#"{"roots":[]}"#).unwrap();
        assert_eq!(empty, ListRootsResult::default());
        assert!(serde_json::from_str::<ListRootsResult>("{}").is_err());
    }
}
