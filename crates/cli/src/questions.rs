//! Questions that a server asks while it works, answered by a person in the terminal or from a file.

mod form;

use std::{
    collections::VecDeque,
    fs,
    io::{self, BufRead, IsTerminal, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context;
use proofmark_check::record::text::Untrusted;
use proofmark_sdk::{
    client::ClientBuilder,
    core::types::{ElicitContent, ElicitFormParams, ElicitResult, ElicitUrlParams},
};
use serde_json::Value;

use crate::{arguments::Peer, say};

/// Lets the server ask, if there is someone or something to answer. Otherwise the client does not say that it can be asked.
pub(crate) fn answered(builder: ClientBuilder, peer: &Peer) -> anyhow::Result<ClientBuilder> {
    if let Some(path) = &peer.answer {
        let answers = Arc::new(Mutex::new(Answers::read(path)?));
        let for_pages = Arc::clone(&answers);
        let next = |answers: &Mutex<Answers>| {
            answers.lock().unwrap_or_else(PoisonError::into_inner).next()
        };
        return Ok(builder
            .forms(move |form| {
                let answer = next(&answers).result(&form);
                async move { Ok(answer) }
            })
            .urls(move |page| {
                let answer = next(&for_pages).result_of_page(&page);
                async move { Ok(answer) }
            }));
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(builder);
    }
    Ok(builder
        .forms(|form| async move { Ok(in_terminal(move |ask| form::fill(&form, ask)).await) })
        .urls(|page| async move { Ok(in_terminal(move |ask| visit(&page, ask)).await) }))
}

/// Asks a person, line by line. The end of the input cancels.
async fn in_terminal(
    talk: impl FnOnce(&mut dyn FnMut(&str) -> Option<String>) -> ElicitResult + Send + 'static,
) -> ElicitResult {
    let asked = tokio::task::spawn_blocking(move || {
        talk(&mut |question| {
            let _ = write!(io::stderr(), "{question}");
            let mut line = String::new();
            let read = io::stdin().lock().read_line(&mut line).unwrap_or(0);
            (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
        })
    });
    asked.await.unwrap_or_else(|_| ElicitResult::cancel())
}

/// Nothing is opened: the person does that, and sees the address before.
fn visit(page: &ElicitUrlParams, ask: &mut dyn FnMut(&str) -> Option<String>) -> ElicitResult {
    let question = format!(
        "The server asks: {}\n  {}\nVisit that page if you trust it. Done? [y/N] ",
        Untrusted(&page.message),
        Untrusted(&page.url)
    );
    match ask(&question) {
        Some(line) if ["y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str()) => {
            ElicitResult::accept(ElicitContent::new())
        }
        Some(_) => ElicitResult::decline(),
        None => ElicitResult::cancel(),
    }
}

/// What a file has: an object that answers every question, or a list with an answer for each.
#[derive(Debug)]
enum Answers {
    Each(VecDeque<Answer>),
    Same(Answer),
}

#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Accept(ElicitContent),
    Cancel,
    Decline,
}

impl Answers {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        Self::parse(&text).with_context(|| format!("cannot use {name}"))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        Ok(match serde_json::from_str(text)? {
            Value::Array(items) => {
                Self::Each(items.into_iter().map(Answer::read).collect::<anyhow::Result<_>>()?)
            }
            other => Self::Same(Answer::read(other)?),
        })
    }

    fn next(&mut self) -> Answer {
        match self {
            Self::Each(answers) => answers.pop_front().unwrap_or_else(|| {
                say::error("the server asks more than --answer has answers for: cancelled");
                Answer::Cancel
            }),
            Self::Same(answer) => answer.clone(),
        }
    }
}

impl Answer {
    fn read(value: Value) -> anyhow::Result<Self> {
        Ok(match value {
            Value::String(word) if word == "accept" => Self::Accept(ElicitContent::new()),
            Value::String(word) if word == "cancel" => Self::Cancel,
            Value::String(word) if word == "decline" => Self::Decline,
            Value::Object(_) => Self::Accept(
                serde_json::from_value(value)
                    .context("a form has texts, numbers, true, false and lists of texts")?,
            ),
            _ => anyhow::bail!("an answer is an object, \"accept\", \"decline\" or \"cancel\""),
        })
    }

    /// What does not fit the form is not sent, and the reason is told.
    fn result(self, form: &ElicitFormParams) -> ElicitResult {
        match self {
            Self::Accept(mut content) => {
                form.requested_schema.fill_defaults(&mut content);
                if let Some(breach) = form.requested_schema.breaches(&content).first() {
                    say::error(format_args!(
                        "the answer does not fit the form: {breach}: cancelled"
                    ));
                    return ElicitResult::cancel();
                }
                ElicitResult::accept(content)
            }
            Self::Cancel => ElicitResult::cancel(),
            Self::Decline => ElicitResult::decline(),
        }
    }

    fn result_of_page(self, _: &ElicitUrlParams) -> ElicitResult {
        match self {
            Self::Accept(_) => ElicitResult::accept(ElicitContent::new()),
            Self::Cancel => ElicitResult::cancel(),
            Self::Decline => ElicitResult::decline(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_used_up_and_an_object_is_not() {
        let mut answers = Answers::parse(r#"[{"a": 1}, "decline"]"#).unwrap();
        assert!(matches!(answers.next(), Answer::Accept(content) if content.len() == 1));
        assert_eq!(answers.next(), Answer::Decline);
        assert_eq!(answers.next(), Answer::Cancel);
        let mut answers = Answers::parse(r#"{"a": ["b"]}"#).unwrap();
        assert_eq!(answers.next(), answers.next());
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for text in ["7", "[\"maybe\"]", "{\"a\": {}}", "{"] {
            assert!(Answers::parse(text).is_err(), "{text}");
        }
    }
}
