//! Each rule of the guard, as an attack that fails.

use std::net::SocketAddr;

use axum::{
    Router,
    routing::{get, post},
};
use proofmark_web::{Access, Asset, Settings, Site, SiteError, axum, browser::Browser};
use serde_json::json;

/// Every kind of route: a page, a file, data, a change.
const READS: [&str; 4] = ["/", "/static/base.css", "/static/own.js", "/api/secret"];

#[test]
fn the_person_who_opened_the_link_sees_everything() {
    let site = start();
    let browser = Browser::open(&site.link);
    for path in READS {
        let answer = browser.get(path);
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    assert_eq!(browser.post("/api/change", &json!({})).status, 200);
    assert_eq!(browser.get("/static/../Cargo.toml").status, 404);
}

#[test]
fn without_the_cookie_nothing_is_seen() {
    let site = start();
    let stranger = Browser::new(site.address);
    for path in READS {
        let answer = stranger.get(path);
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.body.contains("SECRET") && !answer.body.contains("code="));
    }
    assert_eq!(stranger.post("/api/change", &json!({})).status, 401);
}

#[test]
fn a_stale_or_guessed_code_opens_nothing() {
    let site = start();
    let code = site.link.split_once("code=").unwrap().1;
    let stranger = Browser::new(site.address);
    for guess in ["", "0", &code[..63], &format!("{code}0"), "%00"] {
        assert_eq!(stranger.get(&format!("/open?code={guess}")).status, 401, "{guess}");
    }
    // A browser that looks ahead does not spend it.
    let host = site.address.to_string();
    let ahead = [("host", host.as_str()), ("sec-purpose", "prefetch")];
    assert_eq!(stranger.send("GET", &format!("/open?code={code}"), &ahead, "").status, 403);
    Browser::open(&site.link);
    let again = stranger.get(&format!("/open?code={code}"));
    assert_eq!((again.status, again.header("set-cookie")), (401, None));
}

#[test]
fn the_cookie_is_out_of_reach_for_scripts_and_other_sites() {
    let site = start();
    let code = site.link.split_once("/open").unwrap().1;
    let answer = Browser::new(site.address).get(&format!("/open{code}"));
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict"), "{cookie}");
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    assert!(!cookie.contains(code.trim_start_matches("?code=")));
}

#[test]
fn a_rebound_host_name_is_refused_even_with_the_cookie() {
    let site = start();
    let browser = Browser::open(&site.link);
    let port = site.address.port();
    for host in
        [format!("evil.example:{port}"), format!("localhost:{port}"), "127.0.0.1".to_owned()]
    {
        for path in READS {
            assert_eq!(
                browser.send("GET", path, &[("host", &host)], "").status,
                403,
                "{host} {path}"
            );
        }
    }
    // Two names, and the first one right.
    let own = site.address.to_string();
    let two = [("host", own.as_str()), ("host", "evil.example")];
    assert!(matches!(browser.send("GET", "/", &two, "").status, 400 | 403));
}

#[test]
fn a_page_of_another_origin_is_refused_even_with_the_cookie() {
    let site = start();
    let browser = Browser::open(&site.link);
    let host = site.address.to_string();
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        for path in READS {
            let headers = [("host", host.as_str()), ("origin", origin)];
            assert_eq!(browser.send("GET", path, &headers, "").status, 403, "{origin} {path}");
        }
        let headers = [("host", host.as_str()), ("origin", origin), ("x-proofmark", "1")];
        assert_eq!(browser.send("POST", "/api/change", &headers, "{}").status, 403, "{origin}");
        let asked = [
            ("host", host.as_str()),
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "x-proofmark"),
        ];
        let preflight = browser.send("OPTIONS", "/api/change", &asked, "");
        assert_eq!(
            (preflight.status, preflight.header("access-control-allow-origin")),
            (403, None)
        );
    }
}

