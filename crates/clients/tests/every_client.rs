//! Every client, both kinds of server, and files as people have them.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "helpers/folder.rs"]
mod folder;

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use folder::{Folder, machine};
use proofmark_clients::{
    CLIENTS, Client, EnvironmentReferences, Format, HeaderReferences, Plan, PlanError, RemoteKind,
    Replace, Scope, Secrets, Server, System, Template, Transport, add, read_servers, remove,
};

#[test]
fn only_the_entry_changes_in_a_file_as_people_have_it() {
    let mut shown = String::new();
    for client in CLIENTS {
        for (kind, with_secret, without) in [
            ("stdio", stdio(&[LOG, TOKEN]), stdio(&[LOG])),
            ("remote", remote(&[TRACE, AUTHORIZATION]), remote(&[TRACE])),
        ] {
            let _ = writeln!(shown, "== {}, {kind}", client.name);
            let mut plan = plan(client, &with_secret);
            if let Err(why) = &plan {
                let _ = writeln!(shown, "cannot: {why}");
                plan = self::plan(client, &without);
            }
            match plan {
                Ok(plan) => {
                    assert_one_place(&plan);
                    shown.push_str(&plan.diff());
                    for note in &plan.notes {
                        let _ = writeln!(shown, "note: {note}");
                    }
                }
                Err(why) => _ = writeln!(shown, "cannot: {why}"),
            }
        }
    }
    compare("entries.txt", &shown);
}

#[test]
fn where_a_client_has_references_no_secret_is_written() {
    for client in CLIENTS {
        let by_environment = !matches!(client.references.environment, EnvironmentReferences::None);
        let by_headers = !matches!(client.references.headers, HeaderReferences::None);
        for (has, server) in
            [(by_environment, stdio(&[TOKEN])), (by_headers, remote(&[AUTHORIZATION]))]
        {
            for secrets in [Secrets::Refuse, Secrets::Write] {
                let folder = Folder::new();
                let path = folder.path().join("settings");
                let how = (secrets, Replace::Refuse);
                let plan = add(client, &path, &Scope::User, &server, how, &machine(folder.path()));
                match plan {
                    Ok(plan) => {
                        let written = plan.after.unwrap().contains(SECRET);
                        assert_eq!(written, !has && secrets == Secrets::Write, "{}", client.name);
                    }
                    Err(why) => {
                        let refused = secrets == Secrets::Refuse || client.remote.is_err();
                        assert!(!has && refused, "{}: {why}", client.name);
                    }
                }
            }
        }
    }
}

#[test]
fn doing_it_twice_changes_nothing_and_removing_it_gives_the_file_back() {
    for client in CLIENTS {
        for server in [stdio(&[LOG]), remote(&[TRACE])] {
            if client.remote.is_err() && matches!(server.transport, Transport::Remote { .. }) {
                continue;
            }
            let folder = Folder::new();
            let path = folder.path().join("settings");
            let before = text(client);
            fs::write(&path, &before).unwrap();
            let how = (Secrets::Refuse, Replace::Refuse);
            let machine = machine(folder.path());
            let once = add(client, &path, &Scope::User, &server, how, &machine).unwrap();
            fs::write(&path, once.after.unwrap()).unwrap();
            let twice = add(client, &path, &Scope::User, &server, how, &machine).unwrap();
            assert!(!twice.changes(), "{}:\n{}", client.name, twice.diff());
            let servers = read_servers(client, &path, &Scope::User).unwrap().unwrap().servers;
            let names: Vec<_> = servers.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["notes", "old"], "{}", client.name);
            let gone = remove(client, &path, &Scope::User, "notes").unwrap();
            assert_eq!(gone.after.unwrap(), before, "{}", client.name);
        }
    }
}

#[test]
fn another_server_of_the_same_name_is_replaced_only_when_told_and_its_unknown_keys_stay() {
    for client in CLIENTS {
        let mut server = stdio(&[LOG]);
        server.name = "old".to_owned();
        let folder = Folder::new();
        let path = folder.path().join("settings");
        fs::write(&path, text(client)).unwrap();
        let machine = machine(folder.path());
        let refused = (Secrets::Refuse, Replace::Refuse);
        let found = add(client, &path, &Scope::User, &server, refused, &machine);
        assert!(matches!(found, Err(PlanError::Exists { .. })), "{}", client.name);
        let told = (Secrets::Refuse, Replace::Replace);
        let plan = add(client, &path, &Scope::User, &server, told, &machine).unwrap();
        let after = plan.after.clone().unwrap();
        assert!(after.contains("unknown") && after.contains("@example/notes"), "{}", plan.diff());
        assert!(after.contains("OLD_MODE") && after.contains("LOG"), "{}", plan.diff());
        assert!(!after.contains("old-program"), "{}", plan.diff());
    }
}

