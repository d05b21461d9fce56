//! Logging in where a server demands it, in the browser of the person at the terminal.

use std::{
    env,
    io::{IsTerminal, stderr},
    path::PathBuf,
};

use http::header::AUTHORIZATION;
use proofmark_check::record::text::Untrusted;
use proofmark_sdk::client::oauth::{Browser, FileStore, OAuth};

use crate::{arguments::Peer, say};

/// How to log in; `None` if no person is there to do it, or if the command line says who it is already.
pub(crate) fn means(peer: &Peer) -> Option<OAuth> {
    let has_token =
        peer.header.iter().any(|(name, _)| name == AUTHORIZATION) || peer.token_env.is_some();
    if peer.url.is_none() || has_token {
        return None;
    }
    let browser = Browser::default().show(|page| {
        let page = Untrusted(page.as_str());
        say::on_stderr(format_args!("the server wants a login; visit\n  {page}"));
    });
    let browser = match &peer.browser {
        Some(words) => browser.program(words.0.clone()),
        None if stderr().is_terminal() => browser,
        None => return None,
    };
    let login = OAuth::agent(browser).name("Proofmark");
    Some(match peer.credentials.clone().or_else(usual_place) {
        Some(file) => login.store(FileStore::new(file)),
        None => login,
    })
}

/// Where the XDG Base Directory Specification puts what a program remembers.
fn usual_place() -> Option<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".local/state"));
    Some(state.or_else(home)?.join("proofmark/credentials.json"))
}
