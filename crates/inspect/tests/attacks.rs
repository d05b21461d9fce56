//! Attacks on the inspector that fail: by other pages and users of the machine, and by servers that redirect, or never end.
#![cfg(unix)]

#[path = "shared/site.rs"]
mod site;

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use proofmark_inspect::server::{Reach, ServerEntry};
use proofmark_web::browser::Browser;
use serde_json::json;
use site::Started;

/// Every address that shows something, and every one that changes something.
const READS: [&str; 16] = [
    "/",
    "/s/1",
    "/s/1/tools",
    "/s/1/check",
    "/timeline",
    "/questions",
    "/compare",
    "/console",
    "/static/timeline.js",
    "/api/state",
    "/api/events",
    "/api/timeline",
    "/api/entry/1",
    "/api/verdicts",
    "/api/servers/1/transcript",
    "/api/servers/1/shared",
];
const CHANGES: [&str; 16] = [
    "/api/servers",
    "/api/import",
    "/api/transcripts",
    "/api/validate",
    "/api/rules",
    "/api/questions/1",
    "/api/calls/cancel",
    "/api/servers/1/connect",
    "/api/servers/1/disconnect",
    "/api/servers/1/remove",
    "/api/servers/1/refresh",
    "/api/servers/1/check",
    "/api/servers/1/doctor",
    "/api/servers/1/request",
    "/api/servers/1/raw",
    "/api/servers/1/replay",
];

