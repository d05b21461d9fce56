//! What a client must not go on with: servers that contradict themselves, or lead to where nobody should go.

use super::{NOBODY_SENT, Visit, besides, flow, visits};
use crate::{
    checks::Check,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{
    authorization_variant::{AuthorizationVariant, KNOWN_CLIENT},
    http_request::HttpRequest,
};
use proofmark_record::{event::header, evidence::Evidence, form::Form, topic::Topic};

pub(crate) const M331: Check = Check {
    how: "leaves PKCE out of the metadata, and looks whether the client sends anybody anywhere",
    fix: "look for code_challenge_methods_supported before you send anybody to an authorization server",
    judge: |evidence| {
        stops(
            evidence,
            &[AuthorizationVariant::NO_PKCE],
            Topic::IssuerMetadata,
            "metadata without PKCE methods",
        )
    },
    mutants: &[besides("takes PKCE for granted", |variant, request| {
        send(variant == AuthorizationVariant::NO_PKCE && is_metadata(request), request)
    })
    .also(&["M333"])],
};

pub(crate) const M333: Check = Check {
    how: "leaves PKCE out of the metadata of both kinds, and looks whether the client goes on",
    fix: "give up where code_challenge_methods_supported is missing, with OpenID providers too",
    judge: |evidence| {
        let variants = [AuthorizationVariant::NO_PKCE, AuthorizationVariant::NO_PKCE_OPEN_ID];
        stops(evidence, &variants, Topic::IssuerMetadata, "metadata without PKCE methods")
    },
    mutants: &[besides("trusts OpenID providers", |variant, request| {
        let found = request.path.contains("openid-configuration");
        send(variant == AuthorizationVariant::NO_PKCE_OPEN_ID && found, request)
    })],
};

pub(crate) const M360: Check = Check {
    how: "publishes metadata with another issuer than the one that was asked for it",
    fix: "compare issuer in the metadata with the URL that it was asked for, and use nothing of it if they differ",
    judge: |evidence| {
        stops(
            evidence,
            &[AuthorizationVariant::FORGED],
            Topic::IssuerMetadata,
            "metadata of another issuer",
        )
    },
    mutants: &[besides("believes whatever issuer it reads", |variant, request| {
        send(variant == AuthorizationVariant::FORGED && is_metadata(request), request)
    })],
};

pub(crate) const M369: Check = Check {
    how: "sends people back with another issuer, and without the one that was promised",
    fix: "compare iss with the issuer before you redeem the code, and reject its absence where it is promised",
    judge: |evidence| {
        let variants = [AuthorizationVariant::OTHER_ISS, AuthorizationVariant::FORGOTTEN_ISS];
        stops(evidence, &variants, Topic::Authorize, "an authorization response with a wrong iss")
    },
    mutants: &[
        besides("does not look at iss", |variant, request| {
            redeem(variant == AuthorizationVariant::OTHER_ISS, request)
        }),
        besides("does not miss iss", |variant, request| {
            redeem(variant == AuthorizationVariant::FORGOTTEN_ISS, request)
        }),
    ],
};

pub(crate) const M370: Check = Check {
    how: "sends people back with an issuer that has one more slash",
    fix: "compare iss byte for byte",
    judge: |evidence| {
        stops(
            evidence,
            &[AuthorizationVariant::SLASHED_ISS],
            Topic::Authorize,
            "iss with another spelling",
        )
    },
    mutants: &[besides("forgives a slash", |variant, request| {
        redeem(variant == AuthorizationVariant::SLASHED_ISS, request)
    })],
};

pub(crate) const S153: Check = Check {
    how: "looks for state at the authorization endpoint, and sends people back with another one",
    fix: "send a state, and discard what comes back without it or with another one",
    judge: |evidence| {
        let sent = flow(evidence, || {
            each(visits(evidence, Topic::Authorize), NOBODY_SENT, |visit| visit.lacks("state"))
        });
        if sent != Outcome::Kept {
            return sent;
        }
        stops(evidence, &[AuthorizationVariant::OTHER_STATE], Topic::Authorize, "another state")
    },
    mutants: &[
        super::mutated("sends no state", |request| {
            super::in_query(request, |query| query.remove("state"));
        })
        .also(&["S008"]),
        besides("does not look at state", |variant, request| {
            redeem(variant == AuthorizationVariant::OTHER_STATE, request)
        }),
    ],
};

pub(crate) const M579: Check = Check {
    how: "names an authorization endpoint that is neither secure nor on this machine",
    fix: "send people to https only, and to http on this machine",
    judge: |evidence| keeps_away(evidence, &[AuthorizationVariant::UNSAFE], Topic::IssuerMetadata),
    mutants: &[besides("sends people anywhere", |variant, request| {
        let mut others =
            send(variant == AuthorizationVariant::UNSAFE && is_metadata(request), request);
        others.iter_mut().for_each(lead_astray);
        others
    })
    .also(&["S307"])],
};

pub(crate) const S307: Check = Check {
    how: "names endpoints and issuers that are neither secure nor on this machine",
    fix: "take OAuth URLs only if they are https, or http on this machine",
    judge: |evidence| {
        let first =
            keeps_away(evidence, &[AuthorizationVariant::UNSAFE_ISSUER], Topic::ResourceMetadata);
        match first {
            Outcome::Kept => {
                keeps_away(evidence, &[AuthorizationVariant::UNSAFE], Topic::IssuerMetadata)
            }
            other => other,
        }
    },
    mutants: &[besides("asks any issuer", |variant, request| {
        let named = request.path.contains("oauth-protected-resource");
        ask(variant == AuthorizationVariant::UNSAFE_ISSUER && named, request)
    })],
};

pub(crate) const S309: Check = Check {
    how: "redirects from metadata to an address that is neither secure nor on this machine",
    fix: "look at where a redirect leads before you follow it",
    judge: |evidence| keeps_away(evidence, &[AuthorizationVariant::ASTRAY], Topic::IssuerMetadata),
    mutants: &[besides("follows redirects anywhere", |variant, request| {
        ask(variant == AuthorizationVariant::ASTRAY && is_metadata(request), request)
    })],
};

/// Kept if nobody is sent to the authorization server, and nothing asked of it, after what was seen.
fn stops(
    evidence: &Evidence,
    variants: &[&'static AuthorizationVariant],
    seen: Topic,
    what: &str,
) -> Outcome {
    judged(evidence, variants, seen, |visit| {
        let goes_on = [Topic::Authorize, Topic::Token]
            .into_iter()
            .find_map(|topic| visits(evidence, topic).find(|it| visit.is_before(it)))?;
        let expected = format!("nothing more after {what}");
        Some(Finding::new(expected, goes_on.exchange.line.split('?').next()?, goes_on.place()))
    })
}

/// Kept if no request comes by an address that is neither secure nor on this machine.
fn keeps_away(
    evidence: &Evidence,
    variants: &[&'static AuthorizationVariant],
    seen: Topic,
) -> Outcome {
    judged(evidence, variants, seen, |visit| {
        let mut all = evidence.exchanges();
        let astray = all.find(|it| {
            let host = header(it.asked, "host").unwrap_or_default();
            it.place.conversation == visit.place().conversation && host.starts_with(NOT_LOOPBACK)
        })?;
        let actual = format!("a request to http://{NOT_LOOPBACK}");
        Some(Finding::new("https, or http on this machine", actual, astray.place))
    })
}

fn judged<'e>(
    evidence: &'e Evidence,
    variants: &[&'static AuthorizationVariant],
    seen: Topic,
    judge: impl Fn(Visit<'e>) -> Option<Finding>,
) -> Outcome {
    flow(evidence, || {
        let reached = visits(evidence, seen).filter(|it| {
            variants.contains(&it.variant) && matches!(it.exchange.status, Some(200..400))
        });
        each(reached, "the client does not get so far", judge)
    })
}

fn is_metadata(request: &HttpRequest) -> bool {
    request.path.contains("oauth-authorization-server")
}

/// Sends somebody to the authorization server as it should be done, if it should.
pub(super) fn send(when: bool, request: &HttpRequest) -> Vec<HttpRequest> {
    if !when {
        return Vec::new();
    }
    let host = request.header("host").unwrap_or_default().to_owned();
    let pairs = [
        ("response_type", "code"),
        ("client_id", KNOWN_CLIENT),
        ("redirect_uri", "http://localhost:3000/callback"),
        ("state", "some-state"),
        ("code_challenge", "0123456789012345678901234567890123456789012"),
        ("code_challenge_method", "S256"),
        ("scope", "hosted:use"),
        ("resource", &format!("http://{host}/mcp")),
    ];
    let query = Form(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
    vec![HttpRequest {
        method: "GET".to_owned(),
        path: format!("/as/authorize?{}", query.encoded()),
        headers: vec![("host".to_owned(), host)],
        body: Vec::new(),
    }]
}

/// Redeems some code after somebody was sent to the authorization server.
fn redeem(when: bool, request: &HttpRequest) -> Vec<HttpRequest> {
    if !when || !super::ends_with(request, "/authorize") {
        return Vec::new();
    }
    let host = request.header("host").unwrap_or_default().to_owned();
    let pairs = [
        ("grant_type", "authorization_code"),
        ("code", "some-code"),
        ("code_verifier", "some-verifier"),
        ("resource", &format!("http://{host}/mcp")),
    ];
    let form = Form(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
    vec![HttpRequest {
        method: "POST".to_owned(),
        path: "/as/token".to_owned(),
        headers: vec![("host".to_owned(), host)],
        body: form.encoded().into_bytes(),
    }]
}

/// Asks for metadata at an address where nobody should ask for any.
fn ask(when: bool, request: &HttpRequest) -> Vec<HttpRequest> {
    if !when {
        return Vec::new();
    }
    let mut other = HttpRequest {
        method: "GET".to_owned(),
        path: "/.well-known/oauth-authorization-server".to_owned(),
        headers: vec![("host".to_owned(), request.header("host").unwrap_or_default().to_owned())],
        body: Vec::new(),
    };
    lead_astray(&mut other);
    vec![other]
}

fn lead_astray(request: &mut HttpRequest) {
    let port = request.header("host").and_then(|it| it.rsplit(':').next()).unwrap_or_default();
    let host = format!("{NOT_LOOPBACK}:{port}");
    request.set("host", &host);
}

const NOT_LOOPBACK: &str = "0.0.0.0";
