//! What a person sees who asks for help or makes a mistake.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::process::Command;

#[test]
fn help_names_the_commands_with_examples_and_exit_codes() {
    let said = succeed(&["--help"]);
    for part in ["everything", "Examples:", "proofmark everything --stdio", "Exit codes:", "--log"]
    {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
}

#[test]
fn help_about_the_server_names_its_options_and_defaults() {
    let said = succeed(&["everything", "--help"]);
    for part in ["--stdio", "--http <ADDR>", "127.0.0.1:3000", "--page-size <NUMBER>", "/sse"] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
}

#[test]
fn the_version_can_be_asked_for() {
    assert_eq!(succeed(&["--version"]), format!("proofmark {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn without_a_command_the_help_is_shown_as_a_complaint() {
    assert!(fail(&[]).contains("Usage: proofmark"));
}

#[test]
fn mistakes_are_named() {
    for (words, complaint) in [
        (&["everythin"][..], "'everything'"),
        (&["everything", "--http", "nonsense"], "a host and a port are wanted"),
        (&["everything", "--http", "127.0.0.1:99999"], "\"99999\" is no port"),
        (&["everything", "--stdio", "--http", "127.0.0.1:0"], "cannot be used with"),
        (&["everything", "--page-size", "0"], "--page-size"),
        (&["check", "server", "npx", "foo"], "proofmark check server -- npx foo"),
        (&["check", "server", "--cwd", "/nope", "--", "a"], "there is no such folder"),
        (&["list", "--cwd", "/nope", "--", "a"], "there is no such folder"),
        (&["list", "--timeout", "0", "--", "a"], "0 is not in 1.."),
        (&["check", "server", "--revision", "every"], "2026-07-28 are, and `all`"),
        (&["check", "server", "--config", "/nope.toml"], "cannot read /nope.toml"),
        (&["everything", "--log", "loud"], "possible values: off, error"),
    ] {
        let said = fail(words);
        assert!(said.contains(complaint), "{words:?}:\n{said}");
    }
}

#[test]
fn shells_complete_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = succeed(&["completions", shell]);
        for word in ["self-test", "revision", "subscribe"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_what_a_server_has() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_proofmark"));
    let paths = std::env::join_paths(
        [program.parent().unwrap().to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let folder = std::env::temp_dir().join(format!("proofmark-tab-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let ask = r#"
        source /dev/stdin <<< "$(proofmark completions bash --servers)"
        COMP_LINE="$1$2" COMP_POINT=${#1}
        read -ra COMP_WORDS <<< "$1"
        if [[ "$1" == *' ' ]]; then COMP_WORDS+=(""); fi
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _proofmark_with_servers proofmark "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let server = " -- proofmark everything --stdio";
    for (before, after, expected) in [
        ("proofmark call test_image", server, "test_image_content"),
        ("proofmark call gre", server, "greet"),
        ("proofmark call greet ", server, "name="),
        // What stands before the sign is on the line already, for bash.
        ("proofmark call test_elicitation_url_required visited=t", server, "true"),
        ("proofmark prompt test_prompt_with_a", server, "test_prompt_with_arguments"),
        ("proofmark prompt test_prompt_with_arguments arg1=x ", server, "arg2="),
        ("proofmark prompt test_prompt_with_arguments arg1=par", server, "paris\npark\nparty"),
        ("proofmark read test://static-t", server, "//static-text"),
        ("proofmark self-t", "", "self-test"),
        ("proofmark call --jso", "", "--json"),
    ] {
        let done = Command::new("bash")
            .args(["--norc", "-c", ask, "bash", before, after])
            .env("PATH", paths.as_ref().unwrap())
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        let complaints = String::from_utf8_lossy(&done.stderr);
        assert_eq!(said.trim_end(), expected, "{before}|{after}: {complaints}");
    }
    std::fs::remove_dir_all(folder).unwrap();
    assert!(fail(&["completions", "elvish", "--servers"]).contains("bash, fish and zsh"));
}

#[test]
fn every_command_has_a_man_page() {
    let folder = std::env::temp_dir().join(format!("proofmark-man-{}", std::process::id()));
    succeed(&["man-pages", folder.to_str().unwrap()]);
    for (name, part) in [
        ("proofmark.1", "Exit codes"),
        ("proofmark-check-server.1", "\\-\\-start\\-timeout"),
        ("proofmark-lint.1", "max\\-tokens"),
    ] {
        let page = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(page.contains(part), "{name} has no {part}:\n{page}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[track_caller]
fn succeed(words: &[&str]) -> String {
    let (code, output, complaints) = run(words);
    assert_eq!((code, complaints.as_str()), (Some(0), ""));
    output
}

/// What is said about a wrong command line.
#[track_caller]
fn fail(words: &[&str]) -> String {
    let (code, output, complaints) = run(words);
    assert_eq!((code, output.as_str()), (Some(2), ""), "{words:?}");
    complaints
}

fn run(words: &[&str]) -> (Option<i32>, String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_proofmark")).args(words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (run.status.code(), text(run.stdout), text(run.stderr))
}
