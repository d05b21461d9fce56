//! A tap between two strangers: not a byte may change, and both sides are judged.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::install::Environment;
use super::process::{self, Process};
use super::{Setting, client, stranger};

/// The Python client and the official everything server, with a ledger on either side of the tap.
pub(super) fn run(name: &str, setting: &Setting) -> Result<String, String> {
    let file = |end: &str| setting.place.logs.join(format!("{name}-{end}"));
    let transcript = file("transcript.jsonl");
    let ledger = |end: &str| -> Result<Vec<OsString>, String> {
        let command = client::python(Environment::V1, "ledger.py", setting)?;
        Ok(words(&command).chain([file(end).into()]).collect())
    };
    let mut command = client::python(Environment::V1, "tapped.py", setting)?;
    command.args(ledger("client")?).args(before(&transcript, setting)).args(ledger("server")?);
    command.args(words(&stranger::everything_on_stdio(setting)?));
    let log = file("client.log");
    let status = Process::start(&mut command, &log)?.finish(LIMIT)?;
    if !status.success() {
        return Err(format!("the client failed ({status}):\n{}", process::read(&log).trim_end()));
    }
    let mut passed = Vec::new();
    for direction in ["sent", "heard"] {
        let bytes = |end| {
            let path = file(end).with_extension(direction);
            fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let (client, server) = (bytes("client")?, bytes("server")?);
        if client != server {
            return Err(format!("{direction}: {} bytes became {}", client.len(), server.len()));
        }
        passed.push(format!("{} bytes {direction}", client.len()));
    }
    Ok(format!(
        "{}, all as they were; {}",
        passed.join(", "),
        judge("client", &transcript, setting)?
    ))
}

/// The words before those that start a server.
pub(super) fn before(transcript: &Path, setting: &Setting) -> [OsString; 5] {
    let [tap, output, end] = ["tap", "--output", "--"].map(OsString::from);
    [setting.program.clone().into(), tap, output, transcript.into(), end]
}

/// The Everything Server is right, with any client.
pub(super) fn judged(transcript: &Path, setting: &Setting) -> Result<String, String> {
    judge("server", transcript, setting)
}

/// The closing line of a verdict that has to be a good one.
fn judge(side: &str, transcript: &Path, setting: &Setting) -> Result<String, String> {
    let mut command = Command::new(&setting.program);
    command.args(["replay", "--side", side]).arg(transcript);
    let log = transcript.with_extension("verdict");
    process::complete(&mut command, &log, LIMIT)?;
    let said = process::read(&log);
    Ok(said.lines().last().unwrap_or_default().to_owned())
}

fn words(command: &Command) -> impl Iterator<Item = OsString> {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    words.map(ToOwned::to_owned).collect::<Vec<_>>().into_iter()
}

const LIMIT: Duration = Duration::from_secs(120);
