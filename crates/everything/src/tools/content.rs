//! Tools that answer with every kind of content.

use std::future::ready;

use proofmark_sdk::{
    core::types::{ContentBlock, Resource, ResourceContents},
    server::{Json, ToolEntry},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::fixture;
use crate::{
    assets::{PNG, PNG_TYPE, WAV, WAV_TYPE},
    resources::{STATIC_TEXT, STATIC_TEXT_NAME},
};

pub(super) fn all() -> Vec<ToolEntry> {
    vec![
        fixture("test_image_content", "Answers with an image").handler(|| ready(image())),
        fixture("test_audio_content", "Answers with a sound")
            .handler(|| ready(ContentBlock::audio(WAV, WAV_TYPE))),
        fixture("test_embedded_resource", "Answers with a resource inside the message")
            .handler(|| ready(embedded())),
        fixture("test_multiple_content_types", "Answers with a text, an image and a resource")
            .handler(|| ready(mixed())),
        fixture("test_resource_link", "Answers with a link to a resource")
            .handler(|| ready(link())),
        fixture("test_structured_content", "Answers with structured content and the same as text")
            .output::<Weather>()
            .handler(|| ready(Json(WEATHER))),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    temperature: f64,
    conditions: &'static str,
}

fn image() -> ContentBlock {
    ContentBlock::image(PNG, PNG_TYPE)
}

fn embedded() -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(
        "test://embedded-resource",
        Some("text/plain".to_owned()),
        "This is an embedded resource content.",
    ))
}

fn mixed() -> Vec<ContentBlock> {
    let resource = ResourceContents::text(
        "test://mixed-content-resource",
        Some("application/json".to_owned()),
        r#"{"test":"data","value":123}"#,
    );
    vec![
        ContentBlock::text("Multiple content types test:"),
        image(),
        ContentBlock::resource(resource),
    ]
}

fn link() -> ContentBlock {
    ContentBlock::resource_link(Resource {
        uri: STATIC_TEXT.to_owned(),
        name: STATIC_TEXT_NAME.to_owned(),
        mime_type: Some("text/plain".to_owned()),
        ..Resource::default()
    })
}

const WEATHER: Weather = Weather { temperature: 22.5, conditions: "Partly cloudy" };
