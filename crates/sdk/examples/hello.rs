//! The smallest server there is, on standard input and output.

use proofmark_sdk::{
    server::{BuildError, Server},
    transport::{LineSettings, serve_stdio},
};

fn server() -> Result<Server, BuildError> {
    Server::builder("hello", "1.0.0").tool("hello", "Says hello", async || "Hello!").build()
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
    async fn it_says_hello() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::in_memory(&server()?).await?;
        assert_eq!(client.call::<String>("hello", ()).await?, "Hello!");
        Ok(())
    }
}
