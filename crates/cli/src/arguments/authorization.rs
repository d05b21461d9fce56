//! What can be said about checks of authorization servers.

use clap::Args;
use proofmark_check::{binds_issuers, record::wire::Url};
use proofmark_core::revision::Revision;

use super::{Judging, checking::header};

/// Check whether an authorization server keeps the specification, requirement by requirement
///
/// The checker registers itself as a client, asks for codes and tokens, rightly and in ways that are to be refused, and looks at what is
/// published. Where a person has to log in first, what comes after that cannot be seen, unless --header brings the cookie of
/// one who has. Without a URL it checks the built-in authorization server, which lets everyone in.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark check authorization                                    the built-in authorization server
  proofmark check authorization --url https://auth.example.com     one that clients may register at
  proofmark check authorization --url https://auth.example.com/tenant --client-id my-client \\
      --redirect-uri http://127.0.0.1:3000/callback                one that knows its clients

Exit codes:
  0  conformant: nothing observed is broken
  1  a requirement is broken, or the baseline has a stale entry
  2  the command line or a configuration makes no sense
  3  the server could not be reached, or the run broke off with nothing found")]
pub(crate) struct CheckAuthorization {
    /// The issuer: the URL that the authorization server is known by
    #[arg(long)]
    pub(crate) url: Option<Url>,
    /// A client that the server knows; without it the checker registers itself
    #[arg(long, value_name = "ID", requires = "redirect_uri")]
    pub(crate) client_id: Option<String>,
    /// The environment variable that has the client's secret, if there is one
    #[arg(long, value_name = "NAME", requires = "client_id")]
    pub(crate) client_secret_env: Option<String>,
    /// A redirect URI of the client; nothing has to listen there
    #[arg(long, value_name = "URI", requires = "client_id")]
    pub(crate) redirect_uri: Option<String>,
    /// The MCP server that tokens are asked for; without it the one that the metadata names first
    #[arg(long, value_name = "URL")]
    pub(crate) resource: Option<String>,
    /// The scopes to ask for, separated by spaces; without it all that are on offer
    #[arg(long, value_name = "SCOPES")]
    pub(crate) scope: Option<String>,
    /// A header for the requests of the browser, as NAME: VALUE
    #[arg(long, value_name = "HEADER", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
    /// The revision to hold the server to; without it the newest
    #[arg(long, value_name = "DATE", value_parser = revision)]
    pub(crate) revision: Option<Revision>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    /// Seconds that an answer may take
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) timeout: u16,
    /// Seconds that the whole run may take; then the report is about what was seen so far, and has no score
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_time: u16,
}

/// Not every revision has something to say about authorization servers.
fn revision(text: &str) -> Result<Revision, String> {
    let bound = || Revision::ALL.iter().copied().filter(|revision| binds_issuers(*revision));
    bound().find(|revision| revision.as_str() == text).ok_or_else(|| {
        let names: Vec<_> = bound().map(Revision::as_str).collect();
        format!("no revision that binds authorization servers: {} are", names.join(", "))
    })
}