#[test]
fn a_secret_that_becomes_a_reference_leaves_the_file() {
    let folder = Folder::new();
    let path = folder.path().join("config.toml");
    let env = "env = { NOTES_TOKEN = \"not-to-be-written\", LOG = \"1\" }\n";
    fs::write(&path, format!("[mcp_servers.notes]\ncommand = \"npx\"\n{env}")).unwrap();
    let client = Client::find("codex").unwrap();
    let how = (Secrets::Refuse, Replace::Replace);
    let machine = machine(folder.path());
    let plan = add(client, &path, &Scope::User, &stdio(&[TOKEN]), how, &machine).unwrap();
    let after = plan.after.clone().unwrap();
    assert!(!after.contains(SECRET) && after.contains("LOG"), "{after}");
    assert!(after.contains("env_vars = [\"NOTES_TOKEN\"]"), "{after}");
    assert!(!plan.diff().contains(SECRET), "{}", plan.diff());
}

#[test]
fn a_file_that_does_not_parse_is_left_alone_and_its_place_is_named() {
    for client in CLIENTS {
        let folder = Folder::new();
        let path = folder.path().join("settings");
        fs::write(&path, "[oops = {\n").unwrap();
        let how = (Secrets::Refuse, Replace::Refuse);
        let why = add(client, &path, &Scope::User, &stdio(&[]), how, &machine(folder.path()))
            .unwrap_err()
            .to_string();
        assert!(why.contains("line 1, column ") || why.contains("line 2, column "), "{why}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "[oops = {\n");
    }
}

#[test]
fn files_are_where_each_system_has_them() {
    let variables = [
        ("APPDATA", "/u/AppData/Roaming"),
        ("LOCALAPPDATA", "/u/AppData/Local"),
        ("XDG_CONFIG_HOME", "/u/xdg"),
    ];
    let mut shown = String::new();
    for client in CLIENTS {
        let _ = writeln!(shown, "== {} ({})", client.name, client.id);
        for system in [System::Linux, System::MacOs, System::Windows] {
            let mut machine = machine(Path::new("/u"));
            machine.system = system;
            machine.variables =
                BTreeMap::from(variables.map(|(a, b)| (a.to_owned(), b.to_owned())));
            let path = client.locate(&Scope::User, &machine).unwrap();
            let _ = writeln!(shown, "{system:?}: {}", path.display());
        }
        let project = Scope::Project("/p".into());
        match client.locate(&project, &machine(Path::new("/u"))) {
            Ok(path) => _ = writeln!(shown, "project: {}", path.display()),
            Err(why) => _ = writeln!(shown, "project: {why}"),
        }
    }
    compare("places.txt", &shown);
}

#[test]
fn variables_lead_elsewhere() {
    let mut machine = machine(Path::new("/u"));
    machine.variables.insert("CODEX_HOME".to_owned(), "/elsewhere".to_owned());
    let codex = Client::find("codex").unwrap();
    assert_eq!(codex.locate(&Scope::User, &machine).unwrap(), Path::new("/elsewhere/config.toml"));
}

#[test]
fn the_packaged_form_on_windows_is_found_and_two_files_are_not_chosen_from() {
    let folder = Folder::new();
    let mut machine = machine(folder.path());
    machine.system = System::Windows;
    let local = folder.path().join("Local");
    let roaming = folder.path().join("Roaming");
    machine.variables.insert("LOCALAPPDATA".to_owned(), local.display().to_string());
    machine.variables.insert("APPDATA".to_owned(), roaming.display().to_string());
    let packaged = local.join("Packages/Claude_abc123/LocalCache/Roaming/Claude");
    fs::create_dir_all(&packaged).unwrap();
    let client = Client::find("claude-desktop").unwrap();
    let file = packaged.join("claude_desktop_config.json");
    assert_eq!(client.locate(&Scope::User, &machine).unwrap(), file);
    fs::write(&file, "{}").unwrap();
    fs::create_dir_all(roaming.join("Claude")).unwrap();
    fs::write(roaming.join("Claude/claude_desktop_config.json"), "{}").unwrap();
    let found = client.locate(&Scope::User, &machine);
    assert!(matches!(found, Err(PlanError::Several(files)) if files.len() == 2));
}

#[test]
fn servers_of_one_project_stand_below_its_path() {
    let folder = Folder::new();
    let path = folder.path().join(".claude.json");
    fs::write(&path, "{\n  \"projects\": {\n    \"/p\": { \"allowed\": [] }\n  }\n}\n").unwrap();
    let client = Client::find("claude-code").unwrap();
    let (scope, how) = (Scope::Local("/p".into()), (Secrets::Refuse, Replace::Refuse));
    let plan = add(client, &path, &scope, &stdio(&[]), how, &machine(folder.path())).unwrap();
    let after: serde_json::Value = serde_json::from_str(&plan.after.unwrap()).unwrap();
    assert_eq!(after["projects"]["/p"]["mcpServers"]["notes"]["command"], "npx");
    assert!(after["projects"]["/p"]["allowed"].is_array());
}

#[test]
fn opencode_files_of_the_newer_form_keep_it() {
    let folder = Folder::new();
    let path = folder.path().join("opencode.json");
    fs::write(&path, "{ \"mcp\": { \"servers\": {} } }\n").unwrap();
    let client = Client::find("opencode").unwrap();
    let how = (Secrets::Refuse, Replace::Refuse);
    let plan = add(client, &path, &Scope::User, &stdio(&[]), how, &machine(folder.path())).unwrap();
    let after: serde_json::Value = serde_json::from_str(&plan.after.unwrap()).unwrap();
    assert_eq!(after["mcp"]["servers"]["notes"]["type"], "local");
}

const SECRET: &str = "not-to-be-written";
const LOG: (&str, &str) = ("LOG", "debug");
const TOKEN: (&str, &str) = ("NOTES_TOKEN", SECRET);
const TRACE: (&str, &str) = ("X-Trace", "on");
const AUTHORIZATION: (&str, &str) = ("Authorization", "Bearer not-to-be-written");

fn stdio(environment: &[(&str, &str)]) -> Server {
    let arguments = vec!["-y".to_owned(), "@example/notes".to_owned()];
    let environment = pairs(environment);
    let transport = Transport::Stdio { command: "npx".to_owned(), arguments, environment };
    Server { name: "notes".to_owned(), transport }
}

fn remote(headers: &[(&str, &str)]) -> Server {
    let url = "https://notes.example/mcp".to_owned();
    let transport = Transport::Remote { url, kind: RemoteKind::Http, headers: pairs(headers) };
    Server { name: "notes".to_owned(), transport }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, Template)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), Template::parse(value))).collect()
}

