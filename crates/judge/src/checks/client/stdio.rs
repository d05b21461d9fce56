//! What a client writes to the server's input, and how it closes it.

use crate::{
    checks::{Check, stdio},
    mutant::Mutant,
    outcome::{Finding, Outcome},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::event::What;

use super::ended_by_itself;

pub(crate) const M014: Check = Check {
    how: "looks at how the client's last line ends",
    fix: stdio::M014.fix,
    judge: stdio::M014.judge,
    mutants: &[Mutant::new(
        "does not end its last line",
        Mutation::Farewell(Some("{\"jsonrpc\":\"2.0\"")),
    )
    .also(&["M017"])],
};

pub(crate) const M015: Check = Check {
    how: stdio::M015.how,
    fix: stdio::M015.fix,
    judge: stdio::M015.judge,
    mutants: &[Mutant::new(
        "spreads a message over several lines",
        Mutation::Line(|text| {
            let spread = if is_last(text) { text.replacen(',', ",\n", 1) } else { text.to_owned() };
            format!("{spread}\n").into_bytes()
        }),
    )
    .also(&["M017", "M221", "S101"])],
};

pub(crate) const M017: Check = Check {
    how: "looks at every line that the client writes to the server's input",
    fix: "write nothing but messages to the server's input",
    judge: stdio::M016.judge,
    mutants: &[Mutant::new(
        "greets the server",
        Mutation::Line(|text| {
            let junk = if is_last(text) { "hello\n" } else { "" };
            format!("{junk}{text}\n").into_bytes()
        }),
    )],
};

pub(crate) const M164: Check = Check {
    how: stdio::M164.how,
    fix: stdio::M164.fix,
    judge: stdio::M164.judge,
    mutants: &[Mutant::new(
        "answers in batches",
        Mutation::Line(|text| {
            let line = if is_last(text) { format!("[{text}]") } else { text.to_owned() };
            format!("{line}\n").into_bytes()
        }),
    )],
};

pub(crate) const S001: Check = Check {
    how: "looks at how the pipe ends when the client is done",
    fix: "close the server's input first, and use signals only if the server stays",
    judge: |evidence| {
        let mut seen = false;
        for (place, event) in evidence.events() {
            match &event.what {
                What::Ended { exchange: 0 } => seen = true,
                What::Broken { exchange: 0, why }
                    if ended_by_itself(evidence, place.conversation) =>
                {
                    let expected = "the server's input is closed first";
                    return Outcome::Broken(Finding::new(expected, why.clone(), place));
                }
                _ => {}
            }
        }
        if seen {
            Outcome::Kept
        } else {
            Outcome::Unobserved("the client did not end by itself".to_owned())
        }
    },
    mutants: &[Mutant::new("kills the server", Mutation::Farewell(None))],
};

/// The answer to the last ping.
fn is_last(text: &str) -> bool {
    text.contains("\"last-ping\"")
}
