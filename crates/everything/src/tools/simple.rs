//! Tools that answer at once, well or badly.

use std::future::ready;

use proofmark_sdk::server::{Error, ToolEntry};

use super::fixture;

pub(super) fn all() -> Vec<ToolEntry> {
    vec![
        fixture("test_simple_text", "Answers with a text").handler(|| ready(TEXT)),
        fixture("test_error_handling", "Always fails")
            .handler(|| ready(Err::<String, _>(Error::text(FAILURE)))),
    ]
}

const TEXT: &str = "This is a simple text response for testing.";
const FAILURE: &str = "This tool intentionally returns an error for testing";
