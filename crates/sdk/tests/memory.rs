//! What hostile clients can make a server keep, as the system counts it: a process of its own, and one test after the other.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]
#![expect(clippy::print_stdout, reason = "the figures, for those who ask for them")]

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use proofmark_sdk::{
    caller::Principal,
    server::{Context, NoArguments, Server},
    store::{EventLog, EventLogSettings, MemoryEventLog, SessionId, StreamKind},
    transport::http::{HttpServer, HttpSettings},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::Mutex,
};

/// Resident memory belongs to the process, so that no two tests may run at once.
static ALONE: Mutex<()> = Mutex::const_new(());

const MIB: usize = 1024 * 1024;

fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

async fn started() -> SocketAddr {
    let server = Server::builder("memory", "1")
        .tool("large", "", async |_: Context, _: NoArguments| "x".repeat(2 * MIB))
        .build()
        .unwrap();
    let settings = HttpSettings::default();
    let server = HttpServer::bind(server, "127.0.0.1:0".parse().unwrap(), settings)
        .await
        .unwrap()
        .beside(|request| Box::pin(async move { http::Response::new(request.into_body()) }));
    let address = server.address();
    tokio::spawn(server.run_until(std::future::pending()));
    address
}

async fn connected(address: SocketAddr, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_in_packets_of_one_byte_cost_what_was_sent() {
    let _alone = ALONE.lock().await;
    let address = started().await;
    for path in ["/mcp", "/register"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
        );
        let mut streams = Vec::new();
        for _ in 0..100 {
            streams.push(connected(address, &head).await);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        let before = resident();
        for _ in 0..400 {
            for stream in &mut streams {
                stream.write_all(b" ").await.unwrap();
            }
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        let grown = resident().saturating_sub(before);
        println!("{path}: 40,000 bytes in 40,000 packets: {} KiB resident", grown / 1024);
        assert!(grown < 8 * MIB, "{} MiB for 40,000 bytes to {path}", grown / MIB);
    }
}

/// Posts to `/mcp` on a connection that ends with the answer, and gives the answer.
async fn posted(address: SocketAddr, headers: &str, body: &str) -> String {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: application/json, text/event-stream\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    );
    let mut stream = connected(address, &head).await;
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_keeps_little_of_what_its_client_says_of_itself() {
    let _alone = ALONE.lock().await;
    let address = started().await;
    let keys: Vec<String> = (0..280_000).map(|key| format!("\"{key}\":{{}}")).collect();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25",
        "clientInfo":{{"name":"a","version":"1"}},"capabilities":{{"experimental":{{{}}}}}}}}}"#,
        keys.join(",")
    );
    let mut before = 0;
    for session in 0..10 {
        // What was allocated to read the first ones is used again for the others.
        if session == 4 {
            before = resident();
        }
        let answer = posted(address, "", &body).await;
        assert!(answer.contains("mcp-session-id"), "{answer}");
    }
    let grown = resident().saturating_sub(before) / 6;
    println!("initialize of {} bytes: {} KiB resident for each session", body.len(), grown / 1024);
    assert!(grown < 2 * MIB, "{} KiB for each session", grown / 1024);
}

#[tokio::test]
async fn an_event_log_takes_what_its_bound_says() {
    let _alone = ALONE.lock().await;
    let before = resident();
    for (bytes, per_stream) in [(20, 1000), (1100, 900), (70_000, 20)] {
        let settings = EventLogSettings { total_bytes: 32 * MIB, ..EventLogSettings::default() };
        let log = MemoryEventLog::new(settings);
        // More than the bound, on streams that have not ended.
        let rounds = 48 * MIB / (bytes * per_stream);
        for _ in 0..rounds {
            let session = SessionId::random().unwrap();
            let Ok(stream) = log.open(&session, &Principal::Anonymous, StreamKind::Request).await
            else {
                continue;
            };
            for _ in 0..per_stream {
                let mut event = Vec::with_capacity(2 * bytes);
                event.resize(bytes, b'x');
                let _ = log.append(&stream, Bytes::from(event)).await;
            }
        }
        let grown = resident().saturating_sub(before);
        println!(
            "events of {bytes} bytes: {} MiB charged, {} MiB resident",
            log.total_bytes() / MIB,
            grown / MIB
        );
        assert!(grown < 40 * MIB, "{} MiB for events of {bytes} bytes", grown / MIB);
        drop(log);
    }
}