#[test]
fn no_other_page_and_no_other_user_gets_at_anything() {
    let site = Started::new(vec![site::shell("cat")]);
    let (with_cookie, host) = (&site.browser, site.browser.address.to_string());
    let own = format!("http://{host}");
    let stranger = Browser::new(site.browser.address);
    let port = site.browser.address.port();
    let rebound = format!("evil.example:{port}");
    let json = ("content-type", "application/json");
    let attacks: [(&str, &Browser, Headers<'_>); 9] = [
        (
            "no cookie",
            &stranger,
            vec![("host", &host), ("origin", &own), ("x-proofmark", "1"), json],
        ),
        (
            "other origin",
            with_cookie,
            vec![("host", &host), ("origin", "http://evil.example"), ("x-proofmark", "1"), json],
        ),
        (
            "other port",
            with_cookie,
            vec![("host", &host), ("origin", "http://127.0.0.1:1"), ("x-proofmark", "1"), json],
        ),
        (
            "opaque origin",
            with_cookie,
            vec![("host", &host), ("origin", "null"), ("x-proofmark", "1"), json],
        ),
        (
            "rebound name",
            with_cookie,
            vec![("host", &rebound), ("origin", "http://evil.example"), ("x-proofmark", "1"), json],
        ),
        (
            "image",
            with_cookie,
            vec![("host", &host), ("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "image")],
        ),
        (
            "iframe",
            with_cookie,
            vec![("host", &host), ("sec-fetch-site", "same-origin"), ("sec-fetch-dest", "iframe")],
        ),
        (
            "web socket",
            with_cookie,
            vec![("host", &host), ("origin", &own), ("upgrade", "websocket")],
        ),
        ("sibling site", with_cookie, vec![("host", &host), ("sec-fetch-site", "same-site")]),
    ];
    for (name, browser, headers) in &attacks {
        for path in READS {
            let answer = browser.send("GET", path, headers, "");
            assert!(matches!(answer.status, 401 | 403), "{name} {path}: {}", answer.status);
            assert!(!answer.body.contains("shell"), "{name} {path}");
        }
        for path in CHANGES {
            let answer = browser.send("POST", path, headers, "{}");
            assert!(matches!(answer.status, 401 | 403), "{name} {path}: {}", answer.status);
        }
    }
    let forms: [(&str, Headers<'_>); 3] = [
        (
            "form",
            vec![
                ("host", &host),
                ("origin", &own),
                ("content-type", "application/x-www-form-urlencoded"),
            ],
        ),
        ("stolen cookie", vec![("host", &host), ("origin", &own), json]),
        ("no origin", vec![("host", &host), ("x-proofmark", "1"), json]),
    ];
    for (name, headers) in &forms {
        for path in CHANGES {
            assert_eq!(with_cookie.send("POST", path, headers, "{}").status, 403, "{name} {path}");
        }
    }
    // What reads is no way to change something.
    for path in CHANGES {
        assert!(matches!(with_cookie.get(path).status, 404 | 405), "{path}");
    }
    assert_eq!(site.browser.get("/api/state").json()["servers"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_recorded_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mut entry = site::shell("cat");
    entry.timeout = Duration::from_millis(300);
    let site = Started::new(vec![entry]);
    site.until("/api/timeline", |it| !it["entries"].as_array().unwrap().is_empty());
    let prefix = format!("proofmark-inspect-{}-", std::process::id());
    let files: Vec<_> = std::fs::read_dir(std::env::temp_dir())
        .unwrap()
        .flatten()
        .filter(|it| it.file_name().to_string_lossy().starts_with(&prefix))
        .collect();
    assert!(!files.is_empty());
    for file in files {
        let Ok(about) = file.metadata() else { continue };
        assert_eq!(about.permissions().mode() & 0o077, 0, "{:?}", file.path());
    }
}

#[test]
fn a_server_that_redirects_leads_no_secret_elsewhere() {
    let visits = Arc::new(AtomicUsize::new(0));
    let elsewhere = listen({
        let visits = visits.clone();
        move |mut stream, _| {
            visits.fetch_add(1, Ordering::SeqCst);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let redirecting = listen(move |mut stream, head: String| {
        assert!(head.contains("secret-token"), "its own server is told: {head}");
        let answer = format!(
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{elsewhere}/mcp\r\ncontent-length: 0\r\n\r\n"
        );
        let _ = stream.write_all(answer.as_bytes());
    });
    let mut entry = ServerEntry::url("redirects", format!("http://{redirecting}/mcp"));
    entry.timeout = Duration::from_secs(5);
    if let Reach::Url { headers, .. } = &mut entry.reach {
        headers.push(("authorization".to_owned(), "Bearer secret-token".to_owned()));
    }
    let site = Started::new(vec![entry]);
    site.wait("failed");
    assert_eq!(visits.load(Ordering::SeqCst), 0);
    for path in ["/", "/s/1", "/api/state", "/api/servers/1/transcript", "/api/servers/1/shared"] {
        assert!(!site.browser.get(path).body.contains("secret-token"), "{path}");
    }
}

#[test]
fn a_stream_without_end_is_given_up_and_the_pages_answer() {
    // A stream of events that says nothing of use, and a body of JSON that never ends.
    for kind in ["text/event-stream", "application/json"] {
        let endless = listen(move |mut stream, _| {
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
            let noise = b": noise noise noise noise noise noise noise noise noise\n".repeat(1_000);
            let _ = stream.write_all(head.as_bytes());
            let began = Instant::now();
            while began.elapsed() < Duration::from_secs(20) && stream.write_all(&noise).is_ok() {}
        });
        let mut entry = ServerEntry::url("endless", format!("http://{endless}/mcp"));
        entry.timeout = Duration::from_secs(3);
        let site = Started::new(vec![entry]);
        let began = Instant::now();
        site.until("/api/state", |it| {
            assert_eq!(site.browser.get("/timeline").status, 200);
            it["servers"][0]["state"] == "failed"
        });
        assert!(began.elapsed() < Duration::from_secs(18), "{kind}: {:?}", began.elapsed());
        let shown = site.browser.get("/api/timeline").body;
        assert!(shown.len() < 10_000_000, "{kind}: {}", shown.len());
    }
}

#[test]
fn a_link_starts_nothing() {
    let site = Started::new(Vec::new());
    for path in [
        "/?command=touch%20/tmp/x",
        "/?url=http://127.0.0.1:1/mcp",
        "/s/1?connect=1",
        "/api/servers?command=x",
        "/open?code=x&command=x",
    ] {
        site.browser.get(path);
    }
    assert_eq!(site.browser.get("/api/state").json()["servers"], json!([]));
}

type Headers<'h> = Vec<(&'h str, &'h str)>;

/// Answers each connection on a thread of its own.
fn listen(answer: impl Fn(TcpStream, String) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || {
                let mut bytes = [0; 16 * 1024];
                let read = stream.read(&mut bytes).unwrap_or(0);
                answer(stream, String::from_utf8_lossy(&bytes[..read]).into_owned());
            });
        }
    });
    address
}
