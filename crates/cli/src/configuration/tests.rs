use clap::CommandFactory;

use super::*;
use crate::arguments::Arguments;

const FILE: &str = r#"
[check.server]
command = ["node", "my server.js"]
token-env = "TOKEN"
revision = 2025-11-25
timeout = 10
strict = true
call-all = false
skip = ["M001", "basic/*"]
env = { MODE = "test" }
call = { add = { a = 1, b = [2.5, "c"] } }
reports = [{ format = "pretty" }, { format = "junit", output = "report.xml" }]

[lint]
allow = ["L031"]
"#;

#[test]
fn keys_are_options_and_the_command_is_behind_dashes() {
    assert_eq!(
        with("check server", FILE).unwrap(),
        "check server --token-env=TOKEN --revision=2025-11-25 --timeout=10 --strict --skip=M001 \
         --skip=basic/* --env=MODE=test --call=add={\"a\":1,\"b\":[2.5,\"c\"]} --format=pretty \
         --format=junit --output=report.xml -- node my server.js"
    );
}

#[test]
fn the_command_line_goes_before_the_file() {
    let said = with("--log off check server --timeout 3 --format json", FILE).unwrap();
    assert!(said.starts_with("--log off check server --token-env=TOKEN"), "{said}");
    assert!(!said.contains("--timeout=10") && !said.contains("--format=junit"), "{said}");
}

#[test]
fn what_belongs_to_one_server_does_not_go_to_another() {
    for line in ["check server --url http://a/mcp", "check server -- other"] {
        let said = with(line, FILE).unwrap();
        for secret in ["TOKEN", "MODE=test", "node"] {
            assert!(!said.contains(secret), "{said}");
        }
        assert!(said.contains("--strict"), "{said}");
    }
}

#[test]
fn other_commands_are_left_alone() {
    for line in ["check client", "lint -- a", "requirements M001", "--version"] {
        assert_eq!(with(line, FILE).unwrap(), line);
    }
}

#[test]
fn the_configuration_of_a_client_is_not_taken_for_ours() {
    let program = Arguments::command();
    let config = |line: &str| {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Line::read(&program, &words).config
    };
    assert_eq!(config("inspect --config mcp.json --no-open"), None);
    assert_eq!(config("inspect --config=mcp.json"), None);
    assert_eq!(config("--config a.toml inspect"), Some("a.toml".into()));
    assert_eq!(config("check server --config a.toml"), Some("a.toml".into()));
}

#[test]
fn what_does_not_fit_is_named() {
    for (text, complaint) in [
        ("[chek]", "there is no command `chek`"),
        ("[check.server]\ntimeot = 1", "`check.server` has no key `timeot`: baseline,"),
        ("[check.server]\nstrict = 1", "`strict` is true or false"),
        ("[check.server]\nformat = \"json\"", "`reports = ["),
        ("[check.server]\nreports = [{ output = \"a\" }]", "`reports` is a list of"),
        ("[check.server]\ncommand = \"node\"", "`command` is a list of words"),
        ("[check.server]\nconfig = \"a\"", "no key `config`"),
        ("[check]\nserver = 1", "`server` is no table"),
        ("[check", "TOML"),
    ] {
        let said = format!("{:#}", with("check server", text).unwrap_err());
        assert!(said.contains(complaint), "{text}: {said}");
    }
}

fn with(line: &str, text: &str) -> anyhow::Result<String> {
    let program = Arguments::command();
    let mut words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let line = Line::read(&program, &words);
    let more = parse(&program, &line, text)?;
    words.splice(line.after..line.after, more.options);
    if !more.command.is_empty() {
        words.push("--".into());
        words.extend(more.command);
    }
    Ok(words.iter().map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(" "))
}
