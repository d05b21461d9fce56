//! Conversations that go on whichever server a request comes to.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::{Client, request},
    servers::Servers,
};

#[test]
fn every_part_of_a_conversation_goes_to_another_server() {
    let Some(servers) = Servers::begin() else { return };
    let client = Client::begin(servers.balancer.address).unwrap();
    for number in 0..9 {
        read(&client, &number.to_string());
    }
    // The question is asked by one server, and answered at the next.
    let params = json!({ "name": "test_elicitation", "arguments": { "message": "who?" } });
    let mut asked = client.post(&request("a", "tools/call", &params)).unwrap();
    let question = asked.message().unwrap().unwrap();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let answer = json!({ "action": "accept", "content": { "username": "u", "email": "e@x.y" } });
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer });
    assert_eq!(client.post(&answer).unwrap().status, 202);
    assert!(asked.message().unwrap().unwrap()["result"].is_object());
    // The rest of a stream that broke comes from whichever server it is asked of.
    let mut rest = client.post(&progress("b")).unwrap();
    let first = rest.message().unwrap().unwrap();
    let last = rest.last.clone().unwrap();
    drop(rest);
    let mut messages = vec![first];
    let mut resumed = client.resume(&last).unwrap();
    while let Some(message) = resumed.message().unwrap() {
        messages.push(message);
    }
    assert_eq!(messages.len(), 4, "{messages:?}");
    assert!(messages[3]["result"].is_object());
    assert!((200..300).contains(&client.delete().unwrap().status));
    let after = client.post(&request("c", "ping", &json!({}))).unwrap();
    assert_eq!(after.status, 404);
}

#[test]
fn a_session_goes_on_when_its_server_is_killed_and_when_the_store_is() {
    let Some(servers) = Servers::begin() else { return };
    let first = Client::begin(servers.address(0)).unwrap();
    read(&first, "before");
    servers.kill(0);
    let client = first.at(servers.balancer.address);
    for number in 0..3 {
        read(&client, &number.to_string());
    }
    servers.start_again(0);
    read(&first, "again");
    servers.store.kill();
    // Within the limit it is said that the store is away, in a way that can be tried again.
    let begun = Instant::now();
    let refused = first.at(servers.address(1)).post(&request("x", "ping", &json!({}))).unwrap();
    assert!(matches!(refused.status, 200 | 503), "{}", refused.status);
    assert!(begun.elapsed() < Duration::from_secs(20));
    servers.store.start_again();
    let deadline = Instant::now() + Duration::from_secs(60);
    for server in 0..3 {
        let client = first.at(servers.address(server));
        while client.post(&request("y", "ping", &json!({}))).map_or(0, |it| it.status) != 200 {
            assert!(Instant::now() < deadline, "the session is lost");
            thread::sleep(Duration::from_millis(50));
        }
        read(&client, "after");
    }
}

/// Reads a resource whose content is its name.
pub(crate) fn read(client: &Client, name: &str) {
    let params = json!({ "uri": format!("test://template/{name}/data") });
    let mut answer = client.post(&request(name, "resources/read", &params)).unwrap();
    let message = answer.message().unwrap().unwrap();
    assert!(message["result"].to_string().contains(name), "{message}");
}

/// A call that reports progress three times.
pub(crate) fn progress(id: &str) -> Value {
    let params = json!({
        "name": "test_tool_with_progress",
        "arguments": {},
        "_meta": { "progressToken": id },
    });
    request(id, "tools/call", &params)
}
