//! Servers elsewhere behind one address: `gateway 127.0.0.1:3000 https://one.example/mcp https://two.example/mcp`. Their tools begin with
//! `a_`, `b_` and so on; those of a single server keep their names. Every client can use them, whatever the servers speak.

use std::net::SocketAddr;

use proofmark_sdk::{
    client::{Client, Target},
    core::revision::Revision,
    proxy::Proxy,
    server::Server,
    transport::http::{HttpSettings, serve_http},
};

type Failure = Box<dyn std::error::Error>;

async fn gateway(targets: Vec<Target>, speaks: Option<Revision>) -> Result<Server, Failure> {
    let single = targets.len() == 1;
    let mut builder = Server::builder("gateway", "1.0.0");
    for (target, letter) in targets.into_iter().zip('a'..='z') {
        let mut client = Client::builder("gateway", "1.0.0");
        if let Some(revision) = speaks {
            client = client.revision(revision);
        }
        let proxy = Proxy::connect_with(client, target).await?;
        builder = builder.proxy(&if single { String::new() } else { letter.to_string() }, proxy);
    }
    Ok(builder.build()?)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let address: SocketAddr = arguments.next().ok_or("an address to listen on")?.parse()?;
    let targets = arguments.map(|url| Target::from(&*url)).collect();
    // The revision to speak with the servers, instead of the newest that they know.
    let speaks = std::env::var("GATEWAY_SPEAKS").ok().map(|it| it.parse()).transpose();
    let speaks = speaks.map_err(|_| "GATEWAY_SPEAKS is no revision")?;
    Ok(serve_http(gateway(targets, speaks).await?, address, HttpSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn servers_are_told_apart_by_a_letter() -> Result<(), Failure> {
        let one = Server::builder("one", "1").tool("name", "", async || "one").build()?;
        let two = Server::builder("two", "1").tool("name", "", async || "two").build()?;
        let server = gateway(vec![Target::from(&one), Target::from(&two)], None).await?;
        let client = Client::in_memory(&server).await?;
        assert_eq!(client.call::<String>("a_name", ()).await?, "one");
        assert_eq!(client.call::<String>("b_name", ()).await?, "two");
        Ok(())
    }
}
