//! `proofmark self-test`: every check against every mutant of the Everything Server.

use std::{future::pending, io, net::Ipv4Addr, num::NonZeroUsize, sync::Arc};

use proofmark_check::{
    converse::{
        hosted::{RunInstructions, ServerAddress},
        mutation::{HttpContext, Mutation, Proxy, Reply},
    },
    judge::mutant::Variant,
    record::wire::Url,
    self_test::{self, Reference, Selection, Served, generated},
};
use proofmark_everything::{
    Options,
    auth::{self, Caching, Redirects},
    client,
};
use proofmark_sdk::{
    auth::{Authorization, BadUrl, Identity, Scopes, TokenError, verifier_fn},
    client::Target,
    core::{revision::Era, streamable_http::Sessions},
    transport::{
        LineSettings,
        http::{HttpServer, HttpSettings},
        serve_lines,
    },
};
use serde_json::json;
use tokio::io::split;

use crate::{arguments::SelfTest, check::event_loop, exit, issuer, say};

/// The exit code.
pub(crate) fn run(arguments: &SelfTest) -> anyhow::Result<u8> {
    let runtime = event_loop()?;
    let reference = Arc::new(Reference {
        // Each client has a server of its own, as it would have a process of its own.
        serve: Arc::new(|pipe| {
            Box::pin(async move {
                let Ok(server) = proofmark_everything::server(Options::default()) else {
                    return;
                };
                let (reader, writer) = split(pipe);
                // A client that goes away ends the conversation.
                let _ = serve_lines(&server, reader, writer, LineSettings::default()).await;
            })
        }),
        listen: Arc::new(|variant| Box::pin(listen(variant))),
        issue: Arc::new(|variant| Box::pin(issue(variant))),
        token: TOKEN.to_owned(),
        other_token: OTHER_TOKEN.to_owned(),
        client: Arc::new(|address, instructions| Box::pin(act(address, instructions))),
        client_document: client::document(),
    });
    let SelfTest { seed, sample, ref only, .. } = *arguments;
    let selection = Selection { seed, sample, only: only.clone() };
    if arguments.generated {
        let tally =
            runtime.block_on(generated::run(&reference, &selection, |text| say::on_stderr(text)));
        say::on_stdout(&tally);
        return Ok(if tally.is_green() { exit::SUCCESS } else { exit::BROKEN });
    }
    let mut summary = runtime.block_on(self_test::run(&reference, &selection));
    // What comes and goes with the load of the machine is tried once more.
    let of_row = |line: &String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let again: Vec<_> = summary.wrongly_blamed.iter().chain(&summary.missed).map(of_row).collect();
    if (1..=MOST_AGAIN).contains(&again.len()) && summary.unclean.is_empty() {
        say::on_stdout(&summary);
        say::on_stdout(format_args!("once more: {}", again.join(", ")));
        let again = Selection { only: again, ..Selection::default() };
        summary = runtime.block_on(self_test::run(&reference, &again));
    }
    say::on_stdout(&summary);
    Ok(if summary.is_green() { exit::SUCCESS } else { exit::BROKEN })
}

async fn issue(variant: Variant) -> io::Result<Served> {
    let usual = auth::Variant::default();
    let variant = match variant {
        Variant::Forgetful => auth::Variant { caching: Caching::Never, ..usual },
        Variant::Hoarding => auth::Variant { caching: Caching::Always, ..usual },
        Variant::Trusting => auth::Variant { redirects: Redirects::Followed, ..usual },
        Variant::Guarded
        | Variant::Issuing
        | Variant::ModernOnly
        | Variant::Open
        | Variant::Paged
        | Variant::Sessionless => usual,
    };
    let (url, server) = issuer::listen(issuer::Settings { variant }).await?;
    let serving = async move {
        // It never ends by itself.
        let _ = server.run_until(pending()).await;
    };
    Ok(Served { http: url.clone(), sse: url, serving: Box::pin(serving) })
}

/// A server and its authorization server on one port.
async fn with_issuer() -> io::Result<Served> {
    let Served { http: issuer, serving, .. } = issue(Variant::Issuing).await?;
    let HttpSettings { path, sse_path, .. } = HttpSettings::default();
    let (http, sse) = (Url::local(issuer.port, path), Url::local(issuer.port, sse_path));
    Ok(Served { http, sse, serving })
}

