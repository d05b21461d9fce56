//! Strings of a peer, made harmless for those who read reports.

use std::fmt::{self, Display, Formatter, Write};

/// A string of a peer on its way to a person: one line, in which nothing is obeyed and nothing is hidden.
///
/// Control characters, which could move a terminal's cursor or end a line, marks that turn text around, what has no width, and what
/// is no character at all are shown as escapes. So is what a CI system would take for a command.
#[derive(Clone, Copy, Debug)]
pub struct Untrusted<'t>(pub &'t str);

/// As [`Untrusted`], with the line breaks and tabs that it has.
#[derive(Clone, Copy, Debug)]
pub struct UntrustedLines<'t>(pub &'t str);

impl Display for Untrusted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        show(self.0, &[], f)
    }
}

impl Display for UntrustedLines<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, line) in self.0.split('\n').enumerate() {
            if number > 0 {
                f.write_char('\n')?;
            }
            show(line, &['\t'], f)?;
        }
        Ok(())
    }
}

/// As [`Untrusted`] shows it.
pub fn plain(text: &str) -> String {
    Untrusted(text).to_string()
}

/// A word of a command, in quotes where a shell needs them.
pub fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./:=@%+,{}".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// JSON that says the same, with escapes in its strings for what would be obeyed or hidden.
pub fn json(document: &str) -> String {
    let mut harmless = String::with_capacity(document.len());
    for (at, character) in document.char_indices() {
        let harmful = is_harmful(character) && !matches!(character, '\n' | '\r' | '\t');
        if harmful || is_mark(&document[at..]) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _infallible = write!(harmless, "\\u{unit:04x}");
            }
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

fn show(line: &str, kept: &[char], f: &mut Formatter<'_>) -> fmt::Result {
    let command = command(line);
    let mut shown = 0;
    for (at, character) in line.char_indices() {
        let harmful = is_harmful(character) && !kept.contains(&character);
        if harmful || Some(at) == command || is_mark(&line[at..]) {
            f.write_str(&line[shown..at])?;
            write!(f, "{}", Escape(character))?;
            shown = at + character.len_utf8();
        }
    }
    f.write_str(&line[shown..])
}

struct Escape(char);

impl Display for Escape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            '\n' => f.write_str("\\n"),
            '\r' => f.write_str("\\r"),
            '\t' => f.write_str("\\t"),
            other => write!(f, "{}", other.escape_unicode()),
        }
    }
}

/// Where a line begins with a command as GitHub reads it, `::error title=a::b`.
fn command(line: &str) -> Option<usize> {
    let begun = line.trim_start().strip_prefix("::")?;
    begun.contains("::").then(|| line.len() - begun.len() - 2)
}

/// Whether a command begins here that may stand anywhere in a line: `##[error]`, `##vso[…]`, `##teamcity[…]`.
fn is_mark(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("##") else { return false };
    rest.trim_start_matches(|it: char| it.is_ascii_alphabetic()).starts_with('[')
}

fn is_harmful(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    character.is_control() || is_invisible(character) || is_noncharacter(character)
}

/// What has no width, ends a line, or changes the direction of writing.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Unicode has 66 that stand for nothing; XML refuses some of them.
fn is_noncharacter(character: char) -> bool {
    let code = u32::from(character);
    matches!(code, 0xfdd0..=0xfdef) || code & 0xfffe == 0xfffe
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
    fn a_word_is_quoted_only_where_a_shell_needs_it() {
        for (word, expected) in [
            ("--a=b/c:{url}", "--a=b/c:{url}"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's; $(x)", r"'it'\''s; $(x)'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }

    #[test]
    fn what_cannot_be_seen_becomes_visible() {
        for hidden in "\u{7f}\u{9b}\u{85}\u{ad}\u{61c}\u{200b}\u{2028}\u{2029}\u{2066}\u{feff}\u{fffe}\u{ffff}\u{fdd0}\u{1fffe}\u{e0041}".chars() {
            let shown = plain(&format!("a{hidden}b"));
            assert_eq!(shown, format!("a\\u{{{:x}}}b", u32::from(hidden)));
        }
        assert_eq!(plain("a\r\n\tb"), "a\\r\\n\\tb");
        assert_eq!(UntrustedLines("a\tb\r\nc\u{9b}").to_string(), "a\tb\\r\nc\\u{9b}");
    }

    #[test]
    fn commands_to_a_ci_system_become_text() {
        assert_eq!(plain("  ::error::a"), "  \\u{3a}:error::a");
        assert_eq!(plain("::1 and 127.0.0.1"), "::1 and 127.0.0.1");
        assert_eq!(
            plain("a ##[error]b ##vso[x] ## [c]"),
            "a \\u{23}#[error]b \\u{23}#vso[x] ## [c]"
        );
        assert_eq!(
            UntrustedLines("a\n::set-env name=b::c").to_string(),
            "a\n\\u{3a}:set-env name=b::c"
        );
    }

    #[test]
    fn json_stays_json_and_says_the_same() {
        let said = "a\u{1b}\u{9b}\u{202e}\u{fffe}\u{1fffe}##[error]\"\\\n";
        let document = format!("{:#}\n", serde_json::json!({ said: [said] }));
        let harmless = json(&document);
        assert!(harmless.chars().all(|it| it == '\n' || !is_harmful(it)), "{harmless}");
        assert!(harmless.contains("\\ufffe\\ud83f\\udffe\\u0023#[error]"), "{harmless}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&harmless), read(&document));
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
