//! A site: routes and files behind the guard, on an address of this machine.

mod serve;

use std::{io, net::SocketAddr, sync::Arc};

use axum::{Router, body::Body, response::IntoResponse};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use maud::{DOCTYPE, html};
use tokio::net::TcpListener;
use tower_service::Service;

use crate::{
    Codes,
    assets::{self, Asset},
    guard::{Bearer, Guard},
    random::same,
};

/// Pages, their files and who may see them.
pub struct Site {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    guard: Guard,
    codes: Codes,
    access: Access,
    assets: Vec<&'static [Asset]>,
    routes: Router,
}

/// Where a site is, and who may see it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// An address of this machine, unless there is a token. Port 0: the system chooses one.
    pub address: SocketAddr,
    /// How others call this machine, as in `Host`: needed where the address is not of this machine alone.
    pub names: Vec<String>,
    pub access: Access,
    /// Files under `/static/`, besides those that all pages share.
    pub assets: Vec<&'static [Asset]>,
}

/// What lets a browser in.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Access {
    /// The link that was printed, once; then a cookie.
    #[default]
    Link,
    /// As with a link, or by a token: in `Authorization` for programs, and typed in for people.
    Token(String),
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Link => "Link",
            Self::Token(_) => "Token",
        })
    }
}

impl Default for Settings {
    fn default() -> Self {
        let address = ([127, 0, 0, 1], 0).into();
        Self { address, names: Vec::new(), access: Access::Link, assets: Vec::new() }
    }
}

/// Why there is no site.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    #[error("cannot listen on {address}: {error}")]
    Listen { address: SocketAddr, error: io::Error },
    #[error(
        "{0} can be reached by other machines: that needs a token, and the names by which they call it"
    )]
    Open(SocketAddr),
}

impl Site {
    pub async fn bind(routes: Router, settings: Settings) -> Result<Self, SiteError> {
        let Settings { address, names, access, assets } = settings;
        let is_guarded = matches!(&access, Access::Token(token) if token.len() >= SHORTEST_TOKEN);
        if !address.ip().is_loopback() && (!is_guarded || names.is_empty()) {
            return Err(SiteError::Open(address));
        }
        let failed = |error| SiteError::Listen { address, error };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let guard = Guard::new(address, &names);
        let codes = Codes::new(address.port());
        let shared = Shared { guard, codes, access, assets, routes };
        Ok(Self { listener, address, shared: Arc::new(shared) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// An address for the browser that opens the site once.
    pub fn link(&self) -> String {
        format!("http://{}/open?code={}", self.address, self.shared.codes.issue())
    }

    /// For more links while the site runs.
    pub fn codes(&self) -> Codes {
        self.shared.codes.clone()
    }

    /// Serves until it is dropped.
    pub async fn run(self) {
        serve::run(self.listener, self.shared).await;
    }
}

impl Shared {
    /// Every request goes through here, and every response gets its headers here.
    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let is_page = !request.uri().path().starts_with("/static/");
        let mut response = self.admitted(request).await;
        protect(response.headers_mut(), is_page);
        response
    }

    async fn admitted(&self, request: Request<Body>) -> Response<Body> {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let has_token = self.has_token(request.headers());
        let logs_in =
            path == "/login" && method == Method::POST && matches!(self.access, Access::Token(_));
        let bearer = if has_token { Bearer::Shown } else { Bearer::Ambient };
        let admitted = if logs_in {
            // A form has no header of its own; what it sends is the secret itself, and its page is still asked for.
            let mut headers = request.headers().clone();
            headers.insert(crate::guard::CHANGE_HEADER, HeaderValue::from_static("form"));
            self.guard.admit(&method, &headers, bearer)
        } else {
            self.guard.admit(&method, request.headers(), bearer)
        };
        if let Err(refused) = admitted {
            return plain(StatusCode::FORBIDDEN, &refused.to_string());
        }
        if path == "/open" && method == Method::GET {
            return self.open(&request);
        }
        if logs_in {
            return self.log_in(request).await;
        }
        if !has_token && !self.codes.knows(request.headers()) {
            return self.closed();
        }
        if let Some(name) = path.strip_prefix("/static/") {
            return assets::answer(name, &self.assets, request.headers());
        }
        let mut routes = self.routes.clone();
        match routes.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// Exchanges a code for the cookie, and leaves no trace of the code in the address.
    fn open(&self, request: &Request<Body>) -> Response<Body> {
        // A browser that looks ahead would spend the code.
        if request.headers().contains_key("sec-purpose") {
            return plain(StatusCode::FORBIDDEN, "not before it is wanted");
        }
        let query = request.uri().query().unwrap_or_default();
        let code = query.split('&').find_map(|pair| pair.strip_prefix("code=")).unwrap_or_default();
        if let Some(cookie) = self.codes.redeem(code) {
            return to_start(cookie);
        }
        // A link that is opened again in the same browser is no mistake.
        if self.codes.knows(request.headers()) {
            return to_start(self.codes.cookie());
        }
        self.closed()
    }

    async fn log_in(&self, request: Request<Body>) -> Response<Body> {
        use http_body_util::{BodyExt as _, Limited};
        let body = Limited::new(request.into_body(), LONGEST_LOGIN).collect().await;
        let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let text = String::from_utf8_lossy(&body);
        let given =
            text.split('&').find_map(|pair| pair.strip_prefix("token=")).unwrap_or_default();
        match &self.access {
            Access::Token(token) if same(token, given) => to_start(self.codes.cookie()),
            _ => self.closed(),
        }
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Access::Token(token) = &self.access else { return false };
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        given
            .and_then(|value| value.strip_prefix("Bearer "))
            .is_some_and(|given| same(token, given))
    }

    /// For those who have not opened the link.
    fn closed(&self) -> Response<Body> {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head { meta charset="utf-8"; meta name="viewport" content="width=device-width"; title { "Proofmark" } }
                body {
                    h1 { "Open the link from the terminal" }
                    p { "This page is for the person who started the program. It printed a link that is good once; press Enter there for another." }
                    @if matches!(self.access, Access::Token(_)) {
                        form method="post" action="/login" {
                            label { "Token " input type="password" name="token" autocomplete="off" required; }
                            " " button { "Log in" }
                        }
                    }
                }
            }
        };
        let html = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
        (StatusCode::UNAUTHORIZED, html, page.into_string()).into_response()
    }
}

fn to_start(cookie: HeaderValue) -> Response<Body> {
    let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, HeaderValue::from_static("/"))];
    (StatusCode::SEE_OTHER, headers).into_response()
}

fn plain(status: StatusCode, text: &str) -> Response<Body> {
    (status, format!("{text}\n")).into_response()
}

/// What a page may do, and what others may do with it.
fn protect(headers: &mut HeaderMap, is_page: bool) {
    for (name, value) in PROTECTION {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_page && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

const PROTECTION: [(header::HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src data:; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        header::HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    ),
];

/// A token that can be guessed is none.
const SHORTEST_TOKEN: usize = 16;
const LONGEST_LOGIN: usize = 4096;
