//! Servers behind https, with an authority that only the tests know.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Output, Stdio},
    sync::Arc,
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    runtime::Runtime,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer},
    },
};

#[test]
fn a_server_is_reached_over_https_if_its_authority_is_trusted() {
    let place = Place::start();
    for host in ["localhost", "127.0.0.1"] {
        let run = place.list(host, OURS);
        let said = String::from_utf8(run.stdout).unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        assert!(said.contains("test_simple_text"), "{said}");
    }
}

#[test]
fn a_server_that_nobody_vouches_for_is_not_talked_to() {
    let place = Place::start();
    let run = place.list("localhost", NOBODY);
    assert_eq!(run.status.code(), Some(3));
    assert_eq!(run.stdout, b"");
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(said.contains("cannot be reached"), "{said}");
    assert!(said.contains("certificate"), "{said}");
}

#[test]
fn a_machine_that_trusts_nobody_still_reaches_servers_without_tls() {
    let place = Place::start();
    let run = list_at(&format!("http://{}/mcp", place.behind), NOBODY);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// The Everything Server, and TLS in front of it; both end when dropped.
struct Place {
    server: Child,
    /// Where the server listens without TLS.
    behind: String,
    port: u16,
    _front: Runtime,
}

impl Place {
    fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["everything", "--http", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let behind = line.trim().split_once("http://").unwrap().1.to_owned();
        let front = Runtime::new().unwrap();
        let listener = front.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let address = behind.clone();
        front.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let behind = address.clone();
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor().accept(stream).await else { return };
                    let mut server = TcpStream::connect(behind).await.unwrap();
                    let _ended = copy_bidirectional(&mut stream, &mut server).await;
                });
            }
        });
        Self { server, behind, port, _front: front }
    }

    fn list(&self, host: &str, authorities: &str) -> Output {
        list_at(&format!("https://{host}:{}/mcp", self.port), authorities)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ended = self.server.kill();
        let _ended = self.server.wait();
    }
}

fn list_at(url: &str, authorities: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["list", "tools", "--url", url])
        .env("SSL_CERT_FILE", authorities)
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap()
}

fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from(include_bytes!("https/server.der").as_slice());
    let key = PrivateKeyDer::try_from(include_bytes!("https/server.pkcs8.der").as_slice()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

const OURS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/https/authority.pem");
/// A file without any authority in it.
const NOBODY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/https/README.md");
