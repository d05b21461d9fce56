//! A server as a part of an axum application, whose own layer says who is calling: `mounted 127.0.0.1:3000`.

use axum::{
    Router,
    extract::Request,
    middleware::{Next, from_fn},
    response::Response,
    routing::get,
};
use proofmark_sdk::{
    caller::Caller,
    server::{BuildError, Server, resource, tool},
    transport::http::{HttpApp, HttpSettings},
};

fn server() -> Result<Server, BuildError> {
    Server::builder("mounted", "1.0.0")
        .tool("whoami", "Your scopes", async |caller: Caller| caller.scopes().join(" "))
        .add_tool(tool("secret").hidden_without("admin").handler(async || "42"))
        .add_resource(resource("about://this", "about").mime_type("text/plain").text("An example"))
        .build()
}

/// Knows who is calling; a real one would look at a cookie or a token.
async fn identify(mut request: Request, next: Next) -> Response {
    if request.headers().get("x-user").is_some_and(|user| user == "ada") {
        request.extensions_mut().insert(Caller::named("ada").with_scopes(["admin"]));
    }
    next.run(request).await
}

fn app() -> Result<Router, BuildError> {
    let mcp = HttpApp::new(server()?, HttpSettings::default());
    Ok(Router::new()
        .route("/", get(async || "home"))
        .merge(mcp.into_router())
        .layer(from_fn(identify)))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("an address to listen on")?;
    let listener = tokio::net::TcpListener::bind(address).await?;
    Ok(axum::serve(listener, app()?).await?)
}

#[cfg(test)]
mod tests {
    use ::http::{HeaderName, HeaderValue};
    use proofmark_sdk::client::{Client, ClientBuilder};
    use tokio::{net::TcpListener, task::JoinSet};

    use super::*;

    async fn served() -> Result<(String, JoinSet<()>), Box<dyn std::error::Error>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let app = app()?;
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, app).await.unwrap_or_default() });
        Ok((url, serving))
    }

    fn ada() -> ClientBuilder {
        let (name, value) = (HeaderName::from_static("x-user"), HeaderValue::from_static("ada"));
        Client::builder("test", "1").header(name, value)
    }

    #[tokio::test]
    async fn the_layer_of_the_application_says_who_is_calling()
    -> Result<(), Box<dyn std::error::Error>> {
        let (url, _serving) = served().await?;
        let mcp = format!("{url}/mcp");
        let ada = ada().connect(&*mcp).await?;
        assert_eq!(ada.call::<String>("whoami", ()).await?, "admin");
        assert_eq!(ada.call::<String>("secret", ()).await?, "42");
        let stranger = Client::connect(&*mcp).await?;
        assert!(stranger.call::<String>("secret", ()).await.is_err());
        Ok(())
    }

    #[tokio::test]
    async fn the_older_transport_is_there_too() -> Result<(), Box<dyn std::error::Error>> {
        let (url, _serving) = served().await?;
        let sse = proofmark_sdk::client::Target::SseUrl(format!("{url}/sse"));
        let client = ada().connect(sse).await?;
        assert_eq!(client.call::<String>("whoami", ()).await?, "admin");
        Ok(())
    }
}
