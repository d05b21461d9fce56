//! Results as a table for spreadsheets, RFC 4180.

use proofmark_check::record::text::plain;

use crate::{store::ResultRow, time};

pub fn write(results: &[ResultRow]) -> String {
    let mut text = String::from(
        "server,owner,stage,wanted,transport,revision,verdict,score,pass,fail,warn,skip,untestable,excused,tests_passed,\
         tests_failed,version,started,milliseconds,why\r\n",
    );
    for row in results {
        let word = |it: &Option<String>| it.clone().unwrap_or_default();
        let counts = row.counts;
        let numbers = [
            counts.pass,
            counts.fail,
            counts.warn,
            counts.skip,
            counts.untestable,
            counts.excused,
            row.tests.passed,
            row.tests.failed,
        ];
        let cells = [row.server.clone(), word(&row.owner), word(&row.stage)]
            .into_iter()
            .chain([row.wanted.clone(), row.transport.clone(), word(&row.revision)])
            .chain([row.verdict.as_str().to_owned()])
            .chain([row.score.map(|it| it.to_string()).unwrap_or_default()])
            .chain(numbers.map(|it| it.to_string()))
            .chain([word(&row.peer_version), time::rfc3339(row.started), row.took.to_string()])
            .chain([word(&row.why)]);
        let cells: Vec<String> = cells.map(|it| cell(&it)).collect();
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    text
}

/// One line, and nothing that a spreadsheet takes for a formula.
fn cell(text: &str) -> String {
    let text = plain(text);
    let text = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text };
    if text.contains(['"', ',', '\'']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_no_formula_and_no_second_line() {
        assert_eq!(cell("a,b\"c\n"), "\"a,b\"\"c\\n\"");
        assert_eq!(cell("=1+1"), "\"'=1+1\"");
        assert_eq!(cell("plain"), "plain");
    }
}