#[test]
fn images_frames_forms_and_sockets_of_other_sites_are_refused() {
    let site = start();
    let browser = Browser::open(&site.link);
    let host = site.address.to_string();
    let own = format!("http://{host}");
    let image =
        [("host", host.as_str()), ("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "image")];
    let sibling = [("host", host.as_str()), ("sec-fetch-site", "same-site")];
    let frame =
        [("host", host.as_str()), ("sec-fetch-site", "same-origin"), ("sec-fetch-dest", "iframe")];
    let socket = [
        ("host", host.as_str()),
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("origin", "http://evil.example"),
    ];
    let own_socket = [("host", host.as_str()), ("upgrade", "websocket"), ("origin", own.as_str())];
    for headers in [&image[..], &sibling, &frame, &socket, &own_socket] {
        assert_eq!(browser.send("GET", "/api/secret", headers, "").status, 403, "{headers:?}");
    }
    let form = [
        ("host", host.as_str()),
        ("origin", own.as_str()),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    assert_eq!(browser.send("POST", "/api/change", &form, "a=b").status, 403);
    let no_origin = [("host", host.as_str()), ("x-proofmark", "1")];
    assert_eq!(browser.send("POST", "/api/change", &no_origin, "{}").status, 403);
}

#[test]
fn a_stolen_cookie_without_the_header_changes_nothing() {
    let site = start();
    let thief = Browser::open(&site.link);
    let host = site.address.to_string();
    let origin = format!("http://{host}");
    let headers = [
        ("host", host.as_str()),
        ("origin", origin.as_str()),
        ("content-type", "application/json"),
    ];
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(thief.send(method, "/api/change", &headers, "{}").status, 403, "{method}");
    }
    assert_eq!(thief.get("/api/change").status, 405);
}

#[test]
fn the_cookie_of_another_process_opens_nothing() {
    let (site, other) = (start(), start());
    let mut browser = Browser::open(&site.link);
    browser.address = other.address;
    assert_eq!(browser.get("/api/secret").status, 401);
    // Nor under the name that the other one looks for.
    let value = browser.cookie.as_ref().unwrap().split_once('=').unwrap().1.to_owned();
    browser.cookie = Some(format!("proofmark-{}={value}", other.address.port()));
    assert_eq!(browser.get("/api/secret").status, 401);
}

#[tokio::test]
async fn other_machines_need_a_token_and_a_name() {
    let open = |access, names: &[&str]| {
        let names = names.iter().map(|&it| it.to_owned()).collect();
        let settings =
            Settings { address: ([0, 0, 0, 0], 0).into(), access, names, ..Settings::default() };
        Site::bind(Router::new(), settings)
    };
    let token = || Access::Token("0123456789abcdef".to_owned());
    for refused in [
        open(Access::Link, &["a"]).await,
        open(token(), &[]).await,
        open(Access::Token("short".into()), &["a"]).await,
    ] {
        assert!(matches!(refused, Err(SiteError::Open(_))));
    }
    assert!(open(token(), &["fleet.example"]).await.is_ok());
}

#[test]
fn a_token_lets_programs_in_and_a_wrong_one_does_not() {
    let site = start_with(Access::Token("0123456789abcdef".to_owned()));
    let host = site.address.to_string();
    let browser = Browser::new(site.address);
    let with = |token: &str| {
        let value = format!("Bearer {token}");
        browser.send("GET", "/api/secret", &[("host", &host), ("authorization", &value)], "").status
    };
    assert_eq!(with("0123456789abcdef"), 200);
    assert_eq!(with("0123456789abcdeg"), 401);
    let origin = format!("http://{host}");
    let log_in = |token: &str, origin: &str| {
        browser.send(
            "POST",
            "/login",
            &[("host", &host), ("origin", origin)],
            &format!("token={token}"),
        )
    };
    assert_eq!(log_in("0123456789abcdef", &origin).status, 303);
    assert_eq!(log_in("wrong", &origin).status, 401);
    assert_eq!(log_in("0123456789abcdef", "http://evil.example").status, 403);
}

struct Started {
    address: SocketAddr,
    link: String,
    _runtime: tokio::runtime::Runtime,
}

fn start() -> Started {
    start_with(Access::Link)
}

fn start_with(access: Access) -> Started {
    let routes = Router::new()
        .route("/", get(|| async { "SECRET page" }))
        .route("/api/secret", get(|| async { "SECRET data" }))
        .route("/api/change", post(|| async { "changed" }));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("it starts");
    let assets: Vec<&'static [Asset]> = vec![&[Asset { name: "own.js", text: "export {};" }]];
    let settings = Settings { access, assets, ..Settings::default() };
    let site = runtime.block_on(Site::bind(routes, settings)).expect("it starts");
    let (address, link) = (site.address(), site.link());
    runtime.spawn(site.run());
    Started { address, link, _runtime: runtime }
}
