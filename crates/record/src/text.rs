//! Strings of a peer, made harmless for those who read reports.

/// Without control characters, which could move a terminal's cursor or change its colours, and without marks that turn text around.
pub fn plain(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_invisible(character) {
            harmless.extend(character.escape_default());
        } else {
            harmless.push(character);
        }
    }
    harmless
}

/// The beginning of some bytes, for a sentence.
pub fn excerpt(bytes: &[u8]) -> String {
    excerpt_of(bytes, LONGEST)
}

/// The first characters of some bytes, `…` behind them if there are more.
pub fn excerpt_of(bytes: &[u8], longest: usize) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(longest * 4)]);
    let mut short: String = text.chars().take(longest).collect();
    if text.chars().count() > longest || bytes.len() > longest * 4 {
        short.push('…');
    }
    plain(&short)
}

/// For the text of an HTML page or the value of an attribute.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in plain(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// For a cell of a Markdown table.
pub fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in html(text).chars() {
        if "\\`*_[]|~#!".contains(character) && !escaped.ends_with('&') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Zero-width characters and those that change the direction of writing.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

const LONGEST: usize = 240;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_a_terminal_become_visible() {
        assert_eq!(plain("a\u{1b}[31mb\u{7}\n"), "a\\u{1b}[31mb\\u{7}\\n");
        assert_eq!(plain("\u{202e}evil"), "\\u{202e}evil");
        assert_eq!(plain("grüße"), "grüße");
    }

    #[test]
    fn markup_becomes_text() {
        assert_eq!(html("<script>\"&'"), "&lt;script&gt;&quot;&amp;&#39;");
        assert_eq!(markdown("[a](b)|`c`"), "\\[a\\](b)\\|\\`c\\`");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(excerpt(&[b'a'; 1000]).chars().count(), LONGEST + 1);
        assert_eq!(excerpt(b"short"), "short");
    }
}
