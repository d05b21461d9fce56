//! Commands that the pages show are commands that the program takes.

use std::{fs, path::Path};

use clap::Parser;

use crate::arguments::Arguments;

#[test]
fn every_command_of_the_pages_can_be_typed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    pages.extend(fs::read_dir(root.join("docs")).unwrap().map(|it| it.unwrap().path()));
    pages.retain(|it| it.extension().is_some_and(|end| end == "md"));
    let mut commands = 0;
    for page in &pages {
        for line in shell_lines(&fs::read_to_string(page).unwrap()) {
            for words in typed(&line).into_iter().filter(|it| it[0] == "proofmark") {
                commands += 1;
                if let Err(error) = Arguments::try_parse_from(&words) {
                    assert!(!error.use_stderr(), "{}: {line}\n{error}", page.display());
                }
            }
        }
    }
    assert!(commands > 50, "only {commands} commands in {} pages", pages.len());
}

#[test]
fn words_are_cut_as_a_shell_does() {
    let line = r#"proofmark call a '{"b": 1}' "c d" > file && echo x # no"#;
    let expected = [vec!["proofmark", "call", "a", r#"{"b": 1}"#, "c d"], vec!["echo", "x"]];
    assert_eq!(typed(line), expected);
}

/// The lines of blocks that are for a shell.
fn shell_lines(page: &str) -> Vec<String> {
    let (mut lines, mut inside) = (Vec::new(), false);
    for line in page.lines() {
        match line.trim().strip_prefix("```") {
            Some(kind) => inside = !inside && kind.split(' ').next() == Some("sh"),
            None if inside => lines.push(line.trim().to_owned()),
            None => {}
        }
    }
    lines
}

/// The commands of a line, as words. What goes to a file is not followed.
fn typed(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words, mut word) = (Vec::new(), Vec::new(), None::<String>);
    let (mut quote, mut to_file) = (None, false);
    for character in line.chars().chain([' ', '&']) {
        match (quote, character) {
            (Some(open), it) if it == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ') => {
                let done = word.take();
                words.extend(done.filter(|_| !std::mem::take(&mut to_file)));
            }
            (None, '>') => to_file = true,
            (None, '&' | '|' | ';' | '#') if word.is_none() => {
                if !words.is_empty() {
                    commands.push(std::mem::take(&mut words));
                }
                if character == '#' {
                    break;
                }
            }
            (_, it) => word.get_or_insert_default().push(it),
        }
        // A space behind the sign belongs to no word.
        if to_file && character == ' ' && word.is_none() {
            to_file = line.contains('>');
        }
    }
    commands
}
