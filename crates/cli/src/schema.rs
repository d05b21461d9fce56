//! `proofmark schema`: the form of what other programs read.

use crate::{
    arguments::{Schema, SchemaName},
    exit, say,
};

pub(crate) fn run(arguments: &Schema) -> u8 {
    let text = match arguments.name {
        SchemaName::Lint => include_str!("../schemas/lint-1.json"),
        SchemaName::Report => include_str!("../schemas/report-1.json"),
        SchemaName::Test => include_str!("../schemas/test-1.json"),
        SchemaName::Transcript => include_str!("../schemas/transcript-1.json"),
    };
    say::report(text.trim_end());
    exit::SUCCESS
}
