use super::*;

async fn say(to: &Url, text: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", to.port().unwrap())).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
}

#[tokio::test]
async fn the_one_request_with_the_right_state_is_heard() {
    let loopback = Loopback::bind(None).await.unwrap();
    let redirect = loopback.redirect().clone();
    let waiting = tokio::spawn(async move { loopback.wait("right").await.unwrap() });
    for stranger in [
        get("/callback?code=x&state=wrong"),
        get("/callback?code=x"),
        get("/other?code=x&state=right"),
        get("//evil.example/callback?state=right"),
        get("http://evil.example/callback?state=right"),
        "POST /callback?state=right HTTP/1.1\r\n\r\n".to_owned(),
        "nonsense\r\n\r\n".to_owned(),
    ] {
        let answer = say(&redirect, &stranger).await;
        assert!(!answer.starts_with("HTTP/1.1 200"), "{stranger} {answer}");
    }
    assert!(!waiting.is_finished());
    let answer = say(&redirect, &get("/callback?code=the<b>code&state=right&iss=i")).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(!answer.contains("<b>"), "pages repeat nothing");
    let heard = Url::parse(&waiting.await.unwrap()).unwrap();
    assert_eq!(heard.port(), redirect.port());
    let code = heard.query_pairs().find(|(name, _)| name == "code").unwrap().1;
    assert_eq!(code, "the<b>code");
}

#[tokio::test]
async fn the_same_port_is_used_again_unless_it_is_taken() {
    let first = Loopback::bind(None).await.unwrap();
    let redirect = first.redirect().clone();
    let other = Loopback::bind(Some(&redirect)).await.unwrap();
    assert_ne!(other.redirect(), &redirect);
    drop(first);
    assert_eq!(redirect.host_str(), Some("127.0.0.1"));
    let elsewhere = Url::parse("http://0.0.0.0:1/callback").unwrap();
    let bound = Loopback::bind(Some(&elsewhere)).await.unwrap();
    assert_eq!(bound.redirect().host_str(), Some("127.0.0.1"));
}
