//! `proofmark suggest`: what a server has that fits where a shell's cursor is. For the scripts of `proofmark completions --servers`.

mod line;

use std::{ffi::OsString, pin::pin, time::Duration};

use clap::{CommandFactory, Parser};
use futures_util::{Stream, TryStreamExt};
use proofmark_sdk::{
    client::{self, Client, ClientSettings},
    core::types::{Reference, Tool},
};
use serde_json::Value;

use crate::{
    arguments::{Arguments, Command, Peer, Suggest},
    call, configuration, exit, peer,
    prompt::pairs,
    say,
};
use line::{CURSOR, Line};

/// Says nothing where it knows nothing: a person is typing.
pub(crate) fn run(arguments: &Suggest) -> u8 {
    let line = Line::split(&arguments.before, &arguments.after);
    let Some((wanted, mut peer)) = line.lines().into_iter().find_map(wanted) else {
        return exit::SUCCESS;
    };
    peer.timeout = PATIENCE.as_secs();
    // A browser that opens while a person types is no completion.
    peer.browser = None;
    let settings = ClientSettings::default();
    let found = peer::with(&peer, settings, async |client| {
        let found = tokio::time::timeout(PATIENCE, suggestions(client, &wanted, &line.typed)).await;
        Ok(found.unwrap_or_default())
    });
    let mut found = found.unwrap_or_default();
    found.retain(|it| it.starts_with(&line.typed) && is_harmless(it));
    let shown = line.typed.rfind(|it| arguments.breaks.contains(it)).map_or(0, |at| at + 1);
    for word in found.iter().take(MOST) {
        say::on_stdout(&word[shown..]);
    }
    exit::SUCCESS
}

/// What the word at the cursor names.
#[derive(Debug, PartialEq)]
enum Wanted {
    Prompt,
    /// Of this prompt, beside those that are given.
    PromptArgument(String, Vec<(String, String)>),
    Resource,
    Template,
    Tool,
    ToolArgument(String),
}

/// What a command line with a mark at the cursor asks for, and of which server.
fn wanted(words: Vec<OsString>) -> Option<(Wanted, Peer)> {
    let words = configuration::with_file(&Arguments::command(), words).ok()?;
    let program = OsString::from("proofmark");
    let parsed = Arguments::try_parse_from([program].into_iter().chain(words)).ok()?;
    let is_cursor = |word: &str| word.split('=').next() == Some(CURSOR);
    let named = |word: &Option<String>| word.as_deref().is_some_and(is_cursor);
    Some(match parsed.command {
        Command::Call(it) if is_cursor(&it.tool) => (Wanted::Tool, it.peer),
        Command::Call(it) if it.arguments.iter().any(|word| is_cursor(word)) => {
            (Wanted::ToolArgument(it.tool), it.peer)
        }
        Command::Complete(it) if named(&it.prompt) => (Wanted::Prompt, it.peer),
        Command::Complete(it) if named(&it.template) => (Wanted::Template, it.peer),
        Command::Prompt(it) if is_cursor(&it.name) => (Wanted::Prompt, it.peer),
        Command::Prompt(mut it) => {
            it.arguments.retain(|(name, _)| !is_cursor(name));
            (Wanted::PromptArgument(it.name, it.arguments), it.peer)
        }
        Command::Read(it) if is_cursor(&it.uri) => (Wanted::Resource, it.peer),
        Command::Subscribe(it) if it.uris.iter().any(|uri| is_cursor(uri)) => {
            (Wanted::Resource, it.peer)
        }
        _ => return None,
    })
}

async fn suggestions(client: &Client, wanted: &Wanted, typed: &str) -> Vec<String> {
    match wanted {
        Wanted::Prompt => names(client.prompts(), |it| it.name).await,
        Wanted::PromptArgument(prompt, given) => {
            prompt_argument(client, prompt, given, typed).await
        }
        Wanted::Resource => names(client.resources(), |it| it.uri).await,
        Wanted::Template => names(client.resource_templates(), |it| it.uri_template).await,
        Wanted::Tool => names(client.tools(), |it| it.name).await,
        Wanted::ToolArgument(name) => {
            let tools = all(client.tools()).await;
            tools
                .iter()
                .find(|it| it.name == *name)
                .map(|it| of_tool(it, typed))
                .unwrap_or_default()
        }
    }
}

