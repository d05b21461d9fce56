//! The processes: a store, and servers that share it.

use std::{
    env, fs,
    io::{self, BufRead, BufReader, Write},
    net::SocketAddr,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::balancer::Balancer;

/// A store, three servers and a balancer in front of them. All of it ends with the test.
pub(crate) struct Servers {
    store: Mutex<Child>,
    program: PathBuf,
    folder: PathBuf,
    running: Vec<Mutex<Child>>,
    addresses: Vec<SocketAddr>,
    pub(crate) balancer: Balancer,
}

impl Servers {
    /// `None`, with a line that says so, where there is no store.
    pub(crate) fn begin() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(program) = store() else {
            let missing =
                "SKIPPED: there is neither redis-server nor valkey-server on this machine";
            assert!(env::var_os("PROOFMARK_REDIS_REQUIRED").is_none(), "{missing}");
            let _ = writeln!(io::stderr(), "{missing}");
            return None;
        };
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("pm-three-{}-{count}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let store = start_store(&program, &folder);
        let begun: Vec<_> = (0..3).map(|_| start(&folder, "127.0.0.1:0")).collect();
        let addresses: Vec<_> = begun.iter().map(|(_, address)| *address).collect();
        let running = begun.into_iter().map(|(child, _)| Mutex::new(child)).collect();
        let balancer = Balancer::begin(addresses.clone());
        Some(Self { store: Mutex::new(store), program, folder, running, addresses, balancer })
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
        let (child, _) = start(&self.folder, &self.addresses[server].to_string());
        *self.running[server].lock().unwrap() = child;
    }

    pub(crate) fn kill_store(&self) {
        end(&mut self.store.lock().unwrap());
    }

    pub(crate) fn start_store_again(&self) {
        *self.store.lock().unwrap() = start_store(&self.program, &self.folder);
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for server in self.running.iter().chain([&self.store]) {
            end(&mut server.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn start(folder: &Path, address: &str) -> (Child, SocketAddr) {
    let store = format!("redis+unix://{}", folder.join("socket").display());
    let begun = Instant::now();
    loop {
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["everything", "--http", address, "--store", &store, "--log", "off"])
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

/// Every change is in the store's file before it is answered.
fn start_store(program: &Path, folder: &Path) -> Child {
    let socket = folder.join("socket");
    let _ = fs::remove_file(&socket);
    let child = Command::new(program)
        .args(["--port", "0", "--save", "", "--appendonly", "yes", "--unixsocket"])
        .arg(&socket)
        .arg("--dir")
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while UnixStream::connect(&socket).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the store does not begin");
        thread::sleep(Duration::from_millis(10));
    }
    child
}

fn store() -> Option<PathBuf> {
    let named = env::var_os("PROOFMARK_REDIS_SERVER").unwrap_or_default();
    let named = env::split_paths(&named).find(|path| path.is_file());
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).collect();
    let of = |name: &str| folders.iter().map(|it| it.join(name)).find(|it| it.is_file());
    named.or_else(|| of("redis-server")).or_else(|| of("valkey-server"))
}
