//! Which trace a request belongs to, in the words of W3C Trace Context and Baggage.

use proofmark_core::{revision::Rules, types::RequestMeta};

/// What a request says about the trace that it is part of, exactly as the client wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceContext {
    pub traceparent: Option<String>,
    pub tracestate: Option<String>,
    pub baggage: Option<String>,
}

impl TraceContext {
    /// `None` if the request says nothing, or nothing that its revision gives a meaning to.
    pub(crate) fn of(meta: Option<&RequestMeta<'_>>, rules: &Rules) -> Option<Box<Self>> {
        let meta = meta.filter(|_| !rules.meta.trace_context.is_empty())?;
        let owned = |value: &Option<std::borrow::Cow<'_, str>>| value.as_deref().map(str::to_owned);
        let trace = Self {
            traceparent: owned(&meta.traceparent),
            tracestate: owned(&meta.tracestate),
            baggage: owned(&meta.baggage),
        };
        (trace != Self::default()).then(|| Box::new(trace))
    }
}
