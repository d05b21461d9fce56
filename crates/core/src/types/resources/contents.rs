//! What a resource contains, as text or as bytes.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::types::Meta;

/// Told apart by the member that is there: `text` or `blob`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceContents {
    Blob(BlobResourceContents),
    Text(TextResourceContents),
}

impl ResourceContents {
    pub fn text(
        uri: impl Into<String>,
        mime_type: Option<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::Text(TextResourceContents { mime_type, ..TextResourceContents::new(uri, text) })
    }

    /// `blob` is base64.
    pub fn blob(
        uri: impl Into<String>,
        mime_type: Option<String>,
        blob: impl Into<String>,
    ) -> Self {
        Self::Blob(BlobResourceContents { mime_type, ..BlobResourceContents::new(uri, blob) })
    }

    pub fn uri(&self) -> &str {
        match self {
            Self::Blob(contents) => &contents.uri,
            Self::Text(contents) => &contents.uri,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextResourceContents {
    pub uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    pub text: String,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl TextResourceContents {
    pub fn new(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), text: text.into(), ..Self::default() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlobResourceContents {
    pub uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// In base64.
    pub blob: String,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl BlobResourceContents {
    /// `blob` is base64.
    pub fn new(uri: impl Into<String>, blob: impl Into<String>) -> Self {
        Self { uri: uri.into(), blob: blob.into(), ..Self::default() }
    }
}

impl From<TextResourceContents> for ResourceContents {
    fn from(contents: TextResourceContents) -> Self {
        Self::Text(contents)
    }
}

impl From<BlobResourceContents> for ResourceContents {
    fn from(contents: BlobResourceContents) -> Self {
        Self::Blob(contents)
    }
}

impl Serialize for ResourceContents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Blob(contents) => contents.serialize(serializer),
            Self::Text(contents) => contents.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Fields { uri, mime_type, text, blob, meta } = Fields::deserialize(deserializer)?;
        Ok(match (text, blob) {
            (Some(text), None) => Self::Text(TextResourceContents { uri, mime_type, text, meta }),
            (None, Some(blob)) => Self::Blob(BlobResourceContents { uri, mime_type, blob, meta }),
            (Some(_), Some(_)) => {
                return Err(de::Error::custom("resource contents with both `text` and `blob`"));
            }
            (None, None) => {
                return Err(de::Error::custom("resource contents with neither `text` nor `blob`"));
            }
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    uri: String,
    #[serde(default)]
    mime_type: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    blob: Option<String>,
    #[serde(rename = "_meta", default)]
    meta: Option<Meta>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(text: &str) -> Result<ResourceContents, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn the_member_that_is_there_decides() {
        let text = read(r#"{"uri":"a:b","text":""}"#).unwrap();
        assert_eq!(text, TextResourceContents::new("a:b", "").into());
        let blob = read(r#"{"uri":"a:b","blob":""}"#).unwrap();
        assert_eq!(blob, BlobResourceContents::new("a:b", "").into());
    }

    #[test]
    fn contents_are_exactly_one_of_text_and_blob() {
        let both = read(r#"{"uri":"a:b","text":"","blob":""}"#).unwrap_err();
        assert!(both.contains("both"), "{both}");
        let neither = read(r#"{"uri":"a:b"}"#).unwrap_err();
        assert!(neither.contains("neither"), "{neither}");
    }
}
