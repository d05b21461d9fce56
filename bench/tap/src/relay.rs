//! The least that something in between can do: it copies bytes, and looks at none.

use std::{
    fs::File,
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    os::fd::AsFd,
    process::{Command, Stdio},
    thread,
};

use crate::Outcome;

/// Between this program's own standard streams and those of a command.
pub(crate) fn pipes(command: &[String]) -> Outcome<()> {
    let (program, words) = command.split_first().ok_or("no command")?;
    let mut child =
        Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let to_server = child.stdin.take().ok_or("no pipe")?;
    let from_server = child.stdout.take().ok_or("no pipe")?;
    let from_client = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let to_client = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    thread::spawn(move || copy(from_client, to_server));
    copy(from_server, to_client);
    child.wait()?;
    Ok(())
}

/// Between whoever connects to one port and whoever listens on another.
pub(crate) fn sockets(listen: u16, server: u16) -> Outcome<()> {
    for client in TcpListener::bind((Ipv4Addr::LOCALHOST, listen))?.incoming() {
        let (client, server) = (client?, TcpStream::connect((Ipv4Addr::LOCALHOST, server))?);
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let (from, to) = (client.try_clone()?, server.try_clone()?);
        thread::spawn(move || between(&from, &to));
        thread::spawn(move || between(&server, &client));
    }
    Ok(())
}

fn between(from: &TcpStream, to: &TcpStream) {
    copy(from, to);
    let _ = to.shutdown(Shutdown::Write);
}

/// Until either end is gone, which the other learns from its own.
fn copy(mut from: impl Read, mut to: impl Write) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
}
