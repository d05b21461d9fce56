//! From a template's text to its parts.

use super::Limits;
use super::operator::Operator;
use super::units::{self, TRIPLET, Unit};

/// Why a text is not a template; `at` counts bytes from its beginning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("{found:?} at byte {at} cannot be part of a URI")]
    LiteralCharacter { at: usize, found: char },
    #[error("a dot at byte {at} does not stand between two characters of a variable's name")]
    MisplacedDot { at: usize },
    #[error("a variable's name is missing at byte {at}")]
    MissingName { at: usize },
    #[error("{found:?} at byte {at} cannot be part of a variable's name")]
    NameCharacter { at: usize, found: char },
    #[error("the percent sign at byte {at} is not followed by two hexadecimal digits")]
    Percent { at: usize },
    #[error("the prefix at byte {at} is not a number from 1 to 9999")]
    Prefix { at: usize },
    #[error("the operator {operator:?} at byte {at} is reserved for extensions")]
    ReservedOperator { at: usize, operator: char },
    #[error("the closing brace at byte {at} closes nothing")]
    StrayBrace { at: usize },
    #[error("the template has {bytes} bytes, more than the {limit} allowed")]
    TooLong { bytes: usize, limit: usize },
    #[error("the variable at byte {at} is one more than the {limit} allowed")]
    TooManyVariables { at: usize, limit: usize },
    #[error("{found:?} at byte {at} follows the modifier that ends a variable")]
    TrailingModifier { at: usize, found: char },
    #[error("the brace opened at byte {at} is never closed")]
    Unclosed { at: usize },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Literal(Literal),
    Expression(Expression),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    /// As it is written into a URI.
    pub(super) encoded: String,
    /// `None` if its encoded octets are not UTF-8, and so match nothing.
    pub(super) units: Option<Vec<Unit>>,
}

/// Invariant: at least one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) operator: Operator,
    pub(super) variables: Vec<Variable>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    /// The name as a URI has it; `None` as for literals.
    pub(super) units: Option<Vec<Unit>>,
    pub(super) modifier: Modifier,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modifier {
    Whole,
    Explode,
    /// In characters.
    Prefix(usize),
}

impl Part {
    pub(super) fn variables(&self) -> &[Variable] {
        match self {
            Self::Literal(_) => &[],
            Self::Expression(expression) => &expression.variables,
        }
    }
}

pub(super) fn parse(source: &str, limits: &Limits) -> Result<Vec<Part>, TemplateError> {
    if source.len() > limits.template_bytes {
        return Err(TemplateError::TooLong { bytes: source.len(), limit: limits.template_bytes });
    }
    let mut parts = Vec::new();
    let mut count = 0;
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some(inside) = rest.strip_prefix('{') {
            let end = inside.find('}').ok_or(TemplateError::Unclosed { at })?;
            parts.push(Part::Expression(expression(&inside[..end], at + 1, &mut count, limits)?));
            at += end + 2;
        } else {
            let end = rest.find('{').unwrap_or(rest.len());
            parts.push(Part::Literal(literal(&rest[..end], at)?));
            at += end;
        }
    }
    Ok(parts)
}

fn literal(text: &str, start: usize) -> Result<Literal, TemplateError> {
    let mut encoded = String::with_capacity(text.len());
    for (offset, found) in text.char_indices() {
        let at = start + offset;
        match found {
            '}' => return Err(TemplateError::StrayBrace { at }),
            '%' if units::triplet(&text[offset..]).is_none() => {
                return Err(TemplateError::Percent { at });
            }
            '%' => encoded.push(found),
            _ if units::is_unreserved(found) || units::is_reserved(found) => encoded.push(found),
            _ if is_iri_character(found) => units::encode(found, &mut encoded),
            _ => return Err(TemplateError::LiteralCharacter { at, found }),
        }
    }
    Ok(Literal { units: units::units(&encoded), encoded })
}

/// `count` is the number of variables in the template so far.
fn expression(
    text: &str,
    start: usize,
    count: &mut usize,
    limits: &Limits,
) -> Result<Expression, TemplateError> {
    let sign = text.chars().next();
    if let Some(operator) = sign.filter(|sign| "=,!@|".contains(*sign)) {
        return Err(TemplateError::ReservedOperator { at: start, operator });
    }
    let operator = sign.and_then(Operator::of);
    let skip = usize::from(operator.is_some());
    let mut at = start + skip;
    let mut variables = Vec::new();
    for text in text[skip..].split(',') {
        if *count == limits.variables {
            return Err(TemplateError::TooManyVariables { at, limit: limits.variables });
        }
        *count += 1;
        variables.push(variable(text, at)?);
        at += text.len() + 1;
    }
    Ok(Expression { operator: operator.unwrap_or(Operator::Simple), variables })
}

fn variable(text: &str, start: usize) -> Result<Variable, TemplateError> {
    let (name, suffix) = text.split_at(text.find(['*', ':']).unwrap_or(text.len()));
    check_name(name, start)?;
    let modifier = modifier(suffix, start + name.len())?;
    Ok(Variable { name: name.to_owned(), units: units::units(name), modifier })
}

fn check_name(name: &str, start: usize) -> Result<(), TemplateError> {
    if name.is_empty() {
        return Err(TemplateError::MissingName { at: start });
    }
    let mut after_dot = true;
    let mut offset = 0;
    while let Some(found) = name[offset..].chars().next() {
        let at = start + offset;
        match found {
            '.' if after_dot || offset + 1 == name.len() => {
                return Err(TemplateError::MisplacedDot { at });
            }
            '%' if units::triplet(&name[offset..]).is_none() => {
                return Err(TemplateError::Percent { at });
            }
            '.' | '_' | '%' => {}
            _ if found.is_ascii_alphanumeric() => {}
            _ => return Err(TemplateError::NameCharacter { at, found }),
        }
        after_dot = found == '.';
        offset += if found == '%' { TRIPLET } else { found.len_utf8() };
    }
    Ok(())
}

fn modifier(suffix: &str, at: usize) -> Result<Modifier, TemplateError> {
    if let Some(digits) = suffix.strip_prefix(':') {
        let plain =
            (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        let length = digits.parse().ok().filter(|_| plain && !digits.starts_with('0'));
        return length.map(Modifier::Prefix).ok_or(TemplateError::Prefix { at });
    }
    let Some(rest) = suffix.strip_prefix('*') else { return Ok(Modifier::Whole) };
    match rest.chars().next() {
        Some(found) => Err(TemplateError::TrailingModifier { at: at + 1, found }),
        None => Ok(Modifier::Explode),
    }
}

/// Characters beyond ASCII that RFC 3987 lets stand in an identifier, private use included.
fn is_iri_character(character: char) -> bool {
    let code = u32::from(character);
    let noncharacter = code & 0xFFFE == 0xFFFE || (0xFDD0..=0xFDEF).contains(&code);
    let special = (0xFFF0..=0xFFFF).contains(&code) || (0xE0000..=0xE0FFF).contains(&code);
    code >= 0xA0 && !noncharacter && !special
}
