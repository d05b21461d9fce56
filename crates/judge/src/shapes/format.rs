//! What strings of a format look like. In doubt a string fits.

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use proofmark_core::uri_template::UriTemplate;

use super::table::Format;

pub(super) fn fits(format: Format, text: &str) -> bool {
    match format {
        Format::Free => true,
        Format::Base64 => BASE64.decode(text).is_ok(),
        Format::DateTime => is_date(text),
        Format::Uri => is_uri(text),
        Format::UriTemplate => UriTemplate::parse(text).is_ok(),
    }
}

/// A scheme and a colon, and behind it no character that a URI cannot have. Letters of other scripts pass: many write them as they are.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it));
    is_scheme && !rest.chars().any(|it| it.is_ascii_control() || NEVER.contains(it))
}

/// A year, and behind it nothing that no date or time has.
fn is_date(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    text.len() >= 4
        && text.bytes().take(4).all(|it| it.is_ascii_digit())
        && text.chars().all(|it| it.is_ascii_digit() || "+-.,: TtWZz".contains(it))
}

/// Characters of ASCII that no part of a URI has.
const NEVER: &str = " \"<>\\^`{|}";

/// Padded as it should be or not at all.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_have_a_scheme_and_no_blanks() {
        for right in ["file:///a", "urn:a:b", "x+y://a?b#c", "data:,a%20b", "test://é"] {
            assert!(fits(Format::Uri, right), "{right}");
        }
        for wrong in ["", "a", "/a/b", "a b:c", "1a:b", "http://a b", "http://{a}", ":a"] {
            assert!(!fits(Format::Uri, wrong), "{wrong}");
        }
    }

    #[test]
    fn dates_begin_with_a_year() {
        let all = ["2025-01-12T15:00:58Z", "2025", "2025-W03-1", "20250112T150058,5+01:00"];
        for right in all {
            assert!(fits(Format::DateTime, right), "{right}");
        }
        for wrong in ["", "yesterday", "12/01/2025", "1", "2025-Jan-01"] {
            assert!(!fits(Format::DateTime, wrong), "{wrong}");
        }
    }

    #[test]
    fn base64_may_leave_its_padding_out() {
        for right in ["", "aGk=", "aGk", "aGk+/w=="] {
            assert!(fits(Format::Base64, right), "{right}");
        }
        for wrong in ["a", "not base64!", "aG k="] {
            assert!(!fits(Format::Base64, wrong), "{wrong}");
        }
    }

    #[test]
    fn templates_close_their_braces() {
        assert!(fits(Format::UriTemplate, "file:///{path}{?a,b}"));
        assert!(!fits(Format::UriTemplate, "file:///{path"));
    }
}