fn plan(client: &'static Client, server: &Server) -> Result<Plan, PlanError> {
    let folder = Folder::new();
    let path = folder.path().join("settings");
    fs::write(&path, text(client)).unwrap();
    let how = (Secrets::Refuse, Replace::Refuse);
    let mut plan = add(client, &path, &Scope::User, server, how, &machine(folder.path()))?;
    plan.path = "settings".into();
    Ok(plan)
}

/// Lines are added in one place; a comma may come to the line before them.
#[track_caller]
fn assert_one_place(plan: &Plan) {
    let (before, after) = (plan.before.as_ref().unwrap(), plan.after.as_ref().unwrap());
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(before), lines(after));
    let mut rest = new.iter();
    let mut changed = 0;
    for line in &old {
        let same = |it: &&String| **it == *line;
        let with_comma = |it: &&String| {
            it.match_indices(',').any(|(at, _)| format!("{}{}", &it[..at], &it[at + 1..]) == *line)
        };
        match rest.clone().position(|it| same(&it) || with_comma(&it)) {
            Some(at) => {
                let found = rest.nth(at).unwrap();
                changed += usize::from(found != line);
            }
            None => panic!("{} lost {line:?}:\n{}", plan.client.name, plan.diff()),
        }
    }
    // What a client asks a person for is declared in a second place.
    let places = 1 + usize::from(after.contains("\"inputs\""));
    assert!(changed <= places, "{}:\n{}", plan.client.name, plan.diff());
    assert_eq!(before.starts_with('\u{feff}'), after.starts_with('\u{feff}'));
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{}", plan.client.name);
}

/// A file with a byte order mark, `\r\n`, comments, an odd order and keys that no one knows.
fn text(client: &Client) -> String {
    let key = client.key.join(".");
    let own = |old: &str, new: &str, text: &str| text.replace(old, new);
    let text = match client.format {
        Format::Json => {
            let text = "// settings of mine\n{\n\t\"zeta\": 1.50, // odd order\n\t\"KEY\": {\n\t\t/* the first */\n\t\t\"old\": {\"unknown\": [1, 2], \"command\": \"old-program\", \"ENV\": {\"OLD_MODE\": \"1\"}} // stays\n\t},\n\n\t\"alpha\" :  true\n}\n";
            own("ENV", client.stdio.environment, &own("KEY", &key, text))
        }
        Format::Toml => {
            let text = "# settings of mine\nzeta = 1.50   # odd order\n\n[KEY.old] # the first\nunknown = [1, 2]\ncommand = 'old-program'\nenv = { OLD_MODE = \"1\" }\n\n[alpha]\n\tbeta = true\n";
            own("KEY", &key, text)
        }
        Format::Yaml => {
            let text = "# settings of mine\nzeta: 1.50   # odd order\nKEY:\n    # the first\n    old:\n        unknown: [1, 2]\n        cmd: 'old-program' # gone\n        envs: {OLD_MODE: \"1\"}\n\nalpha: true\n";
            own("KEY", &key, text)
        }
    };
    format!("\u{feff}{}", text.replace('\n', "\r\n"))
}

/// With the variable `UPDATE_GOLDEN` the file is written.
#[track_caller]
fn compare(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    assert_eq!(text, expected, "{name} differs");
}
