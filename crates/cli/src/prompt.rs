//! `proofmark prompt`: one prompt, by hand.

use proofmark_sdk::{client::ClientSettings, core::types::Role};

use crate::{arguments::Prompt, exit, peer, say, show};

pub(crate) fn run(arguments: &Prompt) -> anyhow::Result<u8> {
    let given: Vec<_> = pairs(&arguments.arguments);
    let result = peer::with(&arguments.peer, ClientSettings::default(), async |client| {
        Ok(client.get_prompt(&arguments.name, &given).await?)
    });
    let result = match result {
        Ok(result) => result,
        Err(error) => return peer::refused(error),
    };
    if arguments.peer.json {
        show::json(&result)?;
        return Ok(exit::SUCCESS);
    }
    for message in &result.messages {
        say::on_stdout(match message.role {
            Role::Assistant => "assistant:",
            Role::User => "user:",
        });
        show::block(&message.content);
    }
    Ok(exit::SUCCESS)
}

pub(crate) fn pairs(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}
