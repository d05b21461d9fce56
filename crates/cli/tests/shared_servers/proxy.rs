//! Stands between a server and the store, and can be slow or cut the way.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    os::unix::net::UnixStream,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// A port that stands for the socket of the store. It ends with the test.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// Milliseconds that everything takes to arrive at the store.
    slow: AtomicU64,
    /// Nothing arrives, and neither side is told.
    cut: AtomicBool,
    over: AtomicBool,
}

impl Proxy {
    pub(crate) fn begin(store: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for server in listener.incoming().map_while(Result::ok) {
                if shared.over.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(store) = UnixStream::connect(&store) else { continue };
                let _ = join(&server, &store, &shared);
            }
        });
        Self { address, state }
    }

    /// Has every command take so long.
    pub(crate) fn slow(&self, time: Duration) {
        self.state.slow.store(time.as_millis().try_into().unwrap(), Ordering::SeqCst);
    }

    /// Lets nothing through any more, or everything again.
    pub(crate) fn cut(&self, cut: bool) {
        self.state.cut.store(cut, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.state.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn join(server: &TcpStream, store: &UnixStream, state: &Arc<State>) -> io::Result<()> {
    server.set_nodelay(true)?;
    let (from, to, there) = (server.try_clone()?, store.try_clone()?, Arc::clone(state));
    thread::spawn(move || {
        let _ = pass(&from, &to, &there, true);
        let _ = to.shutdown(Shutdown::Both);
    });
    let (from, to, back) = (store.try_clone()?, server.try_clone()?, Arc::clone(state));
    thread::spawn(move || {
        let _ = pass(&from, &to, &back, false);
        let _ = to.shutdown(Shutdown::Both);
    });
    Ok(())
}

fn pass(mut from: impl Read, mut to: impl Write, state: &State, slows: bool) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    let mut was_cut = false;
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        // What is lost on the way cannot be mended by what comes after it.
        was_cut |= state.cut.load(Ordering::SeqCst);
        if was_cut {
            if !state.cut.load(Ordering::SeqCst) {
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            continue;
        }
        if slows {
            thread::sleep(Duration::from_millis(state.slow.load(Ordering::SeqCst)));
        }
        to.write_all(&buffer[..read])?;
    }
}
