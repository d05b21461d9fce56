//! Sets of scopes, written the way OAuth writes them.

use std::fmt;

/// An ordered set of scopes, each of them a scope token of RFC 6749: visible ASCII without quotes and backslashes, so
/// it can stand between quotes in a header as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scopes(Vec<String>);

/// A character that no scope may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no scope has the character {0:?}")]
pub struct BadScope(pub char);

impl Scopes {
    /// Reads scopes with spaces between them.
    pub fn parse(text: &str) -> Result<Self, BadScope> {
        text.split(' ').filter(|scope| !scope.is_empty()).try_fold(
            Self::default(),
            |mut scopes, scope| {
                scopes.insert(checked(scope)?);
                Ok(scopes)
            },
        )
    }

    /// Takes scopes that stand in the source.
    ///
    /// # Panics
    ///
    /// If one of them is empty or has a character that no scope may have.
    pub fn of<const N: usize>(scopes: [&'static str; N]) -> Self {
        scopes.into_iter().fold(Self::default(), |mut set, scope| {
            assert!(!scope.is_empty(), "a scope has a name");
            set.insert(checked(scope).expect("scopes in the source are well-formed"));
            set
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub fn contains(&self, scope: &str) -> bool {
        self.iter().any(|own| own == scope)
    }

    /// These and the others, in this order, each once.
    #[must_use]
    pub fn union(&self, others: &Self) -> Self {
        others.iter().fold(self.clone(), |mut all, scope| {
            all.insert(scope);
            all
        })
    }

    /// What of these a token holds; scopes of another form are left out, because nothing can ask for them.
    pub(crate) fn granted<'a>(scopes: impl IntoIterator<Item = &'a str>) -> Self {
        let well_formed = |scope: &&str| !scope.is_empty() && checked(scope).is_ok();
        scopes.into_iter().filter(well_formed).fold(Self::default(), |mut set, scope| {
            set.insert(scope);
            set
        })
    }

    /// Those that a resource server may speak of: refresh tokens are between the client and its authorization server.
    pub(crate) fn of_the_resource(&self) -> Self {
        Self(self.0.iter().filter(|scope| *scope != OFFLINE_ACCESS).cloned().collect())
    }

    fn insert(&mut self, scope: &str) {
        if !self.contains(scope) {
            self.0.push(scope.to_owned());
        }
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{scope}")?;
        }
        Ok(())
    }
}

fn checked(scope: &str) -> Result<&str, BadScope> {
    let allowed = |c: char| matches!(c, '!' | '#'..='[' | ']'..='~');
    match scope.chars().find(|c| !allowed(*c)) {
        Some(bad) => Err(BadScope(bad)),
        None => Ok(scope),
    }
}

const OFFLINE_ACCESS: &str = "offline_access";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_and_written_with_single_spaces() {
        let scopes = Scopes::parse("  b  a b ").unwrap();
        assert_eq!(scopes.to_string(), "b a");
    }

    #[test]
    fn what_could_leave_its_quotes_is_no_scope() {
        for (text, bad) in
            [("a\"b", '"'), ("a\\b", '\\'), ("a\r\nb", '\r'), ("ä", 'ä'), ("a\tb", '\t')]
        {
            assert_eq!(Scopes::parse(text), Err(BadScope(bad)));
        }
    }

    #[test]
    fn a_token_with_an_odd_scope_keeps_its_others() {
        let granted = Scopes::granted(["a", "b c", "", "d\"", "e"]);
        assert_eq!(granted, Scopes::of(["a", "e"]));
    }
}
