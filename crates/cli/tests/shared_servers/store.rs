//! The store: a process on a socket of its own, or a primary, its replica and a sentinel on ports.

use std::{
    env, fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use crate::servers::end;

/// A store in a folder of its own. It ends with the test.
pub(crate) struct Store {
    program: PathBuf,
    pub(crate) folder: PathBuf,
    /// Of one that has no sentinel.
    process: Mutex<Child>,
    group: Option<Group>,
}

/// The rest of a store that can fail over.
struct Group {
    replica: Mutex<Child>,
    sentinel: Mutex<Child>,
    ports: [u16; 3],
}

impl Store {
    /// Every change is in the store's file before it is answered.
    pub(crate) fn begin(program: PathBuf, folder: PathBuf) -> Self {
        let process = Mutex::new(start(&program, &folder, &[]));
        Self { program, folder, process, group: None }
    }

    /// A primary, a replica, and a sentinel that puts one in the place of the other.
    pub(crate) fn begin_group(program: PathBuf, folder: PathBuf) -> Self {
        let ports = [free_port(), free_port(), free_port()];
        let [primary, replica, sentinel] = ports.map(|port| port.to_string());
        let folders = ["primary", "replica"].map(|name| folder.join(name));
        for folder in &folders {
            fs::create_dir_all(folder).unwrap();
        }
        let process = start(&program, &folders[0], &["--port", &primary]);
        let of = format!("127.0.0.1 {primary}");
        let second = start(&program, &folders[1], &["--port", &replica, "--replicaof", &of]);
        let file = folder.join("sentinel.conf");
        let rules = format!(
            "port {sentinel}\ndir {}\nsentinel monitor group {of} 1\n\
             sentinel down-after-milliseconds group 500\nsentinel failover-timeout group 3000\n",
            folder.display()
        );
        fs::write(&file, rules).unwrap();
        let third = quiet(Command::new(&program).arg(&file).arg("--sentinel"));
        let store = Self {
            program,
            folder,
            process: Mutex::new(process),
            group: Some(Group { replica: Mutex::new(second), sentinel: Mutex::new(third), ports }),
        };
        until("the replica is in step", || {
            let said = ask(TcpStream::connect(("127.0.0.1", ports[1])), &["INFO", "replication"]);
            said.is_ok_and(|said| said.concat().contains("master_link_status:up"))
        });
        until("the sentinel knows the replica", || {
            let asked = ["SENTINEL", "replicas", "group"];
            let said = ask(TcpStream::connect(("127.0.0.1", ports[2])), &asked);
            said.is_ok_and(|said| said.len() > 10)
        });
        store
    }

    pub(crate) fn address(&self) -> String {
        match &self.group {
            Some(group) => format!("redis+sentinel://127.0.0.1:{}/group", group.ports[2]),
            None => format!("redis+unix://{}", self.socket().display()),
        }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// Ends the store, or its primary, as a power cut would.
    pub(crate) fn kill(&self) {
        end(&mut self.process.lock().unwrap());
    }

    pub(crate) fn start_again(&self) {
        *self.process.lock().unwrap() = start(&self.program, &self.folder, &[]);
    }

    /// What the store answers, as one list of words.
    pub(crate) fn ask(&self, words: &[&str]) -> Vec<String> {
        ask(UnixStream::connect(self.socket()), words).unwrap()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let group = self.group.iter().flat_map(|group| [&group.sentinel, &group.replica]);
        for process in group.chain([&self.process]) {
            end(&mut process.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The first store that this machine has.
pub(crate) fn program() -> Option<PathBuf> {
    let named = env::var_os("PROOFMARK_REDIS_SERVER").unwrap_or_default();
    let named = env::split_paths(&named).find(|path| path.is_file());
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).collect();
    let of = |name: &str| folders.iter().map(|it| it.join(name)).find(|it| it.is_file());
    named.or_else(|| of("redis-server")).or_else(|| of("valkey-server"))
}

fn start(program: &Path, folder: &Path, options: &[&str]) -> Child {
    let socket = folder.join("socket");
    let _ = fs::remove_file(&socket);
    let mut command = Command::new(program);
    command.args(["--port", "0", "--save", "", "--appendonly", "yes", "--unixsocket"]).arg(&socket);
    let child = quiet(command.arg("--dir").arg(folder).args(options));
    until("the store begins", || UnixStream::connect(&socket).is_ok());
    child
}

fn quiet(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not come to pass that {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn ask(stream: io::Result<impl Read + Write>, words: &[&str]) -> io::Result<Vec<String>> {
    let mut stream = stream?;
    let mut command = format!("*{}\r\n", words.len());
    for word in words {
        command.extend(["$", &word.len().to_string(), "\r\n", word, "\r\n"]);
    }
    stream.write_all(command.as_bytes())?;
    let (mut reader, mut said, mut left) = (BufReader::new(stream), Vec::new(), 1);
    while left > 0 {
        left -= 1;
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let (kind, rest) = line.trim_end().split_at_checked(1).unwrap_or_default();
        match kind {
            "*" => left += rest.parse().unwrap_or(0),
            "$" if rest != "-1" => {
                let mut text = vec![0; rest.parse::<usize>().unwrap() + 2];
                reader.read_exact(&mut text)?;
                text.truncate(text.len() - 2);
                said.push(String::from_utf8_lossy(&text).into_owned());
            }
            "-" => return Err(io::Error::other(rest.to_owned())),
            "" => return Err(io::ErrorKind::UnexpectedEof.into()),
            _ => said.push(rest.to_owned()),
        }
    }
    Ok(said)
}
