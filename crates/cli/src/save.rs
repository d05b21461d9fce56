//! Contents that are no text for a terminal, into files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use base64::{Engine, engine::general_purpose::STANDARD};
use proofmark_sdk::core::types::{ContentBlock, ResourceContents};

use crate::say;

/// Saves what a tool answered.
pub(crate) fn blocks(path: &Path, blocks: &[ContentBlock]) -> anyhow::Result<()> {
    let all = blocks.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(Ok(text.text.clone().into_bytes())),
        ContentBlock::Image(image) => Some(decoded(&image.data)),
        ContentBlock::Audio(audio) => Some(decoded(&audio.data)),
        ContentBlock::Resource(embedded) => Some(bytes(&embedded.resource)),
        ContentBlock::ResourceLink(_) => None,
    });
    files(path, &all.collect::<anyhow::Result<Vec<_>>>()?)
}

/// Saves what a resource has.
pub(crate) fn contents(path: &Path, contents: &[ResourceContents]) -> anyhow::Result<()> {
    files(path, &contents.iter().map(bytes).collect::<anyhow::Result<Vec<_>>>()?)
}

/// The first under the name that was given, the others with a number before the extension.
fn files(path: &Path, contents: &[Vec<u8>]) -> anyhow::Result<()> {
    anyhow::ensure!(!contents.is_empty(), "there is nothing to save");
    for (number, bytes) in contents.iter().enumerate() {
        let path = numbered(path, number);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        say::on_stderr(format_args!("{}: {} bytes", path.display(), bytes.len()));
    }
    Ok(())
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path.extension().map(|it| format!(".{}", it.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{}{end}", number + 1))
}

fn bytes(contents: &ResourceContents) -> anyhow::Result<Vec<u8>> {
    match contents {
        ResourceContents::Text(text) => Ok(text.text.clone().into_bytes()),
        ResourceContents::Blob(blob) => decoded(&blob.blob),
    }
}

fn decoded(text: &str) -> anyhow::Result<Vec<u8>> {
    STANDARD.decode(text).context("the server's base64 is none")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_contents_are_numbered() {
        assert_eq!(numbered(Path::new("a/b.png"), 0), Path::new("a/b.png"));
        assert_eq!(numbered(Path::new("a/b.png"), 1), Path::new("a/b-2.png"));
        assert_eq!(numbered(Path::new("b"), 2), Path::new("b-3"));
    }
}
