//! A thousand servers, one after the other, in a process of their own so that everything can be counted.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]
#![cfg(target_os = "linux")]

use std::fs;

use proofmark_sdk::{
    client::{Client, ServerCommand},
    core::{
        revision::{Era, Revision},
        session::client::Preference,
    },
};

#[tokio::test]
async fn a_thousand_servers_leave_neither_a_process_nor_a_descriptor() {
    // The first brings what stays for all, such as the runtime's own pipe for signals.
    cycle().await;
    let before = descriptors();
    for _ in 0..1_000 {
        cycle().await;
    }
    assert_eq!(descriptors(), before);
    assert_eq!(children(), Vec::<String>::new());
}

async fn cycle() {
    let preference = Preference::Legacy(Revision::newest(Era::Legacy));
    let client = Client::builder("test", "1").preference(preference);
    let command = ServerCommand::new("sh").arg("-c").arg(SERVER);
    client.connect(command).await.unwrap().close().await;
}

fn descriptors() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir("/proc/self/fd")
        .unwrap()
        .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
        // The one that is open for this very look goes by another number each time.
        .filter(|target| !target.to_string_lossy().contains("/fd"))
        .map(|target| target.to_string_lossy().split(':').next().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// The processes whose parent is this one, zombies included.
fn children() -> Vec<String> {
    let me = std::process::id().to_string();
    let stats = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("stat")).ok());
    let parent = |stat: &str| stat.rsplit(") ").next()?.split(' ').nth(1).map(str::to_owned);
    stats.filter(|stat| parent(stat).is_some_and(|parent| parent == me)).collect()
}

/// Only what the shell does by itself, so that each is one cheap process.
const SERVER: &str = r#"read -r initialize; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"script","version":"1"}}}'; while read -r line; do :; done"#;
