//! Where a server has what belongs to authorization, and by which names it goes.

use serde_json::Value;

use super::{NO_ISSUER, NO_TOKENS, challenges::let_in, demanding, documents, guarded};
use crate::{
    checks::{
        Check,
        issuer::{
            OAUTH,
            documents::{M354, M355, M356, approve},
            secured,
        },
        shape::show,
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, all_of, each, offered},
};
use proofmark_converse::{
    mutation::Mutation,
    oauth::{CLIENT_DOCUMENTS, document_host::FOREIGN},
};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
    form,
    topic::Topic,
    wire::Url,
};

pub(crate) const M291: Check = Check {
    how: "asks for /authorize and /token where there is no metadata",
    fix: "publish metadata, or serve /authorize and /token at the root",
    judge: |evidence| {
        demanding(evidence, |_| {
            if documents(evidence, Topic::IssuerMetadata).next().is_some() {
                return Outcome::NotApplicable("it publishes metadata".to_owned());
            }
            let asked = evidence.exchanges_about(Topic::DefaultEndpoint);
            let outcome = each(asked, "the default places were not looked at", |exchange| {
                (exchange.status == Some(404)).then(|| {
                    let expected = "an endpoint at a default place";
                    Finding::new(expected, "status 404", exchange.answered)
                })
            });
            // Later revisions let a server name an authorization server elsewhere.
            if names_issuer(evidence) { crate::checks::shape::doubtful(outcome) } else { outcome }
        })
    },
    mutants: &[guarded(
        "has neither metadata nor anything at the default places",
        |context, reply| {
            if context.path.starts_with("/.well-known/o") {
                reply.replace(404, "text/plain", "not found");
            }
        },
    )
    .also(&["S011"])],
};

pub(crate) const M292: Check = Check {
    how: "asks for metadata at the root of the server, and at places that other revisions have",
    fix: "publish the metadata at /.well-known/oauth-authorization-server under the server's URL without its path",
    judge: |evidence| {
        demanding(evidence, |_| {
            let found: Vec<_> = documents(evidence, Topic::IssuerMetadata).collect();
            let at_root = |exchange: &HttpExchange<'_>| exchange.line == format!("GET {OAUTH}");
            let Some((elsewhere, _)) = found.first() else {
                return Outcome::NotApplicable("it publishes no metadata".to_owned());
            };
            if found.iter().any(|(exchange, _)| at_root(exchange)) {
                return Outcome::Kept;
            }
            let actual = format!("it is at {}", elsewhere.line.trim_start_matches("GET "));
            let expected = format!("metadata at {OAUTH}");
            Outcome::Broken(Finding::new(expected, actual, elsewhere.answered))
        })
    },
    mutants: &[guarded("has its metadata below its own path", |context, reply| {
        if context.path == OAUTH {
            reply.replace(404, "text/plain", "not found");
        } else if context.path.starts_with(OAUTH) {
            let body = "{\"issuer\":\"http://127.0.0.1\",\"registration_endpoint\":\"http://127.0.0.1/register\"}";
            reply.replace(200, "application/json", body);
        }
    })],
};

pub(crate) const M298: Check = Check {
    how: "looks at the URLs of all endpoints in the metadata",
    fix: "serve every endpoint over https",
    judge: |evidence| demanding(evidence, |_| secured(evidence)),
    mutants: &[guarded("has an endpoint without TLS", |context, reply| {
        if context.path == OAUTH {
            let body = "{\"issuer\":\"http://127.0.0.1\",\"registration_endpoint\":\"http://127.0.0.1/register\",\"revocation_endpoint\":\"http://as.example/revoke\"}";
            reply.replace(200, "application/json", body);
        }
    })],
};

pub(crate) const S151: Check = Check {
    how: "compares resource in the metadata with the URL that the server is reached at",
    fix: "name the resource without a slash at its end",
    judge: |evidence| {
        demanding(evidence, |_| {
            let nothing = "no metadata of the resource was found";
            each(documents(evidence, Topic::ResourceMetadata), nothing, |(exchange, document)| {
                let named = document.get("resource")?.as_str()?;
                // Where the server itself is at a URL that ends so, it may mean something.
                let slash = named.ends_with('/') && !is_reached_with_slash(evidence);
                let expected = "a resource without a slash at its end";
                slash.then(|| Finding::new(expected, named, exchange.answered))
            })
        })
    },
    mutants: &[guarded("adds a slash to its own name", |context, reply| {
        if context.path.starts_with("/.well-known/oauth-protected-resource") {
            let host = context.header("host").unwrap_or_default();
            let body = format!(
                "{{\"resource\":\"http://{host}/mcp/\",\"authorization_servers\":[\"http://{host}\"]}}"
            );
            reply.replace(200, "application/json", &body);
        }
    })],
};

