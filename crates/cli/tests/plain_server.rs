//! A server that has nothing but a tool, and does that right, is found to be right.

use std::sync::Arc;

use proofmark_check::{
    Options, check, converse::peer::Peer, judge::outcome::Status, record::wire::lines::LineWire,
};
use proofmark_core::revision::{Era, Revision};
use proofmark_sdk::{
    server::{Context, NoArguments, Server, tool},
    transport::{LineSettings, serve_lines},
};
use tokio::io::{duplex, split};

#[tokio::test(start_paused = true)]
async fn a_server_with_nothing_but_a_tool_scores_100() {
    let peer = Peer::Memory(Arc::new(|| {
        let (near, far) = duplex(1024);
        let serving = async move {
            let (reader, writer) = split(far);
            serve_lines(&plain(), reader, writer, LineSettings::default()).await.unwrap();
        };
        let (reader, writer) = split(near);
        (LineWire::new(reader, writer), Box::pin(serving))
    }));
    for revision in Revision::of(Era::Legacy) {
        let options = Options { revision: Some(revision), ..Options::default() };
        let report = check(&peer, &options).await.unwrap();
        let found: Vec<_> = report
            .entries
            .iter()
            .filter(|entry| matches!(entry.status, Status::Fail | Status::Warn))
            .map(|entry| (entry.requirement.id, &entry.outcome))
            .collect();
        assert!(found.is_empty(), "{revision}: {found:#?}");
        assert_eq!(report.score(), Some(100), "{revision}");
    }
}

fn plain() -> Server {
    let greet = tool("greet")
        .description("Says hello")
        .read_only()
        .handler(|_: Context, NoArguments {}| std::future::ready("hello"));
    Server::builder("plain", "1.0.0").add_tool(greet).build().expect("the server is put together")
}
