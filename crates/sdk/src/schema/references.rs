//! Finds what a `$ref` refers to, without ever leaving the document.

use std::collections::HashMap;

use serde_json::Value;

use super::{error::SchemaError, violation::shorten};

/// What references can refer to.
pub(super) struct References<'a> {
    root: &'a Value,
    anchors: HashMap<&'a str, &'a Value>,
}

impl<'a> References<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root, anchors: HashMap::new() }
    }

    pub(super) fn add_anchor(
        &mut self,
        name: &'a str,
        schema: &'a Value,
    ) -> Result<(), SchemaError> {
        match self.anchors.insert(name, schema) {
            Some(other) if !std::ptr::eq(other, schema) => {
                Err(SchemaError::AmbiguousAnchor(shorten(name)))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn resolve(&self, reference: &str) -> Result<&'a Value, SchemaError> {
        let fragment = reference
            .strip_prefix('#')
            .ok_or_else(|| SchemaError::ExternalReference(shorten(reference)))?;
        let found = percent_decoded(fragment).and_then(|fragment| {
            if fragment.is_empty() || fragment.starts_with('/') {
                self.root.pointer(&fragment)
            } else {
                self.anchors.get(fragment.as_str()).copied()
            }
        });
        found
            .filter(|schema| schema.is_object() || schema.is_boolean())
            .ok_or_else(|| SchemaError::UnresolvedReference(shorten(reference)))
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        let value = digit()? * 16 + digit()?;
        decoded.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(decoded).ok()
}
