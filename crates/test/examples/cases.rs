//! Prints the cases of schemas, a line of JSON for each schema, for a validator of another author to look at.
//!
//! `cases 2000` takes random schemas; `cases FILE` those of a file whose lines have an `id` and a `schema`.

use std::{
    fs,
    io::{self, Write},
};

use proofmark_test::generate::{Case, CaseKind, Limits, cases, corpus::schema_for};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "2000".to_owned());
    let mut out = io::BufWriter::new(io::stdout().lock());
    if let Ok(count) = wanted.parse() {
        for seed in 0..count {
            write(&mut out, &json!(seed), &schema_for(seed))?;
        }
    } else {
        for line in fs::read_to_string(wanted)?.lines() {
            let entry: Value = serde_json::from_str(line)?;
            write(&mut out, &entry["id"], &entry["schema"])?;
        }
    }
    out.flush()
}

fn write(out: &mut impl Write, id: &Value, schema: &Value) -> io::Result<()> {
    let (made, unusable) = match cases(schema, Limits::default()) {
        Ok(made) => (made.cases, None),
        Err(unusable) => (Vec::new(), Some(unusable.to_string())),
    };
    let cases: Vec<_> = made.iter().filter_map(shown).collect();
    writeln!(out, "{}", json!({"id": id, "schema": schema, "cases": cases, "unusable": unusable}))
}

fn shown(case: &Case) -> Option<Value> {
    match &case.kind {
        CaseKind::Valid => Some(json!({"valid": true, "value": case.value})),
        // A format is no reason to refuse anything unless a validator is told to.
        CaseKind::Invalid { keyword, place } if !case.id.ends_with("(format)") => {
            Some(json!({"valid": false, "value": case.value, "keyword": keyword, "place": place}))
        }
        _ => None,
    }
}
