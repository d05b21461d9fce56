//! Gives every request to the next server, whatever it is about.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// A port that stands for several. It ends with the test.
pub(crate) struct Balancer {
    pub(crate) address: SocketAddr,
    over: Arc<AtomicBool>,
}

impl Balancer {
    pub(crate) fn begin(servers: Vec<SocketAddr>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let (ends, turn) = (Arc::clone(&over), Arc::new(AtomicUsize::new(0)));
        thread::spawn(move || {
            for client in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let (servers, turn) = (servers.clone(), Arc::clone(&turn));
                thread::spawn(move || {
                    // A server that is gone is a connection that breaks, as with any balancer.
                    let _ = pass(&client?, &servers, &turn);
                    io::Result::Ok(())
                });
            }
        });
        Self { address, over }
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

/// Passes one request on, and what comes back.
fn pass(client: &TcpStream, servers: &[SocketAddr], turn: &AtomicUsize) -> io::Result<()> {
    client.set_read_timeout(Some(Duration::from_secs(120)))?;
    let mut reader = BufReader::new(client.try_clone()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
        if line == "\r\n" {
            break;
        }
        if !lower.starts_with("connection:") {
            head.push_str(&line);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let server = connect(servers, turn)?;
    (&server).write_all(format!("{head}Connection: close\r\n\r\n").as_bytes())?;
    (&server).write_all(&body)?;
    // When the client goes away, the server is told.
    let (gone, upstream) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || {
        let _ = (&gone).read(&mut [0]);
        let _ = upstream.shutdown(Shutdown::Both);
    });
    let copied = io::copy(&mut &server, &mut &*client);
    let _ = client.shutdown(Shutdown::Both);
    copied.map(|_| ())
}

/// The next server that is there.
fn connect(servers: &[SocketAddr], turn: &AtomicUsize) -> io::Result<TcpStream> {
    let mut last = io::Error::other("there are no servers");
    for _ in servers {
        let next = turn.fetch_add(1, Ordering::SeqCst) % servers.len();
        match TcpStream::connect(servers[next]) {
            Ok(server) => return Ok(server),
            Err(error) => last = error,
        }
    }
    Err(last)
}
