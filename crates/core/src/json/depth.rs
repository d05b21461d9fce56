//! Refuses deep nesting before anything recurses into it.
//!
//! `serde_json` limits the depth of what it decodes, but a payload that is kept raw is skipped without a limit: a caller that decodes it
//! later would meet the nesting with a stack of unknown size.

use memchr::memchr2;

/// Arrays and objects are nested deeper than the limit allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nested deeper than {limit} levels at byte {at}")]
pub struct TooDeep {
    pub limit: usize,
    /// Offset of the bracket that went too far.
    pub at: usize,
}

/// Checks that no value in `text` lies under more than `limit` brackets.
///
/// The text need not be JSON: brackets inside strings do not count, and everything else is left for the parser to judge.
pub fn check_depth(text: &str, limit: usize) -> Result<(), TooDeep> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at + 1),
            b'[' | b'{' => {
                depth += 1;
                if depth > limit {
                    return Err(TooDeep { limit, at });
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// Offset of the quote that ends the string whose content begins at `at`, or the end of the text.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_allowed_up_to_the_limit_and_refused_one_beyond() {
        assert_eq!(check_depth("[[{}]]", 3), Ok(()));
        assert_eq!(check_depth("[[{}]]", 2), Err(TooDeep { limit: 2, at: 2 }));
    }

    #[test]
    fn siblings_do_not_add_up() {
        assert_eq!(check_depth("[[],[],[],{\"a\":[]}]", 3), Ok(()));
    }

    #[test]
    fn brackets_inside_strings_do_not_count() {
        assert_eq!(check_depth(r#"["[[[[", "\"[[[[", "\\"]"#, 1), Ok(()));
        assert_eq!(check_depth(r#"["\\\\",["#, 1), Err(TooDeep { limit: 1, at: 8 }));
    }

    #[test]
    fn text_that_is_not_json_ends_the_scan() {
        assert_eq!(check_depth("\"no end \\", 1), Ok(()));
        assert_eq!(check_depth("]]]]}{", 1), Ok(()));
    }

    #[test]
    fn a_million_levels_are_refused_without_recursion() {
        let text = "[".repeat(1_000_000);
        assert_eq!(check_depth(&text, 64), Err(TooDeep { limit: 64, at: 64 }));
    }
}
