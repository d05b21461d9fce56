//! JSON as people write it, with comments and a comma before the end.

/// The text without comments and without commas that nothing follows; strings stay as they are.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.strip_prefix('\u{feff}').unwrap_or(text).chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('"', _) => {
                out.push('"');
                while let Some(inside) = letters.next() {
                    out.push(inside);
                    match inside {
                        '\\' => out.extend(letters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => while letters.next_if(|it| *it != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut before = ' ';
                letters.next();
                for inside in letters.by_ref() {
                    if before == '*' && inside == '/' {
                        break;
                    }
                    before = inside;
                }
                out.push(' ');
            }
            ('}' | ']', _) => {
                if out.trim_end().ends_with(',') {
                    out.truncate(out.trim_end().len() - 1);
                }
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_commas_go_and_strings_stay() {
        let text = "{\"a\": \"// \\\" /* ,] */\", // x\n \"b\": [1, 2, /* y */ ], }";
        let value: serde_json::Value = serde_json::from_str(&plain(text)).unwrap();
        assert_eq!(value, serde_json::json!({"a": "// \" /* ,] */", "b": [1, 2]}));
        for broken in ["\"", "/*", "//", "\"\\", "]"] {
            assert!(serde_json::from_str::<serde_json::Value>(&plain(broken)).is_err(), "{broken}");
        }
    }
}
