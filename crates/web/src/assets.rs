//! Files that are part of the program.

use axum::{body::Body, response::IntoResponse};
use http::{HeaderMap, Response, StatusCode, header};

/// A file under `/static/`.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// With its ending, by which browsers are told what it is.
    pub name: &'static str,
    pub text: &'static str,
}

/// An [`Asset`] that is read when the program is compiled: `asset!("name.js", "../assets/name.js")`.
#[macro_export]
macro_rules! asset {
    ($name:literal, $path:literal) => {
        $crate::Asset { name: $name, text: include_str!($path) }
    };
}

pub(crate) fn answer(name: &str, more: &[&'static [Asset]], headers: &HeaderMap) -> Response<Body> {
    let all = std::iter::once(SHARED).chain(more.iter().copied()).flatten();
    let Some(asset) = all.into_iter().find(|asset| asset.name == name) else {
        return (StatusCode::NOT_FOUND, "there is no such file\n").into_response();
    };
    let tag = asset.tag();
    let known =
        headers.get(header::IF_NONE_MATCH).is_some_and(|it| it.as_bytes() == tag.as_bytes());
    let head = [
        (header::CONTENT_TYPE, asset.kind().to_owned()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::ETAG, tag),
    ];
    if known {
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    (head, asset.text).into_response()
}

impl Asset {
    fn kind(&self) -> &'static str {
        match self.name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "text/plain; charset=utf-8",
        }
    }

    /// Differs when the text does: FNV-1a, because only our own files are compared.
    fn tag(&self) -> String {
        let hash = self.text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("\"{hash:016x}\"")
    }
}

const SHARED: &[Asset] = &[
    asset!("tokens.css", "../assets/tokens.css"),
    asset!("base.css", "../assets/base.css"),
    asset!("chart.css", "../assets/chart.css"),
    asset!("dom.js", "../assets/dom.js"),
    asset!("http.js", "../assets/http.js"),
    asset!("keys.js", "../assets/keys.js"),
    asset!("icon.svg", "../assets/icon.svg"),
];
