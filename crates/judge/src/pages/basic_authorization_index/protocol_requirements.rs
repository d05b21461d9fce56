//! `basic/authorization/index`: `#token-handling`, `#protocol-requirements`, `#resource-parameter-implementation`.

use super::shared::{NO_TOKEN, authorization, given, named, rename};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        authorization::{
            A092_SERVER, TAKES_FOREIGN, demanding, documents, foreign, guarded, unauthorized,
        },
        client::says,
        client_oauth::{endpoint, ends_with, flow, mutated, pass_unless},
        http::told,
        shape::doubtful,
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25};
use proofmark_record::topic::Topic;

pub(super) const M038: Requirement = Requirement {
    id: "M038",
    name: "server-validates-each-access-token-answers",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "The server validates each access token and answers 401 when it is invalid or expired.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#token-handling ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-handling",
    observed: Observed::By(&M038_CHECK),
};

const M038_CHECK: Check = Check {
    how: "initializes with a token that nobody issued",
    seen: seen_in(&["authorization"]),
    fix: "validate every token, and answer 401 to one that is not valid",
    judge: |evidence| unauthorized(evidence, Topic::WrongToken),
    mutants: &[
        guarded("takes any token", |context, reply| {
            if context.message["id"] == "wrong-token" {
                let body = "{\"jsonrpc\":\"2.0\",\"id\":\"wrong-token\",\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}}";
                reply.replace(200, "application/json", body);
            }
        })
    .also(&["M339", "M573"]),
        guarded("calls a wrong token a bad request", |context, reply| {
            if context.message["id"] == "wrong-token" {
                reply.status = 400;
            }
        })
    .also(&["M573"]),
    ],
};

pub(super) const M296: Requirement = Requirement {
    id: "M296",
    name: "failed-validation-answered-oauth-2-1-section",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "A failed validation is answered as OAuth 2.1 section 5.3 says, with a WWW-Authenticate challenge.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#token-handling ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-handling",
    observed: Observed::By(&M296_CHECK),
};

const M296_CHECK: Check = Check {
    how: "initializes with a token that nobody issued",
    seen: seen_in(&["authorization"]),
    fix: "send a WWW-Authenticate challenge with every 401",
    judge: |evidence| {
        demanding(evidence, |_| {
            let refused = evidence.exchanges_about(Topic::WrongToken);
            let refused = refused.filter(|exchange| exchange.status == Some(401));
            // Only one revision is clear about it; the others have other ways to say where tokens come from.
            doubtful(each(refused, "a wrong token was not refused", |exchange| {
                let challenged = exchange.header("www-authenticate").is_some();
                (!challenged).then(|| {
                    Finding::new("a WWW-Authenticate challenge", told(&exchange), exchange.answered)
                })
            }))
        })
    },
    mutants: &[guarded("does not say why a token is wrong", |context, reply| {
        if context.message["id"] == "wrong-token" {
            reply.headers.retain(|(name, _)| name != "www-authenticate");
        }
    })],
};

pub(super) const M321: Requirement = Requirement {
    id: "M321",
    name: "client-sends-server-only-tokens-from-server",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The client sends the server only tokens from the server's authorization server.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#token-handling ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-handling",
    observed: Observed::By(&M321_CHECK),
};

const M321_CHECK: Check = Check {
    how: "compares every token that comes with those that the authorization server gave the client",
    seen: seen_in(&["hosted auth"]),
    fix: "send a server the tokens that its own authorization server issued, and no others",
    judge: |evidence| {
        let given = given(evidence);
        flow(evidence, || {
            let shown = endpoint(evidence).filter(|it| authorization(it).is_some());
            each(shown, NO_TOKEN, |visit| {
                let token = authorization(&visit)?.split_once(' ').map_or("", |(_, token)| token);
                let known = given.iter().any(|(conversation, it)| {
                    *conversation == visit.place().conversation && *it == token
                });
                let expected = "a token of the authorization server";
                (!known).then(|| Finding::new(expected, "another token", visit.place()))
            })
        })
    },
    mutants: &[mutated("sends a token from elsewhere", |request| {
        if says(request, "tools/call") {
            request.set("authorization", "Bearer of-somebody-else");
        }
    })],
};

pub(super) const M323: Requirement = Requirement {
    id: "M323",
    name: "server-accepts-only-tokens-valid-own",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The server accepts only tokens valid for its own resources.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#token-handling ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-handling",
    observed: Observed::By(&M323_CHECK),
};

const M323_CHECK: Check = Check {
    how: "comes with a token of the server's own authorization server that is for another resource",
    seen: seen_in(&["authorization"]),
    fix: "take only tokens whose audience is the server's own resource",
    judge: foreign,
    mutants: &[TAKES_FOREIGN.also(&["M320", "M339"])],
};

pub(super) const M290: Requirement = Requirement {
    id: "M290",
    name: "other-transports-follow-security-practice",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Other transports follow the security practice of their own protocol.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#protocol-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#protocol-requirements",
    observed: Observed::Unobservable("it concerns custom transports"),
};

pub(super) const S008: Requirement = Requirement {
    id: "S008",
    name: "http-implementations-authorization-follow",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "HTTP implementations with authorization follow the OAuth 2.1 based MCP flow.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#protocol-requirements ; docs/specification/{2025-03-26..2026-07-28}/basic/index.mdx#auth ; docs/specification/2026-07-28/basic/authorization/index.mdx#protocol-requirements",
    observed: Observed::Each {
        server: &Observed::By(&S008_SERVER),
        client: &Observed::By(&S008_CLIENT),
    },
};

