//! The authorization server of the Everything Server, and strangers who want to get past it.

use std::process::Command;
use std::time::Duration;

use super::Setting;
use super::process;
use super::server::{Access, Server};
use super::suite;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Visitor {
    /// The scenarios of the official suite for authorization servers.
    Suite,
    /// The client of the official SDK, from being refused to a refreshed token.
    TypeScript,
}

pub(super) fn run(name: &str, visitor: Visitor, setting: &Setting) -> Result<String, String> {
    let node = setting.node.as_ref().ok_or("Node.js was not installed")?;
    let server = Server::start(&setting.program, &setting.place, Access::Tokens)?;
    let log = setting.place.logs.join(format!("{name}.log"));
    let mut command = Command::new(&node.program);
    command.arg(node.folder.join("authorization.mjs"));
    match visitor {
        Visitor::Suite => {
            command.arg("suite").arg(setting.place.logs.join(name)).arg(&server.url);
            process::complete(&mut command, &log, LIMIT)?;
            suite::judge_announced(name, &log, setting)
        }
        Visitor::TypeScript => {
            process::complete(command.arg("client").arg(&server.url), &log, LIMIT)?;
            let said = process::read(&log);
            Ok(said.lines().next_back().unwrap_or_default().to_owned())
        }
    }
}

const LIMIT: Duration = Duration::from_secs(60);
