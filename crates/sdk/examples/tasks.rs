//! Work that clients need not stay connected for: a task where the revision has tasks, an ordinary call elsewhere.

use std::time::Duration;

use proofmark_sdk::{
    core::types::TaskSupport,
    server::{BuildError, Server, tool},
    transport::{LineSettings, serve_stdio},
};

async fn build() -> &'static str {
    tokio::time::sleep(Duration::from_millis(20)).await;
    "built"
}

fn server() -> Result<Server, BuildError> {
    let build = tool("build").description("Builds it").task(TaskSupport::Optional).handler(build);
    Server::builder("builder", "1.0.0").add_tool(build).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(serve_stdio(&server()?, LineSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::{
        client::{Client, ResultOrTask},
        core::revision::Revision,
    };

    use super::*;

    #[tokio::test]
    async fn the_result_is_the_same_in_every_revision() -> Result<(), Box<dyn std::error::Error>> {
        for revision in Revision::ALL.iter().copied() {
            let builder = Client::builder("test", "1").tasks();
            let client = Client::in_memory(&server()?).with(builder).revision(revision).await?;
            assert_eq!(client.call::<String>("build", ()).task().await?, "built");
            let became = client.call_tool("build", ()).task().result_or_task().await?;
            let is_task = !matches!(became, ResultOrTask::Result(_));
            assert_eq!(is_task, revision.rules().tasks.is_some(), "{revision}");
        }
        Ok(())
    }
}
