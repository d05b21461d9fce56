//! A server over HTTP that knows its callers by tokens, without OAuth: `TOKEN=secret bearer 127.0.0.1:3000`.

use std::net::SocketAddr;

use proofmark_sdk::{
    caller::Caller,
    server::{BuildError, Server},
    transport::http::{Bearer, HttpServer, HttpSettings},
};

fn server() -> Result<Server, BuildError> {
    Server::builder("bearer", "1.0.0")
        .tool("scopes", "Your scopes", async |caller: Caller| caller.scopes().join(" "))
        .build()
}

async fn bind(
    address: SocketAddr,
    secret: String,
) -> Result<HttpServer, Box<dyn std::error::Error>> {
    let bearer = Bearer::new(async move |token: String| {
        let known = !secret.is_empty() && token == secret;
        known.then(|| Caller::named("owner").with_scopes(["all"]))
    });
    let settings = HttpSettings { bearer: Some(bearer), ..HttpSettings::default() };
    Ok(HttpServer::bind(server()?, address, settings).await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("an address to listen on")?.parse()?;
    let server = bind(address, std::env::var("TOKEN")?).await?;
    Ok(server.run_until(std::future::pending()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::client::Client;

    use super::*;

    #[tokio::test]
    async fn a_token_says_who_is_calling() -> Result<(), Box<dyn std::error::Error>> {
        let server = bind(([127, 0, 0, 1], 0).into(), "secret".to_owned()).await?;
        let url = format!("http://{}/mcp", server.address());
        let clients = async {
            let client = Client::builder("test", "1").bearer("secret").connect(&*url).await?;
            assert_eq!(client.call::<String>("scopes", ()).await?, "all");
            let stranger = Client::builder("test", "1").bearer("guess").connect(&*url).await;
            assert!(stranger.is_err());
            client.close().await;
            Ok::<_, proofmark_sdk::client::Error>(())
        };
        let (sender, done) = tokio::sync::oneshot::channel::<()>();
        let (ended, asked) = tokio::join!(
            server.run_until(async {
                let _done = done.await;
            }),
            async {
                let asked = clients.await;
                drop(sender);
                asked
            }
        );
        ended?;
        Ok(asked?)
    }
}
