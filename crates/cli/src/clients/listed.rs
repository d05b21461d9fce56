//! `proofmark list --clients`: which clients are there, and which servers each has.

use proofmark_check::record::{text::Untrusted, transcript::redact::redact_words};
use proofmark_clients::{CLIENTS, Client, Machine, PlanError, Scope, read_servers};
use serde_json::{Value, json};

use super::choose;
use crate::{exit, say, show};

/// The exit code.
pub(crate) fn run(as_json: bool) -> anyhow::Result<u8> {
    let machine = choose::machine()?;
    let here = std::env::current_dir().ok();
    let mut documents = Vec::new();
    let mut found = 0;
    for client in CLIENTS {
        let mut files = Vec::new();
        if client.is_there(&machine) {
            files.extend(servers(client, &Scope::User, &machine));
            if let (true, Some(here)) = (client.local, &here) {
                let local = servers(client, &Scope::Local(here.clone()), &machine);
                files.extend(local.filter(|file| file["servers"] != json!({})));
            }
        }
        if let Some(here) = &here {
            let project = servers(client, &Scope::Project(here.clone()), &machine);
            files.extend(project.filter(|file| file.get("servers").is_some()));
        }
        if files.is_empty() {
            continue;
        }
        found += 1;
        if as_json {
            documents.push(json!({"id": client.id, "name": client.name, "files": files}));
        } else {
            tell(client, &files);
        }
    }
    if as_json {
        show::json(&json!({"format": 1, "clients": documents}))?;
    } else if found == 0 {
        say::on_stderr("No client that is known is on this machine.");
    }
    Ok(exit::SUCCESS)
}

/// What is in the client's file; `None` where it has none.
fn servers(client: &'static Client, scope: &Scope, machine: &Machine) -> Option<Value> {
    let path = match client.locate(scope, machine) {
        Ok(path) => path,
        Err(why @ PlanError::Several(_)) => return Some(json!({"error": why.to_string()})),
        Err(_) => return None,
    };
    let scope_name = match scope {
        Scope::User => "user",
        Scope::Project(_) => "project",
        Scope::Local(_) => "local",
    };
    Some(match read_servers(client, &path, scope) {
        Ok(Some(file)) => {
            let servers: serde_json::Map<_, _> = file
                .servers
                .into_iter()
                .map(|(name, what)| (name, redact_words(&what).into()))
                .collect();
            json!({"scope": scope_name, "path": file.path, "servers": servers})
        }
        Ok(None) => json!({"scope": scope_name, "path": path}),
        Err(why) => json!({"scope": scope_name, "path": path, "error": why.to_string()}),
    })
}

fn tell(client: &Client, files: &[Value]) {
    say::on_stdout(format_args!("{} ({})", client.name, client.id));
    for file in files {
        let text = |key: &str| file[key].as_str().unwrap_or_default().to_owned();
        if let Some(error) = file.get("error").and_then(Value::as_str) {
            say::on_stdout(format_args!("  {}", Untrusted(error)));
            continue;
        }
        let Some(servers) = file.get("servers").and_then(Value::as_object) else {
            say::on_stdout(format_args!("  {}  (no file yet)", Untrusted(&text("path"))));
            continue;
        };
        say::on_stdout(format_args!("  {}  ({})", Untrusted(&text("path")), text("scope")));
        let width = servers.keys().map(|name| name.chars().count()).max().unwrap_or_default();
        for (name, what) in servers {
            let what = what.as_str().unwrap_or_default();
            let (name, what) = (Untrusted(name).to_string(), Untrusted(what));
            say::on_stdout(format_args!("    {name:width$}  {what}").to_string().trim_end());
        }
    }
}
