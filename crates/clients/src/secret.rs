//! What looks like a secret.

/// Whether a value under such a name would better not stand in a file.
pub fn is_secret(name: &str, value: &str) -> bool {
    if value.is_empty() {
        return false;
    }
    let value =
        value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("Basic ")).unwrap_or(value);
    looks_issued(value) || (is_secret_name(name) && !is_plain(value))
}

/// A line of a configuration file, with what looks like a secret made unreadable.
pub fn mask(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut name = "";
    let mut rest = line;
    while !rest.is_empty() {
        let (token, behind) = token(rest);
        let value = token.trim_matches(['"', '\'']);
        let is_value =
            !matches!(token, ":" | "=" | "," | "{" | "}" | "[" | "]") && !token.trim().is_empty();
        if is_value && !is_reference(value) && is_secret(name, value) {
            shown.push_str(&token.replacen(value, "***", 1));
        } else {
            shown.push_str(token);
        }
        // The word before a colon or an equals sign is the name of what stands behind it.
        if is_value {
            let names = behind.trim_start().starts_with([':', '=']);
            name = if names { value } else { "" };
        }
        rest = behind;
    }
    shown
}

/// The first word, string, sign or space of a text, and the rest. A word without quotes goes on to the end of a value.
fn token(text: &str) -> (&str, &str) {
    let Some(first) = text.chars().next() else { return ("", "") };
    let length = match first {
        '"' | '\'' => {
            let mut escaped = false;
            let end = text.char_indices().skip(1).find(|(_, it)| {
                let ends = *it == first && !escaped;
                escaped = *it == '\\' && !escaped;
                ends
            });
            end.map_or(text.len(), |(at, _)| at + 1)
        }
        ':' | '=' | ',' | '{' | '}' | '[' | ']' => 1,
        _ if first.is_whitespace() => {
            text.find(|it: char| !it.is_whitespace()).unwrap_or(text.len())
        }
        _ => text.find([':', '=', ',', '{', '}', '[', ']', '"', ' ']).unwrap_or(text.len()),
    };
    text.split_at(length.max(first.len_utf8()))
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    // The name of a variable is none.
    if name.ends_with("_env") || name.ends_with("_env_var") {
        return false;
    }
    let words = ["token", "secret", "password", "passwd", "credential", "authorization", "cookie"];
    words.iter().any(|word| name.contains(word))
        || name == "key"
        || ["_key", "apikey", "_pat", "_auth"].iter().any(|end| name.ends_with(end))
}

/// Prefixes that issuers give their tokens so that they are found.
fn looks_issued(value: &str) -> bool {
    const PREFIXES: [&str; 14] = [
        "sk-",
        "ghp_",
        "gho_",
        "ghs_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "AKIA",
        "AIza",
        "eyJ",
        "npm_",
        "hf_",
        "sk_live_",
    ];
    value.len() >= 20 && PREFIXES.iter().any(|prefix| value.starts_with(prefix))
}

/// What is no secret, whatever its name.
fn is_plain(value: &str) -> bool {
    matches!(value, "true" | "false" | "0" | "1" | "none" | "null") || value.starts_with('/')
}

fn is_reference(value: &str) -> bool {
    let value = value.strip_prefix("Bearer ").unwrap_or(value);
    (value.starts_with("${") || value.starts_with("{env:")) && value.ends_with('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_issued_prefixes_tell_secrets() {
        for (name, value) in [
            ("GITHUB_TOKEN", "abc"),
            ("API_KEY", "abc"),
            ("Authorization", "Bearer abc"),
            ("X-Api-Key", "abc"),
            ("ANYTHING", "ghp_0123456789abcdefghij"),
            ("password", "hunter2"),
        ] {
            assert!(is_secret(name, value), "{name}");
        }
        for (name, value) in [
            ("LOG_LEVEL", "debug"),
            ("MONKEY", "banana"),
            ("TOKEN_FILE", "/run/token"),
            ("USE_TOKEN", "true"),
            ("API_KEY", ""),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }

    #[test]
    fn secrets_of_a_line_become_unreadable() {
        assert_eq!(mask("    \"API_KEY\": \"abc\","), "    \"API_KEY\": \"***\",");
        assert_eq!(mask("bearer_token = \"abc\""), "bearer_token = \"***\"");
        assert_eq!(mask("  SLACK_TOKEN: abc"), "  SLACK_TOKEN: ***");
        let line = "\"env\": {\"LOG\": \"1\", \"API_KEY\": \"a\\\"b\"}, \"args\": [\"ghp_0123456789abcdefghij\"]";
        assert_eq!(
            mask(line),
            "\"env\": {\"LOG\": \"1\", \"API_KEY\": \"***\"}, \"args\": [\"***\"]"
        );
        for line in ["\"API_KEY\": \"${API_KEY}\"", "\"url\": \"https://a.example\"", "}", "x = 1"]
        {
            assert_eq!(mask(line), line);
        }
    }
}
