//! The work with the message types of rmcp, as its transports read and write them.

use rmcp::model::{
    CallToolResult, ClientJsonRpcMessage, ClientRequest, ContentBlock, JsonRpcMessage,
    ServerJsonRpcMessage, ServerResult,
};

use crate::Work;

pub fn rewrite_from_client() -> Work {
    Box::new(|bytes, out| write(out, &from_client(bytes)))
}

pub fn rewrite_from_server() -> Work {
    Box::new(|bytes, out| {
        let message: ServerJsonRpcMessage = serde_json::from_slice(bytes).expect("a message");
        write(out, &message);
    })
}

pub fn write_list() -> Work {
    let list: ServerJsonRpcMessage =
        serde_json::from_slice(&crate::payload::list()).expect("a list of tools");
    Box::new(move |_, out| write(out, &list))
}

pub fn serve() -> Work {
    Box::new(|bytes, out| {
        let JsonRpcMessage::Request(message) = from_client(bytes) else { panic!("not a request") };
        let ClientRequest::CallToolRequest(call) = message.request else { panic!("not a call") };
        assert_eq!(call.params.name, "echo");
        let arguments = call.params.arguments.expect("arguments");
        let arguments = serde_json::to_string(&arguments).expect("arguments can be written");
        let result = CallToolResult::success(vec![ContentBlock::text(arguments)]);
        let result = ServerResult::CallToolResult(result);
        write(out, &ServerJsonRpcMessage::response(result, message.id));
    })
}

fn from_client(bytes: &[u8]) -> ClientJsonRpcMessage {
    let message = serde_json::from_slice(bytes).expect("a message");
    if let JsonRpcMessage::Request(request) = &message {
        let request: &rmcp::model::JsonRpcRequest<ClientRequest> = request;
        assert!(matches!(request.request, ClientRequest::CallToolRequest(_)), "not a call");
    }
    message
}

fn write<T: serde::Serialize>(out: &mut Vec<u8>, message: &T) {
    serde_json::to_writer(out, message).expect("it can be written");
}
