use super::*;
use crate::types::{BlobResourceContents, TextResourceContents};

#[track_caller]
fn read(text: &str) -> Result<ContentBlock, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[test]
fn every_kind_of_block_is_written_as_it_was_read() {
    for text in [
        r#"{"type":"text","text":"hi","annotations":{"audience":["user"],"priority":0.5}}"#,
        r#"{"type":"image","data":"AA==","mimeType":"image/png","_meta":{"a/b":1.0}}"#,
        r#"{"type":"audio","data":"AA==","mimeType":"audio/wav"}"#,
        r#"{"type":"resource","resource":{"uri":"a:b","text":"","_meta":{"x":[]}}}"#,
        r#"{"type":"resource","resource":{"uri":"a:b","mimeType":"x/y","blob":""}}"#,
        r#"{"type":"resource_link","uri":"a:b","name":"b","size":3}"#,
    ] {
        let block = read(text).unwrap();
        assert_eq!(serde_json::to_string(&block).unwrap(), text);
    }
}

#[test]
fn the_type_need_not_come_first() {
    let block = read(r#"{"_meta":{"k":{"n":1e2}},"text":"hi","type":"text"}"#).unwrap();
    let ContentBlock::Text(text) = block else { panic!("{block:?}") };
    assert_eq!(text.text, "hi");
    assert_eq!(text.meta.unwrap().get("k").unwrap().as_str(), r#"{"n":1e2}"#);
}

#[test]
fn a_field_of_another_kind_is_just_an_unknown_field() {
    assert_eq!(read(r#"{"type":"text","text":"hi","uri":5}"#), Ok(ContentBlock::text("hi")));
}

#[test]
fn an_unknown_type_is_named() {
    let error = read(r#"{"type":"smell","data":"?"}"#).unwrap_err();
    assert!(error.starts_with("unknown type `smell` of content"), "{error}");
}

#[test]
fn what_is_missing_is_named() {
    for (text, missing) in [
        (r#"{"text":"hi"}"#, "missing field `type`"),
        (r#"{"type":"text"}"#, "in `text`: missing field `text`"),
        (r#"{"type":"image","data":""}"#, "in `image`: missing field `mimeType`"),
        (r#"{"type":"resource"}"#, "in `resource`: missing field `resource`"),
        (r#"{"type":"resource_link","uri":"a:b"}"#, "in `resource_link`: missing field `name`"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with(missing), "{error}");
    }
}

#[test]
fn a_type_given_twice_is_an_error() {
    assert!(read(r#"{"type":"text","text":"hi","type":"text"}"#).is_err());
}

#[test]
fn constructors_fill_in_what_is_always_the_same() {
    let text = TextResourceContents::new("a:b", "hi");
    let blob = BlobResourceContents::new("a:b", "AA==");
    for (block, written) in [
        (ContentBlock::text("a"), r#"{"type":"text","text":"a"}"#),
        (ContentBlock::image("a", "b"), r#"{"type":"image","data":"a","mimeType":"b"}"#),
        (ContentBlock::audio("a", "b"), r#"{"type":"audio","data":"a","mimeType":"b"}"#),
        (
            ContentBlock::resource(text),
            r#"{"type":"resource","resource":{"uri":"a:b","text":"hi"}}"#,
        ),
        (
            ContentBlock::resource(blob),
            r#"{"type":"resource","resource":{"uri":"a:b","blob":"AA=="}}"#,
        ),
        (
            ContentBlock::resource_link(Resource::new("a:b", "b")),
            r#"{"type":"resource_link","uri":"a:b","name":"b"}"#,
        ),
    ] {
        assert_eq!(serde_json::to_string(&block).unwrap(), written);
    }
}
