//! Fast path of serde for [`CallToolResult`]: the results that nearly every tool gives, read and written in one pass.
//!
//! serde finds each block's `type` first (see `types/tagged.rs`), and copies texts byte by byte. Equivalence:
//! `every_object_is_read_as_serde_reads_it` and `results_are_written_as_serde_writes_them`.

use super::{CallToolResult, ContentBlock, Meta, ResultType, TextContent, member};
use crate::json::{Raw, Reader, Unreadable, write_string};

impl CallToolResult {
    /// Decodes a result. It is read as serde reads it, which is asked about all that is unusual.
    pub fn from_raw(raw: &Raw) -> serde_json::Result<Self> {
        read_fast(raw.as_str()).or_else(|Unreadable| Self::from_unusual(raw))
    }

    /// Appends the result as JSON, texts many bytes at a time.
    pub(in crate::types) fn write_fast(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        out.extend_from_slice(b"{\"content\":[");
        for (at, block) in self.content.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            match block {
                ContentBlock::Text(TextContent { text, annotations: None, meta: None }) => {
                    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
                    write_string(out, text);
                    out.push(b'}');
                }
                other => serde_json::to_writer(&mut *out, other)?,
            }
        }
        out.push(b']');
        member(out, ",\"structuredContent\":", self.structured_content.as_ref())?;
        member(out, ",\"isError\":", self.is_error.as_ref())?;
        member(out, ",\"_meta\":", self.meta.as_ref())?;
        member(out, ",\"resultType\":", self.result_type.as_ref())?;
        out.push(b'}');
        Ok(())
    }

    // Cold: nearly every result is read without it.
    #[cold]
    fn from_unusual(raw: &Raw) -> serde_json::Result<Self> {
        raw.decode()
    }
}

fn read_fast(text: &str) -> Result<CallToolResult, Unreadable> {
    let mut reader = Reader::new(text, usize::MAX);
    let mut result = CallToolResult::default();
    let mut content = None;
    reader.members(|key, reader| match key.as_ref() {
        "content" => once(&mut content, blocks(reader)?),
        "structuredContent" => once(&mut result.structured_content, reader.value()?.into()),
        "isError" => once(&mut result.is_error, boolean(reader)?),
        "_meta" => once(&mut result.meta, meta(reader)?),
        "resultType" => once(&mut result.result_type, ResultType::named(reader.text()?)),
        _ => reader.value().map(drop),
    })?;
    reader.end()?;
    result.content = content.ok_or(Unreadable)?;
    Ok(result)
}

/// Blocks of plain text.
fn blocks(reader: &mut Reader<'_>) -> Result<Vec<ContentBlock>, Unreadable> {
    // Mostly there is one.
    let mut blocks = Vec::with_capacity(1);
    reader.elements(|reader| {
        let (mut kind, mut text) = (None, None);
        reader.members(|key, reader| match key.as_ref() {
            "type" => once(&mut kind, reader.text()?),
            "text" => once(&mut text, reader.text()?),
            "annotations" | "_meta" => Err(Unreadable),
            _ => reader.value().map(drop),
        })?;
        match (kind.as_deref(), text) {
            (Some("text"), Some(text)) => {
                blocks.push(ContentBlock::text(text));
                Ok(())
            }
            _ => Err(Unreadable),
        }
    })?;
    Ok(blocks)
}

fn meta(reader: &mut Reader<'_>) -> Result<Meta, Unreadable> {
    let mut meta = Meta::default();
    reader.members(|key, reader| {
        meta.0.insert(key.into_owned(), reader.value()?.into());
        Ok(())
    })?;
    Ok(meta)
}

fn boolean(reader: &mut Reader<'_>) -> Result<bool, Unreadable> {
    match reader.value()?.get() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Unreadable),
    }
}

/// A member must not occur twice.
fn once<T>(slot: &mut Option<T>, value: T) -> Result<(), Unreadable> {
    slot.replace(value).map_or(Ok(()), |_| Err(Unreadable))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether it was read without serde.
    #[track_caller]
    fn compare(text: &str) -> bool {
        let raw = Raw::from_json(text).unwrap();
        let (ours, serde) = (CallToolResult::from_raw(&raw), raw.decode::<CallToolResult>());
        match (ours, serde) {
            (Ok(ours), Ok(serde)) => assert_eq!(ours, serde, "{text}"),
            (Err(ours), Err(serde)) => assert_eq!(ours.to_string(), serde.to_string(), "{text}"),
            (ours, serde) => panic!("{text}: {ours:?} {serde:?}"),
        }
        read_fast(text).is_ok()
    }

    #[test]
    fn what_is_usual_is_read_at_once() {
        for text in [
            r#"{"content":[]}"#,
            r#" { "content" : [ { "type" : "text" , "text" : "a\n\u00e9" } ] , "other" : [1e999] } "#,
            r#"{"content":[{"text":"a","type":"text","x":null},{"type":"t\u0065xt","text":""}]}"#,
            r#"{"content":[],"structuredContent":null,"isError":true,"resultType":"complete"}"#,
            r#"{"isError":false,"structuredContent":{"a": [1.0]},"resultType":"x","content":[]}"#,
            r#"{"content":[],"_meta":{"a":1,"b":{"c":"\ud800"},"\u0061":2}}"#,
        ] {
            assert!(compare(text), "{text}");
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_serde() {
        let deep = format!(
            r#"{{"content":[],"structuredContent":{}1{}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        for text in [
            "{}",
            "[]",
            "null",
            r#"{"content":null}"#,
            r#"{"content":[1]}"#,
            r#"{"content":[],"content":[]}"#,
            r#"{"content":[],"isError":null}"#,
            r#"{"content":[],"isError":"true"}"#,
            r#"{"content":[],"_meta":null}"#,
            r#"{"content":[],"_meta":{"\ud800":1}}"#,
            r#"{"content":[],"resultType":1}"#,
            r#"{"content":[],"structuredContent":1,"structuredContent":1}"#,
            r#"{"content":[{"type":"text"}]}"#,
            r#"{"content":[{"text":"a"}]}"#,
            r#"{"content":[{"type":"text","text":"\ud800"}]}"#,
            r#"{"content":[{"type":"text","text":"a","text":"b"}]}"#,
            r#"{"content":[{"type":"text","type":"text","text":"b"}]}"#,
            r#"{"content":[{"type":"text","text":"a","annotations":{"priority":1}}]}"#,
            r#"{"content":[{"type":"text","text":"a","_meta":{}}]}"#,
            r#"{"content":[{"type":"image","data":"","mimeType":"image/png"}]}"#,
            r#"{"content":[{"type":"other"}]}"#,
            &deep,
        ] {
            assert!(!compare(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_object_is_read_as_serde_reads_it(
            members in prop::collection::vec((KEY, VALUE), 0..5),
        ) {
            let members: Vec<_> =
                members.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            let object = format!("{{{}}}", members.join(","));
            compare(&object);
            compare(&format!(r#"{{"content":[{object}]}}"#));
            compare(&format!(r#"{{"_meta":{object},"content":[{{"type":"text","text":"a"}}]}}"#));
        }
    }

    const KEY: &str = "content|type|text|isError|_meta|resultType|structuredContent|annotations|a";
    const VALUE: &str = r#"null|true|1|"text"|"complete"|\[\]|\{\}|\[\{"type":"text","text":"\\\\n"\}\]|\{"a": 1\}"#;
}
