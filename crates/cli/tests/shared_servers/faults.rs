//! What goes wrong with the store while three servers use it, and what their clients see of that.

use std::{
    sync::{Arc, Barrier},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, request},
    conversing::{progress, read},
    servers::Servers,
};

#[test]
fn a_slow_store_fails_what_needs_it_in_time_and_nothing_else() {
    let Some(servers) = Servers::begin_apart() else { return };
    let client = Client::begin(servers.address(0)).unwrap();
    servers.proxies.iter().for_each(|proxy| proxy.slow(Duration::from_secs(1)));
    refused(&client.at(servers.address(1)));
    refused_to_begin(&servers);
    for server in 0..3 {
        let begun = Instant::now();
        assert_eq!(Client::discover(servers.address(server)).unwrap().status, 200);
        assert!(begun.elapsed() < LIMIT);
        assert_eq!(Client::page(servers.address(server), "/health").unwrap(), 200);
        assert_eq!(Client::page(servers.address(server), "/ready").unwrap(), 503);
    }
    servers.proxies.iter().for_each(|proxy| proxy.slow(Duration::ZERO));
    goes_on(&servers, &client);
}

#[test]
fn a_server_that_is_cut_off_says_so_and_comes_back() {
    let Some(servers) = Servers::begin_apart() else { return };
    let client = Client::begin(servers.address(1)).unwrap();
    // A call runs at the server that is going to be cut off.
    let mut call = client.at(servers.address(0)).post(&slow("c", 3000)).unwrap();
    let first = call.message().unwrap().unwrap();
    let last = call.last.clone().unwrap();
    servers.proxies[0].cut(true);
    let other = Client::begin(servers.address(2)).unwrap();
    refused(&other.at(servers.address(0)));
    assert_eq!(Client::discover(servers.address(0)).unwrap().status, 200);
    assert_eq!(Client::page(servers.address(0), "/ready").unwrap(), 503);
    for server in [1, 2] {
        read(&other.at(servers.address(server)), "meanwhile");
    }
    // The call ends where it runs, with an error, because what it says cannot be kept.
    let here = rest(&mut call);
    assert_eq!(answers(&here), 1, "{here:?}");
    assert!(here.last().unwrap()["error"].is_object(), "{here:?}");
    // Whoever follows it elsewhere hears, when the server is missed, that it is gone, and no more than that.
    let mut followed = client.at(servers.address(2)).resume(&last).unwrap();
    let there = rest(&mut followed);
    assert_eq!(answers(&there), 1, "{there:?}");
    assert!(there.last().unwrap()["error"].is_object(), "{there:?}");
    assert_ne!(there.first(), Some(&first));
    servers.proxies[0].cut(false);
    goes_on(&servers, &client);
    goes_on(&servers, &other);
}

#[test]
fn a_full_store_begins_nothing_and_goes_on_with_what_there_is() {
    let Some(servers) = Servers::begin() else { return };
    let client = Client::begin(servers.address(0)).unwrap();
    servers.store.ask(&["CONFIG", "SET", "maxmemory", "1"]);
    refused_to_begin(&servers);
    // Known sessions go on at every server, also at those where they have not been.
    for server in 0..3 {
        read(&client.at(servers.address(server)), "full");
        assert_eq!(Client::discover(servers.address(server)).unwrap().status, 200);
    }
    // A stream that cannot be kept is an error, and not a gap.
    let mut call = client.post(&progress("p")).unwrap();
    let said = rest(&mut call);
    assert_eq!(answers(&said), 1, "{said:?}");
    servers.store.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    goes_on(&servers, &client);
    goes_on(&servers, &Client::begin(servers.balancer.address).unwrap());
}

