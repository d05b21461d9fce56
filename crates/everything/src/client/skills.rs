//! Scenarios about skills.

use std::pin::pin;

use futures_util::TryStreamExt;
use proofmark_sdk::{
    client::Client,
    core::types::{Skill, SkillResources},
};

use super::Failure;

/// Lists them, and reads nothing.
pub(super) async fn list(client: &Client) -> Result<Vec<Skill>, Failure> {
    Ok(pin!(client.skills()).try_collect().await?)
}

/// Loads each of them: first what it says of itself, then the rest. The first file that is not what was listed ends it.
pub(super) async fn load(client: &Client) -> Result<(), Failure> {
    for skill in list(client).await? {
        client.read_skill_file(&skill, &skill.uri).await?;
        let SkillResources::Listed(files) = &skill.resources else { continue };
        for file in files.iter().filter(|file| file.uri != skill.uri) {
            client.read_skill_file(&skill, &file.uri).await?;
        }
    }
    Ok(())
}
