//! Lists on standard output, entry by entry.

use std::io::{self, Write};

use anyhow::ensure;
use proofmark_check::record::text::{self, excerpt_of};

use super::Entry;
use crate::say;

/// How far the output is.
pub(super) struct Shown {
    form: Form,
    /// Of all entries, as JSON.
    bytes: u64,
    sections: usize,
    /// In the section that is open.
    entries: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A line for each, and one for its arguments.
    People,
    /// One JSON document.
    Programs,
}

impl Shown {
    pub(super) fn for_people() -> Self {
        Self { form: Form::People, bytes: 0, sections: 0, entries: 0 }
    }

    pub(super) fn for_programs() -> Self {
        Self { form: Form::Programs, ..Self::for_people() }
    }

    /// A section, with its title for people and its name in JSON.
    pub(super) fn begin(&mut self, (title, name): (&str, &str)) {
        let first = self.sections == 0;
        match self.form {
            Form::People if first => say::on_stdout(title),
            Form::People => say::on_stdout(format_args!("\n{title}")),
            Form::Programs => print(&format!("{}\n  \"{name}\": [", if first { "{" } else { "," })),
        }
        self.sections += 1;
        self.entries = 0;
    }

    pub(super) fn entry(&mut self, entry: &impl Entry) -> anyhow::Result<()> {
        let mut size = Size(0);
        serde_json::to_writer(&mut size, entry)?;
        self.bytes += size.0;
        ensure!(
            self.bytes <= MOST_BYTES,
            "the server lists more than {} MiB; the rest is not shown",
            MOST_BYTES >> 20
        );
        match self.form {
            Form::People => {
                let description = entry.description().and_then(|it| it.lines().next());
                let line = format!(
                    "  {}  {}",
                    excerpt_of(entry.key().as_bytes(), LONGEST),
                    excerpt_of(description.unwrap_or_default().as_bytes(), LONGEST)
                );
                say::on_stdout(line.trim_end());
                let arguments = entry.arguments().join(" ");
                if !arguments.is_empty() {
                    say::on_stdout(format_args!(
                        "      {}",
                        excerpt_of(arguments.as_bytes(), LONGEST)
                    ));
                }
            }
            Form::Programs => {
                // Once through a value, because raw parts keep the spacing that they came with.
                let document = serde_json::to_string_pretty(&serde_json::to_value(entry)?)?;
                let comma = if self.entries == 0 { "" } else { "," };
                print(&format!("{comma}\n    {}", text::json(&document).replace('\n', "\n    ")));
            }
        }
        self.entries += 1;
        Ok(())
    }

    pub(super) fn end(&mut self) {
        if self.form == Form::Programs {
            print(if self.entries == 0 { "]" } else { "\n  ]" });
        }
    }

    pub(super) fn finish(self) {
        if self.form == Form::Programs {
            print(if self.sections == 0 { "{}\n" } else { "\n}\n" });
        }
    }
}

/// A piece of a document whose strings have been seen to.
fn print(piece: &str) {
    // A reader that has stopped listening is no reason to fail.
    let _ = io::stdout().write_all(piece.as_bytes());
}

/// Counts bytes, and keeps none.
struct Size(u64);

impl Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// More than any list that is meant to be read.
const MOST_BYTES: u64 = 64 << 20;
/// Characters of a name, and of the first line of a description.
const LONGEST: usize = 1000;
