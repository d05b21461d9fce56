//! Content blocks: a kind that the reader does not know becomes text.

use super::Fit;
use crate::{
    revision::{ContentKind, ContentKinds, Rules},
    types::{
        Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, Meta, Resource,
        ResourceContents, TextContent,
    },
};

/// Fits one block to a place that takes the kinds in `known`.
pub(super) fn fit(block: &mut ContentBlock, known: ContentKinds, rules: &Rules) {
    let kind = match block {
        // Every place in every revision takes text.
        ContentBlock::Text(text) => return text.fit(rules),
        ContentBlock::Audio(_) => ContentKind::Audio,
        ContentBlock::Image(_) => ContentKind::Image,
        ContentBlock::Resource(_) => ContentKind::Resource,
        ContentBlock::ResourceLink(_) => ContentKind::ResourceLink,
    };
    if !known.contains(&kind) {
        *block = ContentBlock::Text(as_text(block));
    }
    match block {
        ContentBlock::Audio(audio) => audio.fit(rules),
        ContentBlock::Image(image) => image.fit(rules),
        ContentBlock::Resource(resource) => resource.fit(rules),
        ContentBlock::ResourceLink(link) => link.fit(rules),
        ContentBlock::Text(text) => text.fit(rules),
    }
}

/// What a reader of text gets in place of the block, which is left empty.
pub(super) fn as_text(block: &mut ContentBlock) -> TextContent {
    match block {
        ContentBlock::Audio(audio) => audio_as_text(audio),
        ContentBlock::Image(image) => TextContent {
            text: format!("[left out: an image of type {}]", image.mime_type),
            annotations: image.annotations.take(),
            meta: image.meta.take(),
        },
        ContentBlock::Resource(embedded) => TextContent {
            text: contents_as_text(&embedded.resource),
            annotations: embedded.annotations.take(),
            meta: embedded.meta.take(),
        },
        ContentBlock::ResourceLink(link) => TextContent {
            text: link_as_text(link),
            annotations: link.annotations.take(),
            meta: link.meta.take(),
        },
        ContentBlock::Text(text) => std::mem::take(text),
    }
}

pub(super) fn audio_as_text(audio: &mut AudioContent) -> TextContent {
    TextContent {
        text: format!("[left out: audio of type {}]", audio.mime_type),
        annotations: audio.annotations.take(),
        meta: audio.meta.take(),
    }
}

impl Fit for TextContent {
    fn fit(&mut self, rules: &Rules) {
        hints(&mut self.annotations, &mut self.meta, rules);
    }
}

impl Fit for ImageContent {
    fn fit(&mut self, rules: &Rules) {
        hints(&mut self.annotations, &mut self.meta, rules);
    }
}

impl Fit for AudioContent {
    fn fit(&mut self, rules: &Rules) {
        hints(&mut self.annotations, &mut self.meta, rules);
    }
}

impl Fit for EmbeddedResource {
    fn fit(&mut self, rules: &Rules) {
        self.resource.fit(rules);
        hints(&mut self.annotations, &mut self.meta, rules);
    }
}

impl Fit for ResourceContents {
    fn fit(&mut self, rules: &Rules) {
        if rules.resources.fields.meta {
            return;
        }
        match self {
            Self::Blob(contents) => contents.meta = None,
            Self::Text(contents) => contents.meta = None,
        }
    }
}

impl Fit for Annotations {
    fn fit(&mut self, rules: &Rules) {
        if !rules.resources.last_modified {
            self.last_modified = None;
        }
    }
}

fn hints(annotations: &mut Option<Annotations>, meta: &mut Option<Meta>, rules: &Rules) {
    if let Some(annotations) = annotations {
        annotations.fit(rules);
    }
    if !rules.meta.on_objects {
        *meta = None;
    }
}

fn contents_as_text(contents: &ResourceContents) -> String {
    match contents {
        ResourceContents::Blob(blob) => {
            let kind = blob.mime_type.as_deref().unwrap_or("unknown type");
            format!("[left out: {}, bytes of {kind}]", blob.uri)
        }
        ResourceContents::Text(text) => format!("{}:\n{}", text.uri, text.text),
    }
}

fn link_as_text(link: &Resource) -> String {
    let name = link.title.as_ref().unwrap_or(&link.name);
    match &link.description {
        Some(description) => format!("{name}: {}\n{description}", link.uri),
        None => format!("{name}: {}", link.uri),
    }
}
