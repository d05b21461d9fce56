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

/// Characters of ASCII that no part of a URI has.
const NEVER: &str = " \"<>\\^`{|}";

/// Padded as it should be or not at all.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);
