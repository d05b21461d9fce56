//! `proofmark call`: one call of a tool, by hand.

use proofmark_sdk::client::ClientSettings;

use crate::{arguments::Call, exit, peer, show};

pub(crate) fn run(arguments: &Call) -> anyhow::Result<u8> {
    let given = arguments.arguments.clone().unwrap_or_default();
    let result = peer::with(&arguments.peer, ClientSettings::default(), async |client| {
        let call = client.call_tool(&arguments.tool, given).on_progress(|step| peer::show(&step));
        Ok(call.await?)
    });
    let result = match result {
        Ok(result) => result,
        Err(error) => return peer::refused(error),
    };
    if arguments.peer.json {
        show::json(&result)?;
    } else {
        result.content.iter().for_each(show::block);
        if result.content.is_empty()
            && let Some(structured) = &result.structured_content
        {
            show::json(structured)?;
        }
    }
    let failed = result.is_error == Some(true);
    Ok(if failed { exit::BROKEN } else { exit::SUCCESS })
}
