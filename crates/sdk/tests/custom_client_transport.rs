//! A client over a transport that is written outside of the SDK: WebSocket.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "custom_client_transport/channels.rs"]
mod channels;
#[path = "../examples/websocket_client/transport.rs"]
mod transport;

use std::{
    collections::BTreeMap,
    future::pending,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use proofmark_sdk::{
    client::{Client, ClientBuilder, ClientSettings, Error, Lost, Target},
    core::{
        revision::{Era, Revision},
        session::client::{CallError, Preference},
        types::{CallToolResult, ElicitFormParams, ElicitParams, ElicitResult},
    },
    server::{Context, Error as ServerError, NoArguments, Server},
    transport::connect_in_memory,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, split},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinSet,
};
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async,
    tungstenite::{
        Message,
        handshake::server::{Request, Response},
        http::HeaderValue,
    },
};

use self::{
    channels::{Channels, Endless, Slow, SlowSender, Unreachable},
    transport::WebSocket,
};

#[tokio::test]
async fn both_eras_are_negotiated_and_tools_are_called() {
    for (builder, era) in [(modern(), Era::Modern), (legacy(), Era::Legacy), (auto(), Era::Modern)]
    {
        let (client, _serving) = connect(&server(), builder).await;
        assert_eq!(client.revision().unwrap().era(), era);
        let tools = client.list_tools(None).await.unwrap().tools;
        assert_eq!(tools.len(), 4);
        let result = client.call_tool("echo", json!({"message": "é\n"})).await.unwrap();
        assert_eq!(text(&result), "é\n");
        let calls =
            (0..50).map(|number| client.call_tool("echo", json!({"message": number.to_string()})));
        let results = futures_util::future::join_all(calls.map(IntoFuture::into_future)).await;
        for (number, result) in results.into_iter().enumerate() {
            assert_eq!(text(&result.unwrap()), number.to_string());
        }
        client.close().await;
    }
}