/// `name=` for each argument, and behind that the values that the schema names.
fn of_tool(tool: &Tool, typed: &str) -> Vec<String> {
    let schema = serde_json::to_value(&tool.input_schema).unwrap_or_default();
    let Some((name, _)) = typed.split_once('=') else {
        let properties = schema["properties"].as_object().into_iter().flatten();
        return properties.map(|(name, _)| format!("{name}=")).collect();
    };
    let declared = &schema["properties"][name];
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut values: Vec<String> =
        declared["enum"].as_array().into_iter().flatten().map(text).collect();
    if values.is_empty() && call::types(declared).iter().any(|it| it == "boolean") {
        values = vec!["true".to_owned(), "false".to_owned()];
    }
    values.iter().map(|value| format!("{name}={value}")).collect()
}

async fn prompt_argument(
    client: &Client,
    prompt: &str,
    given: &[(String, String)],
    typed: &str,
) -> Vec<String> {
    if let Some((name, value)) = typed.split_once('=') {
        let filled = pairs(given);
        let completed = client.complete(Reference::prompt(prompt), name, value, &filled).await;
        let values = completed.map(|it| it.completion.values).unwrap_or_default();
        return values.iter().map(|value| format!("{name}={value}")).collect();
    }
    let prompts = all(client.prompts()).await;
    let named = prompts.into_iter().find(|it| it.name == prompt);
    let arguments = named.and_then(|it| it.arguments).unwrap_or_default();
    let is_given = |name: &str| given.iter().any(|(it, _)| it == name);
    let open = arguments.into_iter().filter(|it| !is_given(&it.name));
    open.map(|it| format!("{}=", it.name)).collect()
}

async fn names<T>(
    list: impl Stream<Item = Result<T, client::Error>>,
    name: fn(T) -> String,
) -> Vec<String> {
    all(list).await.into_iter().map(name).collect()
}

/// As far as the server gives it, and no further than a person would look.
async fn all<T>(list: impl Stream<Item = Result<T, client::Error>>) -> Vec<T> {
    let (mut list, mut found) = (pin!(list), Vec::new());
    while found.len() < MOST
        && let Ok(Some(entry)) = list.try_next().await
    {
        found.push(entry);
    }
    found
}

/// Whether a shell takes it for one word and nothing else: it comes from a server, and stands on the line of a person.
fn is_harmless(word: &str) -> bool {
    word.len() <= LONGEST
        && !word.starts_with(['-', '~'])
        && word.chars().all(|it| it.is_ascii_alphanumeric() || "_-./:=@%+,".contains(it))
}

const PATIENCE: Duration = Duration::from_secs(3);
const MOST: usize = 500;
const LONGEST: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_the_cursor_says_what_is_wanted() {
        let argument = |given: &[(&str, &str)]| {
            let given = given.iter().map(|(name, value)| ((*name).into(), (*value).into()));
            Wanted::PromptArgument("p".into(), given.collect())
        };
        for (before, after, expected) in [
            ("proofmark call ", " -- s", Some(Wanted::Tool)),
            ("proofmark call --url http://a/mcp te", "", Some(Wanted::Tool)),
            ("proofmark --log off call add a", " -- s", Some(Wanted::ToolArgument("add".into()))),
            ("proofmark call add a=1 b=", " -- s", Some(Wanted::ToolArgument("add".into()))),
            ("proofmark read 'file:", " -- s", Some(Wanted::Resource)),
            ("proofmark prompt ", " -- s", Some(Wanted::Prompt)),
            ("proofmark prompt p a=1 b", " -- s", Some(argument(&[("a", "1")]))),
            ("proofmark complete --prompt r", " a=b -- s", Some(Wanted::Prompt)),
            ("proofmark subscribe a:b c", " -- s", Some(Wanted::Resource)),
            ("proofmark call ", "", None),
            ("proofmark call add -- s", "", None),
            ("proofmark call --ur", " -- s", None),
            ("proofmark check server ", "", None),
        ] {
            let found = Line::split(before, after).lines().into_iter().find_map(wanted);
            assert_eq!(found.map(|(wanted, _)| wanted), expected, "{before}|{after}");
        }
    }

    #[test]
    fn what_a_shell_would_obey_is_no_suggestion() {
        assert!(is_harmless("file:///a.b?".trim_end_matches('?')) && is_harmless("get-sum"));
        for word in ["$(touch x)", "a;b", "a b", "`a`", "a\nb", "--url", "~/x", "a'b", "\u{202e}a"]
        {
            assert!(!is_harmless(word), "{word:?}");
        }
    }
}
