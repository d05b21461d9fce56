//! The steps to a server that listens somewhere.

use std::{
    io,
    time::{Duration, Instant},
};

use proofmark_check::record::wire::{Scheme, Url, stream};
use tokio::{
    net::{TcpStream, lookup_host},
    time::timeout,
};

use super::{Examination, Talked, shortened, talk};
use crate::{
    server::ServerEntry,
    timeline::{Direction, Kind},
};

pub(super) async fn examine(entry: &ServerEntry, address: &str, found: &mut Examination) {
    let began = Instant::now();
    let url: Url = match address.parse() {
        Ok(url) => url,
        Err(error) => {
            return found.fail(
                "the address",
                began,
                format!("{address}: {error}"),
                "an address is like http://127.0.0.1:3000/mcp",
            );
        }
    };
    found.pass("the address", began, url.to_string());
    let began = Instant::now();
    let resolved = timeout(PATIENCE, lookup_host((url.host.as_str(), url.port))).await;
    let places: Vec<_> = match resolved {
        Ok(Ok(places)) => places.collect(),
        Ok(Err(error)) => {
            return found.fail(
                "the name is resolved",
                began,
                error.to_string(),
                "look at the spelling, and whether a VPN or a proxy is needed",
            );
        }
        Err(_) => {
            return found.fail(
                "the name is resolved",
                began,
                "the resolver does not answer",
                "look at the network",
            );
        }
    };
    found.pass("the name is resolved", began, shortened(&format!("{places:?}")));
    let began = Instant::now();
    match timeout(PATIENCE, TcpStream::connect(&places[..])).await {
        Ok(Ok(stream)) => found.pass(
            "a connection",
            began,
            stream.peer_addr().map_or_else(|_| String::new(), |it| it.to_string()),
        ),
        Ok(Err(error)) => {
            let advice = if error.kind() == io::ErrorKind::ConnectionRefused {
                "nothing listens there: is the server running, on this port, and on this address rather than inside of a container?"
            } else {
                "look at the port, and at firewalls on the way"
            };
            return found.fail("a connection", began, error.to_string(), advice);
        }
        Err(_) => {
            return found.fail(
                "a connection",
                began,
                "no answer",
                "a firewall on the way drops it, or the machine is off",
            );
        }
    }
    if url.scheme == Scheme::Https {
        let began = Instant::now();
        match timeout(PATIENCE, stream::connect(&url)).await {
            Ok(Ok(_)) => found.pass("TLS", began, "the certificate is trusted"),
            Ok(Err(error)) => return found.fail("TLS", began, error.to_string(), "look at the certificate's name, its date and who signed it; a company's own root has to be in the system's store"),
            Err(_) => return found.fail("TLS", began, "no answer", "is this the port for https?"),
        }
    }
    let began = Instant::now();
    let talked = talk(entry).await;
    exchange(&talked, began, found);
    if found.is_well() {
        match talked.outcome {
            Ok(server) => found.pass("the handshake", began, server),
            Err(why) => found.fail(
                "the handshake",
                began,
                why,
                "`proofmark check server` says which requirement is broken",
            ),
        }
    }
}

/// What the server's first responses were like.
fn exchange(talked: &Talked, began: Instant, found: &mut Examination) {
    let is_response =
        |it: &crate::timeline::Entry| it.kind == Kind::Http && it.direction == Direction::In;
    let Some(first) = talked.first(is_response) else {
        let why = talked.outcome.as_ref().err().cloned().unwrap_or_default();
        return found.fail(
            "an HTTP response",
            began,
            why,
            "something listens there that does not speak HTTP, or https is spoken as http",
        );
    };
    // A server of one era refuses the question of the other; the last word counts.
    let good = talked.entries.iter().find(|it| is_response(it) && !it.failed);
    let head = good.map_or(first, |it| &**it);
    let header = |name: &str| {
        head.text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": ").map(str::to_owned))
    };
    let status = head.label.trim_start_matches("status ").to_owned();
    match status.as_str() {
        "401" | "403" => {
            let challenge = header("www-authenticate")
                .unwrap_or_else(|| "without a WWW-Authenticate header".to_owned());
            return found.fail("authorization", began, format!("status {status}, {challenge}"), "give a token with --header or --token-env, or log in: `proofmark info --url …` in a terminal opens the browser");
        }
        "404" | "405" => {
            return found.fail(
                "an HTTP response",
                began,
                format!("status {status}"),
                "the path is wrong: servers answer at /mcp or /sse more often than at /",
            );
        }
        _ if head.failed => {
            return found.fail(
                "an HTTP response",
                began,
                format!("status {status}"),
                "look at the server's log",
            );
        }
        _ => found.pass("an HTTP response", began, format!("status {status}")),
    }
    match header("content-type") {
        Some(kind)
            if kind.starts_with("application/json") || kind.starts_with("text/event-stream") =>
        {
            found.pass("the content type", began, kind);
        }
        Some(kind) if talked.outcome.is_err() => found.fail(
            "the content type",
            began,
            kind,
            "this is a page for people or a file: the address of the server is another one",
        ),
        Some(kind) => found.warn(
            "the content type",
            began,
            kind,
            "a server answers with application/json or text/event-stream",
        ),
        None => {}
    }
}

const PATIENCE: Duration = Duration::from_secs(10);
