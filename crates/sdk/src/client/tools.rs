//! What a client remembers of a server's tools: which arguments headers repeat, and what output they promise.

use std::{
    collections::HashMap,
    pin::pin,
    sync::{Arc, MutexGuard, OnceLock, PoisonError},
};

use futures_util::TryStreamExt;
use http::{HeaderName, HeaderValue};
use proofmark_core::{
    json::Raw,
    revision::{RequestMethod, Rules},
    streamable_http::HeaderParameters,
    types::{CallToolResult, Tool},
};

use super::{Client, Error};
use crate::schema::{Schema, SchemaLimits};

/// The tools that were listed last.
pub(super) struct KnownTools {
    most: usize,
    limits: SchemaLimits,
    tools: HashMap<String, Arc<KnownTool>>,
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
pub(super) struct KnownTool {
    name: String,
    parameters: Result<HeaderParameters, String>,
    promised: Option<Raw>,
    limits: SchemaLimits,
    /// Compiled when it is first needed; empty if it cannot be.
    output: OnceLock<Option<Schema>>,
}

/// The tool that a request calls.
#[derive(Default)]
pub(super) struct CalledTool {
    /// What was listed of it before the request was made.
    pub(super) known: Option<Arc<KnownTool>>,
    /// What headers may have to repeat.
    mirrored: Option<Box<MirroredCall>>,
}

/// The params that headers may have to repeat.
struct MirroredCall {
    name: String,
    arguments: Raw,
}

impl CalledTool {
    pub(super) fn new(known: Option<Arc<KnownTool>>) -> Self {
        Self { known, mirrored: None }
    }

    pub(super) fn mirroring(name: &str, arguments: Raw) -> Self {
        let name = name.to_owned();
        Self { known: None, mirrored: Some(Box::new(MirroredCall { name, arguments })) }
    }
}

impl Client {
    /// Takes note of listed tools, and takes those off the list that must be refused.
    pub(super) fn note_tools(&self, tools: &mut Vec<Tool>) {
        let Some(server) = self.server() else { return };
        self.known_tools().note(tools, self.0.mirroring.applies(server.revision.rules()));
    }

    pub(super) fn known_tool(&self, name: &str) -> Option<Arc<KnownTool>> {
        self.known_tools().get(name)
    }

    fn known_tools(&self) -> MutexGuard<'_, KnownTools> {
        self.engine().tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether headers may have to repeat the arguments of such a request.
    pub(super) fn mirrors(&self, method: RequestMethod, rules: &Rules) -> bool {
        method == RequestMethod::ToolsCall && self.0.mirroring.applies(rules) != Mirroring::Never
    }

    /// The same of a call that is about to be made, while it may not be known yet what the server speaks.
    pub(super) fn may_mirror(&self) -> bool {
        self.0.mirroring != Mirroring::Never
            && self.engine().agreed_revision().is_none_or(|it| it.rules().http.routing_headers)
    }

    /// The headers that repeat the arguments of a call. A tool that is not known is looked up first, because only its schema tells.
    pub(super) async fn mirrored_headers(
        &self,
        tool: &mut CalledTool,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, Error> {
        let CalledTool { known, mirrored: Some(call) } = tool else { return Ok(Vec::new()) };
        *known = self.known_tool(&call.name);
        if known.is_none() {
            let mut tools = pin!(self.tools());
            // A server that cannot list its tools may still run one.
            while known.is_none() && matches!(tools.try_next().await, Ok(Some(_))) {
                *known = self.known_tool(&call.name);
            }
        }
        let Some(known) = known else { return Ok(Vec::new()) };
        known.mirror(Some(&call.arguments).filter(|arguments| arguments.as_str() != "null"))
    }
}

impl KnownTools {
    pub(super) fn new(most: usize, limits: SchemaLimits) -> Self {
        Self { most, limits, tools: HashMap::new() }
    }

    /// Takes note of listed tools, and takes those off the list that a client of this revision must refuse.
    fn note(&mut self, tools: &mut Vec<Tool>, mirroring: Mirroring) {
        let mirrors = mirroring == Mirroring::WhereDemanded;
        tools.retain(|tool| {
            let known = KnownTool::new(tool, self.limits.clone());
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

    fn get(&self, name: &str) -> Option<Arc<KnownTool>> {
        if self.tools.is_empty() {
            return None;
        }
        self.tools.get(name).cloned()
    }

    pub(super) fn forget(&mut self) {
        self.tools.clear();
    }
}

impl KnownTool {
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
    fn mirror(&self, arguments: Option<&Raw>) -> Result<Vec<(HeaderName, HeaderValue)>, Error> {
        let parameters = self
            .parameters
            .as_ref()
            .map_err(|why| Error::ToolRefused { tool: self.name.clone(), why: why.clone() })?;
        parameters
            .headers_for(arguments.map(Raw::borrowed))
            .map_err(|why| Error::NotMirrorable { tool: self.name.clone(), why: why.to_string() })
    }

    /// Holds a result to what the tool promised.
    // Out of line, because most calls are of tools that promise nothing.
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
