//! What stands in the parentheses of an attribute.

use proc_macro2::Span;
use syn::{
    Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Meta, Result, Token,
    parse::{Parse, ParseStream},
};

/// Words, and names with texts.
#[derive(Default)]
pub(crate) struct Options(Vec<(Ident, Option<LitStr>)>);

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut options = Vec::new();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            let value = if input.peek(Token![=]) {
                input.parse::<Token![=]>()?;
                Some(input.parse::<LitStr>()?)
            } else {
                None
            };
            if options.iter().any(|(other, _)| *other == name) {
                return Err(Error::new(name.span(), format!("`{name}` is there twice")));
            }
            options.push((name, value));
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Self(options))
    }
}

impl Options {
    /// Of an attribute inside another.
    pub(crate) fn of(attribute: &Attribute) -> Result<Self> {
        match &attribute.meta {
            Meta::Path(_) => Ok(Self::default()),
            Meta::List(list) => list.parse_args(),
            Meta::NameValue(pair) => {
                Err(Error::new_spanned(pair, "write the options in parentheses"))
            }
        }
    }

    /// The text of an option; `None` if it is not there.
    pub(crate) fn text(&self, name: &str) -> Option<&LitStr> {
        self.0.iter().find(|(known, _)| known == name)?.1.as_ref()
    }

    /// Whether a word is there.
    pub(crate) fn word(&self, word: &str) -> bool {
        self.0.iter().any(|(known, value)| known == word && value.is_none())
    }

    /// Refuses what the attribute does not know, and says what it knows.
    pub(crate) fn check(&self, texts: &[&str], words: &[&str]) -> Result<()> {
        for (name, value) in &self.0 {
            let known = if value.is_some() { texts } else { words };
            if known.iter().any(|known| name == known) {
                continue;
            }
            if value.is_none() && texts.iter().any(|text| name == text) {
                let message = format!("`{name}` takes a text: `{name} = \"…\"`");
                return Err(Error::new(name.span(), message));
            }
            if value.is_some() && words.iter().any(|word| name == word) {
                return Err(Error::new(name.span(), format!("`{name}` stands alone")));
            }
            let texts = texts.iter().map(|text| format!("`{text} = \"…\"`"));
            let words = words.iter().map(|word| format!("`{word}`"));
            let all: Vec<String> = texts.chain(words).collect();
            let message = format!("`{name}` is not known here; known are {}", all.join(", "));
            return Err(Error::new(name.span(), message));
        }
        Ok(())
    }
}

/// The text of an option, else the lines of the documentation comment.
pub(crate) fn description(options: &Options, attributes: &[Attribute]) -> Option<LitStr> {
    if let Some(text) = options.text("description") {
        return Some(text.clone());
    }
    let lines: Vec<String> = attributes.iter().filter_map(documentation).collect();
    let text = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let text = text.collect::<Vec<_>>().join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| LitStr::new(text, Span::call_site()))
}

fn documentation(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if pair.path.is_ident("doc") => {
            Some(text.value())
        }
        _ => None,
    }
}
