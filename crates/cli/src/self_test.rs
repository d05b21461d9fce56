//! `proofmark self-test`: every check against every mutant of the Everything Server.

use std::{net::Ipv4Addr, sync::Arc};

use anyhow::Context;
use proofmark_check::{
    hosted::{Briefing, Meeting},
    self_test::{self, Reference},
    wire::Url,
};
use proofmark_everything::{Options, client};
use proofmark_sdk::client::Target;
use proofmark_sdk::transport::{
    LineSettings,
    http::{HttpServer, HttpSettings},
    serve_lines,
};
use tokio::{io::split, runtime::Builder};

use crate::{arguments::SelfTest, exit, say};

/// The exit code.
pub(crate) fn run(arguments: &SelfTest) -> anyhow::Result<u8> {
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the system refuses an event loop")?;
    let summary = runtime.block_on(async {
        let server = proofmark_everything::server(Options::default())
            .context("the Everything Server cannot be put together")?;
        let settings = HttpSettings::default();
        let (path, sse_path) = (settings.path.clone(), settings.sse_path.clone());
        let http = HttpServer::bind(server, (Ipv4Addr::LOCALHOST, 0).into(), settings).await?;
        let url = |path| Url::local(http.address().port(), path);
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
            http: url(path),
            sse: url(sse_path),
            client: Arc::new(|meeting, briefing| Box::pin(act(meeting, briefing))),
        });
        tokio::select! {
            ended = http.run_until(std::future::pending()) => {
                ended?;
                anyhow::bail!("the reference server ended");
            }
            summary = self_test::run(&reference, arguments.only.as_deref()) => Ok(summary),
        }
    })?;
    say::on_stdout(&summary);
    Ok(if summary.is_green() { exit::SUCCESS } else { exit::BROKEN })
}

/// The Everything Client, as if it were a process of its own.
async fn act(meeting: Meeting, briefing: Briefing) {
    let target = match meeting {
        Meeting::Url(url) => Target::Url(url),
        Meeting::Pipe(pipe) => {
            let (reader, writer) = split(pipe);
            Target::streams(reader, writer)
        }
        Meeting::Command(_) => return,
    };
    let variables = briefing.environment();
    let assignment = client::Assignment::from_environment(|name| variables.get(name).cloned());
    if let Ok(assignment) = assignment {
        // What comes of it is for the checker to see.
        let _ = client::run(target, &assignment).await;
    }
}