#[test]
fn a_session_that_expires_during_a_call_ends_it_once() {
    let Some(servers) = Servers::begin() else { return };
    let client = Client::begin(servers.address(0)).unwrap();
    let mut call = client.at(servers.address(1)).post(&slow("c", 1000)).unwrap();
    call.message().unwrap().unwrap();
    let key = format!("proofmark:{{{}}}:session", client.session);
    assert_eq!(servers.store.ask(&["PEXPIRE", &key, "1"]), ["1"]);
    thread::sleep(Duration::from_millis(100));
    let after = client.at(servers.address(2)).post(&request("p", "ping", &json!({}))).unwrap();
    assert_eq!(after.status, 404);
    let said = rest(&mut call);
    assert_eq!(answers(&said), 1, "{said:?}");
    // The client begins anew, as 404 tells it to.
    goes_on(&servers, &Client::begin(servers.balancer.address).unwrap());
}

#[test]
fn records_and_letters_of_another_version_do_no_harm() {
    let Some(servers) = Servers::begin() else { return };
    let client = Client::begin(servers.address(0)).unwrap();
    let key = format!("proofmark:{{{}}}:session", client.session);
    // A newer version has added a member.
    let record = servers.store.ask(&["HGET", &key, "record"]).concat();
    let mut wider: Value = serde_json::from_str(&record).unwrap();
    wider["new_member"] = json!({ "a": [1] });
    servers.store.ask(&["HSET", &key, "record", &wider.to_string()]);
    read(&client.at(servers.address(1)), "wider");
    // A newer version writes another form, and a letter of that: what is not understood is neither used nor lost.
    servers.store.ask(&["HSET", &key, "form", "99"]);
    let letter = r#"{"form":99,"letter":{"news":"of another kind"}}"#;
    let letters = "proofmark:{bus}:all";
    servers.store.ask(&["XADD", letters, "*", "from", "77777", "letter", letter]);
    refused(&client.at(servers.address(2)));
    assert_eq!(servers.store.ask(&["HGET", &key, "form"]), ["99"]);
    servers.store.ask(&["HSET", &key, "form", "1"]);
    goes_on(&servers, &client);
    // Letters that came after that one are read.
    let params = json!({ "name": "test_elicitation", "arguments": { "message": "who?" } });
    let mut asked =
        client.at(servers.address(0)).post(&request("a", "tools/call", &params)).unwrap();
    let question = asked.message().unwrap().unwrap();
    let declined =
        json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    assert_eq!(client.at(servers.address(1)).post(&declined).unwrap().status, 202);
    assert_eq!(asked.message().unwrap().unwrap()["id"], "a");
}

