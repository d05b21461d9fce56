//! Servers that are killed at random under load.

use std::{
    env, io,
    io::Write,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, request},
    conversing::progress,
    servers::Servers,
};

/// What became of all calls.
#[derive(Default)]
struct Counts {
    answered: AtomicUsize,
    /// Ended with an error that says what happened: a status, an error of the protocol, a connection that broke.
    failed: AtomicUsize,
    resumed: AtomicUsize,
    /// What must not happen.
    wrong: Mutex<Vec<String>>,
}

/// `PROOFMARK_KILLS=500 PROOFMARK_SESSIONS=200 cargo test -p proofmark --test shared_servers -- --ignored` is the long one.
#[test]
#[ignore = "takes a second for each kill, and as long as a server is missed"]
fn every_call_ends_once_while_servers_are_killed() {
    let Some(servers) = Servers::begin() else { return };
    let (kills, sessions) = (number("PROOFMARK_KILLS", 10), number("PROOFMARK_SESSIONS", 20));
    let (counts, over) = (Arc::new(Counts::default()), Arc::new(AtomicBool::new(false)));
    let address = servers.balancer.address;
    let clients: Vec<_> = (0..sessions).map(|_| Client::begin(address).unwrap()).collect();
    let threads: Vec<_> = clients
        .iter()
        .enumerate()
        .map(|(session, client)| {
            let (client, counts, over) = (client.clone(), Arc::clone(&counts), Arc::clone(&over));
            thread::spawn(move || {
                for round in 0.. {
                    if over.load(Ordering::SeqCst) {
                        return;
                    }
                    converse(&client, &format!("s{session}r{round}"), round, &counts);
                }
            })
        })
        .collect();
    let mut seed = number("PROOFMARK_SEED", 1) as u64;
    for _ in 0..kills {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (server, pause) = ((seed >> 33) % 3, (seed >> 40) % 700);
        thread::sleep(Duration::from_millis(300 + pause));
        let server = usize::try_from(server).unwrap();
        servers.kill(server);
        thread::sleep(Duration::from_millis(pause / 2));
        servers.start_again(server);
    }
    over.store(true, Ordering::SeqCst);
    for thread in threads {
        thread.join().unwrap();
    }
    let (answered, failed, resumed) = (&counts.answered, &counts.failed, &counts.resumed);
    let _ = writeln!(
        io::stderr(),
        "{kills} kills, {sessions} sessions: {answered:?} answered, {failed:?} failed, {resumed:?} resumed"
    );
    let wrong = counts.wrong.lock().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(answered.load(Ordering::SeqCst) > failed.load(Ordering::SeqCst));
    drop(wrong);
    // No session was lost.
    for client in &clients {
        let deadline = Instant::now() + Duration::from_secs(30);
        while client.post(&request("p", "ping", &json!({}))).map_or(0, |it| it.status) != 200 {
            assert!(Instant::now() < deadline, "a session is lost");
        }
    }
}

fn converse(client: &Client, name: &str, round: usize, counts: &Counts) {
    let outcome = match round % 3 {
        0 => read(client, name),
        1 => follow(client, name, counts),
        _ => answer(client, name),
    };
    match outcome {
        Ok(true) => counts.answered.fetch_add(1, Ordering::SeqCst),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            counts.wrong.lock().unwrap().push(format!("{name}: {error}"));
            0
        }
        // It waited for too long, and will never know.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
        {
            counts.wrong.lock().unwrap().push(format!("{name}: no answer"));
            0
        }
        Ok(false) | Err(_) => counts.failed.fetch_add(1, Ordering::SeqCst),
    };
}

/// One answer, which is its own.
fn read(client: &Client, name: &str) -> io::Result<bool> {
    let params = json!({ "uri": format!("test://template/{name}/data") });
    let mut answer = client.post(&request(name, "resources/read", &params))?;
    if answer.status != 200 {
        return refused(&answer);
    }
    let message = answer.message()?.ok_or(io::ErrorKind::UnexpectedEof)?;
    if message["result"].to_string().contains(&format!("template/{name}/")) {
        return Ok(true);
    }
    Err(wrong(&message))
}

/// Progress without gap or repetition and then one answer, although the stream breaks.
fn follow(client: &Client, name: &str, counts: &Counts) -> io::Result<bool> {
    let mut stream = client.post(&progress(name))?;
    if stream.status != 200 {
        return refused(&stream);
    }
    let (mut reported, mut last, mut tries, mut cut) = (Vec::new(), None, 0, false);
    loop {
        let message = stream.message();
        last = stream.last.clone().or(last);
        match message {
            Ok(Some(message)) if message["method"] == "notifications/progress" => {
                reported.push(message["params"]["progress"].as_f64().unwrap_or(-1.0));
                let grows = reported.windows(2).all(|pair| pair[0] < pair[1]);
                if !grows || message["params"]["progressToken"] != name {
                    return Err(wrong(&message));
                }
                // Every stream breaks once.
                if std::mem::replace(&mut cut, true) {
                    continue;
                }
            }
            Ok(Some(message)) if message["id"] == name => {
                let whole = message["result"].is_object();
                if whole && reported.len() != 3 {
                    return Err(wrong(&json!({ "reported": reported, "answer": message })));
                }
                return Ok(whole);
            }
            Ok(Some(message)) => return Err(wrong(&message)),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(error),
            Ok(None) | Err(_) => {}
        }
        let Some(id) = &last else { return Ok(false) };
        counts.resumed.fetch_add(1, Ordering::SeqCst);
        stream = loop {
            tries += 1;
            if tries > 200 {
                return Err(wrong(&json!("the rest of a stream cannot be had")));
            }
            match client.resume(id) {
                Ok(stream) if stream.status == 200 => break stream,
                _ => thread::sleep(Duration::from_millis(100)),
            }
        };
    }
}

/// A question that is answered wherever that goes.
fn answer(client: &Client, name: &str) -> io::Result<bool> {
    let params = json!({ "name": "test_elicitation", "arguments": { "message": name } });
    let mut stream = client.post(&request(name, "tools/call", &params))?;
    if stream.status != 200 {
        return refused(&stream);
    }
    let question = stream.message()?.ok_or(io::ErrorKind::UnexpectedEof)?;
    if failed(&question, name) {
        return Ok(false);
    }
    if question["params"]["message"] != name {
        return Err(wrong(&question));
    }
    let content = json!({ "username": name, "email": "e@x.y" });
    let accepted = json!({
        "jsonrpc": "2.0",
        "id": question["id"],
        "result": { "action": "accept", "content": content },
    });
    while !client.post(&accepted).is_ok_and(|answer| answer.status == 202) {
        thread::sleep(Duration::from_millis(50));
    }
    let message = stream.message()?.ok_or(io::ErrorKind::UnexpectedEof)?;
    if failed(&message, name) {
        return Ok(false);
    }
    let own = message["id"] == name && message["result"].to_string().contains(name);
    if own { Ok(true) } else { Err(wrong(&message)) }
}

/// An error in place of the answer, which says what happened.
fn failed(message: &Value, name: &str) -> bool {
    message["id"] == name && message["error"]["code"] == -32603
}

/// A refusal that may be tried again is an end; any other one is wrong.
fn refused(answer: &Answer) -> io::Result<bool> {
    match answer.status {
        500..=599 => Ok(false),
        status => Err(wrong(&json!({ "status": status }))),
    }
}

fn wrong(what: &Value) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_string())
}

fn number(name: &str, default: usize) -> usize {
    env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(default)
}
