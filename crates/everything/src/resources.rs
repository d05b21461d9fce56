//! The resources, and a template of more of them.

use std::future::ready;

use proofmark_sdk::{
    core::types::ResourceContents,
    server::{Error, ResourceEntry, TemplateEntry, resource, resource_template},
};
use serde::Serialize;

use crate::assets::{PNG, PNG_TYPE};

pub(crate) fn all() -> Vec<ResourceEntry> {
    vec![
        resource(STATIC_TEXT, STATIC_TEXT_NAME)
            .description("A static text resource for testing")
            .mime_type("text/plain")
            .text("This is the content of the static text resource."),
        resource(STATIC_BINARY, "Static Binary Resource")
            .description("A static binary resource (image) for testing")
            .mime_type(PNG_TYPE)
            .contents(vec![ResourceContents::blob(STATIC_BINARY, Some(PNG_TYPE.into()), PNG)]),
        resource(WATCHED, "Watched Resource")
            .description("A resource that can be subscribed to")
            .mime_type("text/plain")
            .text("Watched resource content"),
    ]
}

pub(crate) fn template() -> TemplateEntry {
    resource_template(TEMPLATE, "Resource Template")
        .description("A resource template with parameter substitution")
        .mime_type("application/json")
        .handler(|_, uri, captures| ready(read(uri, captures.text("id").unwrap_or_default())))
}

/// The members are in the order in which they are expected.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    id: &'a str,
    template_test: bool,
    data: String,
}

fn read(uri: String, id: &str) -> Result<Vec<ResourceContents>, Error> {
    let document = Document { id, template_test: true, data: format!("Data for ID: {id}") };
    let text = serde_json::to_string(&document)?;
    Ok(vec![ResourceContents::text(uri, Some("application/json".to_owned()), text)])
}

pub(crate) const STATIC_TEXT: &str = "test://static-text";
pub(crate) const STATIC_TEXT_NAME: &str = "Static Text Resource";
pub(crate) const TEMPLATE: &str = "test://template/{id}/data";
pub(crate) const WATCHED: &str = "test://watched-resource";
const STATIC_BINARY: &str = "test://static-binary";
