//! Clients that mean harm, from an address of their own.
//!
//! They run in a process of their own beside the honest ones, and do not care how they are answered: whether a server stands it is seen
//! by what becomes of the others, and by what it keeps.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    task,
    time::{sleep, timeout},
};

use crate::numbers::Numbers;

/// Attacks until the process is ended.
pub(crate) async fn attack(port: u16) {
    let attackers = task::LocalSet::new();
    for number in 1..=ATTACKERS {
        attackers.spawn_local(async move {
            let mut numbers = Numbers::new(1000 + number);
            loop {
                let attack =
                    ATTACKS[usize::try_from(numbers.below(ATTACKS.len() as u64)).unwrap_or(0)];
                // A refusal or a broken connection is what an attacker has to expect.
                let _ = attack_once(attack, port).await;
                sleep(Duration::from_millis(numbers.below(50))).await;
            }
        });
    }
    attackers.await;
}

/// One kind of harm.
#[derive(Clone, Copy)]
enum Attack {
    /// A body in packets of one byte.
    Crumbs,
    /// A handshake with as many members as fit.
    WideHandshake,
    /// Sessions that are begun and left.
    Sessions,
    /// Large answers that are not read.
    Unread,
    /// Calls that last, on many connections.
    SlowCalls,
    /// Arguments of very many values.
    WideArguments,
    /// A name that is too long to be quoted.
    LongName,
    /// Half a head, and then nothing.
    HalfHead,
    /// A stream of the older transport that is not read.
    SilentStream,
    Junk,
}

const ATTACKS: [Attack; 10] = [
    Attack::Crumbs,
    Attack::WideHandshake,
    Attack::Sessions,
    Attack::Unread,
    Attack::SlowCalls,
    Attack::WideArguments,
    Attack::LongName,
    Attack::HalfHead,
    Attack::SilentStream,
    Attack::Junk,
];

async fn attack_once(attack: Attack, port: u16) -> io::Result<()> {
    let mut stream = connect(port).await?;
    match attack {
        Attack::Crumbs => {
            for byte in post_modern("echo", &call("echo", &"a".repeat(500))).into_bytes() {
                stream.write_all(&[byte]).await?;
            }
            answer(&mut stream).await
        }
        Attack::WideHandshake => {
            let members: Vec<_> = (0..250_000).map(|it| format!("\"{it}\":{{}}")).collect();
            let experimental = format!("{{\"experimental\":{{{}}}}}", members.join(","));
            stream.write_all(post(&initialize(&experimental)).as_bytes()).await?;
            answer(&mut stream).await
        }
        Attack::Sessions => {
            for _ in 0..200 {
                stream.write_all(post(&initialize("{}")).as_bytes()).await?;
                answer(&mut stream).await?;
            }
            Ok(())
        }
        Attack::Unread => {
            let request = post_modern("echo", &call("echo", &"a".repeat(60_000)));
            for _ in 0..50 {
                timeout(HOLD, stream.write_all(request.as_bytes())).await??;
            }
            sleep(HOLD).await;
            Ok(())
        }
        Attack::SlowCalls => {
            let request = post_modern("slow", &slow());
            let mut held = Vec::new();
            for _ in 0..100 {
                let mut stream = connect(port).await?;
                stream.write_all(request.as_bytes()).await?;
                held.push(stream);
            }
            sleep(HOLD).await;
            Ok(())
        }
        Attack::WideArguments => {
            let values = vec!["0"; 1_900_000].join(",");
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"message":[{values}]}},{META}}}}}"#
            );
            stream.write_all(post_modern("echo", &body).as_bytes()).await?;
            answer(&mut stream).await
        }
        Attack::LongName => {
            stream
                .write_all(post_modern("n", &call(&"n".repeat(3_900_000), "")).as_bytes())
                .await?;
            answer(&mut stream).await
        }
        Attack::HalfHead => {
            stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ").await?;
            sleep(HOLD).await;
            Ok(())
        }
        Attack::SilentStream => {
            stream
                .write_all(
                    b"GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n",
                )
                .await?;
            sleep(HOLD).await;
            Ok(())
        }
        Attack::Junk => {
            stream.write_all(&[0xff, 0x00, b'\r', b'\n', b'{', b'['].repeat(1000)).await?;
            answer(&mut stream).await
        }
    }
}

/// From an address that is not the honest clients'.
async fn connect(port: u16) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_nodelay(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), 0)))?;
    timeout(HOLD, socket.connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))).await?
}

/// Something of an answer, if there is one soon.
async fn answer(stream: &mut TcpStream) -> io::Result<()> {
    let mut bytes = [0; 4096];
    match timeout(HOLD, stream.read(&mut bytes)).await?? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

fn post(body: &str) -> String {
    post_with("", body)
}

/// A call of 2026-07-28.
fn post_modern(tool: &str, body: &str) -> String {
    let headers = format!(
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
    );
    post_with(&headers, body)
}

/// `headers` are whole lines.
fn post_with(headers: &str, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

fn initialize(capabilities: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"clientInfo":{{"name":"attacker","version":"1"}}}}}}"#
    )
}

fn call(tool: &str, message: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{"message":"{message}"}},{META}}}}}"#
    )
}

fn slow() -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"slow","arguments":{{"steps":500}},{META}}}}}"#
    )
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"attacker","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
const ATTACKERS: u64 = 24;
/// How long a connection is held open for nothing.
const HOLD: Duration = Duration::from_secs(2);
