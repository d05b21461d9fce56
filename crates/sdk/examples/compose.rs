//! A server that is made of others, each in a function of its own.

use proofmark_sdk::{
    server::{BuildError, Server, ServerBuilder, State},
    transport::{LineSettings, serve_stdio},
};

struct Rates(f64);

fn money() -> ServerBuilder {
    Server::builder("money", "1.0.0").state(Rates(1.1)).tool(
        "rate",
        "Dollars for a euro",
        async |rates: State<Rates>| rates.0.0,
    )
}

fn time() -> ServerBuilder {
    Server::builder("time", "1.0.0").tool("zone", "The time zone", async || "UTC")
}

fn server() -> Result<Server, BuildError> {
    Server::builder("office", "1.0.0").mount("money", money()).mount("time", time()).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(serve_stdio(&server()?, LineSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::client::Client;

    use super::*;

    #[tokio::test]
    async fn each_part_has_its_prefix() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::in_memory(&server()?).await?;
        assert!((client.call::<f64>("money_rate", ()).await? - 1.1).abs() < 0.01);
        assert_eq!(client.call::<String>("time_zone", ()).await?, "UTC");
        Ok(())
    }
}
