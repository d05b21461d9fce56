//! `proofmark complete`: what a server suggests for an argument.

use proofmark_check::record::text::Untrusted;
use proofmark_sdk::{client::ClientSettings, core::types::Reference};

use crate::{arguments::Complete, exit, peer, prompt::pairs, say, show};

pub(crate) fn run(arguments: &Complete) -> anyhow::Result<u8> {
    let (name, value) = &arguments.argument;
    let filled = pairs(&arguments.with);
    let result = peer::with(&arguments.peer, ClientSettings::default(), async |client| {
        let reference = match (&arguments.prompt, &arguments.template) {
            (Some(prompt), _) => Reference::prompt(prompt),
            (None, template) => Reference::resource(template.as_deref().unwrap_or_default()),
        };
        Ok(client.complete(reference, name, value, &filled).await?)
    });
    let result = match result {
        Ok(result) => result,
        Err(error) => return peer::refused(error),
    };
    if arguments.peer.json {
        show::json(&result)?;
        return Ok(exit::SUCCESS);
    }
    for value in &result.completion.values {
        say::on_stdout(Untrusted(value));
    }
    if result.completion.has_more == Some(true) {
        say::on_stderr("There are more.");
    }
    Ok(exit::SUCCESS)
}
