//! Requirements by id, or by a pattern with `*`.

/// Whether an id is among those wanted and not among those left out.
pub(super) fn selects(id: &str, only: &[String], skip: &[String]) -> bool {
    let listed = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, id));
    (only.is_empty() || listed(only)) && !listed(skip)
}

/// `*` stands for any number of characters; upper and lower case are the same.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else {
        return pattern.eq_ignore_ascii_case(text);
    };
    let Some((start, rest)) = text.split_at_checked(head.len()) else { return false };
    start.eq_ignore_ascii_case(head)
        && (0..=rest.len()).any(|at| rest.get(at..).is_some_and(|rest| matches(tail, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, expected) in [
            ("M0*", "M022", true),
            ("m022", "M022", true),
            ("*2", "M022", true),
            ("M*2", "M022", true),
            ("M1*", "M022", false),
            ("M02", "M022", false),
            ("M0222*", "M022", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern}");
        }
    }

    #[test]
    fn what_is_skipped_is_not_selected_even_if_it_is_wanted() {
        let list = |text: &str| vec![text.to_owned()];
        assert!(selects("M001", &[], &[]));
        assert!(!selects("M001", &list("S*"), &[]));
        assert!(!selects("M001", &list("M*"), &list("M001")));
    }
}