#[tokio::test]
async fn a_server_that_knows_only_the_handshake_is_greeted_after_the_probe() {
    let (url, _serving) = script(|mut socket| async move {
        while let Some(message) = next(&mut socket).await {
            let answer = match message["method"].as_str() {
                Some("initialize") => json!({"result": {
                    "protocolVersion": message["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "test", "version": "1"},
                }}),
                Some("tools/call") => json!({"result": {"content": []}}),
                Some("notifications/initialized") => continue,
                _ => json!({"error": {"code": -32601, "message": "no such method"}}),
            };
            say(&mut socket, &answered(&message, &answer)).await;
        }
    })
    .await;
    let client = auto().connect(Target::custom(WebSocket::new(url))).await.unwrap();
    assert_eq!(client.revision().unwrap().era(), Era::Legacy);
    client.call_tool("any", ()).await.unwrap();
}

#[tokio::test]
async fn progress_is_heard() {
    for builder in [modern(), legacy()] {
        let (client, _serving) = connect(&server(), builder).await;
        let mut steps = Vec::new();
        client.call_tool("steps", ()).on_progress(|step| steps.push(step.progress)).await.unwrap();
        assert_eq!(steps, [1.0, 2.0, 3.0]);
    }
}

#[tokio::test]
async fn the_server_can_ask_back() {
    for builder in [modern(), legacy()] {
        let builder = builder
            .forms(|_: ElicitFormParams| async { Ok(ElicitResult::accept(BTreeMap::default())) });
        let (client, _serving) = connect(&server(), builder).await;
        assert_eq!(text(&client.call_tool("ask", ()).await.unwrap()), "Accept");
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_at_the_server() {
    for builder in [modern(), legacy()] {
        let (dropped, heard) = oneshot::channel();
        let dropped = Arc::new(Mutex::new(Some(DropSignal(Some(dropped)))));
        let stuck = move |_: Context, _: NoArguments| {
            let signal = dropped.lock().unwrap().take();
            async move {
                let _signal = signal;
                pending::<Result<String, ServerError>>().await
            }
        };
        let server = Server::builder("test", "1").tool("stuck", "Never ends", stuck);
        let (client, _serving) = connect(&server.build().unwrap(), builder).await;
        let call = client.call_tool("stuck", ()).into_future();
        let _unfinished = tokio::time::timeout(Duration::from_millis(200), call).await.unwrap_err();
        tokio::time::timeout(SOON, heard).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_call_without_an_answer_times_out() {
    let (client, _serving) = connect(&server(), legacy()).await;
    let call = client.call_tool("stuck", ()).patience(Duration::from_millis(50));
    assert!(call.await.unwrap_err().is_timeout());
    client.call_tool("echo", json!({"message": "on"})).await.unwrap();
}

#[tokio::test]
async fn a_server_that_closes_in_the_middle_of_a_call_is_lost_at_once() {
    for closing in [Closing::InGoodOrder, Closing::Abruptly] {
        let (url, _serving) = script(move |mut socket| async move {
            greet(&mut socket).await;
            next(&mut socket).await.unwrap();
            match closing {
                Closing::InGoodOrder => drop(socket.close(None).await),
                Closing::Abruptly => drop(socket),
            }
        })
        .await;
        let client = modern().connect(Target::custom(WebSocket::new(url))).await.unwrap();
        let began = Instant::now();
        let error = client.call_tool("any", ()).await.unwrap_err();
        assert!(error.is_lost(), "{error}");
        assert!(error.to_string().contains("closed the connection"), "{error}");
        assert!(began.elapsed() < SOON);
        client.close().await;
    }
}

#[tokio::test]
async fn garbage_does_not_end_the_conversation() {
    let (url, _serving) = script(|mut socket| async move {
        greet(&mut socket).await;
        let call = next(&mut socket).await.unwrap();
        for garbage in ["", "{", "[]", "null", r#"{"jsonrpc":"2.0","id":99,"result":{}}"#] {
            socket.send(Message::text(garbage)).await.unwrap();
        }
        socket.send(Message::binary(vec![0xff, 0xfe])).await.unwrap();
        socket.send(Message::Ping(Bytes::from_static(b"there?"))).await.unwrap();
        let result = json!({"result": {"content": [], "resultType": "complete"}});
        say(&mut socket, &answered(&call, &result)).await;
        pending::<()>().await;
    })
    .await;
    let client = modern().connect(Target::custom(WebSocket::new(url))).await.unwrap();
    client.call_tool("any", ()).await.unwrap();
}

#[tokio::test]
async fn a_message_that_is_too_long_for_the_transport_ends_the_conversation() {
    let (url, _serving) = script(|mut socket| async move {
        greet(&mut socket).await;
        next(&mut socket).await.unwrap();
        // The client may have gone before it has taken all of it.
        let _ = socket.send(Message::text("x".repeat(20_000))).await;
        pending::<()>().await;
    })
    .await;
    let client = modern().settings(small()).connect(Target::custom(WebSocket::new(url)));
    let client = client.await.unwrap();
    let error = client.call_tool("any", ()).await.unwrap_err();
    assert!(error.is_lost(), "{error}");
}

#[tokio::test]
async fn what_a_transport_did_not_bound_is_thrown_away_by_the_client() {
    let (channels, mut peer) = Channels::new(8);
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let probe = peer.next().await.unwrap();
        peer.say(&answered(&probe, &discovered())).await;
        let _call = peer.next().await.unwrap();
        peer.sender.send("x".repeat(20_000).into()).await.unwrap();
        pending::<()>().await;
    });
    let client = modern().settings(small()).connect(Target::custom(channels)).await.unwrap();
    let error = client.call_tool("any", ()).await.unwrap_err();
    assert!(error.to_string().contains("more than 10000 bytes"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_takes_nothing_more_is_given_up() {
    let (channels, mut peer) = Channels::new(1);
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let probe = peer.next().await.unwrap();
        peer.say(&answered(&probe, &discovered())).await;
        pending::<()>().await;
    });
    let client = modern().connect(Target::custom(channels)).await.unwrap();
    let calls = (0..5).map(|_| client.call_tool("any", ()).patience(Duration::from_secs(600)));
    for result in futures_util::future::join_all(calls.map(IntoFuture::into_future)).await {
        let error = result.unwrap_err();
        assert!(error.to_string().contains("does not read"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_does_not_come_about_is_an_error() {
    for (target, complaint) in [
        (Target::custom(Unreachable::Refuses), "no connection to the server: connection refused"),
        (Target::custom(Unreachable::Hangs), "no connection to the server: timed out"),
    ] {
        let error = modern().connect(target).await.err().unwrap();
        assert!(error.is_lost(), "{error}");
        assert_eq!(error.to_string(), complaint);
    }
    let nowhere = Target::custom(WebSocket::new("http://nonsense"));
    let error = modern().connect(nowhere).await.err().unwrap();
    let Error::Lost(lost) = &error else { panic!("{error}") };
    assert!(matches!(**lost, Lost::NotConnected(_)), "{lost}");
}

#[tokio::test]
async fn closing_a_client_closes_its_connection_and_fails_open_calls() {
    let (closed, heard) = oneshot::channel();
    let (url, _serving) = script(|mut socket| async move {
        greet(&mut socket).await;
        let _call = next(&mut socket).await.unwrap();
        let mut last = None;
        while let Some(Ok(message)) = socket.next().await {
            last = Some(message);
        }
        closed.send(last).unwrap();
    })
    .await;
    let client = modern().connect(Target::custom(WebSocket::new(url))).await.unwrap();
    let call = client.call_tool("any", ()).into_future();
    let close = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        client.close().await;
    };
    let (result, ()) = tokio::join!(call, close);
    let error = result.unwrap_err();
    assert!(error.is_lost() || matches!(error, Error::Call { why: CallError::Closed, .. }));
    let last = tokio::time::timeout(SOON, heard).await.unwrap().unwrap();
    assert!(matches!(last, Some(Message::Close(_))), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_half_sent_is_sent_before_the_connection_is_closed() {
    let (Channels(sender, receiver), mut peer) = Channels::new(8);
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let probe = peer.next().await.unwrap();
        peer.say(&answered(&probe, &discovered())).await;
        pending::<()>().await;
    });
    let log: Arc<Mutex<Vec<&str>>> = Arc::default();
    let slow = Slow(SlowSender(sender, log.clone()), receiver);
    let client = modern().connect(Target::custom(slow)).await.unwrap();
    let call = client.call_tool("any", ()).into_future();
    let close = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        client.close().await;
    };
    let (result, ()) = tokio::join!(call, close);
    assert!(result.unwrap_err().is_lost());
    assert_eq!(*log.lock().unwrap(), ["sent", "sent", "closed"]);
}

#[tokio::test]
async fn a_transport_that_always_has_more_leaves_others_their_turn() {
    let connecting = legacy().connect(Target::custom(Endless));
    let waited = tokio::time::timeout(Duration::from_millis(50), connecting).await;
    assert!(waited.is_err());
}

fn server() -> Server {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Echo {
        message: String,
    }
    Server::builder("test", "1")
        .tool("echo", "Says the same", async |_: Context, Echo { message }: Echo| message)
        .tool("steps", "Tells how far it is", async |context: Context, _: NoArguments| {
            for step in [1.0, 2.0, 3.0] {
                context.progress(step, Some(3.0), None);
            }
            "done"
        })
        .tool("ask", "Asks the user", async |context: Context, _: NoArguments| {
            let form = ElicitFormParams { message: "Go on?".into(), ..ElicitFormParams::default() };
            let answer = context.elicit(ElicitParams::Form(form)).await?;
            Ok::<_, ServerError>(format!("{:?}", answer.action))
        })
        .tool("stuck", "Never ends", async |_: Context, _: NoArguments| {
            pending::<Result<String, ServerError>>().await
        })
        .build()
        .unwrap()
}

fn auto() -> ClientBuilder {
    Client::builder("test", "1")
}

fn modern() -> ClientBuilder {
    auto().preference(Preference::Modern)
}

fn legacy() -> ClientBuilder {
    auto().preference(Preference::Legacy(Revision::newest(Era::Legacy)))
}

fn small() -> ClientSettings {
    let mut settings = ClientSettings::default();
    settings.messages.bytes = 10_000;
    settings
}

fn text(result: &CallToolResult) -> String {
    serde_json::to_value(&result.content[0]).unwrap()["text"].as_str().unwrap().to_owned()
}

type Socket = WebSocketStream<TcpStream>;

/// A client, and a bridge from WebSocket to the lines that the server reads.
async fn connect(server: &Server, builder: ClientBuilder) -> (Client, JoinSet<()>) {
    let (end, serving) = connect_in_memory(server);
    let (url, mut tasks) = script(move |socket| async move {
        let (mut to_client, mut from_client) = socket.split();
        let (from_server, mut to_server) = split(end);
        let down = async {
            let mut lines = BufReader::new(from_server).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                to_client.send(Message::text(line)).await.unwrap();
            }
        };
        let up = async {
            while let Some(Ok(message)) = from_client.next().await {
                if let Message::Text(text) = message {
                    to_server.write_all(format!("{text}\n").as_bytes()).await.unwrap();
                }
            }
        };
        tokio::select! {
            () = up => {}
            () = down => {}
        }
    })
    .await;
    tasks.spawn(async { serving.await.unwrap() });
    (builder.connect(Target::custom(WebSocket::new(url))).await.unwrap(), tasks)
}

/// A server of one connection.
async fn script<F>(serve: impl FnOnce(Socket) -> F + Send + 'static) -> (String, JoinSet<()>)
where
    F: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/", listener.local_addr().unwrap());
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        #[expect(clippy::result_large_err, reason = "the signature is the library's")]
        let agree = |request: &Request, mut response: Response| {
            let wanted = request.headers().get("sec-websocket-protocol");
            assert_eq!(wanted, Some(&HeaderValue::from_static("mcp")));
            let agreed = HeaderValue::from_static("mcp");
            response.headers_mut().insert("sec-websocket-protocol", agreed);
            Ok(response)
        };
        serve(accept_hdr_async(stream, agree).await.unwrap()).await;
    });
    (url, tasks)
}

/// Answers the probe of a modern client.
async fn greet(socket: &mut Socket) {
    let probe = next(socket).await.unwrap();
    say(socket, &answered(&probe, &discovered())).await;
}

fn discovered() -> Value {
    json!({"result": {
        "supportedVersions": [Revision::newest(Era::Modern).as_str()],
        "capabilities": {"tools": {}},
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    }})
}

fn answered(request: &Value, outcome: &Value) -> Value {
    let mut answer = json!({"jsonrpc": "2.0", "id": request["id"]});
    answer.as_object_mut().unwrap().extend(outcome.as_object().unwrap().clone());
    answer
}

async fn next(socket: &mut Socket) -> Option<Value> {
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Text(text) = message {
            return Some(serde_json::from_str(&text).unwrap());
        }
    }
    None
}

async fn say(socket: &mut Socket, message: &Value) {
    socket.send(Message::text(message.to_string())).await.unwrap();
}

#[derive(Clone, Copy)]
enum Closing {
    InGoodOrder,
    Abruptly,
}

struct DropSignal(Option<oneshot::Sender<()>>);

impl Drop for DropSignal {
    fn drop(&mut self) {
        let _ = self.0.take().unwrap().send(());
    }
}

const SOON: Duration = Duration::from_secs(10);
