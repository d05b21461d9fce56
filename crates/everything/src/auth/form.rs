//! Parameters in a query or in the body of a form.

use url::form_urlencoded;

use super::refusal::Refusal;

pub(super) struct Form(Vec<(String, String)>);

impl Form {
    pub(super) fn parse(encoded: &[u8]) -> Result<Self, Refusal> {
        if encoded.len() > MAX_BYTES {
            return Err(Refusal::invalid_request("the parameters are too long"));
        }
        let pairs: Vec<_> = form_urlencoded::parse(encoded).into_owned().collect();
        if pairs.len() > MAX_PARAMETERS {
            return Err(Refusal::invalid_request("there are too many parameters"));
        }
        Ok(Self(pairs))
    }

    /// An empty parameter counts as absent, and one that is given twice is an error.
    pub(super) fn one(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut values = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| &**value);
        let first = values.next();
        if values.next().is_some() {
            return Err(Refusal::invalid_request("a parameter is given twice"));
        }
        Ok(first.filter(|value| !value.is_empty()))
    }

    pub(super) fn required(&self, name: &str, why: &'static str) -> Result<&str, Refusal> {
        self.one(name)?.ok_or_else(|| Refusal::invalid_request(why))
    }
}

const MAX_BYTES: usize = 32 * 1024;
const MAX_PARAMETERS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_is_given_twice_is_an_error_even_if_both_are_equal() {
        let form = Form::parse(b"a=1&a=1&b=2").unwrap();
        assert_eq!(form.one("a").unwrap_err().error, "invalid_request");
        assert_eq!(form.one("b"), Ok(Some("2")));
    }

    #[test]
    fn an_empty_parameter_counts_as_absent() {
        assert_eq!(Form::parse(b"a=&b").unwrap().one("a"), Ok(None));
    }

    #[test]
    fn there_is_an_end_to_parameters() {
        assert!(Form::parse(&b"a=1&".repeat(MAX_PARAMETERS)).is_ok());
        assert!(Form::parse(&b"a=1&".repeat(MAX_PARAMETERS + 1)).is_err());
        assert!(Form::parse(&b"a".repeat(MAX_BYTES + 1)).is_err());
    }
}
