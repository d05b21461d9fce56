//! Names and values as they stand in queries and forms.

use std::fmt::Write as _;

/// Names and values in the order in which they stand there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form(pub(crate) Vec<(String, String)>);

impl Form {
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decoded(name), decoded(value))
                })
                .collect(),
        )
    }

    /// What stands behind the question mark of a path.
    pub(crate) fn of_query(path: &str) -> Self {
        Self::parse(path.split_once('?').map_or("", |(_, query)| query))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.0.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    pub(crate) fn encoded(&self) -> String {
        let pairs =
            self.0.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        pairs.collect::<Vec<_>>().join("&")
    }
}

fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// What cannot be decoded stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = hex.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (byte, next) = match (first, byte) {
            (b'%', Some(byte)) => (byte, &after[2..]),
            (b'+', _) => (b' ', after),
            (other, _) => (*other, after),
        };
        bytes.push(byte);
        rest = next;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_the_same() {
        let form = Form(vec![("a b".into(), "ä&=%+/".into()), ("empty".into(), String::new())]);
        assert_eq!(Form::parse(&form.encoded()), form);
    }

    #[test]
    fn what_cannot_be_decoded_stays() {
        let form = Form::of_query("/a?b=%zz%4&c=1+2&d");
        assert_eq!(form.get("b"), Some("%zz%4"));
        assert_eq!(form.get("c"), Some("1 2"));
        assert_eq!(form.get("d"), Some(""));
    }
}
