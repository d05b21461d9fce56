//! What a client remembers of a server's tools: which arguments headers repeat, and what output they promise.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use http::{HeaderName, HeaderValue};
use proofmark_core::{
    json::{MemberPosition, Raw, Reader},
    revision::Rules,
    streamable_http::HeaderParameters,
    types::{CallToolResult, Tool},
};

use super::Error;
use crate::schema::{Schema, SchemaLimits};

/// The tools that were listed last.
pub(super) struct ToolBook {
    most: usize,
    limits: SchemaLimits,
    tools: HashMap<String, Arc<Known>>,
}

/// Whether headers repeat arguments, which only HTTP has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mirroring {
    Never,
    WhereDemanded,
}

impl Mirroring {
    pub(super) fn applies(self, rules: &Rules) -> Self {
        if rules.http.routing_headers { self } else { Self::Never }
    }
}

/// One tool.
pub(super) struct Known {
    name: String,
    parameters: Result<HeaderParameters, String>,
    promised: Option<Raw>,
    limits: SchemaLimits,
    /// Compiled when it is first needed; empty if it cannot be.
    output: OnceLock<Option<Schema>>,
}

impl ToolBook {
    pub(super) fn new(most: usize, limits: SchemaLimits) -> Self {
        Self { most, limits, tools: HashMap::new() }
    }

    /// Takes note of listed tools, and takes those off the list that a client of this revision must refuse.
    pub(super) fn note(&mut self, tools: &mut Vec<Tool>, mirroring: Mirroring) {
        let mirrors = mirroring == Mirroring::WhereDemanded;
        tools.retain(|tool| {
            let known = Known::new(tool, self.limits.clone());
            let refused = known.parameters.as_ref().err().filter(|_| mirrors).cloned();
            if let Some(why) = &refused {
                tracing::warn!(tool = tool.name, %why, "a tool is refused");
            }
            if self.tools.len() < self.most || self.tools.contains_key(&tool.name) {
                self.tools.insert(tool.name.clone(), Arc::new(known));
            }
            refused.is_none()
        });
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<Known>> {
        self.tools.get(name).cloned()
    }

    /// The tool that is called with these params.
    pub(super) fn called(&self, params: &Raw) -> Option<Arc<Known>> {
        if self.tools.is_empty() {
            return None;
        }
        let mut reader = Reader::new(params.as_str(), usize::MAX);
        reader.begin_object().ok()?;
        let mut place = MemberPosition::First;
        while let Some(key) = reader.next_key(place).ok()? {
            if key == "name" {
                return self.get(&reader.text().ok()?);
            }
            reader.value().ok()?;
            place = MemberPosition::Later;
        }
        None
    }

    pub(super) fn forget(&mut self) {
        self.tools.clear();
    }
}

impl Known {
    fn new(tool: &Tool, limits: SchemaLimits) -> Self {
        Self {
            name: tool.name.clone(),
            parameters: HeaderParameters::from_schema(tool.input_schema.borrowed())
                .map_err(|why| why.to_string()),
            promised: tool.output_schema.clone(),
            limits,
            output: OnceLock::new(),
        }
    }

    /// The headers that repeat arguments of a call.
    pub(super) fn mirror(
        &self,
        arguments: Option<&Raw>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, Error> {
        let parameters = self
            .parameters
            .as_ref()
            .map_err(|why| Error::ToolRefused { tool: self.name.clone(), why: why.clone() })?;
        parameters
            .headers_for(arguments.map(Raw::borrowed))
            .map_err(|why| Error::NotMirrorable { tool: self.name.clone(), why: why.to_string() })
    }

    /// Holds a result to what the tool promised.
    #[inline(never)]
    pub(super) fn check(&self, result: &CallToolResult) -> Result<(), Error> {
        let Some(promised) = &self.promised else { return Ok(()) };
        if result.is_error == Some(true) {
            return Ok(());
        }
        let tool = || self.name.clone();
        let Some(content) = &result.structured_content else {
            return Err(Error::OutputMissing { tool: tool() });
        };
        let compile = || match Schema::compile(promised.as_str(), &self.limits) {
            Ok(schema) => Some(schema),
            Err(error) => {
                tracing::warn!(tool = self.name, %error, "the output is not checked");
                None
            }
        };
        let Some(schema) = self.output.get_or_init(compile) else { return Ok(()) };
        match schema.validate_json(content.as_str()) {
            Ok(_) => Ok(()),
            Err(why) => Err(Error::OutputMismatch { tool: tool(), why }),
        }
    }
}
