//! SPDX expressions, as packages state their licences.

use std::collections::BTreeSet;

/// Whether what is allowed is enough for this expression.
pub(super) fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let words = words(expression);
    let mut rest = words.as_slice();
    !words.is_empty() && either(&mut rest, allowed) && rest.is_empty()
}

/// Whether the expression has this licence in it.
pub(super) fn names(expression: &str, licence: &str) -> bool {
    words(expression).iter().any(|word| word == licence)
}

fn either(rest: &mut &[String], allowed: &BTreeSet<String>) -> bool {
    let mut is_allowed = both(rest, allowed);
    while take(rest, "OR") {
        is_allowed |= both(rest, allowed);
    }
    is_allowed
}

fn both(rest: &mut &[String], allowed: &BTreeSet<String>) -> bool {
    let mut is_allowed = one(rest, allowed);
    while take(rest, "AND") {
        is_allowed &= one(rest, allowed);
    }
    is_allowed
}

fn one(rest: &mut &[String], allowed: &BTreeSet<String>) -> bool {
    if take(rest, "(") {
        let is_allowed = either(rest, allowed);
        return take(rest, ")") && is_allowed;
    }
    let Some((licence, after)) = rest.split_first() else { return false };
    *rest = after;
    if !take(rest, "WITH") {
        return allowed.contains(licence);
    }
    // With an exception it is another licence, which has to be allowed as such.
    let Some((exception, after)) = rest.split_first() else { return false };
    *rest = after;
    allowed.contains(&format!("{licence} WITH {exception}"))
}

fn take(rest: &mut &[String], word: &str) -> bool {
    match rest.split_first() {
        Some((first, after)) if first == word => {
            *rest = after;
            true
        }
        _ => false,
    }
}

/// Older packages write a slash for "or".
fn words(expression: &str) -> Vec<String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_allowed_if_one_of_its_choices_is() {
        let allowed = BTreeSet::from(["MIT".to_owned(), "ISC".to_owned()]);
        for expression in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/GPL-3.0",
            "MIT AND ISC",
            "(GPL-3.0 OR MIT) AND ISC",
            "Apache-2.0 WITH LLVM-exception OR MIT",
        ] {
            assert!(is_allowed(expression, &allowed), "{expression}");
        }
        for expression in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "MIT WITH exception",
            "(MIT",
            "MIT)",
            "MIT MIT",
            "GPL-3.0 OR MIT AND GPL-2.0",
        ] {
            assert!(!is_allowed(expression, &allowed), "{expression}");
        }
    }
}
