//! Clients that mean no good to whoever checks them.

use super::{client, processes_with};

#[test]
fn a_client_that_never_says_anything_is_ended() {
    let mark = format!("8{}", std::process::id());
    let run = client(&format!("exec sleep {mark}"), &["{url}"]);
    assert_eq!(run.code, Some(3));
    run.says("did not begin a conversation");
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn no_process_is_left_of_a_client_that_ignores_signals_and_starts_others() {
    let mark = format!("7{}", std::process::id());
    let deaf = format!(
        "trap '' TERM INT HUP; sleep {mark}1 & setsid sleep {mark}2 & sleep {mark}3; sleep {mark}4"
    );
    assert_eq!(client(&deaf, &["{url}"]).code, Some(3));
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn a_line_of_a_client_that_never_ends_is_cut_off() {
    let run = client(r#"tr '\0' a < /dev/zero | "$@""#, &["{command}"]);
    assert_eq!(run.code, Some(3), "{}", run.report);
}

#[test]
fn a_flood_of_messages_of_a_client_is_cut_off() {
    let flood = r#"yes '{"jsonrpc":"2.0","method":"notifications/a"}' | "$@" > /dev/null"#;
    assert_eq!(client(flood, &["{command}"]).code, Some(3));
}

#[test]
fn a_body_of_a_client_that_has_a_gibibyte_is_not_read_to_the_end() {
    let script = format!("{CONNECTED}\nfor _ in range(16384): s.sendall(b' ' * 65536)");
    let head = "POST /mcp HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 1073741824\r\n\r\n";
    let run = client(r#"python3 -c "$@" || true"#, &[&script, "{url}", head]);
    assert!(matches!(run.code, Some(1 | 3)), "{:?}", run.code);
}

#[test]
fn a_head_of_a_client_that_never_ends_is_cut_off() {
    let script = format!("{CONNECTED}\nwhile True: s.sendall(b'x-a: b\\r\\n' * 1000)");
    let run = client(r#"python3 -c "$@" || true"#, &[&script, "{url}", "POST /mcp HTTP/1.1\r\n"]);
    assert!(matches!(run.code, Some(1 | 3)), "{:?}", run.code);
}

#[test]
fn a_client_may_hang_up_at_every_byte_of_its_request() {
    let script = format!(
        "{CONNECTED}\nfor n in range(len(head)):\n  s = socket.create_connection(at)\n  s.sendall(head[:n])\n  s.close()"
    );
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: h\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let run = client(r#"python3 -c "$@""#, &[&script, "{url}", &head]);
    // The first one is whole, and not what a client begins with.
    assert_eq!(run.code, Some(1), "{}", run.report);
    assert!(run.report.contains("FAIL M039"), "{}", run.report);
}

/// Sends the beginning of a request to the URL that it is given, in Python.
const CONNECTED: &str = "import socket, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
at = (url.hostname, url.port)
head = sys.argv[2].encode()
s = socket.create_connection(at)
s.sendall(head)";
