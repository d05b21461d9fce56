//! The floor under stdio: a loop that reads, parses, and writes what the lines it has read are answered with.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::AsFd,
};

use bench_raw::Floor;

fn main() -> io::Result<()> {
    let floor = Floor::from_environment();
    let mut input = io::stdin().lock();
    // Rust's own standard output would be flushed at each line.
    let mut output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let (mut unread, mut out) = (Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK));
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = input.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        let mut from = unread.len();
        unread.extend_from_slice(&chunk[..count]);
        let mut start = 0;
        while let Some(at) = unread[from..].iter().position(|byte| *byte == b'\n') {
            let before = out.len();
            floor.answer(&unread[start..from + at], &mut out);
            if out.len() > before {
                out.push(b'\n');
            }
            start = from + at + 1;
            from = start;
        }
        unread.drain(..start);
        output.write_all(&out)?;
        out.clear();
    }
}

const CHUNK: usize = 64 * 1024;
