//! Generated tests as part of a file that belongs to a person: what a person changed stays as it is.
//!
//! Each generated test stands behind a line with a digest of its text. A test whose text no longer fits its digest was edited, and is neither
//! changed nor removed. Everything outside of generated tests is copied letter by letter.

use std::fmt::Write;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    file::{Act, Test, escape},
    yaml,
};

/// A file with its generated tests brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regenerated {
    pub text: String,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    /// Tests that a person changed.
    pub kept: usize,
}

/// The text of a file with these tests. `server` is written if the file is new.
pub fn regenerate(
    existing: Option<&str>,
    server: (&str, &Value),
    tests: &[Test],
    seed: u64,
) -> Regenerated {
    let head = || {
        let mut text = String::from(
            "# What `proofmark test` runs. Tests below lines with `generated:` are made again by `proofmark generate`,\n",
        );
        text.push_str("# as long as nobody changes them; everything else is left alone.\n");
        let document = json!({"seed": seed, "servers": {server.0: server.1}});
        text.push_str(&yaml::write(&document));
        text.push_str("tests:\n");
        text
    };
    let fresh: Vec<(String, String)> =
        tests.iter().map(|test| (test.name.clone(), block(test))).collect();
    let mut out = Regenerated { text: String::new(), added: 0, changed: 0, removed: 0, kept: 0 };
    let old = existing.map_or_else(head, str::to_owned);
    let mut written: Vec<&str> = Vec::new();
    for piece in pieces(&old) {
        let Piece::Generated { mark, body } = piece else {
            let Piece::Own(text) = piece else { continue };
            out.text.push_str(text);
            continue;
        };
        let name = name_of(body);
        let known = fresh.iter().find(|(it, _)| Some(it.as_str()) == name.as_deref());
        let edited = !mark.contains(&digest(body));
        match known {
            _ if edited => {
                out.kept += 1;
                out.text.push_str(mark);
                out.text.push_str(body);
                written.extend(known.map(|(name, _)| name.as_str()));
            }
            Some((name, block)) => {
                out.changed += usize::from(block != body);
                push(&mut out.text, block);
                written.push(name);
            }
            None => out.removed += 1,
        }
    }
    if !out.text.ends_with('\n') {
        out.text.push('\n');
    }
    if !has_tests(&out.text) {
        out.text.push_str("tests:\n");
    }
    for (name, block) in &fresh {
        if !written.contains(&name.as_str()) {
            out.added += 1;
            push(&mut out.text, block);
        }
    }
    out
}

fn push(text: &mut String, block: &str) {
    let _ = writeln!(text, "{MARK}{}", digest(block));
    text.push_str(block);
}

fn block(test: &Test) -> String {
    let mut value =
        json!({"name": escape(&json!(test.name)), "server": test.server, "tags": test.tags});
    if let Some(step) = test.steps.first()
        && let Act::Call { tool, arguments, .. } = &step.act
    {
        value["call"] = json!(tool);
        value["arguments"] = environment_escaped(arguments);
        if let Some(wanted) = step.expect.arguments {
            value["expect"] = json!({"arguments": wanted.as_str()});
        }
    }
    // The name first, as people write it.
    let Value::Object(mut members) = value else { return String::new() };
    let name = members.remove("name").unwrap_or_default();
    let first = yaml::write(&json!([{"name": name}]));
    let rest = yaml::write(&Value::Object(members));
    let indented = |text: &str, by: usize| -> String {
        text.lines()
            .map(
                |line| {
                    if line.is_empty() { "\n".to_owned() } else { format!("{:by$}{line}\n", "") }
                },
            )
            .collect()
    };
    format!("{}{}", indented(&first, 2), indented(&rest, 4))
}

/// Names are escaped in the arguments already.
fn environment_escaped(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("${", "$${")),
        Value::Array(items) => Value::Array(items.iter().map(environment_escaped).collect()),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), environment_escaped(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

#[derive(Clone, Copy)]
enum Piece<'t> {
    Own(&'t str),
    Generated { mark: &'t str, body: &'t str },
}

/// A generated test begins behind its mark and ends where the next item, key or mark of the same or a lesser indent begins.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut own = 0;
    let mut at = 0;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut number = 0;
    while number < lines.len() {
        let line = lines[number];
        if !line.starts_with(MARK) {
            at += line.len();
            number += 1;
            continue;
        }
        if own < at {
            pieces.push(Piece::Own(&text[own..at]));
        }
        let mark = &text[at..at + line.len()];
        at += line.len();
        number += 1;
        let begin = at;
        let mut first = true;
        while number < lines.len() {
            let line = lines[number];
            let belongs = line.trim().is_empty()
                || line.starts_with("    ")
                || (first && line.starts_with("  - "));
            if !belongs {
                break;
            }
            first = false;
            at += line.len();
            number += 1;
        }
        pieces.push(Piece::Generated { mark, body: &text[begin..at] });
        own = at;
    }
    if own < text.len() {
        pieces.push(Piece::Own(&text[own..]));
    }
    pieces
}

fn name_of(body: &str) -> Option<String> {
    let node = yaml::read(body).ok()?.value();
    let name = node.get(0)?.get("name")?.as_str()?;
    let plain = crate::file::Variables::default().fill_in(&name.replace("$${", "${"));
    plain.ok()
}

fn has_tests(text: &str) -> bool {
    text.lines().any(|line| line.trim_end() == "tests:" || line.starts_with("tests: "))
}

fn digest(body: &str) -> String {
    let digest = Sha256::digest(body.trim_end().as_bytes());
    digest[..6].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

const MARK: &str = "  # generated: ";