const S008_SERVER: Check = Check {
    how: "looks for a Bearer challenge and for metadata where a token is demanded",
    seen: seen_in(&["authorization"]),
    fix: "point to the authorization server: in WWW-Authenticate or at the well-known places",
    judge: |evidence| {
        demanding(evidence, |refusal| {
            let challenge = refusal.header("www-authenticate").unwrap_or_default();
            let bearer = challenge.to_ascii_lowercase().starts_with("bearer");
            let published = documents(evidence, Topic::ResourceMetadata)
                .chain(documents(evidence, Topic::IssuerMetadata))
                .next()
                .is_some();
            if bearer || published {
                return Outcome::Kept;
            }
            let expected = "a Bearer challenge, or metadata at a well-known place";
            Outcome::Broken(Finding::new(expected, "neither", refusal.answered))
        })
    },
    mutants: &[guarded("does not say where tokens come from", |context, reply| {
        reply.headers.retain(|(name, _)| name != "www-authenticate");
        if context.path.starts_with("/.well-known/") {
            reply.replace(404, "text/plain", "not found");
        }
    })
    .also(&["M296", "M310", "M342", "S010", "S011", "S156"])],
};

const S008_CLIENT: Check = Check {
    how: "demands a token, and looks whether the client comes back with one",
    seen: seen_in(&["hosted auth"]),
    fix: "on 401, find the authorization server, get a token there, and send the request again with it",
    judge: |evidence| {
        flow(evidence, || {
            let Some(first) = endpoint(evidence).find(|it| it.exchange.status == Some(401)) else {
                return Outcome::Unobserved("the client was never refused".to_owned());
            };
            let admitted = endpoint(evidence)
                .any(|it| it.variant == first.variant && it.exchange.status != Some(401));
            if admitted {
                return Outcome::Kept;
            }
            let expected = "the same request with a token";
            let actual = "the client never came with a token that it was given";
            Outcome::Broken(Finding::new(expected, actual, first.exchange.place))
        })
    },
    mutants: &[Mutant::new(
        "asks for no token in the end",
        Mutation::Request(|request| pass_unless(ends_with(request, "/token"))),
    )
    .of(Variant::Guarded)],
};

pub(super) const S009: Requirement = Requirement {
    id: "S009",
    name: "stdio-implementations-do-not-use-http",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Stdio,
    span: since(V2025_03_26),
    text: "stdio implementations do not use the HTTP authorization spec; credentials come from the environment.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#protocol-requirements ; docs/specification/{2025-03-26..2026-07-28}/basic/index.mdx#auth ; docs/specification/2026-07-28/basic/authorization/index.mdx#protocol-requirements",
    observed: Observed::Unobservable(
        "where a server takes its credentials from is not on the pipe",
    ),
};

pub(super) const A092: Requirement = Requirement {
    id: "A092",
    name: "authorization-may-left-out-altogether",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "Authorization may be left out altogether.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#protocol-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#protocol-requirements",
    observed: Observed::Each {
        server: &Observed::By(&A092_SERVER),
        client: &Observed::By(&A092_CLIENT),
    },
};

const A092_CLIENT: Check = Check {
    how: "demands a token, and looks whether the client tries to get one",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let tries = || Outcome::NotOffered("gets tokens where they are demanded".to_owned());
        match flow(evidence, tries) {
            Outcome::NotApplicable(_) => Outcome::Offered("does without tokens".to_owned()),
            outcome => outcome,
        }
    },
    mutants: &[Mutant::new(
        "knows nothing of tokens",
        Mutation::Request(|request| pass_unless(request.path != "/mcp")),
    )
    .of(Variant::Guarded)],
};

pub(super) const M317: Requirement = Requirement {
    id: "M317",
    name: "resource-parameter-names-mcp-server-token",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The resource parameter names the MCP server the token is for.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#resource-parameter-implementation ; docs/specification/2026-07-28/basic/authorization/index.mdx#resource-parameter-implementation",
    observed: Observed::By(&M317_CHECK),
};

const M317_CHECK: Check = Check {
    how: "compares the host in resource with the server's",
    seen: seen_in(&["hosted auth"]),
    fix: "name the server that the token will be sent to",
    judge: |evidence| {
        named(evidence, |visit, resource, server| {
            let origin = server.strip_suffix("/mcp").unwrap_or(server);
            let plain = resource.to_ascii_lowercase();
            let rest = plain.strip_prefix(origin);
            let right = rest.is_some_and(|it| it.is_empty() || it.starts_with(['/', '#', '?']));
            (!right).then(|| Finding::new(server, resource, visit.place()))
        })
    },
    mutants: &[mutated("asks for a token for somebody else", |request| {
        rename(request, |_| "https://elsewhere.example/mcp".to_owned());
    })
    .also(&["S149"])],
};

pub(super) const M318: Requirement = Requirement {
    id: "M318",
    name: "resource-parameter-holds-server-canonical",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The resource parameter holds the server's canonical URI.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#resource-parameter-implementation ; docs/specification/2026-07-28/basic/authorization/index.mdx#resource-parameter-implementation",
    observed: Observed::By(&M318_CHECK),
};

const M318_CHECK: Check = Check {
    how: "looks at the form of resource",
    seen: seen_in(&["hosted auth"]),
    fix: "send the canonical URI: absolute, in lower case as far as the host goes, without a fragment",
    judge: |evidence| {
        named(evidence, |visit, resource, server| {
            let scheme = resource.split("://").next().unwrap_or_default();
            let absolute = matches!(scheme, "http" | "https") && resource.contains("://");
            let right = absolute && !resource.contains('#');
            (!right).then(|| Finding::new(server, resource, visit.place()))
        })
    },
    mutants: &[mutated("names the server with a fragment", |request| {
        rename(request, |resource| format!("{resource}#here"));
    })
    .also(&["S149"])],
};
