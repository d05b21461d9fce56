//! What a person who mistyped a command line probably meant.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A line to put below the complaint.
pub(crate) fn tip(error: &clap::Error, words: &[String]) -> Option<String> {
    if words.iter().any(|word| word == "--") {
        return None;
    }
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let Some(ContextValue::String(stranger)) = error.get(ContextKind::InvalidArg) else {
                return None;
            };
            if stranger.starts_with('-') || !takes_server(words) {
                return None;
            }
            let is_kind = |word: &String| KINDS.contains(&word.as_str()) || word.starts_with('-');
            let at = match words {
                [list, rest @ ..] if list == "list" => {
                    1 + rest.iter().position(|it| !is_kind(it))?
                }
                _ => words.iter().rposition(|word| word == stranger)?,
            };
            let (before, command) = words.split_at(at);
            if stranger.starts_with("http://") || stranger.starts_with("https://") {
                return Some(format!("tip: a server's address is said with --url {stranger}"));
            }
            Some(format!(
                "tip: the command that starts a server stands behind --\n\n  proofmark {} -- {}",
                before.join(" "),
                command.join(" ")
            ))
        }
        ErrorKind::MissingRequiredArgument if takes_server(words) => Some(
            "tip: say which server: --url URL, or -- and the command that starts it".to_owned(),
        ),
        _ => None,
    }
}

fn takes_server(words: &[String]) -> bool {
    let first = words.iter().find(|word| !word.starts_with('-'));
    first.is_some_and(|word| COMMANDS.contains(&word.as_str()))
}

const COMMANDS: [&str; 10] =
    ["call", "check", "complete", "info", "lint", "list", "prompt", "read", "subscribe", "tap"];

/// What `list` takes for itself.
const KINDS: [&str; 4] = ["prompts", "resources", "templates", "tools"];

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::Arguments;

    #[test]
    fn a_command_without_its_dashes_is_told_where_they_go() {
        let tip = tip_for("check server npx foo").unwrap();
        assert!(tip.ends_with("proofmark check server -- npx foo"), "{tip}");
        let tip = tip_for("list tools node server.js").unwrap();
        assert!(tip.ends_with("proofmark list tools -- node server.js"), "{tip}");
        let tip = tip_for("list npx foo").unwrap();
        assert!(tip.ends_with("proofmark list -- npx foo"), "{tip}");
        assert!(tip_for("check server http://localhost/mcp").unwrap().contains("--url http"));
        assert!(tip_for("call add").unwrap().contains("--url URL, or --"));
    }

    #[test]
    fn other_mistakes_have_no_tip() {
        for words in ["check server --nope", "everything foo", "requirements a b"] {
            assert_eq!(tip_for(words), None, "{words}");
        }
    }

    fn tip_for(words: &str) -> Option<String> {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let all = ["proofmark"].into_iter().chain(words.iter().map(String::as_str));
        tip(&Arguments::try_parse_from(all).unwrap_err(), &words)
    }
}
