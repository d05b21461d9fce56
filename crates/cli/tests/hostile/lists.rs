//! Servers that list more than a person reads.

use std::process::Command;

use super::{own, watched_below};

#[test]
fn pages_of_16_megabytes_are_shown_in_little_memory() {
    for form in ["--json", "--timeout=60"] {
        let mut command = Command::new(own());
        command.args(["list", "tools", form, "--", "python3", "-c", SERVER]);
        let run = watched_below(MOST_KIB, &mut command);
        assert_eq!(run.code, Some(3));
        run.says("the server lists more than 64 MiB; the rest is not shown");
        assert!(run.report.contains("t0"), "{} bytes", run.report.len());
    }
}

/// A page while it is parsed, and what is printed of it. All 20 pages would be 300,000 KiB before they are parsed.
const MOST_KIB: u64 = 160 * 1024;

const SERVER: &str = "import json, sys
tools = [{'name': 't%d' % n, 'description': 'd' * 100000, 'inputSchema': {'type': 'object'}} for n in range(155)]
page = json.dumps(tools)
for line in sys.stdin:
    asked = json.loads(line)
    if 'id' not in asked: continue
    said = json.dumps({'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'a', 'version': '1'}})
    if asked['method'] != 'initialize':
        turned = int(asked.get('params', {}).get('cursor', 0)) + 1
        said = '{\"tools\":' + page + (',\"nextCursor\":\"%d\"' % turned if turned < 20 else '') + '}'
    print('{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}' % (json.dumps(asked['id']), said), flush=True)
";
