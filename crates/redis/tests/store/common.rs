//! A store that was started for one test.

use std::{
    env,
    ffi::OsString,
    fs, io,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use proofmark_redis::{RedisBus, RedisSettings, RedisStores};

/// A server process that ends with the test.
pub(crate) struct Store {
    program: PathBuf,
    process: Child,
    directory: PathBuf,
    prefixes: AtomicU32,
}

impl Store {
    /// One of every kind that this machine has.
    pub(crate) fn all() -> Vec<Self> {
        let programs = programs();
        if programs.is_empty() {
            let missing =
                "SKIPPED: there is neither redis-server nor valkey-server on this machine";
            assert!(env::var_os("PROOFMARK_REDIS_REQUIRED").is_none(), "{missing}");
            say(missing);
        }
        programs.iter().map(|program| Self::begin(program, &[])).collect()
    }

    pub(crate) fn begin(program: &Path, options: &[&str]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = env::temp_dir().join(format!("pm-{}-{count}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let process = start(program, &directory, options);
        let program = program.to_owned();
        Self { program, process, directory, prefixes: AtomicU32::new(0) }
    }

    /// As a power cut would end it.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn start_again(&mut self) {
        self.process = start(&self.program, &self.directory, &[]);
    }

    /// Every key, and the milliseconds that it has left.
    pub(crate) fn keys(&self) -> Vec<(String, i64)> {
        let client = redis::Client::open(self.address()).unwrap();
        let mut connection = client.get_connection().unwrap();
        let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
        let mut left = |key: &String| redis::cmd("PTTL").arg(key).query(&mut connection).unwrap();
        keys.into_iter().map(|key| (key.clone(), left(&key))).collect()
    }

    /// Another server with the same store and prefix.
    pub(crate) async fn join(&self, stores: &RedisStores) -> RedisStores {
        RedisStores::connect(&self.address(), stores.settings().clone()).await.unwrap()
    }

    pub(crate) fn address(&self) -> String {
        format!("redis+unix://{}", socket(&self.directory).display())
    }

    /// Stores that share nothing with those of other calls.
    pub(crate) async fn stores(&self, settings: RedisSettings) -> RedisStores {
        let count = self.prefixes.fetch_add(1, Ordering::Relaxed);
        let settings = RedisSettings {
            prefix: format!("test{count}"),
            // The machine may be busy, and no test is about its speed.
            timeout: Duration::from_secs(20),
            connect_timeout: Duration::from_secs(20),
            ..settings
        };
        RedisStores::connect(&self.address(), settings).await.unwrap()
    }

    /// Three servers on one way.
    pub(crate) async fn servers(&self, settings: RedisSettings) -> [RedisBus; 3] {
        let first = self.stores(settings).await;
        let servers = [self.join(&first).await, self.join(&first).await, first];
        let servers = servers.into_iter().map(|stores| Arc::into_inner(stores.bus).unwrap());
        servers.collect::<Vec<_>>().try_into().ok().unwrap()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn start(program: &Path, directory: &Path, options: &[&str]) -> Child {
    let socket = socket(directory);
    let process = Command::new(program)
        .args(["--port", "0", "--save", "", "--unixsocket"])
        .arg(&socket)
        .arg("--dir")
        .arg(directory)
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while UnixStream::connect(&socket).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{} does not begin", program.display());
        thread::sleep(Duration::from_millis(10));
    }
    process
}

fn socket(directory: &Path) -> PathBuf {
    directory.join("socket")
}

/// The servers that this machine has.
fn programs() -> Vec<PathBuf> {
    let named = env::var_os("PROOFMARK_REDIS_SERVER").unwrap_or_default();
    let mut programs: Vec<PathBuf> =
        env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()).collect();
    let path: OsString = env::var_os("PATH").unwrap_or_default();
    for name in ["redis-server", "valkey-server"] {
        let found = env::split_paths(&path).map(|directory| directory.join(name));
        programs.extend(found.into_iter().find(|program| program.is_file()));
    }
    programs.sort();
    programs.dedup();
    programs
}

/// Says it where a person sees it, although the test passes.
fn say(line: &str) {
    use io::Write;
    let _ = writeln!(io::stderr(), "{line}");
}
