//! The Everything Server with its authorization server, in a process of its own.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// Runs until it is dropped.
pub(crate) struct Issuing {
    server: Child,
    /// Without a slash at its end; also the issuer.
    pub(crate) origin: String,
}

impl Issuing {
    pub(crate) fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["everything", "--auth", "--http", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let origin = format!("http://{}", line.trim().split_once("http://").unwrap().1);
        Self { server, origin }
    }
}

impl Drop for Issuing {
    fn drop(&mut self) {
        let _ended = self.server.kill();
        let _ended = self.server.wait();
    }
}
