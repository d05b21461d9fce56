//! Prints the cases of random schemas, a line of JSON for each schema, for a validator of another author to look at.

use std::io::{self, Write};

use proofmark_test::generate::{CaseKind, Limits, cases, corpus::schema_for};
use serde_json::json;

fn main() -> io::Result<()> {
    let count = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(2000);
    let mut out = io::BufWriter::new(io::stdout().lock());
    for seed in 0..count {
        let schema = schema_for(seed);
        let Ok(made) = cases(&schema, Limits::default()) else { continue };
        let cases: Vec<_> = made
            .cases
            .iter()
            .filter_map(|case| match &case.kind {
                CaseKind::Valid => Some(json!({"valid": true, "value": case.value})),
                // A format is no reason to refuse anything unless a validator is told to.
                CaseKind::Invalid { keyword, place } if !case.id.ends_with("(format)") => {
                    Some(json!({"valid": false, "value": case.value, "keyword": keyword, "place": place}))
                }
                _ => None,
            })
            .collect();
        writeln!(out, "{}", json!({"seed": seed, "schema": schema, "cases": cases}))?;
    }
    out.flush()
}
