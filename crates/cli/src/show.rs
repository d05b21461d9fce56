//! What servers answer, for people and for programs.

use proofmark_sdk::core::types::{ContentBlock, ResourceContents};
use serde::Serialize;

use crate::say;

/// Indented, on standard output.
pub(crate) fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    // Once through a value, because raw parts keep the spacing that they came with.
    let value = serde_json::to_value(value)?;
    say::on_stdout(serde_json::to_string_pretty(&value)?);
    Ok(())
}

/// Text as it is, and of everything else what it is.
pub(crate) fn block(block: &ContentBlock) {
    match block {
        ContentBlock::Text(text) => say::on_stdout(plain(&text.text)),
        ContentBlock::Image(image) => {
            say::on_stdout(format_args!("[image, {}]", plain(&image.mime_type)));
        }
        ContentBlock::Audio(audio) => {
            say::on_stdout(format_args!("[audio, {}]", plain(&audio.mime_type)));
        }
        ContentBlock::ResourceLink(link) => {
            say::on_stdout(format_args!("[{}] {}", plain(&link.name), plain(&link.uri)));
        }
        ContentBlock::Resource(embedded) => contents(&embedded.resource),
    }
}

pub(crate) fn contents(contents: &ResourceContents) {
    match contents {
        ResourceContents::Text(text) => say::on_stdout(plain(&text.text)),
        ResourceContents::Blob(blob) => {
            let kind = blob.mime_type.as_deref().unwrap_or("unknown type");
            let length = blob.blob.len();
            say::on_stdout(format_args!("[binary, {}, {length} bytes of base64]", plain(kind)));
        }
    }
}

/// Text that cannot take over a terminal: control characters other than line breaks and tabs are shown, not obeyed.
pub(crate) fn plain(text: &str) -> String {
    let harmless = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars()
        .map(|c| if harmless(&c) { c.to_string() } else { c.escape_default().to_string() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_obeyed() {
        assert_eq!(plain("a\tb\nc"), "a\tb\nc");
        assert_eq!(plain("\u{1b}[2J"), "\\u{1b}[2J");
    }
}