async fn listen(variant: Variant) -> io::Result<Served> {
    if variant == Variant::Issuing {
        return with_issuer().await;
    }
    let settings = match variant {
        Variant::Forgetful
        | Variant::Hoarding
        | Variant::Issuing
        | Variant::ModernOnly
        | Variant::Open
        | Variant::Paged
        | Variant::Trusting => HttpSettings::default(),
        Variant::Guarded => guarded().map_err(io::Error::other)?,
        Variant::Sessionless => HttpSettings { sessions: Sessions::Off, ..HttpSettings::default() },
    };
    let (path, sse_path) = (settings.path.clone(), settings.sse_path.clone());
    let options = match variant {
        Variant::ModernOnly => Options { only: Some(Era::Modern), ..Options::default() },
        Variant::Paged => Options { page_size: NonZeroUsize::new(4), ..Options::default() },
        Variant::Forgetful
        | Variant::Guarded
        | Variant::Hoarding
        | Variant::Issuing
        | Variant::Open
        | Variant::Sessionless
        | Variant::Trusting => Options::default(),
    };
    let server = proofmark_everything::server(options).map_err(io::Error::other)?;
    let address = (Ipv4Addr::LOCALHOST, 0).into();
    let server = HttpServer::bind(server, address, settings).await.map_err(io::Error::other)?;
    let port = server.address().port();
    let (http, sse) = (Url::local(port, path), Url::local(port, sse_path));
    let serving = async move {
        // It never ends by itself.
        let _ = server.run_until(pending()).await;
    };
    if variant != Variant::Guarded {
        return Ok(Served { http, sse, serving: Box::pin(serving) });
    }
    // It publishes what an authorization server would.
    let front = Proxy::bind(http, Mutation::Http(issuer)).await?;
    let http = front.url()?;
    let serving = async move {
        tokio::join!(serving, front.run());
    };
    Ok(Served { http, sse, serving: Box::pin(serving) })
}

/// Lets in two users, each with a token.
fn guarded() -> Result<HttpSettings, BadUrl> {
    let verifier = verifier_fn(|token| {
        let user = match token {
            TOKEN => Some("tester"),
            OTHER_TOKEN => Some("another tester"),
            _ => None,
        };
        async move {
            let mut identity = Identity::new(ISSUER, user.ok_or(TokenError::Inactive)?);
            identity.scopes = Scopes::parse(SCOPE).unwrap_or_default();
            Ok(identity)
        }
    });
    let authorization = Authorization::new(RESOURCE, [ISSUER], verifier)?
        .require(Scopes::parse(SCOPE).unwrap_or_default());
    Ok(HttpSettings { authorization: Some(authorization), ..HttpSettings::default() })
}

/// The metadata of an authorization server on the same port, and of the resource that trusts it.
fn issuer(context: &HttpContext<'_>, reply: &mut Reply) {
    let issuer = format!("http://{}", context.header("host").unwrap_or_default());
    let document = match context.path {
        "/.well-known/oauth-authorization-server" => json!({ "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token"),
            "registration_endpoint": format!("{issuer}/register"),
            "response_types_supported": ["code"],
            "client_id_metadata_document_supported": true,
            "code_challenge_methods_supported": ["S256"] }),
        "/.well-known/oauth-protected-resource/mcp" => json!({
            "resource": format!("{issuer}/mcp"), "authorization_servers": [issuer] }),
        _ => return,
    };
    reply.replace(200, "application/json", &document.to_string());
}

/// The Everything Client, as if it were a process of its own.
async fn act(address: ServerAddress, instructions: RunInstructions) {
    let server: Box<dyn FnMut() -> Target + Send> = match address {
        ServerAddress::Url(url) => Box::new(move || Target::Url(url.clone())),
        ServerAddress::Pipe(pipes) => Box::new(move || {
            let (reader, writer) = split(pipes.start());
            Target::streams(reader, writer)
        }),
        ServerAddress::Command(_) => return,
    };
    let variables = instructions.environment();
    let assignment = client::Assignment::from_environment(|name| variables.get(name).cloned());
    if let Ok(assignment) = assignment {
        // What comes of it is for the checker to see.
        let _ = client::run(server, &assignment).await;
    }
}

/// Rows that are tried once more; where there are others too, something is wrong.
const MOST_AGAIN: usize = 10;
/// No secret: it opens nothing but the reference server, which no other process reaches.
const TOKEN: &str = "the-token-of-the-self-test";
const OTHER_TOKEN: &str = "the-other-token-of-the-self-test";
const RESOURCE: &str = "http://127.0.0.1/mcp";
const ISSUER: &str = "http://127.0.0.1";
const SCOPE: &str = "mcp";
