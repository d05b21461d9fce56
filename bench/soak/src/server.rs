//! The server that is worn: one tool that answers, and one that takes its time and says so.

use std::{error::Error, io::Write, net::Ipv4Addr, sync::Arc, time::Duration};

use proofmark_sdk::{
    server::{Context, Server},
    store::MemoryEventLog,
    transport::http::{HttpServer, HttpSettings},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{
    io::{AsyncReadExt, stdin},
    time::{interval, sleep},
};

use crate::ALLOCATED;

/// Serves until the input ends. Says its port, and then every few seconds how many sessions and detached requests it has, how many bytes
/// of events, and how many bytes are allocated in all.
pub(crate) async fn serve() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("soak", env!("CARGO_PKG_VERSION"))
        .tool("echo", "Says the same", echo)
        .tool("slow", "Counts slowly", slow)
        .build()?;
    let log = Arc::new(MemoryEventLog::default());
    let settings = HttpSettings {
        event_log: Some(Arc::clone(&log) as _),
        // Sessions that nobody ends, ends time: soon enough for their number to settle within a minute.
        session_idle: Duration::from_secs(20),
        ..HttpSettings::default()
    };
    let http = HttpServer::bind(server, (Ipv4Addr::LOCALHOST, 0).into(), settings).await?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", http.address().port())?;
    let service = http.service().clone();
    let report = async move {
        let mut ticks = interval(REPORT_EVERY);
        loop {
            ticks.tick().await;
            let (sessions, detached) = (service.sessions(), service.detached());
            let (log, heap) = (log.total_bytes(), ALLOCATED.current_usage());
            if writeln!(out, "{sessions} {detached} {log} {heap}").is_err() {
                return;
            }
        }
    };
    let input_ends = async {
        let mut input = stdin();
        let mut bytes = [0; 64];
        while input.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
    };
    let ends = async {
        tokio::select! {
            () = report => {}
            () = input_ends => {}
        }
    };
    Ok(http.run_until(ends).await?)
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    message: String,
}

async fn echo(_: Context, Echo { message }: Echo) -> String {
    message
}

#[derive(Deserialize, JsonSchema)]
struct Slow {
    steps: u32,
}

async fn slow(context: Context, Slow { steps }: Slow) -> String {
    for step in 0..steps {
        context.progress(f64::from(step), Some(f64::from(steps)), None);
        sleep(Duration::from_millis(20)).await;
    }
    "done".to_owned()
}

const REPORT_EVERY: Duration = Duration::from_secs(5);
