//! The document in which the server tells clients where its tokens come from (RFC 9728).

use bytes::Bytes;
use serde::Serialize;
use url::Url;

use super::Scopes;

/// The document and the paths it is served under.
#[derive(Clone, Debug)]
pub(super) struct Metadata {
    pub(super) fields: Fields,
    /// With the resource's own path after it; equal to [`WELL_KNOWN`] if the resource has none.
    path: String,
    body: Bytes,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Fields {
    /// As it was configured, byte for byte: clients compare it with what they asked for.
    pub(super) resource: String,
    pub(super) authorization_servers: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scopes_supported: Option<Vec<String>>,
    bearer_methods_supported: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resource_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resource_documentation: Option<String>,
}

impl Metadata {
    pub(super) fn new(resource: String, url: &Url, authorization_servers: Vec<String>) -> Self {
        let fields = Fields {
            resource,
            authorization_servers,
            scopes_supported: None,
            bearer_methods_supported: ["header"],
            resource_name: None,
            resource_documentation: None,
        };
        let own = if url.path() == "/" { "" } else { url.path() };
        let body = fields.body();
        Self { fields, path: format!("{WELL_KNOWN}{own}"), body }
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Fields)) -> Self {
        change(&mut self.fields);
        self.body = self.fields.body();
        self
    }

    pub(super) fn at(&self, path: &str) -> Option<Bytes> {
        (path == self.path || path == WELL_KNOWN).then(|| self.body.clone())
    }

    pub(super) fn paths(&self) -> [&str; 2] {
        [&self.path, WELL_KNOWN]
    }

    /// The path that belongs to this resource alone, even if others share its host.
    pub(super) fn path(&self) -> &str {
        &self.path
    }
}

impl Fields {
    pub(super) fn support(&mut self, scopes: &Scopes) {
        let scopes: Vec<_> = scopes.of_the_resource().iter().map(str::to_owned).collect();
        self.scopes_supported = Some(scopes).filter(|scopes| !scopes.is_empty());
    }

    fn body(&self) -> Bytes {
        serde_json::to_vec(self).expect("strings are JSON").into()
    }
}

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
