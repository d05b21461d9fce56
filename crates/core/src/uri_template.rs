//! URI templates (RFC 6570) in both directions: a template and values make a URI, a template and a URI make values.
//!
//! # Matching
//!
//! RFC 6570 defines expansion only, so what [`UriTemplate::matches`] means is defined here. A URI is read in two ways,
//! and the first that succeeds counts:
//!
//! 1. **As expanded.** The URI is one that [`UriTemplate::expand`] could have written.
//! 2. **As typed.** A person or a careless client wrote the URI: reserved characters stand unencoded in values, and
//!    named pairs come in any order.
//!
//! | expression | a value, as expanded | a value, as typed, may also contain |
//! |---|---|---|
//! | `{x}` `{.x}` `{/x}` | unreserved and percent-encoded characters | `: @ ! $ & ' ( ) * + , ; =` |
//! | `{+x}` `{#x}` | these and every reserved one, `/ ? #` included, not encoded | encoded reserved ones |
//! | `{;x}` | as `{x}`; an empty value has no `=` | as `{x}` without `;` |
//! | `{?x}` `{&x}` | as `{x}`; an empty value keeps its `=` | as `{x}` without `&`, and `/ ?` |
//!
//! So only `{+x}` and `{#x}` cross a `/` of a path. A percent-encoded `/` is part of a value everywhere: **a captured
//! value may contain any character**, `/`, `..` and NUL included, and is no file name before it has been checked.
//!
//! - Each variable may be absent, and so may each expression. `{x}` that meets no character is absent, not empty;
//!   `{/x}` that meets a bare `/` is empty.
//! - `{?a,b}` refuses a name it does not list. A name given a second time ends the expression unless its variable is
//!   exploded, and the pairs before it stay taken.
//! - `{x*}` captures a [`Value::List`], every other variable a [`Value::Text`]. Associative arrays are written, never
//!   captured: nothing in a URI tells one from a list.
//! - `{x:3}` captures at most that many characters: the prefix is all that the URI knows.
//! - A variable that occurs more than once must have one value everywhere (a prefix: the beginning of it). Each
//!   occurrence is read by the rules below before they are compared.
//! - Percent-encoding is undone once; `+` stays `+`. Literals compare as URIs do: `%7e`, `%7E` and `~` are the same.
//!   Upper and lower case differ, also in a scheme or host.
//! - A URI with a broken percent-encoding, with octets that are not UTF-8, with a character no URI has, or over
//!   [`Limits::uri_bytes`] matches nothing.
//!
//! # Ambiguity
//!
//! `{a}{b}` can share `xy` in three ways. The rules, in this order of weight from the left of the template to the right:
//!
//! 1. An expression is present rather than absent, if the rest can still match.
//! 2. A value is as long as it can be. Where further values may follow in the same expression, it ends before a
//!    separator (`{+a,b}` splits at the first comma), if the rest can still match.
//! 3. After a value, the next variable of the expression has the next one; an exploded variable takes what the later
//!    ones leave (`{/list*,last}`), and variables without a value are the last ones.
//!
//! Hence `{name}.{ext}` splits at the last dot, while `{name}{.ext}` gives `name` everything.
//!
//! # Laws
//!
//! For every template that names each variable once and whose literals are UTF-8, and for texts and (exploded) lists
//! without a percent sign: what `expand` writes, `matches` accepts, and expanding the captures writes the same URI.
//! Where also no value is empty or longer than its prefix, and none contains a character that may separate it from
//! its neighbour, the captures *are* the values.
//!
//! # Cost
//!
//! Time is bounded by the product of the lengths of template and URI, whatever either contains; there is no
//! backtracking. Memory is a few bits for each variable and character.

mod expand;
mod matching;
mod operator;
mod parse;
mod units;
mod values;

use std::fmt;
use std::str::FromStr;

use parse::Part;

pub use parse::TemplateError;
pub use values::{Captures, Value, Values};

/// A parsed template; its [`Display`](fmt::Display) is the exact text it was parsed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplate {
    source: String,
    parts: Vec<Part>,
    uri_bytes: usize,
}

/// How much a template may ask of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub template_bytes: usize,
    /// Occurrences, not distinct names.
    pub variables: usize,
    /// A longer URI matches nothing.
    pub uri_bytes: usize,
}

impl UriTemplate {
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        Self::parse_within(source, &Limits::default())
    }

    pub fn parse_within(source: &str, limits: &Limits) -> Result<Self, TemplateError> {
        let parts = parse::parse(source, limits)?;
        Ok(Self { source: source.to_owned(), parts, uri_bytes: limits.uri_bytes })
    }

    /// Writes the URI for these values; a variable without a value is left out.
    ///
    /// A prefix (`{x:3}`) says nothing about lists and associative arrays, which are written whole.
    pub fn expand(&self, values: &Values) -> String {
        expand::expand(&self.parts, values)
    }

    /// Reads the variables' values out of a URI, percent-decoded; see the [module](self) for what matches.
    pub fn matches(&self, uri: &str) -> Option<Captures> {
        if uri.len() > self.uri_bytes {
            return None;
        }
        matching::matches(&self.parts, uri)
    }

    /// The variables' names as they occur, repetitions included.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(Part::variables).map(|variable| variable.name.as_str())
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl FromStr for UriTemplate {
    type Err = TemplateError;

    fn from_str(source: &str) -> Result<Self, Self::Err> {
        Self::parse(source)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { template_bytes: 8_192, variables: 256, uri_bytes: 65_536 }
    }
}

#[cfg(test)]
mod tests;
