//! A badge for a README: the verdict as SVG, with a text alternative.

use proofmark_check::record::text::html;

use crate::{outcome::Verdict, store::ResultRow};

/// The worst verdict of a server's ways, and its lowest score.
pub fn write(results: &[ResultRow]) -> String {
    let failed = results.iter().any(|it| it.verdict.is_failure());
    let broken = results.iter().any(|it| it.verdict == Verdict::Broken);
    let score = results.iter().filter_map(|it| it.score).min();
    let (word, colour) = match (results.is_empty(), failed, broken) {
        (true, ..) => ("not checked", "#59636e"),
        (_, true, _) => ("no verdict", "#59636e"),
        (_, _, true) => ("not conformant", "#b3261e"),
        _ => ("conformant", "#1a7f37"),
    };
    let word = match score {
        Some(score) if !failed => format!("{word}, {score}"),
        _ => word.to_owned(),
    };
    svg("MCP", &word, colour)
}

fn svg(left: &str, right: &str, colour: &str) -> String {
    let width = |text: &str| text.chars().count() * 7 + 12;
    let (first, second) = (width(left), width(right));
    let (all, middle) = (first + second, first + second / 2);
    let (left, right) = (html(left), html(right));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"20\" role=\"img\" aria-label=\"{left}: {right}\">\
         <title>{left}: {right}</title>\
         <rect width=\"{first}\" height=\"20\" fill=\"#3d444d\"/><rect x=\"{first}\" width=\"{second}\" height=\"20\" fill=\"{colour}\"/>\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\
         <text x=\"{}\" y=\"14\">{left}</text><text x=\"{middle}\" y=\"14\">{right}</text></g></svg>\n",
        first / 2
    )
}
