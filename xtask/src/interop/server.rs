//! The server that all peers talk to.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::Place;
use super::process::{self, Process};

/// Whom the server lets in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Everybody,
    /// Those who have a token of its own authorization server.
    Tokens,
}

/// Ends when dropped.
pub(super) struct Server {
    /// Of Streamable HTTP, for example `http://127.0.0.1:4711/mcp`.
    pub(super) url: String,
    _process: Process,
}

impl Server {
    /// Starts it on a free port and waits until it says on which.
    pub(super) fn start(program: &Path, place: &Place, access: Access) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(["everything", "--http", "127.0.0.1:0"]);
        let log = match access {
            Access::Everybody => "server.log",
            Access::Tokens => {
                command.arg("--auth");
                "server-with-auth.log"
            }
        };
        Self::listening(&mut command, &place.logs.join(log))
    }

    /// Starts what stands between others and this server, on a port of its own.
    pub(super) fn tapped(
        &self,
        program: &Path,
        transcript: &Path,
        log: &Path,
    ) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(["tap", "--listen", "127.0.0.1:0", "--url", &self.url]);
        Self::listening(command.arg("--output").arg(transcript), log)
    }

    fn listening(command: &mut Command, log: &Path) -> Result<Self, String> {
        let mut process = Process::start(command, log)?;
        let deadline = Instant::now() + START_LIMIT;
        loop {
            let ended = process.ended()?;
            if let Some(url) = address(&process.said()) {
                return Ok(Self { url, _process: process });
            }
            if let Some(status) = ended {
                let last_words = process.last_words();
                return Err(format!("the server ended ({status}) before it was ready{last_words}"));
            }
            if Instant::now() > deadline {
                let last_words = process.last_words();
                let seconds = START_LIMIT.as_secs();
                return Err(format!("the server named no address within {seconds} s{last_words}"));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Of HTTP+SSE.
    pub(super) fn sse_url(&self) -> String {
        self.url.strip_suffix(PATH).unwrap_or(&self.url).to_owned() + "/sse"
    }
}

/// Builds the program of this repository; gives its path.
pub(super) fn build(place: &Place) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--package", "proofmark", "--all-features", "--locked"]);
    command.current_dir(&place.root);
    process::complete(&mut command, &place.logs.join("build.log"), BUILD_LIMIT)?;
    let name = format!("proofmark{}", std::env::consts::EXE_SUFFIX);
    Ok(place.target.join("debug").join(name))
}

/// The first address of Streamable HTTP in what the server says, in lines that are complete.
fn address(said: &str) -> Option<String> {
    let complete = &said[..=said.rfind('\n')?];
    complete.match_indices(ORIGIN).find_map(|(start, _)| {
        let port_and_path = &complete[start + ORIGIN.len()..];
        let digits = port_and_path.bytes().take_while(u8::is_ascii_digit).count();
        let has_path = port_and_path[digits..].starts_with(PATH);
        let end = start + ORIGIN.len() + digits + PATH.len();
        (digits > 0 && has_path).then(|| complete[start..end].to_owned())
    })
}

const ORIGIN: &str = "http://127.0.0.1:";
const PATH: &str = "/mcp";
const START_LIMIT: Duration = Duration::from_secs(20);
const BUILD_LIMIT: Duration = Duration::from_secs(1800);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_wherever_it_stands_in_a_line() {
        let expected = Some("http://127.0.0.1:4711/mcp".to_owned());
        assert_eq!(address("ready\nlistening on http://127.0.0.1:4711/mcp (Ctrl-C)\n"), expected);
        assert_eq!(address("http://127.0.0.1:4711/mcp\n"), expected);
        assert_eq!(address("http://127.0.0.1:1/sse, http://127.0.0.1:4711/mcp\n"), expected);
    }

    #[test]
    fn half_a_line_is_not_believed() {
        assert_eq!(address("listening on http://127.0.0.1:4711/mcp"), None);
        assert_eq!(address("listening on http://127.0.0.1:47"), None);
        assert_eq!(address(""), None);
    }

    #[test]
    fn another_address_is_none() {
        assert_eq!(address("see http://127.0.0.1:/mcp\n"), None);
        assert_eq!(address("see http://127.0.0.1:4711/sse\n"), None);
    }
}
