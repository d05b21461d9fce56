//! What servers answer, for people and for programs.

use proofmark_check::record::text::{self, Untrusted};
use proofmark_sdk::core::types::{ContentBlock, ResourceContents};
use serde::Serialize;

use crate::say;

/// Indented, on standard output.
pub(crate) fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    // Once through a value, because raw parts keep the spacing that they came with.
    let value = serde_json::to_value(value)?;
    say::report(&text::json(&serde_json::to_string_pretty(&value)?));
    Ok(())
}

/// Text as it is, and of everything else what it is.
pub(crate) fn block(block: &ContentBlock) {
    match block {
        ContentBlock::Text(text) => say::on_stdout(&text.text),
        ContentBlock::Image(image) => {
            say::on_stdout(format_args!("[image, {}]", Untrusted(&image.mime_type)));
        }
        ContentBlock::Audio(audio) => {
            say::on_stdout(format_args!("[audio, {}]", Untrusted(&audio.mime_type)));
        }
        ContentBlock::ResourceLink(link) => {
            say::on_stdout(format_args!("[{}] {}", Untrusted(&link.name), Untrusted(&link.uri)));
        }
        ContentBlock::Resource(embedded) => contents(&embedded.resource),
    }
}

pub(crate) fn contents(contents: &ResourceContents) {
    match contents {
        ResourceContents::Text(text) => say::on_stdout(&text.text),
        ResourceContents::Blob(blob) => {
            let kind = blob.mime_type.as_deref().unwrap_or("unknown type");
            let length = blob.blob.len();
            say::on_stdout(format_args!("[binary, {}, {length} bytes of base64]", Untrusted(kind)));
        }
    }
}
