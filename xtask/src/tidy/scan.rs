//! Finds words in text, and code among comments and quotes.

/// The offsets at which `word` stands by itself, not inside a longer identifier.
pub(super) fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_identifier) && !after.is_some_and(is_identifier)
    })
}

/// The line, counted from one, in which an offset lies.
pub(super) fn line_at(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

pub(super) fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Rust source twice: without comments and the insides of literals, and with nothing but comments. What is left out is blank; line
/// breaks stay.
///
/// Rules look here so that a sentence or a test's sample text cannot trip them.
pub(super) fn split(text: &str) -> (String, String) {
    let chars: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut comments = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let (part, end) = part_at(&chars, at);
        let end = end.min(chars.len());
        for &c in &chars[at..end] {
            let or_blank = |shown: bool| if shown || c == '\n' { c } else { ' ' };
            code.push(or_blank(part == Part::Code));
            comments.push(or_blank(part == Part::Comment));
        }
        at = end;
    }
    (code, comments)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    Comment,
    Literal,
}

/// What starts here, and where it ends.
fn part_at(chars: &[char], at: usize) -> (Part, usize) {
    let rest = &chars[at..];
    let literal = |length: usize| (Part::Literal, at + length);
    match rest {
        ['/', '/', ..] => {
            let length = rest.iter().position(|&c| c == '\n').unwrap_or(rest.len());
            (Part::Comment, at + length)
        }
        ['/', '*', ..] => (Part::Comment, at + block_comment(rest)),
        ['"', ..] => literal(quoted(rest, '"')),
        ['\'', '\\', ..] => literal(quoted(rest, '\'')),
        ['\'', _, '\'', ..] => literal(3),
        ['r', ..] if may_start_raw_string(&chars[..at]) => {
            raw_string(rest).map_or((Part::Code, at + 1), literal)
        }
        _ => (Part::Code, at + 1),
    }
}

/// Comments nest in Rust.
fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            ['/', '*', ..] => {
                depth += 1;
                at += 2;
            }
            ['*', '/', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// `r`, `br` and `cr` start a raw string; the `r` of `for` or of `bar` does not.
fn may_start_raw_string(before: &[char]) -> bool {
    match before {
        [.., c, 'b' | 'c'] => !is_identifier(*c),
        [.., c] => !is_identifier(*c) || (before.len() == 1 && matches!(c, 'b' | 'c')),
        [] => true,
    }
}

/// `None` where the `r` begins a raw identifier or a plain one.
fn raw_string(rest: &[char]) -> Option<usize> {
    let hashes = rest[1..].iter().take_while(|&&c| c == '#').count();
    let open = 1 + hashes;
    if rest.get(open) != Some(&'"') {
        return None;
    }
    let inside = &rest[open + 1..];
    let close = (0..inside.len()).find(|&at| {
        inside[at] == '"' && inside[at + 1..].iter().take_while(|&&c| c == '#').count() >= hashes
    });
    Some(close.map_or(rest.len(), |at| open + 1 + at + 1 + hashes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_inside_a_longer_one_is_not_found() {
        assert_eq!(words("flattened un_flatten flatten", "flatten").collect::<Vec<_>>(), [21]);
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(line_at("a\nb", 0), 1);
        assert_eq!(line_at("a\nb", 2), 2);
    }

    #[test]
    fn comments_are_blank() {
        assert_code("a // b\nc /* d /* e */ f\n */ g", "a\nc\ng");
    }

    #[test]
    fn comments_are_kept_apart() {
        let (_, comments) = split("a(\"// b\") // c\n/* d */ e");
        assert_eq!(comments.split('\n').map(str::trim).collect::<Vec<_>>(), ["// c", "/* d */"]);
    }

    #[test]
    fn strings_are_blank_and_end_where_they_end() {
        assert_code(r#"a("b\"c", d)"#, "a( , d)");
        assert_code(r##"a(r#"b"c"#, d)"##, "a( , d)");
        assert_code(r#"a(br"\", d)"#, "a(b , d)");
    }

    #[test]
    fn a_quote_character_does_not_open_a_string() {
        assert_code(r#"a('"', b, '\'', c)"#, "a( , b, , c)");
    }

    #[test]
    fn lifetimes_and_raw_identifiers_are_code() {
        assert_code("fn r#type<'a>(b: &'a str) {}", "fn r#type<'a>(b: &'a str) {}");
    }

    #[test]
    fn an_unfinished_literal_ends_with_the_file() {
        assert_code("a \"b\\", "a");
        assert_code("a r#\"b\"", "a");
        assert_code("a /* b", "a");
    }

    /// Line for line; how wide the blanks are does not matter.
    #[track_caller]
    fn assert_code(text: &str, expected: &str) {
        let (code, _) = split(text);
        let narrow = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(code.split('\n').map(narrow).collect::<Vec<_>>().join("\n"), expected);
    }
}
