//! Parameters as they stand in a query or in the body of a form.

use std::fmt::Write;

/// Names and values in the order in which they stand there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form(pub Vec<(String, String)>);

impl Form {
    pub fn parse(text: &str) -> Self {
        Self(decode(text))
    }

    /// What stands behind the question mark of a path.
    pub fn of_query(path: &str) -> Self {
        Self::parse(path.split_once('?').map_or("", |(_, query)| query))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        one(&self.0, name)
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.0.push((name.to_owned(), value.to_owned()));
    }

    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    pub fn encoded(&self) -> String {
        encode(self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

/// Names and values, encoded.
pub fn encode<'p>(pairs: impl IntoIterator<Item = (&'p str, &'p str)>) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        if !text.is_empty() {
            text.push('&');
        }
        push(&mut text, name);
        text.push('=');
        push(&mut text, value);
    }
    text
}

/// Names and values, decoded. What is no escape stays as it is.
pub fn decode(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (plain(name), plain(value))
        })
        .collect()
}

/// The parameters of a URL or of a request line, those of a fragment included.
pub fn query(url: &str) -> Vec<(String, String)> {
    let Some(begin) = url.find(['?', '#']) else { return Vec::new() };
    url[begin + 1..].split(['?', '#']).flat_map(decode).collect()
}

/// A URL without its parameters.
pub fn base(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

/// The first parameter of this name.
pub fn one<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// A URL with more parameters.
pub fn with_query(url: &str, query: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{query}")
}

fn push(text: &mut String, value: &str) {
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
}

fn plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escape = bytes.get(at + 1..at + 3).and_then(|it| std::str::from_utf8(it).ok());
        match (byte, escape.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(value)) => {
                decoded.push(value);
                at += 2;
            }
            (b'+', _) => decoded.push(b' '),
            _ => decoded.push(*byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_encoded_is_decoded_again() {
        let pairs = [("a b", "http://h:1/p?q=1&r#s"), ("ü", "%41+")];
        let decoded = decode(&encode(pairs));
        let again: Vec<_> = decoded.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(again, pairs);
    }

    #[test]
    fn what_is_no_escape_stays() {
        for (text, plain) in
            [("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("a+b", "a b"), ("%C3", "\u{fffd}")]
        {
            assert_eq!(decode(&format!("x={text}"))[0].1, plain);
        }
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let form = Form(vec![("a b".into(), "ä&=%+/".into()), ("empty".into(), String::new())]);
        assert_eq!(Form::parse(&form.encoded()), form);
        let form = Form::of_query("/a?b=%zz%4&c=1+2&d");
        assert_eq!(form.get("b"), Some("%zz%4"));
        assert_eq!(form.get("c"), Some("1 2"));
        assert_eq!(form.get("d"), Some(""));
    }

    #[test]
    fn parameters_are_found_in_a_query_and_in_a_fragment() {
        let found = query("http://h/cb?code=1#state=2");
        assert_eq!((one(&found, "code"), one(&found, "state")), (Some("1"), Some("2")));
        assert_eq!(query("http://h/cb"), []);
        assert_eq!(base("http://h/cb?x#y"), "http://h/cb");
        assert_eq!(with_query("http://h/cb?x=1", "y=2"), "http://h/cb?x=1&y=2");
    }
}
