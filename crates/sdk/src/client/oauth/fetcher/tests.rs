use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinHandle,
};
use url::Url;

use super::*;
use crate::client::oauth::Zone;

/// Answers one request with these bytes.
async fn serve(answer: Vec<u8>) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 4096];
        let _read = stream.read(&mut head).await.unwrap();
        // A client that has had enough hangs up.
        let _hung_up = stream.write_all(&answer).await;
        let _hung_up = stream.shutdown().await;
    });
    (address, serving)
}

fn near() -> Fetcher {
    let server = Url::parse("http://localhost:1/mcp").unwrap();
    Fetcher::new(AddressPolicy::new(server, Zone::Loopback))
}

fn get(address: SocketAddr) -> Fetch {
    Fetch::get(Url::parse(&format!("http://{address}/")).unwrap())
}

#[tokio::test]
async fn an_answer_is_read_up_to_a_limit() {
    let (address, _serving) =
        serve(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_vec()).await;
    assert_eq!(near().fetch(get(address)).await.unwrap().body, "{}");
    let mut large = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
    large.resize(LARGEST + 1000, b' ');
    let (address, _serving) = serve(large).await;
    let error = near().fetch(get(address)).await.unwrap_err();
    assert_eq!(error, NotFetched::TooLarge { limit: LARGEST });
}

#[tokio::test]
async fn a_redirect_is_left_to_the_caller() {
    let answer = b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
    let (address, _serving) = serve(answer.to_vec()).await;
    assert_eq!(near().fetch(get(address)).await.unwrap().status, 307);
}

#[tokio::test]
async fn no_connection_is_made_to_where_a_name_must_not_lead() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Url::parse("https://mcp.example/mcp").unwrap();
    let fetcher = Fetcher::new(AddressPolicy::new(server.clone(), Zone::Public));
    let literal = Fetch::get(Url::parse(&format!("https://127.0.0.1:{port}/")).unwrap());
    let error = fetcher.fetch(literal).await.unwrap_err();
    assert!(matches!(error, NotFetched::Blocked(Blocked::Address(_))), "{error}");
    // The name is looked at by the resolver of the connection itself.
    let mut lookout = PolicyResolver(Arc::new(AddressPolicy::new(server, Zone::Public)));
    let error = lookout.call("localhost".parse().unwrap()).await.unwrap_err();
    assert!(matches!(not_fetched(&error), NotFetched::Blocked(Blocked::Address(_))), "{error}");
    let accepted = futures_util::FutureExt::now_or_never(listener.accept());
    assert!(accepted.is_none(), "a connection was made");
}
