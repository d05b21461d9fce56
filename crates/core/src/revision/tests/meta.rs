//! Keys of `_meta`.

use super::row;
use crate::revision::Level::{Should, Unstated};

#[test]
fn modern_requests_carry_their_revision_and_capabilities() {
    let none: &[&str] = &[];
    row(
        |rules| super::sorted(rules.meta.required),
        [none, none, none, none, &[CAPABILITIES, REVISION]].map(<[&str]>::to_vec),
    );
    row(
        |rules| rules.meta.recommended,
        [none, none, none, none, &["io.modelcontextprotocol/clientInfo"]],
    );
    let token: &[&str] = &["progressToken"];
    let with_level: &[&str] = &["io.modelcontextprotocol/logLevel", "progressToken"];
    row(
        |rules| super::sorted(rules.meta.optional),
        [token, token, token, token, with_level].map(<[&str]>::to_vec),
    );
}

#[test]
fn objects_have_metadata_since_its_keys_have_a_grammar() {
    row(|rules| rules.meta.on_objects, [false, false, true, true, true]);
    row(|rules| rules.meta.reverse_dns, [Unstated, Unstated, Unstated, Should, Should]);
}

#[test]
fn trace_context_is_the_exception_without_a_prefix() {
    let none: &[&str] = &[];
    let trace: &[&str] = &["baggage", "traceparent", "tracestate"];
    row(
        |rules| super::sorted(rules.meta.trace_context),
        [none, none, none, none, trace].map(<[&str]>::to_vec),
    );
}

#[test]
fn each_revision_reserves_its_own_prefixes() {
    let domain_order = [false, false, true, false, false];
    let reverse_order = [false, false, false, true, true];
    let both_orders = [false, false, true, true, true];
    let free = [false; 5];
    let table = [
        ("mcp.dev/key", domain_order),
        ("modelcontextprotocol.io/key", domain_order),
        ("tools.mcp.com/key", both_orders),
        ("api.modelcontextprotocol.org/key", both_orders),
        ("a.b.mcp.com/key", domain_order),
        ("io.modelcontextprotocol/key", reverse_order),
        ("dev.mcp/key", reverse_order),
        ("dev.mcp/", reverse_order),
        ("com.mcp.tools/key", both_orders),
        ("org.modelcontextprotocol.api/key", both_orders),
        ("com.mcp.tools.deep/key", reverse_order),
        ("com.example.mcp/key", free),
        ("com.example/mcp", free),
        ("com.example/dev.mcp", free),
        ("com.mcpx/key", free),
        ("mcp/key", free),
        ("mcp.dev", free),
        ("/key", free),
        ("", free),
    ];
    for (key, expected) in table {
        row(
            |rules| (key, rules.meta.reserved_prefix.reserves(key)),
            expected.map(|reserved| (key, reserved)),
        );
    }
}

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