#[test]
fn a_thousand_clients_that_come_back_at_once_are_all_served() {
    let Some(servers) = Servers::begin() else { return };
    let address = servers.balancer.address;
    let clients: Vec<_> = (0..1000).map(|_| Client::begin(address).unwrap()).collect();
    (0..3).for_each(|server| servers.kill(server));
    (0..3).for_each(|server| servers.start_again(server));
    let together = Arc::new(Barrier::new(clients.len()));
    let threads: Vec<_> = clients
        .into_iter()
        .enumerate()
        .map(|(number, client)| {
            let together = Arc::clone(&together);
            let come = move || {
                together.wait();
                until_read(&client, &format!("client{number}"));
            };
            thread::Builder::new().stack_size(256 * 1024).spawn(come).unwrap()
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_task_whose_server_is_killed_has_failed_for_every_other_server() {
    let Some(servers) = Servers::begin() else { return };
    let client = Client::begin(servers.address(0)).unwrap();
    let params = json!({ "name": "slow_compute", "arguments": { "seconds": 60 }, "task": {} });
    let mut begun = client.post(&request("t", "tools/call", &params)).unwrap();
    let task = begun.message().unwrap().unwrap()["result"]["task"]["taskId"].clone();
    servers.kill(0);
    let params = json!({ "taskId": task });
    let deadline = Instant::now() + PATIENCE;
    loop {
        let get = request("g", "tasks/get", &params);
        let mut answer = client.at(servers.address(1)).post(&get).unwrap();
        let status = answer.message().unwrap().unwrap()["result"]["status"].clone();
        if status == "failed" {
            break;
        }
        assert_eq!(status, "working");
        assert!(Instant::now() < deadline, "the task is never missed");
        thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn sessions_go_on_when_a_replica_takes_the_place_of_the_primary() {
    let Some(servers) = Servers::begin_with_replica() else { return };
    let client = Client::begin(servers.address(0)).unwrap();
    let mut call = client.at(servers.address(1)).post(&progress("p")).unwrap();
    call.message().unwrap().unwrap();
    let last = call.last.clone().unwrap();
    let said = rest(&mut call);
    // What was said has reached the replica by then.
    thread::sleep(Duration::from_millis(500));
    servers.store.kill();
    goes_on(&servers, &client);
    // What was kept at the old primary comes from the new one, the same and in order.
    let mut resumed = client.at(servers.address(2)).resume(&last).unwrap();
    assert_eq!(resumed.status, 200);
    assert_eq!(rest(&mut resumed), said);
    // Letters find their way again, too.
    let params = json!({ "name": "test_elicitation", "arguments": { "message": "who?" } });
    let mut asked =
        client.at(servers.address(0)).post(&request("a", "tools/call", &params)).unwrap();
    let question = asked.message().unwrap().unwrap();
    let declined =
        json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    assert_eq!(client.at(servers.address(1)).post(&declined).unwrap().status, 202);
    assert_eq!(asked.message().unwrap().unwrap()["id"], "a");
    goes_on(&servers, &Client::begin(servers.balancer.address).unwrap());
}

/// Within the limit a request is refused, in a way that can be tried again.
fn refused(client: &Client) {
    let begun = Instant::now();
    let answer = client.post(&request("r", "ping", &json!({}))).unwrap();
    assert_eq!((answer.status, answer.header("retry-after").is_some()), (503, true));
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
}

fn refused_to_begin(servers: &Servers) {
    let begun = Instant::now();
    let error = Client::begin(servers.balancer.address).err().unwrap();
    assert_eq!(error.to_string(), "no session: 503");
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
}

/// The session is served by every server again, soon.
fn goes_on(servers: &Servers, client: &Client) {
    for server in 0..3 {
        until_read(&client.at(servers.address(server)), "after");
    }
}

/// Reads a resource whose content is its name, as soon as it is neither refused nor cut short any more.
fn until_read(client: &Client, name: &str) {
    let params = json!({ "uri": format!("test://template/{name}/data") });
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answered = client.post(&request("y", "resources/read", &params));
        match answered.and_then(|mut answer| Ok((answer.status, answer.message()?))) {
            Ok((200, Some(message))) => {
                assert!(message["result"].to_string().contains(name), "{message}");
                return;
            }
            Ok((503, _)) | Err(_) => {}
            Ok((status, _)) => panic!("the session is lost: {status}"),
        }
        assert!(Instant::now() < deadline, "the session does not go on");
        thread::sleep(Duration::from_millis(50));
    }
}

/// A call that reports each of its steps.
fn slow(id: &str, milliseconds: u32) -> Value {
    let params = json!({
        "name": "test_slow",
        "arguments": { "durationMs": milliseconds },
        "_meta": { "progressToken": id },
    });
    request(id, "tools/call", &params)
}

/// What is said until the end, whether that is in order or not.
fn rest(answer: &mut Answer) -> Vec<Value> {
    let mut said = Vec::new();
    while let Ok(Some(message)) = answer.message() {
        let is_answer = message.get("id").is_some();
        said.push(message);
        if is_answer {
            break;
        }
    }
    said
}

fn answers(said: &[Value]) -> usize {
    said.iter().filter(|message| message.get("id").is_some()).count()
}

/// How long a refusal may take at most: much longer than the store is waited for, because the machine may be busy.
const LIMIT: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(60);
