use proofmark_core::revision::Revision;
use serde_json::json;

use super::*;

#[test]
fn a_tool_without_a_name_departs_where_the_name_should_be() {
    let message = json!({ "jsonrpc": "2.0", "id": 1,
        "result": { "tools": [{ "inputSchema": { "type": "object" } }] } });
    let found =
        departures(Revision::ALL[2], Side::Server, MessageKind::Result("tools/list"), &message);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path, "/result/tools/0/name");
    assert_eq!(found[0].requirement, "M067");
}
