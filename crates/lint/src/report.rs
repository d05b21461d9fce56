//! What was found, for people and for programs. One file per format; each is a function of the outcome.

pub mod github;
pub mod json;
pub mod pretty;
pub mod sarif;
pub mod table;

use proofmark_record::text::excerpt_of;

use crate::{Finding, List};

/// Where a finding is, in a line: `tool delete_note /annotations`.
fn place(finding: &Finding) -> String {
    let place = &finding.place;
    match (place.list, place.name.is_empty()) {
        (List::Instructions, _) => "instructions".to_owned(),
        (list, true) => format!("all {}s", list.entry()),
        (list, false) => {
            let name = excerpt_of(place.name.as_bytes(), LONGEST_NAME);
            let pointer = excerpt_of(place.pointer.as_bytes(), LONGEST_POINTER);
            format!("{} {name} {pointer}", list.entry()).trim_end().to_owned()
        }
    }
}

fn message(finding: &Finding) -> String {
    excerpt_of(finding.message.as_bytes(), LONGEST_MESSAGE)
}

const LONGEST_NAME: usize = 80;
const LONGEST_POINTER: usize = 160;
const LONGEST_MESSAGE: usize = 240;
