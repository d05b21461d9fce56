//! The work without any types: a tree of [`Value`]s.

use serde_json::{Value, json};

use crate::Work;

pub fn rewrite() -> Work {
    Box::new(|bytes, out| write(out, &read(bytes)))
}

pub fn rewrite_call() -> Work {
    Box::new(|bytes, out| {
        let message = read(bytes);
        assert!(message["method"] == "tools/call" && message["params"]["name"].is_string());
        assert!(message["params"]["arguments"].is_object());
        write(out, &message);
    })
}

pub fn write_list() -> Work {
    let list = read(&crate::payload::list());
    Box::new(move |_, out| write(out, &list))
}

pub fn serve() -> Work {
    Box::new(|bytes, out| {
        let mut message = read(bytes);
        assert!(message["method"] == "tools/call" && message["params"]["name"] == "echo");
        let arguments = message["params"]["arguments"].to_string();
        let content = json!([{"type": "text", "text": arguments}]);
        let answer =
            json!({"jsonrpc": "2.0", "id": message["id"].take(), "result": {"content": content}});
        write(out, &answer);
    })
}

fn read(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("a message")
}

fn write(out: &mut Vec<u8>, message: &Value) {
    serde_json::to_writer(out, message).expect("it can be written");
}
