//! Tool arguments that are mirrored into headers of their own.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Malformed, Scalar, Unmirrorable, peek};
use crate::json::RawRef;

mod schema;

pub use schema::BadAnnotation;

/// The arguments of one tool that `x-mcp-header` marks, in the order of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderParameters {
    parameters: Vec<HeaderParameter>,
}

/// One marked argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderParameter {
    /// The keys that lead to the argument from the top of `arguments`.
    pub path: Vec<String>,
    /// `Mcp-Param-` and the token of the mark.
    pub header: HeaderName,
}

impl HeaderParameters {
    /// Finds the marks in a tool's input schema.
    ///
    /// One bad mark spoils the tool: a client that speaks HTTP must not offer it, and a server should not start with it.
    pub fn from_schema(schema: RawRef<'_>) -> Result<Self, BadAnnotation> {
        schema::read(schema).map(|parameters| Self { parameters })
    }

    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &HeaderParameter> {
        self.parameters.iter()
    }

    /// Compares the headers of a call with its arguments, as a server.
    ///
    /// A header whose argument is null or absent is refused too: a proxy that routed by it believed something that the body does not say.
    pub fn check(
        &self,
        headers: &HeaderMap,
        arguments: Option<RawRef<'_>>,
    ) -> Result<(), Mismatch> {
        self.parameters.iter().try_for_each(|parameter| parameter.check(headers, arguments))
    }

    /// The headers that a client sends with a call.
    pub fn headers_for(
        &self,
        arguments: Option<RawRef<'_>>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, Mismatch> {
        let mut headers = Vec::new();
        for parameter in &self.parameters {
            if let Some(value) = parameter.value(arguments)? {
                headers.push((parameter.header.clone(), value.encode()));
            }
        }
        Ok(headers)
    }
}

impl HeaderParameter {
    fn check(&self, headers: &HeaderMap, arguments: Option<RawRef<'_>>) -> Result<(), Mismatch> {
        let header = || self.header.clone();
        let mut values = headers.get_all(&self.header).iter();
        let sent = values.next();
        if values.next().is_some() {
            return Err(Mismatch::Repeated { header: header() });
        }
        match (sent, self.value(arguments)?) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(Mismatch::Missing { header: header() }),
            (Some(_), None) => Err(Mismatch::Unfounded { header: header() }),
            (Some(sent), Some(value)) => match value.matches(sent) {
                Ok(true) => Ok(()),
                Ok(false) => Err(Mismatch::Different { header: header() }),
                Err(why) => Err(Mismatch::Malformed { header: header(), why }),
            },
        }
    }

    /// The argument at the path; `None` if it is null or absent.
    fn value<'a>(&self, arguments: Option<RawRef<'a>>) -> Result<Option<Scalar<'a>>, Mismatch> {
        let unmirrorable = |why| Mismatch::Unmirrorable { header: self.header.clone(), why };
        let mut value = arguments;
        for key in &self.path {
            value = peek::member(value, key)
                .map_err(|peek::Duplicate| unmirrorable(Unmirrorable::Duplicate))?;
        }
        match value {
            Some(raw) => Scalar::from_raw(raw).map_err(unmirrorable),
            None => Ok(None),
        }
    }
}

/// How a header and its argument disagree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    #[error("`{header}` and its argument differ")]
    Different { header: HeaderName },
    #[error("`{header}` is malformed: {why}")]
    Malformed { header: HeaderName, why: Malformed },
    #[error("`{header}` is missing though its argument is given")]
    Missing { header: HeaderName },
    #[error("`{header}` occurs twice")]
    Repeated { header: HeaderName },
    #[error("`{header}` is given though its argument is not")]
    Unfounded { header: HeaderName },
    #[error("the argument of `{header}` cannot be mirrored: {why}")]
    Unmirrorable { header: HeaderName, why: Unmirrorable },
}

#[cfg(test)]
mod tests;
