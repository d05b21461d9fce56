//! The work as this project does it.

use std::sync::Arc;

use proofmark_core::{
    json::Raw,
    jsonrpc::{Incoming, Limits, Message, parse, write},
    revision::RequestMethod,
    session::{
        Time,
        server::{Input, Offer, Output, ServerSession},
    },
    types::{
        CallToolResult, ClientRequest, ContentBlock, Implementation, ListToolsResult,
        ServerCapabilities, ServerResult, ToolsCapability,
    },
};

use crate::Work;

pub fn rewrite_call() -> Work {
    Box::new(|bytes, out| {
        let Message::Request(request) = message(bytes) else { panic!("not a request") };
        let method = RequestMethod::parse(&request.method).expect("a method");
        let (decoded, meta) =
            ClientRequest::decode(method, request.params.as_ref()).expect("good params");
        let ClientRequest::CallTool(mut call) = decoded else { panic!("not a call") };
        call.meta = meta;
        write::request(out, &request.id, method.as_str(), &call).expect("it can be written");
    })
}

pub fn rewrite_answer() -> Work {
    Box::new(|bytes, out| {
        let Message::Response(response) = message(bytes) else { panic!("not a response") };
        let result: CallToolResult =
            serde_json::from_str(response.result.get()).expect("a result of a call");
        write::response(out, &response.id, &result).expect("it can be written");
    })
}

pub fn rewrite_list() -> Work {
    Box::new(|bytes, out| {
        let Message::Response(response) = message(bytes) else { panic!("not a response") };
        let result: ListToolsResult =
            serde_json::from_str(response.result.get()).expect("a list of tools");
        write::response(out, &response.id, &result).expect("it can be written");
    })
}

/// A list that is encoded for this answer only.
pub fn write_list() -> Work {
    let list = list();
    Box::new(move |_, out| write::response(out, &7.into(), &list).expect("it can be written"))
}

/// A list that was encoded for an earlier answer.
pub fn write_ready_list() -> Work {
    let list = ServerResult::Ready(Arc::new(Raw::new(&list()).expect("it can be written")));
    Box::new(move |_, out| write::response(out, &7.into(), &list).expect("it can be written"))
}

/// In a session that has been opened before.
pub fn serve_legacy() -> Work {
    let offer = offer();
    let mut session = ServerSession::new(Arc::clone(&offer));
    for opening in [INITIALIZE, INITIALIZED] {
        let _ = session.handle(Time::default(), Input::Received(incoming(opening.as_bytes())));
    }
    Box::new(move |bytes, out| serve(&mut session, &offer, bytes, out))
}

/// In a session that lives for this request only.
pub fn serve_modern() -> Work {
    let offer = offer();
    Box::new(move |bytes, out| {
        let mut session = ServerSession::new(Arc::clone(&offer));
        serve(&mut session, &offer, bytes, out);
    })
}

fn serve(session: &mut ServerSession, offer: &Offer, bytes: &[u8], out: &mut Vec<u8>) {
    let now = Time::default();
    for output in session.handle(now, Input::Received(incoming(bytes))) {
        let Output::Dispatch(call) = output else { panic!("not dispatched: {output:?}") };
        let ClientRequest::CallTool(params) = &call.request else { panic!("not a call") };
        assert_eq!(params.name, "echo");
        let arguments = params.arguments.expect("arguments").get();
        let result = CallToolResult {
            content: vec![ContentBlock::text(arguments)],
            ..CallToolResult::default()
        };
        let outcome = Ok(ServerResult::CallTool(result));
        for output in session.handle(now, Input::Finished { id: call.id, outcome }) {
            let Output::Transmit(transmit) = output else { panic!("not sent: {output:?}") };
            transmit.write(offer, out).expect("it can be written");
        }
    }
}

fn offer() -> Arc<Offer> {
    let capabilities =
        ServerCapabilities { tools: Some(ToolsCapability::default()), ..Default::default() };
    Arc::new(Offer::new(Implementation::new("bench", "1.0.0"), capabilities))
}

fn list() -> ListToolsResult {
    let bytes = crate::payload::list();
    let Message::Response(response) = message(&bytes) else { panic!("not a response") };
    serde_json::from_str(response.result.get()).expect("a list of tools")
}

fn message(bytes: &[u8]) -> Message<'_> {
    match incoming(bytes) {
        Incoming::Message(message) => message,
        Incoming::Batch(_) => panic!("a batch"),
    }
}

fn incoming(bytes: &[u8]) -> Incoming<'_> {
    parse(bytes, &Limits::default()).expect("a message")
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
