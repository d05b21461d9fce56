//! A minimal client: it calls one tool, over HTTP or of a server that it starts itself.

use bench_client::{Caller, Era, Link, Outcome, Target};
use proofmark_sdk::{
    client::{Client, ServerCommand},
    core::{
        revision::{self, Revision},
        session::client::Preference,
        types::ContentBlock,
    },
};
use serde::Serialize;

fn main() -> Outcome<()> {
    bench_client::run(connect)
}

async fn connect(target: Target) -> Outcome<Ours> {
    let preference = match target.era {
        Era::Legacy => Preference::Legacy(Revision::newest(revision::Era::Legacy)),
        Era::Modern => Preference::Modern,
    };
    let builder = Client::builder("bench-client", env!("CARGO_PKG_VERSION")).preference(preference);
    Ok(Ours(match target.link {
        Link::Http(url) => builder.connect(url.as_str()).await?,
        Link::Stdio { program, arguments } => {
            builder.connect(ServerCommand::new(program).args(arguments)).await?
        }
    }))
}

struct Ours(Client);

#[derive(Serialize)]
struct Echo<'a> {
    message: &'a str,
}

impl Caller for Ours {
    async fn echo(&self, message: &str) -> Outcome<String> {
        let mut result = self.0.call_tool("echo", Echo { message }).await?;
        match result.content.pop() {
            Some(ContentBlock::Text(text)) => Ok(text.text),
            other => Err(format!("not a text: {other:?}").into()),
        }
    }
}
