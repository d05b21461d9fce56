//! Each line split, merged, indented, prefixed, cut. Pipes only.

use super::{
    laws::{self, Law},
    specimen::Specimen,
    variation::{Class, Edit, Target, Variation, Verdict},
};
use crate::self_test::setting::Setting;

type Write = fn(&str) -> Vec<u8>;

pub(super) fn all(kinds: &[&Specimen], setting: Setting) -> Vec<Variation> {
    let illegal = ILLEGAL.iter().map(|(operator, law, write)| (*operator, law.broken(), *write));
    let legal = LEGAL.iter().map(|(operator, write)| (*operator, Verdict::Legal, *write));
    let operators: Vec<_> = illegal.chain(legal).collect();
    let of = |specimen: &Specimen| {
        let specimen = specimen.clone();
        let made = operators.iter().cloned().map(move |(operator, verdict, write)| Variation {
            class: Class::Lines,
            operator,
            place: specimen.kind.to_string(),
            verdict,
            setting,
            scenario: Some(specimen.scenario.clone()),
            target: Target::kind(&specimen.kind),
            edit: Edit::Line(Box::new(write)),
        });
        made.collect::<Vec<_>>()
    };
    kinds.iter().copied().flat_map(of).collect()
}

/// The text with something before, in the middle and behind it. The middle is behind the first brace, where space is allowed.
fn around(before: &str, text: &str, middle: &str, behind: &str) -> Vec<u8> {
    let (brace, rest) = text.split_at(1.min(text.len()));
    format!("{before}{brace}{middle}{rest}{behind}").into_bytes()
}

const ILLEGAL: &[(&str, Law, Write)] = &[
    ("split over two lines", laws::ONE_LINE, |text| around("", text, "\n", "\n")),
    ("split over two lines that end in CRLF", laws::ONE_LINE, |text| {
        around("", text, "\r\n", "\r\n")
    }),
    ("printed over many lines", laws::ONE_LINE, |text| {
        format!("{}\n", text.replace(',', ",\n  ")).into_bytes()
    }),
    ("twice on one line", laws::ONE_LINE, |text| format!("{text}{text}\n").into_bytes()),
    ("without its newline", laws::ONE_LINE, |text| text.as_bytes().to_vec()),
    ("prefixed with a word", laws::ONLY_MESSAGES, |text| around("INFO ", text, "", "\n")),
    ("followed by a word", laws::ONLY_MESSAGES, |text| around("", text, "", " # done\n")),
    ("after a line of a log", laws::ONLY_MESSAGES, |text| {
        around("listening on standard input\n", text, "", "\n")
    }),
    ("before a line of a log", laws::ONLY_MESSAGES, |text| around("", text, "", "\nanswered\n")),
    ("after a line that is a number", laws::ONLY_MESSAGES, |text| around("7\n", text, "", "\n")),
    ("after a line that is an empty object", laws::ONLY_MESSAGES, |text| {
        around("{}\n", text, "", "\n")
    }),
    ("behind a Content-Length header", laws::ONLY_MESSAGES, |text| {
        let head = format!("Content-Length: {}\r\n\r\n", text.len());
        around(&head, text, "", "\n")
    }),
    ("cut in the middle", laws::ONLY_MESSAGES, |text| {
        let half = text.len() / 2;
        let half = (half..text.len()).find(|it| text.is_char_boundary(*it)).unwrap_or(half);
        format!("{}\n", &text[..half]).into_bytes()
    }),
    ("with a comma behind the last member", laws::ONLY_MESSAGES, |text| {
        let body = text.strip_suffix('}').unwrap_or(text);
        format!("{body},}}\n").into_bytes()
    }),
    ("with quotes of another kind", laws::ONLY_MESSAGES, |text| {
        format!("{}\n", text.replace('"', "'")).into_bytes()
    }),
    ("with a byte that is no UTF-8", laws::UTF_8, |text| {
        let mut bytes = around("", text, "\"proofmark\":\"X\",", "\n");
        if let Some(at) = bytes.iter().position(|byte| *byte == b'X') {
            bytes[at] = 0xff;
        }
        bytes
    }),
];

const LEGAL: &[(&str, Write)] = &[
    ("indented", |text| around("  ", text, "", "\n")),
    ("indented with a tab", |text| around("\t", text, "", "\n")),
    ("with space behind", |text| around("", text, "", "   \n")),
    ("with space inside", |text| around("", text, " \t ", "\n")),
    ("with a line that ends in CRLF", |text| around("", text, "", "\r\n")),
];
