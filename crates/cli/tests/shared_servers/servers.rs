//! The processes: a store, and servers that share it.

use std::{
    env, fs,
    io::{self, BufRead, BufReader, Write},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    balancer::Balancer,
    proxy::Proxy,
    store::{self, Store},
};

/// A store, three servers and a balancer in front of them. All of it ends with the test.
pub(crate) struct Servers {
    /// Before the store, which is to go last.
    running: Vec<Mutex<Child>>,
    /// How each server gets to the store.
    ways: Vec<String>,
    pub(crate) proxies: Vec<Proxy>,
    addresses: Vec<SocketAddr>,
    pub(crate) balancer: Balancer,
    pub(crate) store: Store,
}

impl Servers {
    /// `None`, with a line that says so, where there is no store.
    pub(crate) fn begin() -> Option<Self> {
        Some(Self::on(Store::begin(program()?, folder()), false))
    }

    /// The same with a way to the store for each server that can be cut.
    pub(crate) fn begin_apart() -> Option<Self> {
        Some(Self::on(Store::begin(program()?, folder()), true))
    }

    /// The same with a store that fails over to a replica.
    pub(crate) fn begin_with_replica() -> Option<Self> {
        Some(Self::on(Store::begin_group(program()?, folder()), false))
    }

    fn on(store: Store, apart: bool) -> Self {
        let proxies: Vec<_> =
            (0..if apart { 3 } else { 0 }).map(|_| Proxy::begin(store.socket())).collect();
        let ways: Vec<_> = (0..3)
            .map(|server| match proxies.get(server) {
                Some(proxy) => format!("redis://{}", proxy.address),
                None => store.address(),
            })
            .collect();
        let begun: Vec<_> = ways.iter().map(|way| start(way, "127.0.0.1:0")).collect();
        let addresses: Vec<_> = begun.iter().map(|(_, address)| *address).collect();
        let running = begun.into_iter().map(|(child, _)| Mutex::new(child)).collect();
        let balancer = Balancer::begin(addresses.clone());
        Self { running, ways, proxies, addresses, balancer, store }
    }

    pub(crate) fn address(&self, server: usize) -> SocketAddr {
        self.addresses[server]
    }

    /// Ends a server as a power cut would.
    pub(crate) fn kill(&self, server: usize) {
        end(&mut self.running[server].lock().unwrap());
    }

    /// Starts a server that was killed, where it was.
    pub(crate) fn start_again(&self, server: usize) {
        let (child, _) = start(&self.ways[server], &self.addresses[server].to_string());
        *self.running[server].lock().unwrap() = child;
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for server in &self.running {
            end(&mut server.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        }
    }
}

pub(crate) fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn start(store: &str, address: &str) -> (Child, SocketAddr) {
    let begun = Instant::now();
    loop {
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["everything", "--http", address, "--store", store, "--log", "off"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let first = BufReader::new(child.stdout.take().unwrap()).lines().next();
        if let Some(Ok(line)) = first {
            let (_, address) = line.split_once("http://").unwrap();
            return (child, address.parse().unwrap());
        }
        // The port may not be free yet, or the store not there again.
        end(&mut child);
        assert!(begun.elapsed() < Duration::from_secs(60), "a server does not begin");
        thread::sleep(Duration::from_millis(100));
    }
}

fn folder() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = env::temp_dir().join(format!("pm-three-{}-{count}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The store to begin, or a line that says that there is none.
fn program() -> Option<PathBuf> {
    let program = store::program();
    if program.is_none() {
        let missing = "SKIPPED: there is neither redis-server nor valkey-server on this machine";
        assert!(env::var_os("PROOFMARK_REDIS_REQUIRED").is_none(), "{missing}");
        let _ = writeln!(io::stderr(), "{missing}");
    }
    program
}
