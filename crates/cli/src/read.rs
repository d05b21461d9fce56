//! `proofmark read`: one resource, by hand.

use proofmark_sdk::client::ClientSettings;

use crate::{arguments::Read, exit, peer, show};

pub(crate) fn run(arguments: &Read) -> anyhow::Result<u8> {
    let result = peer::with(&arguments.peer, ClientSettings::default(), async |client| {
        Ok(client.read_resource(&arguments.uri).await?)
    });
    let result = match result {
        Ok(result) => result,
        Err(error) => return peer::refused(error),
    };
    if arguments.peer.json {
        show::json(&result)?;
    } else {
        result.contents.iter().for_each(show::contents);
    }
    Ok(exit::SUCCESS)
}