pub(crate) const S155: Check = Check {
    how: "looks for client_id_metadata_document_supported in the metadata of the server's authorization server",
    fix: "use an authorization server that knows clients by their documents, and says so",
    judge: |evidence| {
        demanding(evidence, |_| {
            each(documents(evidence, Topic::IssuerMetadata), NO_ISSUER, |(exchange, document)| {
                let supported = document.get(CLIENT_DOCUMENTS);
                (supported != Some(&Value::Bool(true))).then(|| {
                    let actual = supported.map_or_else(|| "no such member".to_owned(), show);
                    Finding::new(format!("{CLIENT_DOCUMENTS} is true"), actual, exchange.answered)
                })
            })
        })
    },
    mutants: &[guarded("has an authorization server that knows no documents", |context, reply| {
        if context.path.starts_with(OAUTH) {
            let body = "{\"issuer\":\"http://127.0.0.1\",\"registration_endpoint\":\"http://127.0.0.1/register\"}";
            reply.replace(200, "application/json", body);
        }
    })],
};

pub(crate) const M349: Check = Check {
    how: "asks for codes as clients with good and with bad documents, where the server's authorization server says that it reads such",
    fix: "use an authorization server that fetches the document of a client, and refuses what does not fit",
    judge: |evidence| {
        demanding(evidence, |_| {
            let mut published = documents(evidence, Topic::IssuerMetadata);
            let supported = Some(&Value::Bool(true));
            if !published.any(|(_, document)| document.get(CLIENT_DOCUMENTS) == supported) {
                return Outcome::NotApplicable("clients are known by no documents".to_owned());
            }
            if evidence.exchanges_about(Topic::AuthorizeDocument).next().is_none() {
                return Outcome::Unobserved(NO_TOKENS.to_owned());
            }
            all_of([M354, M355, M356].map(|check| (check.judge)(evidence)))
        })
    },
    mutants: &[let_in(
        "has an authorization server that takes the document of another client",
        |context, reply| {
            approve(context, reply, FOREIGN);
        },
    )],
};

pub(crate) const A092: Check = Check {
    how: "initializes without a token",
    fix: "nothing: this is allowed",
    judge: |evidence| match demanding(evidence, |_| Outcome::Kept) {
        Outcome::Kept => Outcome::NotOffered("demands tokens".to_owned()),
        Outcome::NotApplicable(_) => Outcome::Offered("does without tokens".to_owned()),
        outcome => outcome,
    },
    mutants: &[Mutant::new("demands tokens", Mutation::Nothing).of(Variant::Guarded)],
};

pub(crate) const A093: Check = Check {
    how: "looks whether people are sent to another host than the server's own",
    fix: A092.fix,
    judge: |evidence| {
        demanding(evidence, |_| {
            let elsewhere = |exchange: &HttpExchange<'_>, url: &str| {
                let own = header(exchange.asked, "host").map(host);
                url.parse::<Url>().is_ok_and(|url| own.is_some_and(|own| own != url.host))
            };
            let named = documents(evidence, Topic::IssuerMetadata).any(|(exchange, document)| {
                let endpoint = document.get("authorization_endpoint").and_then(Value::as_str);
                endpoint.is_some_and(|url| elsewhere(&exchange, url))
            });
            let sent = PEOPLE.into_iter().flat_map(|topic| evidence.exchanges_about(topic));
            let sent = sent.filter(|it| {
                let parameters = form::query(it.line);
                let back = form::one(&parameters, "redirect_uri").map(form::base);
                let there = it.header("location");
                there.is_some_and(|url| elsewhere(it, url) && Some(form::base(url)) != back)
            });
            let what = "authorization by somebody else";
            offered([named, sent.count() > 0].into_iter(), what, |it| it)
        })
    },
    mutants: &[Mutant::new(
        "has people log in elsewhere",
        Mutation::Says(|_, document| {
            if document.get("authorization_endpoint").is_some() {
                document["authorization_endpoint"] = "https://accounts.example/authorize".into();
            }
        }),
    )
    .of(Variant::Guarded)],
};

/// Whether the metadata of the resource name an authorization server on another host.
fn names_issuer(evidence: &Evidence) -> bool {
    documents(evidence, Topic::ResourceMetadata).any(|(exchange, document)| {
        let named = document.pointer("/authorization_servers/0").and_then(Value::as_str);
        let named = named.and_then(|url| url.parse::<Url>().ok());
        let own = header(exchange.asked, "host");
        named.is_some_and(|url| own != Some(url.authority().as_str()))
    })
}

fn is_reached_with_slash(evidence: &Evidence) -> bool {
    let mut asked = evidence.exchanges_about(Topic::WithoutToken);
    asked.any(|it| it.line.split('?').next().unwrap_or_default().ends_with('/'))
}

/// Of what stands in `Host`.
fn host(authority: &str) -> &str {
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

/// Where people are sent to.
const PEOPLE: [Topic; 3] = [Topic::Authorize, Topic::AuthorizeOther, Topic::Redirected];
