//! `proofmark info`: who a server is, what it speaks and what it can do.

use proofmark_check::record::text::Untrusted;
use proofmark_sdk::client::ClientSettings;
use serde_json::{Value, json};

use crate::{arguments::Info, exit, peer, say, show};

pub(crate) fn run(arguments: &Info) -> anyhow::Result<u8> {
    let server =
        peer::with(&arguments.peer, ClientSettings::default(), async |client| Ok(client.server()))?;
    let Some(server) = server else { anyhow::bail!("the server went away") };
    let document = json!({
        "revision": server.revision.as_str(),
        "serverInfo": server.info,
        "capabilities": server.capabilities,
        "instructions": server.instructions,
    });
    if arguments.peer.json {
        show::json(&document)?;
        return Ok(exit::SUCCESS);
    }
    let line = |name: &str, value: &Value| {
        if let Some(text) = value.as_str() {
            say::on_stdout(format_args!("{name:13} {}", Untrusted(text)));
        }
    };
    let info = &document["serverInfo"];
    line("name", &info["name"]);
    line("title", &info["title"]);
    line("version", &info["version"]);
    line("description", &info["description"]);
    line("website", &info["websiteUrl"]);
    line("revision", &document["revision"]);
    if let Some(capabilities) = document["capabilities"].as_object() {
        let declared = capabilities.iter().filter(|(_, it)| !it.is_null());
        let declared: Vec<_> = declared.map(|(name, it)| capability(name, it)).collect();
        say::on_stdout(format_args!("{:13} {}", "capabilities", declared.join(", ")));
    }
    if let Some(instructions) = &server.instructions {
        say::on_stdout(format_args!("\n{instructions}"));
    }
    Ok(exit::SUCCESS)
}

/// A capability and what of it is on: `resources (subscribe, listChanged)`.
fn capability(name: &str, value: &Value) -> String {
    let on = value.as_object().into_iter().flatten().filter(|(_, it)| **it != Value::Bool(false));
    let on: Vec<_> = on.map(|(key, _)| Untrusted(key).to_string()).collect();
    let name = Untrusted(name);
    if on.is_empty() { name.to_string() } else { format!("{name} ({})", on.join(", ")) }
}
