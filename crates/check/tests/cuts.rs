//! Servers that break off at every byte of their first answer: the run ends each time, and says why.

use std::{
    io::{Read, Write},
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use proofmark_check::{
    Options, check,
    converse::peer::Peer,
    record::{
        transport::Transport,
        wire::{Url, lines::LineWire},
    },
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};

#[tokio::test(start_paused = true)]
async fn a_pipe_may_end_at_every_byte() {
    let answer = Arc::new(format!("{GREETING}\n"));
    for length in 0..=answer.len() {
        let answer = Arc::clone(&answer);
        let peer = Peer::Memory(Arc::new(move || {
            let (near, mut far) = duplex(1024);
            let (reader, writer) = split(near);
            let answer = Arc::clone(&answer);
            let serving = async move {
                let _ = far.read(&mut [0; 1024]).await;
                let _ = far.write_all(&answer.as_bytes()[..length]).await;
            };
            (LineWire::new(reader, writer), Box::pin(serving))
        }));
        // As soon as it resembles a message there is a report about it.
        let why = match check(&peer, &Options::default()).await {
            Ok(report) => report.broken_off.unwrap_or_else(|| panic!("{length} bytes")).why,
            Err(unreachable) => unreachable.why,
        };
        assert!(!why.is_empty(), "{length}");
    }
}

#[tokio::test]
async fn a_connection_may_end_at_every_byte() {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        GREETING.len()
    );
    let answer = head + GREETING;
    let most = answer.len();
    let length = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let told = Arc::clone(&length);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut asked = Vec::new();
            // All of the request, so that hanging up is no reset.
            while !asked.ends_with(b"}}") {
                let mut piece = [0; 1024];
                match stream.read(&mut piece) {
                    Ok(read @ 1..) => asked.extend_from_slice(&piece[..read]),
                    _ => break,
                }
            }
            let _ = stream.write_all(&answer.as_bytes()[..told.load(Ordering::SeqCst)]);
        }
    });
    for cut in 0..most {
        length.store(cut, Ordering::SeqCst);
        let options = Options { transport: Transport::Http, ..Options::default() };
        let outcome = check(&Peer::Url(Url::local(port, "/mcp")), &options).await;
        let why = outcome.err().unwrap_or_else(|| panic!("checked after {cut} bytes"));
        assert!(!why.why.is_empty(), "{cut}");
    }
}

const GREETING: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"cut","version":"1"}}}"#;
