//! Tools that only some callers see: to others they do not exist.

use proofmark_sdk::{
    caller::Caller,
    server::{BuildError, Server, tool},
    transport::{LineSettings, serve_stdio},
};

fn server() -> Result<Server, BuildError> {
    Server::builder("scopes", "1.0.0")
        .tool("whoami", "Your scopes", async |caller: Caller| caller.scopes().join(" "))
        .add_tool(tool("restart").hidden_without("admin").handler(async || "restarted"))
        .build()
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
    async fn what_a_caller_may_not_use_is_not_there() -> Result<(), Box<dyn std::error::Error>> {
        let user = Client::in_memory(&server()?).with_caller(Caller::named("bob")).await?;
        assert_eq!(user.all_tools().await?.len(), 1);
        assert!(user.call_tool("restart", ()).await.is_err());
        let admin = Caller::named("ada").with_scopes(["admin"]);
        let admin = Client::in_memory(&server()?).with_caller(admin).await?;
        assert_eq!(admin.all_tools().await?.len(), 2);
        assert_eq!(admin.call::<String>("restart", ()).await?, "restarted");
        assert_eq!(admin.call::<String>("whoami", ()).await?, "admin");
        Ok(())
    }
}
